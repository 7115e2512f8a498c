// SPDX-License-Identifier: MIT
#include "commands/fleet_input.hpp"

#include "input/fleet_file.hpp"

namespace ringctl {

Fleet placed_fleet(const std::string& path, const PlacementOptions& options) {
  Fleet fleet = read_fleet(path);
  apply(options, fleet);
  return fleet;
}

std::pair<Fleet, Fleet> placed_change(const std::string& before, const std::string& after,
                                      const PlacementOptions& options) {
  std::pair<Fleet, Fleet> fleets{read_fleet(before), read_fleet(after)};
  apply(options, fleets.first, fleets.second);
  return fleets;
}

Fleet any_fleet(const std::string& path, const PlacementOptions& options) {
  Fleet fleet = read_fleet(path, Owning::optional);
  apply_if_unnamed(options, fleet);
  return fleet;
}

}  // namespace ringctl
