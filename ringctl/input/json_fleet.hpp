// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_JSON_FLEET_HPP
#define RINGCTL_INPUT_JSON_FLEET_HPP

#include <string>
#include <string_view>

#include "model/fleet.hpp"

namespace ringctl {

/// Parses the JSON form of a fleet, in one pass and without memory for more than the fleet. Unknown
/// and repeated entries are refused: a misspelled weight would otherwise be ignored. Throws
/// InputError with name, line, column and reason.
Fleet fleet_from_json(std::string_view text, const std::string& name);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_JSON_FLEET_HPP
