// SPDX-License-Identifier: MIT

// Twelve nodes in three zones hold three replicas of each object. One zone goes down: what can
// still be read and written, and which nodes take the writes that it misses? Counted on 100,000
// keys, with replicas spread over zones and with replicas spread over nodes only.

#include <clockwise/durability.hpp>
#include <clockwise/hash_ring.hpp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

using clockwise::Spread;

int main() {
  // A zone is given as the rack, the smallest unit that fails as a whole.
  std::vector<clockwise::Entry<std::string>> nodes;
  for (const std::string zone : {"a", "b", "c"}) {
    for (int i = 1; i <= 4; ++i) {
      nodes.push_back({"store-" + zone + std::to_string(i), {.rack = "zone-" + zone}});
    }
  }
  const clockwise::HashRing<> ring(nodes);
  const auto is_live = [](const clockwise::Member<std::string>& member) {
    return member.rack != "zone-b";
  };
  std::vector<std::string> down;
  for (const auto& member : ring.members()) {
    if (!is_live(member)) down.push_back(member.node);
  }

  const clockwise::Quorum quorum{3, 2, 2};
  constexpr int objects = 100'000;
  std::printf("%d objects, 3 replicas each on 12 nodes in 3 zones; zone-b is down\n\n", objects);
  std::printf("%-22s %14s %14s\n", "", "spread: racks", "spread: nodes");

  int unreadable[2] = {};
  int lost[2] = {};
  int substitutes[2] = {};
  clockwise::Availability expected[2];
  for (const Spread spread : {Spread::racks, Spread::nodes}) {
    const int column = spread == Spread::racks ? 0 : 1;
    for (int i = 0; i < objects; ++i) {
      const std::string key = "photos/2026/" + std::to_string(i) + ".jpg";
      const auto replicas = ring.preference_list(key, quorum.n, spread, is_live);
      const std::size_t live = replicas.first_substitute();
      if (live < quorum.r) ++unreadable[column];
      if (live == 0) ++lost[column];
      // A substitute keeps writes for a node that is down until it is back.
      substitutes[column] += static_cast<int>(replicas.size() - live);
    }
    expected[column] = quorum.available(ring, down, {quorum.n, spread});
  }
  std::printf("%-22s %14d %14d\n", "no live replica", lost[0], lost[1]);
  std::printf("%-22s %14d %14d\n", "no quorum of 2", unreadable[0], unreadable[1]);
  std::printf("%-22s %13.2f%% %13.2f%%\n", "the same, exact arcs", 100 * (1 - expected[0].readable),
              100 * (1 - expected[1].readable));
  std::printf("%-22s %14d %14d\n\n", "held by substitutes", substitutes[0], substitutes[1]);

  const auto natural = ring.preference_list("photos/2026/7.jpg", 3);
  const auto now = ring.preference_list("photos/2026/7.jpg", 3, Spread::racks, is_live);
  std::printf("photos/2026/7.jpg lives on");
  for (const auto& node : natural) std::printf(" %s", node.c_str());
  std::printf("\n          now goes to     ");
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::printf(" %s%s", now[i].c_str(), now.is_substitute(i) ? " (substitute)" : "");
  }
  std::printf("\n");
  return unreadable[0] == 0 && lost[0] == 0 ? 0 : 1;
}
