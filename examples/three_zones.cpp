// SPDX-License-Identifier: MIT

// Twelve machines in three zones hold three copies of each object. One zone goes down: what is
// still read, what is still written, and who takes the writes that its machines miss? Counted on
// 100,000 real keys, with copies that know of zones and with copies that do not.

#include <clockwise/durability.hpp>
#include <clockwise/hash_ring.hpp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using clockwise::Spread;

int main() {
  // A zone is given as the rack: the smallest unit that fails as a whole.
  std::vector<std::pair<std::string, clockwise::NodeOptions>> machines;
  for (const std::string zone : {"a", "b", "c"}) {
    for (int i = 1; i <= 4; ++i) {
      machines.emplace_back("store-" + zone + std::to_string(i),
                            clockwise::NodeOptions{1.0, "zone-" + zone, ""});
    }
  }
  const clockwise::HashRing<> ring(machines);
  const auto zone_of = [&](const std::string& machine) {
    return ring.members()[ring.index_of(machine)].rack;
  };
  const auto is_live = [&](const std::string& machine) { return zone_of(machine) != "zone-b"; };
  std::vector<std::string> down;
  for (const auto& [machine, options] : machines) {
    if (!is_live(machine)) down.push_back(machine);
  }

  const clockwise::Quorum quorum{3, 2, 2};
  constexpr int objects = 100'000;
  std::printf("%d objects, 3 copies each on 12 machines in 3 zones; zone-b is down\n\n", objects);
  std::printf("%-22s %14s %14s\n", "", "spread: racks", "spread: nodes");

  int unreadable[2] = {};
  int lost[2] = {};
  int substitutes[2] = {};
  clockwise::Availability expected[2];
  for (const Spread spread : {Spread::racks, Spread::nodes}) {
    const int column = spread == Spread::racks ? 0 : 1;
    for (int i = 0; i < objects; ++i) {
      const std::string key = "photos/2026/" + std::to_string(i) + ".jpg";
      const auto copies = ring.preference_list(key, quorum.n, spread, is_live);
      const std::size_t live = copies.first_substitute();
      if (live < quorum.r) ++unreadable[column];
      if (live == 0) ++lost[column];
      // The machines that keep a write for those that are down, until they are back.
      substitutes[column] += static_cast<int>(copies.size() - live);
    }
    expected[column] = quorum.available(ring, down, spread);
  }
  std::printf("%-22s %14d %14d\n", "lost from sight", lost[0], lost[1]);
  std::printf("%-22s %14d %14d\n", "no quorum of 2 left", unreadable[0], unreadable[1]);
  std::printf("%-22s %13.2f%% %13.2f%%\n", "by exact arcs", 100 * (1 - expected[0].readable),
              100 * (1 - expected[1].readable));
  std::printf("%-22s %14d %14d\n\n", "copies kept elsewhere", substitutes[0], substitutes[1]);

  const auto natural = ring.preference_list("photos/2026/7.jpg", 3);
  const auto now = ring.preference_list("photos/2026/7.jpg", 3, Spread::racks, is_live);
  std::printf("photos/2026/7.jpg lives on");
  for (const auto& machine : natural) std::printf(" %s", machine.c_str());
  std::printf("\n          now goes to     ");
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::printf(" %s%s", now[i].c_str(), now.is_substitute(i) ? " (substitute)" : "");
  }
  std::printf("\n");
  return unreadable[0] == 0 && lost[0] == 0 ? 0 : 1;
}
