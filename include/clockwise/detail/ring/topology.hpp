// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_TOPOLOGY_HPP
#define CLOCKWISE_DETAIL_RING_TOPOLOGY_HPP

// Which members fail together: the racks and datacenters of a node table, as small numbers.

#include <algorithm>    // lower_bound
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <map>          // map
#include <span>         // span
#include <string>       // string
#include <string_view>  // string_view
#include <utility>      // pair
#include <vector>       // vector

namespace clockwise::detail {

class Topology {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// What a walk can find. Members that own nothing are never met, so they do not count.
  struct Extent {
    std::size_t nodes = 0;
    std::size_t domains = 0;
  };

  Topology() = default;

  /// `members`: pointers to rows of a node table; row i owns vnodes[i]. O(N log D) for D racks and
  /// datacenters.
  template <class MemberPointers>
  Topology(const MemberPointers& members, std::span<const std::uint32_t> vnodes) {
    using Rack = std::pair<std::string_view, std::string_view>;  // datacenter and name
    std::map<Rack, std::uint32_t> racks;
    std::map<std::string_view, std::uint32_t> datacenters;
    std::vector<std::uint32_t*> rack_of;  // nullptr: none
    std::vector<const std::uint32_t*> datacenter_of;
    rack_of.reserve(members.size());
    datacenter_of.reserve(members.size());
    member_datacenters_.reserve(members.size());
    for (const auto* member : members) {
      datacenter_of.push_back(&datacenters.try_emplace(member->datacenter).first->second);
      const Rack rack(member->datacenter, member->rack);
      rack_of.push_back(member->rack.empty() ? nullptr : &racks.try_emplace(rack).first->second);
    }
    std::uint32_t number = 0;
    for (auto& [name, rack] : racks) rack = number++;
    datacenters_.reserve(datacenters.size());
    for (auto& [name, datacenter] : datacenters) {
      datacenter = static_cast<std::uint32_t>(datacenters_.size());
      datacenters_.emplace_back(name);
    }
    datacenter_extents_.resize(datacenters_.size());

    std::vector<bool> met(racks.size());
    for (std::size_t i = 0; i < members.size(); ++i, ++number) {
      const std::uint32_t* const rack = rack_of[i];
      const std::uint32_t datacenter = *datacenter_of[i];
      member_datacenters_.push_back(datacenter);
      if (!racks.empty()) domains_.push_back(rack == nullptr ? number : *rack);
      if (vnodes[i] == 0) continue;
      const bool new_domain = rack == nullptr || !met[*rack];
      if (rack != nullptr) met[*rack] = true;
      count(whole_, new_domain);
      count(datacenter_extents_[datacenter], new_domain);
    }
    domain_limit_ = number;
  }

  bool has_racks() const noexcept { return !domains_.empty(); }

  /// The failure domain of a member: its rack, or itself. Below domain_limit().
  std::uint32_t domain(std::size_t member) const noexcept {
    return has_racks() ? domains_[member] : static_cast<std::uint32_t>(member);
  }
  std::size_t domain_limit() const noexcept { return domain_limit_; }
  /// domain() of every member, if has_racks().
  std::span<const std::uint32_t> domains() const noexcept { return domains_; }

  /// Returns the number of a datacenter, or `none` if no member names it.
  std::uint32_t datacenter_named(std::string_view name) const noexcept {
    const auto at = std::lower_bound(datacenters_.begin(), datacenters_.end(), name);
    return at == datacenters_.end() || *at != name
               ? none
               : static_cast<std::uint32_t>(at - datacenters_.begin());
  }
  std::uint32_t datacenter(std::size_t member) const noexcept {
    return member_datacenters_[member];
  }

  /// Heap memory, without what names take beyond their objects.
  std::size_t bytes() const noexcept {
    return (domains_.capacity() + member_datacenters_.capacity()) * sizeof(std::uint32_t) +
           datacenters_.capacity() * sizeof(std::string) +
           datacenter_extents_.capacity() * sizeof(Extent);
  }

  const Extent& whole() const noexcept { return whole_; }
  /// `datacenter` must not be `none`.
  const Extent& extent(std::uint32_t datacenter) const noexcept {
    return datacenter_extents_[datacenter];
  }

  /// Of a node table as it is. O(N log D).
  template <class Members>
  static Topology of(const Members& members) {
    std::vector<decltype(&members[0])> rows;
    std::vector<std::uint32_t> vnodes;
    rows.reserve(members.size());
    vnodes.reserve(members.size());
    for (const auto& member : members) {
      rows.push_back(&member);
      vnodes.push_back(member.vnodes);
    }
    return Topology(rows, vnodes);
  }

 private:
  static void count(Extent& extent, bool new_domain) {
    ++extent.nodes;
    extent.domains += new_domain ? 1 : 0;
  }

  std::size_t domain_limit_ = 0;
  Extent whole_;
  std::vector<std::uint32_t> domains_;             // by member; empty without racks
  std::vector<std::uint32_t> member_datacenters_;  // by member
  std::vector<std::string> datacenters_;           // sorted; "" is the one without a name
  std::vector<Extent> datacenter_extents_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_TOPOLOGY_HPP
