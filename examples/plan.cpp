// SPDX-License-Identifier: MIT

// Four nodes join 16 that hold three replicas of 4 TB: how much data moves, for how long, and which
// node is busy the longest? All at once, then one after the other.

#include <clockwise/hash_ring.hpp>
#include <clockwise/migration.hpp>
#include <cstdio>
#include <string>

int main() {
  clockwise::HashRing<> before;
  for (int i = 1; i <= 16; ++i) before.add("store-" + std::to_string(i));
  auto after = before;
  after.add_all({"store-17", "store-18", "store-19", "store-20"});

  // A quarter of a network card of 1 Gbit/s, which is 125 MB/s each way.
  const clockwise::MigrationOptions options{
      .replicas = 3, .bytes = 4e12, .bytes_per_second = 125e6, .throttle = 0.25};
  const auto print = [](const char* what, const auto& plan) {
    const auto busiest = plan.critical();
    std::printf("%-15s %4.2f TB in %4.1f h; %s receives %.2f TB\n", what, plan.bytes() / 1e12,
                plan.seconds() / 3600, busiest->node.c_str(), busiest->ingress_bytes / 1e12);
  };
  const auto together = plan_migration(before, after, options);
  print("together", together);
  for (const auto& plan : plan_one_by_one(before, after, options)) print("one of the four", plan);

  const auto first = together[0];
  std::printf("\n%zu steps; the first: from %s to %s, %.2f GB\n", together.size(),
              first.source.c_str(), first.to.c_str(), first.bytes / 1e9);
}
