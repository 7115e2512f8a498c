// SPDX-License-Identifier: MIT
// expect: satisfaction of .EntryRange<|.EntryRange<.*evaluated to false
#include <clockwise/hash_ring.hpp>
#include <cstdint>
#include <vector>

#if CLOCKWISE_TEST_MISUSE
using Given = int;  // 70000 would become node 4464
#else
using Given = std::uint8_t;
#endif

clockwise::HashRing<clockwise::Xxh3, std::uint16_t> ring_of(const std::vector<Given>& nodes) {
  clockwise::HashRing<clockwise::Xxh3, std::uint16_t> ring;
  ring.add_all(nodes);
  return ring;
}
