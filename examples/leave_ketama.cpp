// SPDX-License-Identifier: MIT

// From ketama to HashRing. They hash keys differently, so most keys move. A miss is read from the
// key's old owner and stored at the new one; a write must delete the key from the old one.

#include <clockwise/compat/ketama.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/movement.hpp>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

int main() {
  const clockwise::KetamaRing before({"10.0.0.1:11211", "10.0.0.2:11211", "10.0.0.3:11211"});
  const clockwise::HashRing<> after(before.members());

  std::vector<std::string> keys;
  for (int i = 0; i < 30'000; ++i) keys.push_back("user:" + std::to_string(i));
  std::map<std::string, std::set<std::string>> caches;  // by server
  for (const auto& key : keys) caches[before.lookup(key)].insert(key);

  // movement() compares arcs of one circle, so it refuses these two. KeyMovement counts keys.
  clockwise::KeyMovement moved(before, after);
  for (const auto& key : keys) moved.observe(key);
  std::printf("%.1f%% of the keys move\n", 100 * moved.fraction());

  for (const char* pass : {"first", "second"}) {
    int hits = 0;
    int old_hits = 0;
    for (const auto& key : keys) {
      if (!caches[after.lookup(key)].insert(key).second) {
        ++hits;
      } else if (caches[before.lookup(key)].erase(key) != 0) {
        ++old_hits;
      }
    }
    std::printf("%s pass: %d hits at new owners, %d at old ones\n", pass, hits, old_hits);
  }
}
