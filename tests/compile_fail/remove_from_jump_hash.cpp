// SPDX-License-Identifier: MIT
// expect: a jump hash loses its last node only
#include <clockwise/jump.hpp>

int main() {
  clockwise::JumpHash<> shards({"a", "b", "c"});
  shards.pop();
#if CLOCKWISE_TEST_MISUSE
  shards.remove("a");
#endif
}
