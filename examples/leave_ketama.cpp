// SPDX-License-Identifier: MIT

// A memcached client changes from ketama to HashRing. They hash keys differently, so no arc stays:
// most keys move. Reading from the old owner on a miss keeps the hit rate while the caches fill.

#include <clockwise/compat/ketama.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/movement.hpp>
#include <cstdio>
#include <map>
#include <set>
#include <string>

int main() {
  const clockwise::KetamaRing before({"10.0.0.1:11211", "10.0.0.2:11211", "10.0.0.3:11211"});
  const clockwise::HashRing<> after(before.members());

  // movement() compares arcs of one circle, and refuses these two; KeyMovement counts keys.
  clockwise::KeyMovement moved(before, after);
  std::map<std::string, std::set<int>> caches;
  constexpr int keys = 30'000;
  for (int key = 0; key < keys; ++key) {
    const std::string name = "user:" + std::to_string(key);
    moved.observe(name);
    caches[before.lookup(name)].insert(key);
  }
  std::printf("%.1f%% of the keys move\n", 100 * moved.fraction());

  for (const char* pass : {"first", "second"}) {
    int hits = 0;
    int old_hits = 0;
    for (int key = 0; key < keys; ++key) {
      const std::string name = "user:" + std::to_string(key);
      if (!caches[after.lookup(name)].insert(key).second) {
        ++hits;
      } else if (caches[before.lookup(name)].erase(key) != 0) {
        ++old_hits;  // the value is now on the new owner
      }
    }
    std::printf("%s pass: %5.1f%% hits on new owners, %5.1f%% on old ones\n", pass,
                100.0 * hits / keys, 100.0 * old_hits / keys);
  }
}
