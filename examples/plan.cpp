// SPDX-License-Identifier: MIT

// Four nodes join 16 that hold three replicas of 4 TB. How much data moves, for how long, and which
// node is busy the longest, if they join together or one after the other?

#include <clockwise/hash_ring.hpp>
#include <clockwise/migration.hpp>
#include <cstdio>
#include <string>

int main() {
  clockwise::HashRing<> before;
  for (int i = 1; i <= 16; ++i) before.add("store-" + std::to_string(i));
  auto after = before;
  after.add_all({"store-17", "store-18", "store-19", "store-20"});

  const clockwise::MigrationOptions options{
      .replicas = 3,
      .bytes = 4e12,              // of one copy of all keys
      .bytes_per_second = 125e6,  // of a network card, each way
      .throttle = 0.25};          // the share of the card that the migration uses
  const auto plan = plan_migration(before, after, options);
  const auto busiest = plan.critical();
  std::printf("together:   %.2f TB in %4.1f hours\n", plan.bytes() / 1e12, plan.seconds() / 3600);
  std::printf("            busiest: %s, %.2f TB in, %.2f TB out\n", busiest->node.c_str(),
              busiest->ingress_bytes / 1e12, busiest->egress_bytes / 1e12);
  const auto step = plan[0];
  std::printf("            first of %zu steps: %.1f GB from %s to %s\n", plan.size(),
              step.bytes / 1e9, step.source.c_str(), step.to.c_str());

  double bytes = 0;
  double seconds = 0;
  for (const auto& one : plan_one_by_one(before, after, options)) {
    bytes += one.bytes();
    seconds += one.seconds();
  }
  std::printf("one by one: %.2f TB in %4.1f hours\n", bytes / 1e12, seconds / 3600);
}
