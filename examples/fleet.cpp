// SPDX-License-Identifier: MIT

// Which nodes are up, and who may change the members: being down moves nothing, and a change that
// is based on an old epoch is refused.

#include <clockwise/fleet.hpp>
#include <clockwise/hash_ring.hpp>
#include <iostream>
#include <stdexcept>

int main() {
  clockwise::HashRing<> ring({"cache-a", "cache-b", "cache-c"});
  clockwise::Fleet fleet(ring, {.down_after = 10, .up_after = 30}, 0);  // seconds from a clock

  for (clockwise::FleetTime now = 5; now <= 60; now += 5) {
    fleet.heard("cache-a", now);
    if (now <= 10 || now > 25) fleet.heard("cache-b", now);  // silent for a while
    fleet.heard("cache-c", now);
    for (const auto& event : fleet.check(now)) {
      std::cout << now << " s: " << event.node << (event.up ? " is up" : " is down") << "; order:";
      for (const auto& node : fleet.ring().preference_list("user:42", 2, fleet.live())) {
        std::cout << ' ' << node;
      }
      std::cout << '\n';
    }
  }

  const auto seen = fleet.epoch();                 // two operators read it
  const auto epoch = fleet.join(seen, "cache-d");  // the first one's change
  try {
    fleet.leave(seen, "cache-b");  // the second one has not seen that
  } catch (const std::invalid_argument& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
  std::cout << fleet.ring().size() << " owners until the data has moved, ";
  fleet.commit(epoch);
  std::cout << fleet.ring().size() << " after commit, at epoch " << fleet.epoch() << '\n';
}
