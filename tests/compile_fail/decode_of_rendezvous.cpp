// SPDX-License-Identifier: MIT
// expect: no matching function for call to .decode.*Encodable
#include <clockwise/hash_ring.hpp>
#include <clockwise/rendezvous.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <span>

#if CLOCKWISE_TEST_MISUSE
using Scheme = clockwise::Rendezvous<>;
#else
using Scheme = clockwise::HashRing<>;
#endif

Scheme read(std::span<const std::byte> bytes) { return clockwise::wire::decode<Scheme>(bytes); }
