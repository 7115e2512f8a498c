// SPDX-License-Identifier: MIT

// Nodes of your own type. The id alone places a node, so its address can change and no key moves.

#include <clockwise/hash_ring.hpp>
#include <clockwise/movement.hpp>
#include <iostream>
#include <string>

struct Server {
  std::string id;  // found by its name; a free function node_id(const Server&) does as well
  std::string address;
};

int main() {
  clockwise::HashRing<clockwise::Xxh3, Server> ring({{"cache-a", "10.0.0.1:11211"},
                                                     {"cache-b", "10.0.0.2:11211"},
                                                     {"cache-c", "10.0.0.3:11211"}});
  const auto before = ring;
  const auto show = [&](const char* when) {
    const Server& owner = ring.lookup("user:42");
    std::cout << when << ": user:42 is on " << owner.id << ", at " << owner.address << '\n';
  };
  show("before");

  const std::string id = ring.lookup("user:42").id;
  ring.update([&](auto& edit) {  // both steps are one change
    edit.remove(id);
    edit.add(Server{id, "10.0.9.9:11211"});
  });
  show("after ");
  std::cout << "the same placement: " << (ring == before ? "yes" : "no")
            << "; arcs that move: " << movement(before, ring).size() << '\n';
}
