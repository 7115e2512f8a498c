// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_MATCHING_HPP
#define CLOCKWISE_DETAIL_RING_MATCHING_HPP

// The correspondence of two partitioners' members.

#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <string_view>  // string_view
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"

namespace clockwise::detail {

inline constexpr std::uint32_t no_member = 0xffffffff;

/// Returns for each member of `before` its index in `after`, or no_member if it left. Both have
/// their members in id order. O(N).
template <class Before, class After>
std::vector<std::uint32_t> matched_members(const Before& before, const After& after) {
  const auto& old_members = before.members();
  const auto& new_members = after.members();
  std::vector<std::uint32_t> matches(old_members.size(), no_member);
  std::size_t j = 0;
  for (std::size_t i = 0; i < old_members.size(); ++i) {
    const auto id = detail::id_of(old_members[i].node);
    for (; j < new_members.size(); ++j) {
      const auto other = detail::id_of(new_members[j].node);
      if (std::string_view(other) < std::string_view(id)) continue;
      if (std::string_view(other) == std::string_view(id)) {
        matches[i] = static_cast<std::uint32_t>(j);
      }
      break;
    }
  }
  return matches;
}

template <class Before, class After>
void check_same_circle(const Before& before, const After& after) {
  if (before.circle() != after.circle()) {
    fail_invalid(
        "the rings' hash policies differ, so arcs cannot be compared; count keys with "
        "KeyMovement instead");
  }
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_MATCHING_HPP
