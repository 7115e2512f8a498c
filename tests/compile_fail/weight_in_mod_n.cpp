// SPDX-License-Identifier: MIT
// expect: no matching function for call to .*add|too many arguments to function call
#include <clockwise/mod_n.hpp>

void join(clockwise::ModN<>& scheme) {
#if CLOCKWISE_TEST_MISUSE
  scheme.add("a", 2.0);
#else
  scheme.add("a");
#endif
}
