// SPDX-License-Identifier: MIT
// Preference lists, replica sets and allocated tokens. Each group has its baseline in the same run:
// lists with racks / lists without, sets / one pass over the arrays, chosen tokens / random ones.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <clockwise/balance.hpp>
#include <clockwise/detail/base/mix.hpp>
#include <clockwise/durability.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/token_allocator.hpp>
#include <clockwise/token_ring.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;

constexpr int racks = 20;

HashRing<> fleet(int nodes) {
  std::vector<std::pair<std::string, NodeOptions>> members;
  for (int i = 0; i < nodes; ++i) {
    members.emplace_back("node-" + std::to_string(i),
                         NodeOptions{1.0, "rack-" + std::to_string(i % racks), ""});
  }
  return HashRing<>(members);
}

void preference_list(benchmark::State& state, Spread spread) {
  const HashRing<> ring = fleet(1000);
  std::uint64_t position = 0;
  for (auto _ : state) {
    position += 0x9e3779b97f4a7c15;
    const auto list = ring.preference_list(Position{position}, 3, spread);
    benchmark::DoNotOptimize(&list.front());
  }
}

void preference_list_one_down(benchmark::State& state) {
  const HashRing<> ring = fleet(1000);
  std::uint64_t position = 0;
  const auto is_live = [&](const std::string& node) { return node.back() != '7'; };
  for (auto _ : state) {
    position += 0x9e3779b97f4a7c15;
    const auto list = ring.preference_list(Position{position}, 3, Spread::racks, is_live);
    benchmark::DoNotOptimize(&list.front());
  }
}

// The lower bound of counting sets: reads every position and every owner once.
void one_pass(benchmark::State& state) {
  const HashRing<> ring = fleet(10'000);
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (const std::uint64_t position : ring.positions()) sum += position;
    for (const std::uint16_t owner : ring.owners()) sum += owner;
    benchmark::DoNotOptimize(sum);
  }
  state.counters["positions"] = static_cast<double>(ring.vnode_count());
}

void replica_sets(benchmark::State& state, Spread spread) {
  const HashRing<> ring = fleet(10'000);
  std::uint64_t distinct = 0;
  for (auto _ : state) {
    const auto sets = clockwise::replica_sets(ring, {3, spread});
    distinct = sets.distinct;
    benchmark::DoNotOptimize(distinct);
  }
  state.counters["sets"] = static_cast<double>(distinct);
}

// --- Tokens: how even replicated ownership is. Largest over fair share, R = 3. -------------------

double peak(const auto& ring) { return clockwise::balance(ring, 3).peak_to_mean; }

/// Grows to 100 nodes; then, 50 times, a random one leaves and another joins.
void allocated_tokens(benchmark::State& state, bool weights, bool with_racks) {
  const auto vnodes = static_cast<std::uint32_t>(state.range(0));
  const auto join = [&](TokenRing<>& ring, int number, const NodeOptions& options) {
    ring.add("n" + std::to_string(number), options,
             clockwise::allocate_tokens(ring, options, {vnodes, {3, Spread::racks}}));
  };
  const auto options_of = [&](int i) {
    return NodeOptions{weights ? 1.0 + i / 3 % 2 : 1.0,
                       with_racks ? "r" + std::to_string(i % 3) : "", ""};
  };
  TokenRing<> ring;
  for (auto _ : state) {
    ring.clear();
    for (int i = 0; i < 100; ++i) join(ring, i, options_of(i));
  }
  HashRing<> random(RingOptions{vnodes});
  for (int i = 0; i < 100; ++i) random.add("n" + std::to_string(i), options_of(i));
  state.counters["random"] = peak(random);
  state.counters["grown"] = peak(ring);
  state.counters["primary"] = clockwise::balance(ring).peak_to_mean;
  state.counters["primary_random"] = clockwise::balance(random).peak_to_mean;
  double left = 0;
  double joined = 0;
  for (int step = 0; step < 50; ++step) {
    const auto draw = clockwise::detail::draw(7, static_cast<std::uint64_t>(step));
    const auto leaver = ring.members()[static_cast<std::size_t>(draw % ring.size())];
    ring.remove(leaver.node);
    left = std::max(left, peak(ring));
    join(ring, 100 + step, {leaver.weight, leaver.rack, ""});
    joined = std::max(joined, peak(ring));
  }
  state.counters["one_left"] = left;
  state.counters["replaced"] = joined;
}

}  // namespace

BENCHMARK_CAPTURE(preference_list, nodes, Spread::nodes);
BENCHMARK_CAPTURE(preference_list, racks, Spread::racks);
BENCHMARK_CAPTURE(preference_list, racks_only, Spread::racks_only);
BENCHMARK(preference_list_one_down);

BENCHMARK(one_pass)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replica_sets, nodes, Spread::nodes)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replica_sets, racks, Spread::racks)->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(allocated_tokens, plain, false, false)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(allocated_tokens, weights, true, false)
    ->Arg(16)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(allocated_tokens, racks, false, true)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(allocated_tokens, racks_weights, true, true)
    ->Arg(16)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
