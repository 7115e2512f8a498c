// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_COMPARE_HPP
#define RINGCTL_MODEL_COMPARE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.hpp"

namespace ringctl {

struct CompareRequest {
  std::uint64_t keys = 1'000'000;
  std::function<double()> cpu_seconds;  ///< CPU time used so far.
  /// Called often, with the scheme being measured and the number of schemes done. Can be empty.
  std::function<void(const char* scheme, std::size_t done, std::size_t all)> progress;
};

/// One scheme on the fleet and the keys.
struct SchemeResult {
  const char* name = "";
  const char* shared_state = "";  ///< What programs must share to agree on owners.
  bool weights = false;
  double lookup_ns = 0;
  double build_ms = 0;
  std::uint64_t bytes = 0;  ///< Of memory, as memory_bytes() reports them.
  double peak_to_mean = 0;  ///< Of load / fair load by weight.
  double cv = 0;
  double join_moves = 0;              ///< Share of keys that move if a node of weight 1 joins.
  std::optional<double> leave_moves;  ///< If the middle node leaves; nothing if it cannot.
};

/// What `ringctl compare` prints.
struct Comparison {
  Placement placement;
  std::uint64_t keys = 0;
  std::size_t nodes = 0;  ///< Without drained nodes.
  std::string joiner;
  std::string leaver;
  double join_floor = 0;  ///< No scheme can move less.
  double leave_floor = 0;
  std::vector<SchemeResult> schemes;
};

/// Runs all schemes on the fleet, one after the other. Throws InputError for a token ring.
Comparison compare_schemes(const Fleet& fleet, const CompareRequest& request);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_COMPARE_HPP
