// SPDX-License-Identifier: MIT
// expect: only the last node can be removed
#include <clockwise/jump.hpp>

int main() {
  clockwise::JumpHash<> shards({"a", "b", "c"});
  shards.pop();
#if CLOCKWISE_TEST_MISUSE
  shards.remove("a");
#endif
}
