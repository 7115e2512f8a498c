// SPDX-License-Identifier: MIT
#ifndef RINGCTL_ENGINE_DIFF_HPP
#define RINGCTL_ENGINE_DIFF_HPP

#include <cstdint>
#include <string>

#include "fleet.hpp"
#include "keys.hpp"
#include "output.hpp"
#include "placement.hpp"

namespace ringctl {

struct EngineSide {
  Fleet fleet;
  std::string scheme;
};

struct EngineDiff {
  EngineSide before;
  EngineSide after;
  KeySource keys;
  Placement placement;  ///< Of clockwise's own ring, where that is one of the two.
  Format format = Format::text;
  std::uint64_t top = 20;
};

/// What moves from one engine's placement to another's: exactly where both put keys at the same
/// positions, over the keys given otherwise.
void print_engine_diff(const EngineDiff& request);

}  // namespace ringctl

#endif  // RINGCTL_ENGINE_DIFF_HPP
