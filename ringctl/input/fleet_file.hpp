// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_FLEET_FILE_HPP
#define RINGCTL_INPUT_FLEET_FILE_HPP

#include <string>
#include <string_view>

#include "model/fleet.hpp"

namespace ringctl {

/// Whether a fleet must have a node that owns keys.
enum class Owning { required, optional };

/// Parses a fleet in any form, recognised by its content: wire bytes, JSON or otherwise CSV. Ids
/// are unique. Throws InputError with name, line and reason.
Fleet parse_fleet(std::string_view bytes, const std::string& name,
                  Owning owning = Owning::required);

/// Reads the fleet file at `path`; "-" is standard input.
Fleet read_fleet(const std::string& path, Owning owning = Owning::required);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_FLEET_FILE_HPP
