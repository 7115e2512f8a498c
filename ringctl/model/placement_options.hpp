// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLACEMENT_OPTIONS_HPP
#define RINGCTL_MODEL_PLACEMENT_OPTIONS_HPP

#include <cstdint>
#include <optional>

#include "model/fleet.hpp"
#include "model/placement.hpp"

namespace ringctl {

/// How the user wants clockwise's own ring to place nodes and keys.
struct PlacementOptions {
  std::optional<std::uint32_t> vnodes;
  std::optional<Placement> hash;            ///< Its hash and seed.
  bool relative_weights = false;            ///< Divide weights by their mean.
  std::optional<double> weight_unit;        ///< Divide weights by this.
  std::optional<std::uint64_t> max_vnodes;  ///< Of the whole fleet.
};

/// Applies the options to a fleet that does not name its placement. Throws InputError if an option
/// contradicts a placement that it names, or if it needs too many vnodes.
void apply(const PlacementOptions& options, Fleet& fleet);

/// The same for a change. A fleet that does not name its placement gets the other fleet's. Weights
/// of both are divided by the mean of the first, so that a node that stays keeps its vnodes.
void apply(const PlacementOptions& options, Fleet& before, Fleet& after);

/// The same for a fleet that is only compared or converted: a placement in the file is kept.
void apply_if_unnamed(const PlacementOptions& options, Fleet& fleet);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLACEMENT_OPTIONS_HPP
