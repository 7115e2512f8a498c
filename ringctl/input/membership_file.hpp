// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_MEMBERSHIP_FILE_HPP
#define RINGCTL_INPUT_MEMBERSHIP_FILE_HPP

#include <string>

#include "model/membership.hpp"
#include "model/placement.hpp"

namespace ringctl {

/// Reads the file at `path` ("-" is standard input): wire bytes, JSON or a fleet file, detected by
/// its first bytes. `placement` applies to a fleet file, which names none. Throws InputError.
Membership read_membership(const std::string& path, const Placement& placement);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_MEMBERSHIP_FILE_HPP
