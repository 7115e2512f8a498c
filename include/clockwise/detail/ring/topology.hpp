// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_TOPOLOGY_HPP
#define CLOCKWISE_DETAIL_RING_TOPOLOGY_HPP

// The failure domains of members: the racks and datacenters of a node table, as small numbers.

#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <span>         // span
#include <string_view>  // string_view

#include "clockwise/detail/base/id_tree.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

class Topology {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// The nodes and domains that a walk can find. Members that own nothing are never met, so they do
  /// not count.
  struct Extent {
    std::size_t nodes = 0;
    std::size_t domains = 0;
  };

  Topology() = default;

  /// `members`: pointers to rows of a node table; row i owns vnodes[i]. O(N log D) for D racks and
  /// datacenters.
  template <class MemberPointers>
  Topology(const MemberPointers& members, const std::uint32_t* vnodes)
      : Topology(rows_of(members.size(), [&](std::size_t i) {
          return Row{members[i]->datacenter, members[i]->rack, vnodes[i]};
        })) {}

  bool has_racks() const noexcept { return !domains_.empty(); }

  /// The failure domain of a member: its rack, or itself. Below domain_limit().
  std::uint32_t domain(std::size_t member) const noexcept {
    return has_racks() ? domains_[member] : static_cast<std::uint32_t>(member);
  }
  std::size_t domain_limit() const noexcept { return domain_limit_; }
  /// domain() of every member, if has_racks().
  std::span<const std::uint32_t> domains() const noexcept {
    return {domains_.data(), domains_.size()};
  }

  /// Returns the number of a datacenter, or `none` if no member names it.
  std::uint32_t datacenter_named(std::string_view name) const noexcept {
    std::size_t first = 0;
    for (std::size_t length = datacenters_.size(); length > 0;) {
      const std::size_t half = length / 2;
      if (name_of(first + half).compare(name) < 0) {
        first += half + 1;
        length -= half + 1;
      } else {
        length = half;
      }
    }
    return first < datacenters_.size() && name_of(first) == name ? static_cast<std::uint32_t>(first)
                                                                 : none;
  }
  std::uint32_t datacenter(std::size_t member) const noexcept {
    return member_datacenters_[member];
  }

  /// Heap memory, without that of long names.
  std::size_t bytes() const noexcept {
    return (domains_.capacity() + member_datacenters_.capacity()) * sizeof(std::uint32_t) +
           datacenters_.capacity() * sizeof(Datacenter);
  }

  const Extent& whole() const noexcept { return whole_; }
  /// `datacenter` must not be `none`.
  const Extent& extent(std::uint32_t datacenter) const noexcept {
    return datacenters_[datacenter].extent;
  }

  /// Of a node table. O(N log D).
  template <class Members>
  static Topology of(const Members& members) {
    return Topology(rows_of(members.size(), [&](std::size_t i) {
      return Row{members[i].datacenter, members[i].rack, members[i].vnodes};
    }));
  }

 private:
  struct Row {
    std::string_view datacenter;
    std::string_view rack;
    std::uint32_t vnodes;
  };
  struct Datacenter {
    std::size_t name_end;  // in names_
    Extent extent;
  };

  template <class RowAt>
  static PlainVector<Row> rows_of(std::size_t count, RowAt row_at) {
    auto rows = PlainVector<Row>::unset(count);
    for (std::size_t i = 0; i < count; ++i) rows[i] = row_at(i);
    return rows;
  }

  /// The tree's node of a name, added if absent.
  CLOCKWISE_NOINLINE static IdNode* named(IdTree& tree, std::string_view name) {
    IdNode* node = tree.find(name);
    if (node == nullptr) tree.put(node = new IdNode(name));
    return node;
  }

  CLOCKWISE_NOINLINE explicit Topology(const PlainVector<Row>& rows) {
    IdTree datacenters;
    auto name_of_row = PlainVector<IdNode*>::unset(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      name_of_row[i] = named(datacenters, rows[i].datacenter);
    }
    datacenters_ = PlainVector<Datacenter>::unset(datacenters.size());
    std::uint32_t number = 0;
    for (IdNode* const node : datacenters.in_order()) {
      names_.append(node->id.data(), node->id.size());
      datacenters_[number] = {names_.size(), {}};
      node->number = number++;
    }

    // A rack's id is the number of its datacenter, big-endian, and its name.
    IdTree racks;
    PlainVector<char> rack_id;
    member_datacenters_ = PlainVector<std::uint32_t>::unset(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t datacenter = name_of_row[i]->number;
      member_datacenters_[i] = datacenter;
      name_of_row[i] = nullptr;
      if (rows[i].rack.empty()) continue;
      rack_id.truncate(0);
      for (int bits = 24; bits >= 0; bits -= 8) {
        rack_id.push_back(static_cast<char>(datacenter >> bits));
      }
      rack_id.append(rows[i].rack.data(), rows[i].rack.size());
      name_of_row[i] = named(racks, {rack_id.data(), rack_id.size()});
    }
    number = 0;
    for (IdNode* const node : racks.in_order()) node->number = number++;

    domain_limit_ = racks.size() + rows.size();
    PlainVector<bool> met(domain_limit_);
    if (!racks.empty()) domains_ = PlainVector<std::uint32_t>::unset(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i, ++number) {
      const std::uint32_t domain = name_of_row[i] == nullptr ? number : name_of_row[i]->number;
      if (!racks.empty()) domains_[i] = domain;
      if (rows[i].vnodes == 0) continue;
      Extent& extent = datacenters_[member_datacenters_[i]].extent;
      ++whole_.nodes;
      ++extent.nodes;
      if (met[domain]) continue;
      met[domain] = true;
      ++whole_.domains;
      ++extent.domains;
    }
  }

  std::string_view name_of(std::size_t datacenter) const noexcept {
    const std::size_t begin = datacenter == 0 ? 0 : datacenters_[datacenter - 1].name_end;
    return {names_.data() + begin, datacenters_[datacenter].name_end - begin};
  }

  std::size_t domain_limit_ = 0;
  Extent whole_;
  PlainVector<std::uint32_t> domains_;             // by member; empty without racks
  PlainVector<std::uint32_t> member_datacenters_;  // by member
  PlainVector<Datacenter> datacenters_;            // in order of names; "" if it has none
  PlainVector<char> names_;                        // of datacenters, one after the other
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_TOPOLOGY_HPP
