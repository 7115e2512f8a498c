// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_FLEET_FILE_HPP
#define RINGCTL_INPUT_FLEET_FILE_HPP

#include <string>
#include <string_view>

#include "model/fleet.hpp"

namespace ringctl {

/// Parses a fleet file: ids are unique and not empty, weights are finite and not negative, and at
/// least one is above 0. Throws InputError with name, line and reason.
Fleet parse_fleet(std::string_view text, const std::string& name);

/// Reads the fleet file at `path`; "-" is standard input.
Fleet read_fleet(const std::string& path);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_FLEET_FILE_HPP
