// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_CSV_FLEET_HPP
#define RINGCTL_INPUT_CSV_FLEET_HPP

#include <string>
#include <string_view>

#include "model/fleet.hpp"

namespace ringctl {

/// Parses a fleet as CSV: ids are not empty, weights are finite and not negative. A header with
/// semicolons or tabs between its names sets the separator of the whole file. Throws InputError
/// with name, line and reason.
Fleet fleet_from_csv(std::string_view text, const std::string& name);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_CSV_FLEET_HPP
