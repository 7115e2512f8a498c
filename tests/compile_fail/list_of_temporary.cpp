// SPDX-License-Identifier: MIT
// expect: deleted (member )?function.*preference_list
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
auto replicas() { return clockwise::HashRing({"a", "b"}).preference_list("key", {2, {}}); }
#else
auto shares() { return clockwise::HashRing({"a", "b"}).load_shares(); }
#endif
