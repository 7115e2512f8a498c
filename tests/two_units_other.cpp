// SPDX-License-Identifier: MIT
#include <clockwise/clockwise.hpp>

std::string owner_in_other_unit(const clockwise::HashRing<>& ring, int key);
clockwise::HashRing<> ring_of_other_unit();
double moved_in_other_unit(const clockwise::HashRing<>& before, const clockwise::HashRing<>& after);

std::string owner_in_other_unit(const clockwise::HashRing<>& ring, int key) {
  return ring.lookup(key);
}

clockwise::HashRing<> ring_of_other_unit() { return {"c", "b", "a"}; }

double moved_in_other_unit(const clockwise::HashRing<>& before,
                           const clockwise::HashRing<>& after) {
  return clockwise::movement(before, after).fraction();
}
