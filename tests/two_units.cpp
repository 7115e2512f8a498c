// SPDX-License-Identifier: MIT
// Two translation units that use the whole library link into one program and agree. The linker
// rejects a header's function or variable that is not inline.
#include <clockwise/clockwise.hpp>

std::string owner_in_other_unit(const clockwise::HashRing<>& ring, int key);
clockwise::HashRing<> ring_of_other_unit();
double moved_in_other_unit(const clockwise::HashRing<>& before, const clockwise::HashRing<>& after);

int main() {
  const clockwise::HashRing<> ring{"a", "b", "c"};
  const clockwise::HashRing<> smaller{"a", "b"};
  const clockwise::HashRing<> other = ring_of_other_unit();
  if (ring != other || ring.fingerprint() != other.fingerprint()) return 1;
  for (int key = 0; key < 100; ++key) {
    if (ring.lookup(key) != owner_in_other_unit(other, key)) return 2;
  }
  if (clockwise::movement(smaller, ring).fraction() != moved_in_other_unit(smaller, ring)) return 3;
  return 0;
}
