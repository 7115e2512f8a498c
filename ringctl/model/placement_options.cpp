// SPDX-License-Identifier: MIT
#include "model/placement_options.hpp"

#include <string>

#include "model/error.hpp"
#include "model/own_ring.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

[[noreturn]] void fail_contradiction(const Fleet& fleet, const std::string& own,
                                     const std::string& option) {
  throw InputError(fleet.name + ": the file says " + own + ", so " + option +
                   " does not apply; convert it to CSV to place it differently");
}

/// Throws if the file names its placement and an option contradicts it.
void check_agreement(const PlacementOptions& options, const Fleet& fleet) {
  if (!fleet.names_placement) return;
  if (options.vnodes) {
    const std::string option = "--vnodes " + std::to_string(*options.vnodes);
    if (fleet.has_tokens) fail_contradiction(fleet, "which tokens the nodes have", option);
    if (*options.vnodes != fleet.placement.vnodes) {
      fail_contradiction(fleet, counted(fleet.placement.vnodes, "vnode") + " at weight 1", option);
    }
  }
  if (options.relative_weights || options.weight_unit) {
    fail_contradiction(fleet, "how many vnodes the nodes have",
                       options.weight_unit ? "--weight-unit" : "--relative-weights");
  }
  if (options.hash && !same_hash(*options.hash, fleet.placement)) {
    fail_contradiction(fleet, hash_name(fleet.placement), "--hash " + hash_name(*options.hash));
  }
}

void place(const PlacementOptions& options, Fleet& fleet) {
  if (fleet.names_placement) return;
  if (options.vnodes) fleet.placement.vnodes = *options.vnodes;
  if (options.hash) {
    fleet.placement.xxh64 = options.hash->xxh64;
    fleet.placement.seed = options.hash->seed;
  }
}

/// Divides the weights of a fleet that does not name its placement, as the options say.
void scale(const PlacementOptions& options, double mean, Fleet& fleet) {
  if (fleet.names_placement) return;
  if (options.weight_unit) {
    scale_weights(fleet, *options.weight_unit);
  } else if (options.relative_weights) {
    scale_weights(fleet, mean);
  }
}

void limit(const PlacementOptions& options, const Fleet& fleet) {
  check_positions(fleet, options.max_vnodes.value_or(usual_positions(fleet.nodes.size())));
}

}  // namespace

void apply_if_unnamed(const PlacementOptions& options, Fleet& fleet) {
  place(options, fleet);
  scale(options, mean_weight(fleet), fleet);
  limit(options, fleet);
}

void apply(const PlacementOptions& options, Fleet& fleet) {
  check_agreement(options, fleet);
  apply_if_unnamed(options, fleet);
}

void apply(const PlacementOptions& options, Fleet& before, Fleet& after) {
  for (const Fleet* const fleet : {&before, &after}) check_agreement(options, *fleet);
  for (Fleet* const fleet : {&before, &after}) {
    const Fleet& other = fleet == &before ? after : before;
    if (!fleet->names_placement && other.names_placement) fleet->placement = other.placement;
    place(options, *fleet);
  }
  const double mean = mean_weight(before);
  for (Fleet* const fleet : {&before, &after}) scale(options, mean, *fleet);
  for (const Fleet* const fleet : {&before, &after}) limit(options, *fleet);
}

}  // namespace ringctl
