// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_WIRE_DIFFERENCE_HPP
#define CLOCKWISE_WIRE_DIFFERENCE_HPP

#include <cstddef>  // size_t
#include <utility>  // pair
#include <vector>   // vector

#include "clockwise/wire/membership.hpp"

namespace clockwise::wire {

/// The differences of two memberships: indices into their `members`.
struct Difference {
  bool placement = false;  ///< Hash policy, seed, kind or vnodes: any key can differ.
  std::vector<std::size_t> only_first;
  std::vector<std::size_t> only_second;
  std::vector<std::pair<std::size_t, std::size_t>> changed;  ///< Weight, rack, datacenter, tokens.

  bool empty() const {
    return !placement && only_first.empty() && only_second.empty() && changed.empty();
  }
};

/// Compares two memberships. O(N), plus O(M) with tokens.
inline Difference difference(const Membership& first, const Membership& second) {
  Difference result;
  result.placement = first.policy != second.policy || first.seed != second.seed ||
                     first.circle != second.circle || first.has_tokens != second.has_tokens ||
                     first.vnodes != second.vnodes;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.members.size() || j < second.members.size()) {
    if (j == second.members.size() ||
        (i < first.members.size() && first.members[i].id < second.members[j].id)) {
      result.only_first.push_back(i++);
    } else if (i == first.members.size() || second.members[j].id < first.members[i].id) {
      result.only_second.push_back(j++);
    } else {
      const auto& one = first.members[i];
      const auto& other = second.members[j];
      if (one.weight != other.weight || one.tokens != other.tokens ||
          first.domains[one.domain] != second.domains[other.domain]) {
        result.changed.emplace_back(i, j);
      }
      ++i;
      ++j;
    }
  }
  return result;
}

}  // namespace clockwise::wire

#endif  // CLOCKWISE_WIRE_DIFFERENCE_HPP
