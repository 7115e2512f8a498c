// SPDX-License-Identifier: MIT

// Nodes of your own type. Only the id places a node, so its address can change without moving a
// key.

#include <clockwise/hash_ring.hpp>
#include <clockwise/movement.hpp>
#include <iostream>
#include <string>

struct Server {
  std::string id;  // a free function node_id(const Server&) would do as well
  std::string address;
};

int main() {
  clockwise::HashRing<clockwise::Xxh3, Server> ring({{"cache-a", "10.0.0.1:11211"},
                                                     {"cache-b", "10.0.0.2:11211"},
                                                     {"cache-c", "10.0.0.3:11211"}});
  const auto before = ring;
  const Server& owner = ring.lookup("user:42");
  std::cout << "user:42 is on " << owner.id << ", at " << owner.address << '\n';

  ring.set_node({"cache-b", "10.0.9.9:11211"});  // a new address for the same id
  const Server& now = ring.lookup("user:42");
  std::cout << "user:42 is on " << now.id << ", at " << now.address << '\n'
            << movement(before, ring).size() << " arcs moved; the placement is "
            << (ring == before ? "the same" : "another") << '\n';
}
