// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_SCHEMES_HPP
#define RINGCTL_MODEL_SCHEMES_HPP

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/fleet.hpp"
#include "model/placed_fleet.hpp"

namespace ringctl {

/// The default scheme, clockwise's own ring; a fleet's placement applies only to it.
inline constexpr std::string_view own_scheme = "clockwise";

/// Returns the names that place() takes.
std::vector<std::string_view> scheme_names();
/// Returns true if place() takes this name.
bool is_scheme(std::string_view name);

/// Returns the fleet under the scheme of that name, with the dead nodes down. Throws InputError,
/// with the fleet's name, if the scheme refuses a node.
std::unique_ptr<PlacedFleet> place(const Fleet& fleet, std::string_view scheme,
                                   const DeadNodes& dead = {});

}  // namespace ringctl

#endif  // RINGCTL_MODEL_SCHEMES_HPP
