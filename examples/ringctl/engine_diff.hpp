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
  Placement placement;  ///< Of clockwise's own ring, if it is one of the two.
  Format format = Format::text;
  std::uint64_t top = 20;
};

/// Prints what moves from one engine's placement to another's: exactly if both use the same circle,
/// otherwise over the keys given.
void print_engine_diff(const EngineDiff& request);

}  // namespace ringctl

#endif  // RINGCTL_ENGINE_DIFF_HPP
