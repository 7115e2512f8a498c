// SPDX-License-Identifier: MIT
// expect: a node must be text, an integer, or a struct whose id is given by
#include <clockwise/hash_ring.hpp>

struct Server {
#if CLOCKWISE_TEST_MISUSE
  std::string name;
#else
  std::string id;
#endif
};

void join(clockwise::HashRing<clockwise::Xxh3, Server>& ring) { ring.add(Server{"a"}); }
