// SPDX-License-Identifier: MIT

// No backend above 1.25 times the mean load, even for one hot key: what is too much for its owner
// goes to the next backend in the key's order, and comes back when the owner has room.

#include <clockwise/bounded_load.hpp>
#include <clockwise/hash_ring.hpp>
#include <iostream>
#include <utility>
#include <vector>

int main() {
  clockwise::HashRing<> ring({"web-1", "web-2", "web-3", "web-4"});
  clockwise::BoundedLoad balancer(std::move(ring), {.c = 1.25});
  using Token = decltype(balancer)::Token;  // one request in flight, until it is released

  std::vector<Token> tokens;
  std::cout << "12 requests for one key:";
  for (int i = 0; i < 12; ++i) {
    tokens.push_back(balancer.acquire("hot"));
    std::cout << ' ' << tokens.back().node();
  }
  std::cout << "\nin flight:";
  for (const auto& member : balancer.scheme().members()) {
    std::cout << ' ' << member.node << ": " << balancer.load(member.node) << " of "
              << balancer.capacity(member.node);
  }

  tokens.front().release();  // as its destructor does
  const Token next = balancer.acquire("hot");
  std::cout << "\none released, so the next is on " << next.node() << ", tried " << next.probes()
            << '\n';
}
