// SPDX-License-Identifier: MIT
// expect: no matching (member )?function for call to .*add_all
#include <clockwise/hash_ring.hpp>

void join(clockwise::HashRing<>& ring) {
#if CLOCKWISE_TEST_MISUSE
  ring.add_all({{"p", "q"}});  // std::string would take the two for iterators
#else
  ring.add_all({{"p", 1}});
  ring.add_all({"p", "q"});
#endif
}
