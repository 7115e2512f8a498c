// SPDX-License-Identifier: MIT
// expect: Node must be copyable
#include <clockwise/hash_ring.hpp>

struct Server {
  std::string id;
  explicit Server(std::string name) : id(std::move(name)) {}
#if CLOCKWISE_TEST_MISUSE
  Server(Server&&) = default;
  Server& operator=(Server&&) = default;
#endif
};

void join(clockwise::HashRing<clockwise::Xxh3, Server>& ring) { ring.add(Server("a")); }
