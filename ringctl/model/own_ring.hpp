// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_OWN_RING_HPP
#define RINGCTL_MODEL_OWN_RING_HPP

#include <clockwise/hash_ring.hpp>
#include <clockwise/token_ring.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "model/fleet.hpp"
#include "model/placement.hpp"

namespace ringctl {

/// Clockwise's own ring. The index has 32 bits because fleets of more than 65,535 nodes must work.
template <clockwise::HashFunction Hash>
using Ring = clockwise::HashRing<Hash, std::string, std::uint32_t>;
template <clockwise::HashFunction Hash>
using TokenRing = clockwise::TokenRing<Hash, std::string, std::uint32_t>;

/// Returns the default maximum of positions for a fleet of this many nodes: a small file must not
/// take much memory by surprise.
std::uint64_t usual_positions(std::size_t nodes);

/// Throws InputError, with the line, if a node needs more vnodes than are supported, or the fleet
/// more than `most`.
void check_positions(const Fleet& fleet, std::uint64_t most);

/// Builds the ring of a fleet without tokens. Throws InputError.
template <clockwise::HashFunction Hash>
Ring<Hash> make_ring(const Fleet& fleet, const Hash& hash);

/// Builds the ring of a fleet with tokens. Throws InputError.
template <clockwise::HashFunction Hash>
TokenRing<Hash> make_token_ring(const Fleet& fleet, const Hash& hash);

/// Returns the ring with its positions as tokens.
template <clockwise::HashFunction Hash>
TokenRing<Hash> with_tokens(const Ring<Hash>& ring);
template <clockwise::HashFunction Hash>
const TokenRing<Hash>& with_tokens(const TokenRing<Hash>& ring) {
  return ring;
}

extern template Ring<clockwise::Xxh3> make_ring(const Fleet&, const clockwise::Xxh3&);
extern template Ring<clockwise::Xxh64> make_ring(const Fleet&, const clockwise::Xxh64&);
extern template TokenRing<clockwise::Xxh3> make_token_ring(const Fleet&, const clockwise::Xxh3&);
extern template TokenRing<clockwise::Xxh64> make_token_ring(const Fleet&, const clockwise::Xxh64&);
extern template TokenRing<clockwise::Xxh3> with_tokens(const Ring<clockwise::Xxh3>&);
extern template TokenRing<clockwise::Xxh64> with_tokens(const Ring<clockwise::Xxh64>&);

/// Returns use(ring) for clockwise's own ring of the fleet, by vnodes or by tokens.
template <class Use>
auto with_ring(const Fleet& fleet, Use use) {
  return with_hash(fleet.placement, [&](const auto& hash) {
    return fleet.has_tokens ? use(make_token_ring(fleet, hash)) : use(make_ring(fleet, hash));
  });
}

/// Throws InputError unless both fleets hash keys alike.
void check_same_hash(const Fleet& before, const Fleet& after);

/// Returns use(before, after) for two rings of one type. Throws InputError if the hashes differ.
template <class Use>
auto with_rings(const Fleet& before, const Fleet& after, Use use) {
  check_same_hash(before, after);
  return with_hash(before.placement, [&](const auto& hash) {
    if (!before.has_tokens && !after.has_tokens) {
      return use(make_ring(before, hash), make_ring(after, hash));
    }
    const auto tokens = [&](const Fleet& fleet) {
      return fleet.has_tokens ? make_token_ring(fleet, hash) : with_tokens(make_ring(fleet, hash));
    };
    return use(tokens(before), tokens(after));
  });
}

}  // namespace ringctl

#endif  // RINGCTL_MODEL_OWN_RING_HPP
