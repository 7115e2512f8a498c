// SPDX-License-Identifier: MIT
// expect: satisfaction of .EditFunction<|.EditFunction<.*evaluated to false
#include <clockwise/hash_ring.hpp>

void join(clockwise::HashRing<>& ring) {
#if CLOCKWISE_TEST_MISUSE
  ring.update([&] { ring.add("a"); });  // would not be part of the change
#else
  ring.update([](auto& edit) { edit.add("a"); });
#endif
}
