// SPDX-License-Identifier: MIT
// The cost of computing what moves, compared with one pass over both rings' arrays: 10,000 nodes at
// 200 vnodes are 2,000,000 positions.

#include <benchmark/benchmark.h>

#include <clockwise/hash_ring.hpp>
#include <clockwise/migration.hpp>
#include <clockwise/movement.hpp>
#include <clockwise/transition.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using Ring = clockwise::HashRing<>;
using Rings = std::pair<Ring, Ring>;

std::vector<std::string> names(const std::string& prefix, std::size_t count) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(prefix + std::to_string(i));
  return nodes;
}

const Rings& one_joins() {
  static const Rings rings = [] {
    Ring before(names("cache-", 10'000));
    Ring after = before;
    after.add("cache-5-joins");
    return Rings(std::move(before), std::move(after));
  }();
  return rings;
}

// No common node: everything moves.
const Rings& all_change() {
  static const Rings rings(Ring(names("cache-", 10'000)), Ring(names("store-", 10'000)));
  return rings;
}

// The lower bound: reads positions and owners of both rings once.
void one_pass(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const Ring* ring : {&before, &after}) {
      for (const std::uint64_t position : ring->positions()) sum += position;
      for (const std::uint16_t owner : ring->owners()) sum += owner;
    }
    benchmark::DoNotOptimize(sum);
  }
}

void movement_of_a_join(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  for (auto _ : state) {
    const auto moved = clockwise::movement(before, after);
    benchmark::DoNotOptimize(moved.width());
  }
}

void movement_of_all(benchmark::State& state) {
  const auto& [before, after] = all_change();
  for (auto _ : state) {
    const auto moved = clockwise::movement(before, after);
    benchmark::DoNotOptimize(moved.width());
  }
}

void movement_of_a_join_3_replicas(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  for (auto _ : state) {
    const auto moved = clockwise::movement(before, after, 3);
    benchmark::DoNotOptimize(moved.width());
  }
}

void plan_of_a_join_3_replicas(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  for (auto _ : state) {
    const auto plan = clockwise::plan_migration(before, after, {.replicas = 3, .bytes = 10.88e12});
    benchmark::DoNotOptimize(plan.width());
  }
}

// Routing while data moves, compared with the same query on a plain ring.
void preference_list(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  std::uint64_t key = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        before.preference_list(clockwise::Position{key += 0x9e3779b97f4a7c15}, 3).front());
  }
}

void read_from(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  const clockwise::Transition move(before, after, 3);
  std::uint64_t key = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        move.read_from(clockwise::Position{key += 0x9e3779b97f4a7c15}).front());
  }
}

void write_to(benchmark::State& state) {
  const auto& [before, after] = one_joins();
  const clockwise::Transition move(before, after, 3);
  std::uint64_t key = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(move.write_to(clockwise::Position{key += 0x9e3779b97f4a7c15}).front());
  }
}

}  // namespace

BENCHMARK(one_pass)->Unit(benchmark::kMillisecond);
BENCHMARK(movement_of_a_join)->Unit(benchmark::kMillisecond);
BENCHMARK(movement_of_all)->Unit(benchmark::kMillisecond);
BENCHMARK(movement_of_a_join_3_replicas)->Unit(benchmark::kMillisecond);
BENCHMARK(plan_of_a_join_3_replicas)->Unit(benchmark::kMillisecond);
BENCHMARK(preference_list);
BENCHMARK(read_from);
BENCHMARK(write_to);
