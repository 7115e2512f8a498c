// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MEMBERSHIP_HPP
#define RINGCTL_MEMBERSHIP_HPP

#include <clockwise/token_ring.hpp>
#include <clockwise/wire.hpp>
#include <string>

#include "error.hpp"
#include "placement.hpp"

namespace ringctl {

/// A fleet with everything that places its keys, in any form that ringctl writes.
struct MembershipFile {
  std::string name;  ///< The file's name for messages.
  clockwise::wire::Membership members;
};

/// Reads the file at `path` ("-" is standard input): wire bytes, JSON or a fleet file, detected by
/// its first bytes. `placement` applies to a fleet file, which names none. Throws InputError.
MembershipFile read_membership(const std::string& path, const Placement& placement);

/// Returns the JSON form: {"hash", "vnodes", "members": [{"id", "weight", ...}]}.
std::string to_json(const clockwise::wire::Membership& members);

/// Calls use(ring) with the HashRing or TokenRing of the members. Throws InputError.
template <class Use>
void with_ring(const MembershipFile& file, Use use) {
  const auto build = [&]<class Ring>(Ring*) {
    std::string reason;
    const clockwise::wire::Limits limits{.positions = clockwise::max_positions};
    const auto ring = clockwise::wire::build<Ring>(file.members, reason, limits,
                                                   clockwise::wire::node_from_id<std::string>);
    if (!ring) throw InputError(file.name + ": " + reason);
    use(*ring);
  };
  const auto build_with = [&]<class Hash>(Hash*) {
    if (file.members.has_tokens) {
      build(static_cast<clockwise::TokenRing<Hash, std::string, std::uint32_t>*>(nullptr));
    } else {
      build(static_cast<Ring<Hash>*>(nullptr));
    }
  };
  if (file.members.policy == clockwise::Xxh64::name) {
    build_with(static_cast<clockwise::Xxh64*>(nullptr));
  } else {
    build_with(static_cast<clockwise::Xxh3*>(nullptr));
  }
}

}  // namespace ringctl

#endif  // RINGCTL_MEMBERSHIP_HPP
