// SPDX-License-Identifier: MIT

// Keeps every backend within 1.25 times the mean load, even for one hot key: a request for which
// its owner has no room goes to the next backend in the key's preference order.

#include <clockwise/bounded_load.hpp>
#include <clockwise/hash_ring.hpp>
#include <iostream>
#include <utility>
#include <vector>

int main() {
  clockwise::HashRing ring({"web-1", "web-2", "web-3", "web-4"});
  clockwise::BoundedLoad balancer(std::move(ring), {.c = 1.25});
  using Token = decltype(balancer)::Token;  // a load of one on one node

  std::vector<Token> tokens;
  for (int i = 0; i < 10; ++i) tokens.push_back(balancer.acquire("hot"));
  std::cout << balancer.load() << " requests in flight:";
  for (const auto& member : balancer.scheme().members()) {
    std::cout << ' ' << member.node << '=' << balancer.load(member.node);
  }
  std::cout << "\neach can have " << balancer.capacity("web-1") << " when the next one arrives\n";

  Token next = balancer.acquire("hot");
  std::cout << "the next is on " << next.node() << "; nodes tried: " << next.probes() << '\n';
  next.release();  // so does the token's destructor

  tokens.front().release();
  next = balancer.acquire("hot");
  std::cout << "after a release it is on " << next.node() << "; nodes tried: " << next.probes()
            << '\n';
}
