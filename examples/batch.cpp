// SPDX-License-Identifier: MIT

// Keys hashed once, looked up many times: lookup_batch overlaps the memory reads of many lookups.

#include <clockwise/hash_ring.hpp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  using Ring = clockwise::HashRing<>;
  const Ring before({"cache-a", "cache-b", "cache-c"});
  Ring after = before;
  after.add("cache-d");

  // A position depends on the hash policy only, so it serves every ring that has the same.
  std::vector<clockwise::Position> positions;
  for (int i = 0; i < 100'000; ++i) positions.push_back(before.position_of(i));

  for (const Ring* ring : {&before, &after}) {
    std::vector<Ring::index_type> owners(positions.size());  // indices into members()
    ring->lookup_batch(positions, owners);
    std::vector<int> keys(ring->size());
    for (const auto owner : owners) ++keys[owner];
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::printf("%s%s %d", i == 0 ? "" : ", ", ring->members()[i].node.c_str(), keys[i]);
    }
    std::printf("\n");
  }
}
