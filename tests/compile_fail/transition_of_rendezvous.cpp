// SPDX-License-Identifier: MIT
// expect: satisfaction of .*Ring<R>|does not satisfy .*Ring
#include <clockwise/hash_ring.hpp>
#include <clockwise/rendezvous.hpp>
#include <clockwise/transition.hpp>

#if CLOCKWISE_TEST_MISUSE
using Scheme = clockwise::Rendezvous<>;
#else
using Scheme = clockwise::HashRing<>;
#endif

bool is_done(const clockwise::Transition<Scheme>& move) { return move.finished(); }
