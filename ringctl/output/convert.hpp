// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_CONVERT_HPP
#define RINGCTL_OUTPUT_CONVERT_HPP

#include <string>

#include "model/fleet.hpp"

namespace ringctl {

/// Returns the fleet as CSV, with the columns that any node has. Throws InputError for a token
/// ring.
std::string to_csv(const Fleet& fleet);

/// Returns the fleet as JSON: {"hash", "vnodes", "members": [{"id", "weight", ...}]}.
std::string to_json(const Fleet& fleet);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_CONVERT_HPP
