// SPDX-License-Identifier: MIT
// expect: satisfaction of .EntryRange<|.EntryRange<.*evaluated to false
#include <clockwise/hash_ring.hpp>
#include <cstdint>
#include <string>
#include <vector>

#if CLOCKWISE_TEST_MISUSE
using Node = std::uint64_t;  // addresses would become ids
#else
using Node = std::string;
#endif

void join(clockwise::HashRing<clockwise::Xxh3, Node>& ring, const std::vector<const char*>& names) {
  ring.add_all(names);
}
