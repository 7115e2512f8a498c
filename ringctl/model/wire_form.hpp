// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_WIRE_FORM_HPP
#define RINGCTL_MODEL_WIRE_FORM_HPP

#include <clockwise/hash.hpp>
#include <clockwise/version.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fleet.hpp"

namespace ringctl {

// Fleets as the library's bytes and fingerprints. Both cover everything that places keys, but not
// the order of the nodes or the columns that only engines read.

/// The placement contract of this program.
inline constexpr std::uint64_t placement_contract = clockwise::placement_contract;

/// Returns the hash policy as bytes and JSON name it: "xxh3-64" or "xxh64".
std::string policy_name(const Placement& placement);
/// Returns true if policy_name can return `name`.
bool is_policy(std::string_view name);

/// Returns true if the bytes begin as to_wire()'s do.
bool is_wire(std::string_view bytes);
/// Throws InputError with the offset if the bytes are invalid.
Fleet from_wire(std::string_view bytes, const std::string& name);
/// Returns clockwise::wire::encode of the fleet's ring. Throws InputError.
std::string to_wire(const Fleet& fleet);

/// Returns 32 digits, as a program prints fingerprint(). Throws InputError.
std::string fingerprint_of(const Fleet& fleet);

/// How two fleets differ.
struct FleetDifference {
  bool rules = false;  ///< Policy, seed or vnodes: any key can have another owner.
  std::vector<FleetNode> only_first;
  std::vector<FleetNode> only_second;
  std::vector<std::pair<FleetNode, FleetNode>> changed;
};
FleetDifference difference(const Fleet& first, const Fleet& second);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_WIRE_FORM_HPP
