// SPDX-License-Identifier: MIT

// A ring sent as bytes: members and options travel, and the receiver computes the positions. Bytes
// that are no ring are an error with an offset, never undefined behaviour.

#include <clockwise/hash_ring.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <iostream>
#include <span>
#include <vector>

using Ring = clockwise::HashRing<>;

// The receiver: any bytes may arrive.
void receive(std::span<const std::byte> bytes) {
  const auto ring = clockwise::wire::try_decode<Ring>(bytes);
  if (ring) {
    std::cout << ring->size() << " members; user:42 is on " << ring->lookup("user:42")
              << "; fingerprint " << to_string(ring->fingerprint()) << '\n';
  } else {
    std::cout << "refused, at byte " << ring.error().offset << ": " << ring.error().reason << '\n';
  }
}

int main() {
  const Ring ring({{"cache-a", 2}, {"cache-b", 1}, {"cache-c", {.rack = "r1"}}});
  std::cout << "sent: fingerprint " << to_string(ring.fingerprint()) << '\n';

  std::vector<std::byte> bytes = clockwise::wire::encode(ring);
  std::cout << bytes.size() << " bytes for " << ring.vnode_count() << " vnodes\n";
  receive(bytes);

  receive(std::span(bytes).first(bytes.size() / 2));  // the connection broke
  bytes.back() ^= std::byte{1};                       // a bit flipped
  receive(bytes);
}
