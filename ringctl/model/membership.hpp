// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_MEMBERSHIP_HPP
#define RINGCTL_MODEL_MEMBERSHIP_HPP

#include <clockwise/hash.hpp>
#include <clockwise/node.hpp>
#include <clockwise/version.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fleet.hpp"
#include "model/placement.hpp"

namespace ringctl {

/// A fleet with everything that places its keys, in any form that ringctl writes.
struct Membership {
  struct Row {
    std::string id;
    clockwise::NodeOptions options;
    std::vector<std::uint64_t> tokens;  ///< Of a token ring.
  };

  std::string name;    ///< The file's name for messages.
  std::string policy;  ///< "xxh3-64" or "xxh64".
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> vnodes;  ///< Nothing: a token ring.
  std::vector<Row> rows;                ///< In id order.
};

/// The contract that this program follows, and its default policy.
inline constexpr std::uint64_t placement_contract = clockwise::placement_contract;
inline constexpr std::string_view default_policy = clockwise::Xxh3::name;

/// Returns the membership of a fleet file. Throws InputError.
Membership membership_of(const Fleet& fleet, const Placement& placement);

/// Checks the membership and puts it in id order. Throws InputError.
Membership checked(const Membership& membership);

/// Returns true if the bytes claim to be those of to_wire().
bool is_wire(std::string_view bytes);
/// Throws InputError with the offset if the bytes are invalid.
Membership from_wire(std::string_view bytes, const std::string& name);
/// Returns what clockwise::wire::encode returns for the ring. Throws InputError.
std::string to_wire(const Membership& membership);

/// Returns 32 digits, as a program prints fingerprint(). Throws InputError.
std::string fingerprint_of(const Membership& membership);

/// How two memberships differ, by row.
struct MembershipDifference {
  bool rules = false;  ///< Policy, seed or vnodes: any key can have another owner.
  std::vector<std::size_t> only_first;
  std::vector<std::size_t> only_second;
  std::vector<std::pair<std::size_t, std::size_t>> changed;
};
MembershipDifference difference(const Membership& first, const Membership& second);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_MEMBERSHIP_HPP
