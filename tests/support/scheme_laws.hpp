// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_SCHEME_LAWS_HPP
#define CLOCKWISE_TESTS_SUPPORT_SCHEME_LAWS_HPP

// Laws that hold for every partitioner, as checks to run on each.

#include <catch2/catch_test_macros.hpp>
#include <cmath>    // abs, sqrt
#include <cstddef>  // size_t
#include <map>      // map
#include <string>   // string
#include <vector>   // vector

#include "clockwise/detail/base/node_id.hpp"
#include "support/keys.hpp"

namespace clockwise_test {

/// Keys by owner, without members that own no keys.
template <class Scheme>
std::map<std::string, std::size_t> loads(const Scheme& scheme,
                                         const std::vector<std::string>& keys) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& key : keys) ++counts[scheme.lookup(key)];
  return counts;
}

/// Whether `count` of `trials` draws of probability `p` is within four standard deviations.
inline bool plausible(std::size_t count, std::size_t trials, double p) {
  const double n = static_cast<double>(trials);
  return std::abs(static_cast<double>(count) - n * p) <= 4 * std::sqrt(n * p * (1 - p)) + 1;
}

/// Checks that two schemes give every key the same owner and the same list of three.
template <class Scheme>
void check_same_owners(const Scheme& a, const Scheme& b, const std::vector<std::string>& keys) {
  std::size_t differing = 0;
  for (const std::string& key : keys) {
    const auto one = a.preference_list(key, 3);
    const auto two = b.preference_list(key, 3);
    bool same = a.lookup(key) == b.lookup(key) && one.size() == two.size();
    for (std::size_t i = 0; same && i < one.size(); ++i) same = one[i] == two[i];
    differing += same ? 0u : 1u;
  }
  CHECK(differing == 0);
}

/// How many keys change owner; all of them must move to `joiner`.
template <class Scheme>
std::size_t keys_moved_to(const std::string& joiner, const Scheme& before, const Scheme& after,
                          const std::vector<std::string>& keys) {
  std::size_t moved = 0;
  std::size_t elsewhere = 0;
  for (const std::string& key : keys) {
    const std::string from = before.lookup(key);
    const std::string to = after.lookup(key);
    if (from == to) continue;
    ++moved;
    elsewhere += to == joiner ? 0u : 1u;
  }
  CHECK(elsewhere == 0);
  return moved;
}

/// Lists start with the owner, name each node once, and are as long as possible.
template <class Scheme>
void check_preference_lists(const Scheme& scheme, std::size_t owning_nodes,
                            const std::vector<std::string>& keys) {
  std::size_t wrong = 0;
  for (const std::string& key : keys) {
    for (const std::size_t r :
         {std::size_t{0}, std::size_t{1}, std::size_t{3}, owning_nodes, owning_nodes + 5}) {
      const auto list = scheme.preference_list(key, r);
      bool right = list.requested() == r && list.size() == (r < owning_nodes ? r : owning_nodes);
      if (r > 0) right = right && list.front() == scheme.lookup(key);
      std::map<std::string, int> seen;
      for (const std::string& node : list) right = right && ++seen[node] == 1;
      wrong += right ? 0u : 1u;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_SCHEME_LAWS_HPP
