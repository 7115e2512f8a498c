// SPDX-License-Identifier: MIT

// A ring sent as bytes: its members and options, from which the receiver computes the positions.
// Invalid bytes are an error that says where and why.

#include <clockwise/hash_ring.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <iostream>
#include <span>

using Ring = clockwise::HashRing<>;

void receive(std::span<const std::byte> bytes) {
  const auto ring = clockwise::wire::try_decode<Ring>(bytes);
  if (ring) {
    std::cout << "received " << to_string(ring->fingerprint()) << '\n';
  } else {
    std::cout << "refused at byte " << ring.error().offset << ": " << ring.error().reason << '\n';
  }
}

int main() {
  const Ring ring({{"cache-a", 2}, {"cache-b", 1}, {"cache-c", {.rack = "r1"}}});
  std::cout << "sent     " << to_string(ring.fingerprint()) << '\n';

  auto bytes = clockwise::wire::encode(ring);
  std::cout << bytes.size() << " bytes, for " << ring.vnode_count() << " vnodes\n";
  receive(bytes);

  receive(std::span(bytes).first(3));  // the connection broke
  bytes[40] ^= std::byte{1};           // a bit flipped
  receive(bytes);
}
