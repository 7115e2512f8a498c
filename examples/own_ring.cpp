// SPDX-License-Identifier: MIT

// A ring by your own rule: define the points of each server, and everything that works on rings
// works on it.

#include <clockwise/hash_ring.hpp>
#include <clockwise/listed_ring.hpp>
#include <clockwise/movement.hpp>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

struct HouseRing : clockwise::ListedRing<HouseRing> {
  static constexpr const char* engine = "house ring";  // for messages

  // 100 points per server, at the hashes of "name:0", "name:1" and so on.
  static void append_points(Servers servers, std::vector<clockwise::ListedPoint>& points) {
    for (std::uint32_t place = 0; place < servers.size(); ++place) {
      for (int i = 0; i < 100; ++i) {
        const std::string label = servers[place].name + ':' + std::to_string(i);
        points.push_back({clockwise::Xxh64{}(std::as_bytes(std::span(label))), place});
      }
    }
  }
};

int main() {
  HouseRing before;
  before.add_all({"cache-a", "cache-b", "cache-c"});
  HouseRing after = before;
  after.add("cache-d");

  const auto replicas = before.preference_list("user:42", 2);
  std::printf("user:42 is on %s, then %s\n", replicas[0].c_str(), replicas[1].c_str());
  std::printf("a join moves %.1f%% of the keys\n", 100 * movement(before, after).fraction());
  const clockwise::HashRing<> other(before.members());  // keys are hashed alike, so arcs compare
  std::printf("a change to HashRing moves %.1f%%\n", 100 * movement(before, other).fraction());
}
