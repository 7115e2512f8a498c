// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_FLEET_INPUT_HPP
#define RINGCTL_COMMANDS_FLEET_INPUT_HPP

#include <string>
#include <utility>

#include "model/fleet.hpp"
#include "model/placement_options.hpp"

namespace ringctl {

/// Reads the fleet at `path`, in any form, as the options place it. Throws InputError.
Fleet placed_fleet(const std::string& path, const PlacementOptions& options);

/// Reads the fleets before and after a change. Throws InputError.
std::pair<Fleet, Fleet> placed_change(const std::string& before, const std::string& after,
                                      const PlacementOptions& options);

/// Reads a fleet to compare or convert, even if it owns nothing; keeps a placement that it names.
Fleet any_fleet(const std::string& path, const PlacementOptions& options);

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_FLEET_INPUT_HPP
