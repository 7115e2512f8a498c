// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_TOPOLOGY_HPP
#define CLOCKWISE_DETAIL_TOPOLOGY_HPP

// Which members fail together: the racks and datacenters of a node table, as small numbers.

#include <algorithm>    // lower_bound
#include <compare>      // strong_ordering
#include <cstddef>      // ptrdiff_t, size_t
#include <cstdint>      // uint32_t
#include <string>       // string
#include <string_view>  // string_view
#include <utility>      // pair
#include <vector>       // vector

namespace clockwise::detail {

class Topology {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// What a walk may hope to find. Members that own nothing are never met, so they do not count.
  struct Extent {
    std::size_t nodes = 0;
    std::size_t domains = 0;
  };

  Topology() = default;

  /// `members`: pointers to rows of a node table. O(N log racks).
  template <class MemberPointers>
  explicit Topology(const MemberPointers& members) {
    std::vector<std::pair<std::string_view, std::string_view>> racks;
    std::vector<std::string_view> datacenters;
    for (const auto* member : members) {
      insert(datacenters, std::string_view(member->datacenter));
      if (!member->rack.empty()) {
        insert(racks,
               std::pair(std::string_view(member->datacenter), std::string_view(member->rack)));
      }
    }
    has_racks_ = !racks.empty();
    datacenters_.assign(datacenters.begin(), datacenters.end());
    datacenter_extents_.resize(datacenters.size());

    std::vector<bool> met(racks.size());
    std::uint32_t index = 0;
    for (const auto* member : members) {
      std::uint32_t domain = static_cast<std::uint32_t>(racks.size()) + index++;
      if (!member->rack.empty()) {
        domain = find(
            racks, std::pair(std::string_view(member->datacenter), std::string_view(member->rack)));
      }
      const std::uint32_t datacenter = datacenter_named(member->datacenter);
      if (has_racks_) domains_.push_back(domain);
      member_datacenters_.push_back(datacenter);
      if (member->vnodes == 0) continue;
      const bool new_domain = domain >= racks.size() || !met[domain];
      if (domain < racks.size()) met[domain] = true;
      count(whole_, new_domain);
      count(datacenter_extents_[datacenter], new_domain);
    }
    domain_limit_ = racks.size() + index;
  }

  bool has_racks() const noexcept { return has_racks_; }

  /// The failure domain of a member: its rack, or itself. Below domain_limit().
  std::uint32_t domain(std::size_t member) const noexcept {
    return has_racks_ ? domains_[member] : static_cast<std::uint32_t>(member);
  }
  std::size_t domain_limit() const noexcept { return domain_limit_; }

  /// The number of a datacenter, `none` where no member names it.
  std::uint32_t datacenter_named(std::string_view name) const noexcept {
    return find(datacenters_, name);
  }
  std::string_view datacenter_name(std::uint32_t datacenter) const noexcept {
    return datacenters_[datacenter];
  }
  std::uint32_t datacenter(std::size_t member) const noexcept {
    return member_datacenters_[member];
  }

  const Extent& whole() const noexcept { return whole_; }
  /// `datacenter` is not `none`.
  const Extent& extent(std::uint32_t datacenter) const noexcept {
    return datacenter_extents_[datacenter];
  }

 private:
  template <class T, class U>
  static std::uint32_t find(const std::vector<T>& sorted, const U& value) noexcept {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    return at == sorted.end() || *at != value ? none
                                              : static_cast<std::uint32_t>(at - sorted.begin());
  }
  template <class T>
  static void insert(std::vector<T>& sorted, const T& value) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (at == sorted.end() || *at != value) sorted.insert(at, value);
  }
  static void count(Extent& extent, bool new_domain) {
    ++extent.nodes;
    extent.domains += new_domain ? 1 : 0;
  }

  bool has_racks_ = false;
  std::size_t domain_limit_ = 0;
  Extent whole_;
  std::vector<std::uint32_t> domains_;             // by member; empty without racks
  std::vector<std::uint32_t> member_datacenters_;  // by member
  std::vector<std::string> datacenters_;           // sorted; "" is the one without a name
  std::vector<Extent> datacenter_extents_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_TOPOLOGY_HPP
