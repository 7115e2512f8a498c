// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_CONVERT_HPP
#define RINGCTL_OUTPUT_CONVERT_HPP

#include <string>

#include "model/membership.hpp"

namespace ringctl {

/// Returns a fleet file. Throws InputError for a token ring.
std::string to_csv(const Membership& membership);

/// Returns the JSON form: {"hash", "vnodes", "members": [{"id", "weight", ...}]}.
std::string to_json(const Membership& membership);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_CONVERT_HPP
