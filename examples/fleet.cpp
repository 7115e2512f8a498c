// SPDX-License-Identifier: MIT

// Which nodes are up, and which are members. A node that is down is skipped and keeps its keys. A
// change of members names the epoch that it is based on, so two operators never undo each other.

#include <clockwise/fleet.hpp>
#include <clockwise/hash_ring.hpp>
#include <iostream>
#include <stdexcept>

int main() {
  const clockwise::HashRing ring({"cache-a", "cache-b", "cache-c"});
  clockwise::Fleet fleet(ring, {.down_after = 10, .up_after = 30});  // in seconds

  for (clockwise::FleetTime now = 5; now <= 60; now += 5) {
    fleet.heard("cache-a", now);
    if (now <= 10 || now > 25) fleet.heard("cache-b", now);  // cache-b is silent for 20 seconds
    fleet.heard("cache-c", now);
    for (const auto& event : fleet.check(now)) {
      std::cout << now << " s: " << event.node << (event.up ? " is up" : " is down")
                << ", so user:42 is on";
      for (const auto& node : fleet.ring().preference_list("user:42", 2, fleet.live())) {
        std::cout << ' ' << node;
      }
      std::cout << '\n';
    }
  }

  const auto epoch = fleet.epoch();
  const auto joined = fleet.join(epoch, "cache-d");  // owns nothing until the commit
  try {
    fleet.leave(epoch, "cache-b");  // by an operator who has not seen the join
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
  std::cout << "owners: " << fleet.ring().size();
  fleet.commit(joined);  // its data has arrived
  std::cout << ", after the commit: " << fleet.ring().size() << '\n';
}
