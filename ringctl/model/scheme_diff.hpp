// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_SCHEME_DIFF_HPP
#define RINGCTL_MODEL_SCHEME_DIFF_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.hpp"
#include "model/flow.hpp"
#include "model/keys.hpp"

namespace ringctl {

struct SchemeSide {
  std::string fleet;  ///< Its name.
  std::string scheme;
  std::size_t nodes = 0;
};

/// What `ringctl diff --scheme` prints: what moves from one scheme's placement to another's.
struct SchemeDiff {
  SchemeSide before;
  SchemeSide after;
  bool rebalanced = false;            ///< A rebalance moved the slots of AFTER.
  std::optional<double> share;        ///< Of the key space; nothing if the circles differ.
  std::optional<std::uint64_t> keys;  ///< All of them, if any were given.
  std::uint64_t moved = 0;            ///< Of the keys.
  std::vector<Flow> flows;            ///< The largest first.
};

/// Computes what moves: exactly if both schemes use the same circle, and over the keys if
/// `next_key` is not empty. A Redis Cluster moves slots (see redis_change); any other scheme places
/// both fleets from scratch. Throws InputError if neither is possible.
SchemeDiff scheme_diff_of(const Fleet& before, const std::string& scheme_before, const Fleet& after,
                          const std::string& scheme_after, const NextKey& next_key);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_SCHEME_DIFF_HPP
