// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_DIFF_HPP
#define RINGCTL_MODEL_DIFF_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.hpp"
#include "model/flow.hpp"
#include "model/keys.hpp"

namespace ringctl {

/// If more pairs of nodes than this exchange keys, only their total is counted: mod N can have as
/// many pairs as the least common multiple of both node counts.
inline constexpr std::size_t most_pairs = 100'000;

/// What one scheme moves.
struct Moves {
  double share = 0;  ///< Of the key space, exactly.
  std::uint64_t keys = 0;
  std::optional<std::vector<Flow>> flows;  ///< The largest first; nothing if there are too many.
};

struct WeightChange {
  std::string id;
  double before;
  double after;
};

/// How two fleets differ.
struct Changes {
  std::vector<std::string> joined;
  std::vector<std::string> left;
  std::vector<WeightChange> reweighted;
  double ideal = 0;  ///< The least that moves if shares are fair before and after.
};

struct DiffSide {
  std::string name;  ///< The fleet's.
  std::size_t nodes = 0;
  std::size_t positions = 0;
};

/// What `ringctl diff` prints.
struct Diff {
  Placement placement;  ///< Before.
  DiffSide before;
  DiffSide after;
  Changes changes;
  std::optional<std::uint64_t> keys;  ///< All of them, if any were given.
  Moves ring;
  Moves mod_n;
};

/// Computes what a change moves, on clockwise's own ring and under hash mod N. `next_key` can be
/// empty. Throws InputError.
Diff diff_of(const Fleet& before, const Fleet& after, const NextKey& next_key);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_DIFF_HPP
