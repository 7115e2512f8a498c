// SPDX-License-Identifier: MIT

// Keys hashed once and looked up in two rings. lookup_batch overlaps the memory reads of many
// lookups.

#include <clockwise/hash_ring.hpp>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

using Ring = clockwise::HashRing<>;

void count(const Ring& ring, const std::vector<clockwise::Position>& positions) {
  std::vector<Ring::index_type> owners(positions.size());
  ring.lookup_batch(positions, owners);

  std::vector<int> keys(ring.size());  // an owner is an index into members()
  for (const auto owner : owners) ++keys[owner];
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::cout << (i == 0 ? "" : ", ") << ring.members()[i].node << ' ' << keys[i];
  }
  std::cout << '\n';
}

int main() {
  Ring ring({"cache-a", "cache-b", "cache-c"});
  std::vector<clockwise::Position> positions;
  for (int i = 0; i < 100'000; ++i) {
    positions.push_back(ring.position_of("user:" + std::to_string(i)));
  }
  count(ring, positions);

  ring.add("cache-d");
  count(ring, positions);  // positions depend on the hash policy alone, not on the members
}
