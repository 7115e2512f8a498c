// SPDX-License-Identifier: MIT
// expect: only a Ring has shares of replicas in closed form
#include <clockwise/rendezvous.hpp>

auto shares(const clockwise::Rendezvous<>& nodes) {
#if CLOCKWISE_TEST_MISUSE
  return nodes.load_shares(3);
#else
  return nodes.load_shares();
#endif
}
