// SPDX-License-Identifier: MIT
// expect: no matching function for call to .encode.*Encodable
#include <clockwise/compat/ketama.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <vector>

#if CLOCKWISE_TEST_MISUSE
using Scheme = clockwise::KetamaRing;
#else
using Scheme = clockwise::HashRing<>;
#endif

std::vector<std::byte> write(const Scheme& scheme) { return clockwise::wire::encode(scheme); }
