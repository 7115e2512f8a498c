// SPDX-License-Identifier: MIT
// The schemes other than the ring, each compared with a lower bound: jump hash with the bare loop
// of its paper, Maglev with a random read of its table, rendezvous with its mixes and the ring.
// Only ratios within one run are meaningful.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/bounded_load.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/maglev.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/multi_probe.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/slot_map.hpp"

namespace {

constexpr std::size_t key_count = 1 << 14;  // 128 KB of positions, read in order

const std::vector<std::uint64_t>& positions() {
  static const std::vector<std::uint64_t> all = [] {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> keys(key_count);
    for (auto& key : keys) key = random();
    return keys;
  }();
  return all;
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back("node-" + std::to_string(i));
  return all;
}

/// Runs use(position) for each position in turn.
template <class Use>
void for_each_position(benchmark::State& state, Use use) {
  const auto& all = positions();
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(use(all[i]));
    i = (i + 1) & (key_count - 1);
  }
}

template <class Scheme>
Scheme filled(benchmark::State& state, Scheme scheme = {}) {
  const auto nodes = names(static_cast<std::size_t>(state.range(0)));
  if constexpr (requires { scheme.add_all(nodes); }) {
    scheme.add_all(nodes);
  } else {
    for (const auto& name : nodes) scheme.add(name);
  }
  return scheme;
}

template <class Scheme>
void lookup(benchmark::State& state) {
  const auto scheme = filled<Scheme>(state);
  for_each_position(state, [&](std::uint64_t position) {
    return scheme.lookup_index(clockwise::Position{position});
  });
}

// --- Jump ---------------------------------------------------------------------------------------

/// The paper's loop, exactly as printed.
std::int64_t bare_jump(std::uint64_t key, std::int64_t buckets) {
  std::int64_t b = -1, j = 0;
  while (j < buckets) {
    b = j;
    key = key * 2862933555777941757u + 1;
    j = static_cast<std::int64_t>(
        static_cast<double>(b + 1) *
        (static_cast<double>(std::int64_t{1} << 31) / static_cast<double>((key >> 33) + 1)));
  }
  return b;
}

void jump_bare(benchmark::State& state) {
  for_each_position(state, [&](std::uint64_t key) { return bare_jump(key, state.range(0)); });
}
void jump(benchmark::State& state) {
  for_each_position(state,
                    [&](std::uint64_t key) { return clockwise::jump_hash(key, state.range(0)); });
}
void jump_back(benchmark::State& state) {
  for_each_position(
      state, [&](std::uint64_t key) { return clockwise::jump_back_hash(key, state.range(0)); });
}
BENCHMARK(jump_bare)->Arg(16)->Arg(1000)->Arg(1000000);
BENCHMARK(jump)->Arg(16)->Arg(1000)->Arg(1000000);
BENCHMARK(jump_back)->Arg(16)->Arg(1000)->Arg(1000000);

// --- Maglev -------------------------------------------------------------------------------------

/// Every read waits for the previous one, as a lookup waits for its key: latency, not throughput.
/// The table has `state.range(1)` entries; the index is drawn in advance, or is hash % size, or is
/// that of lookup_index.
template <class Place>
void maglev_chain(benchmark::State& state, Place place) {
  const auto table = clockwise::MaglevOptions{static_cast<std::uint32_t>(state.range(1))};
  const auto maglev = filled(state, clockwise::Maglev<>(table));
  const auto read = place(maglev);
  std::size_t i = 0;
  std::uint64_t previous = 0;
  for (auto _ : state) {
    previous = read(i ^ (previous & 1));
    i = (i + 2) & (key_count - 1);
  }
  benchmark::DoNotOptimize(previous);
}
void maglev_random_read(benchmark::State& state) {
  maglev_chain(state, [](const auto& maglev) {
    std::vector<std::uint32_t> places;
    for (const auto position : positions()) {
      places.push_back(static_cast<std::uint32_t>(position % maglev.table_size()));
    }
    return [table = maglev.table(), places](std::size_t i) -> std::uint64_t {
      return table[places[i]];
    };
  });
}
void maglev_read_at_remainder(benchmark::State& state) {
  maglev_chain(state, [](const auto& maglev) {
    return [table = maglev.table(), &keys = positions()](std::size_t i) -> std::uint64_t {
      return table[keys[i] % table.size()];
    };
  });
}
void maglev_lookup(benchmark::State& state) {
  maglev_chain(state, [](const auto& maglev) {
    return [&maglev, &keys = positions()](std::size_t i) -> std::uint64_t {
      return maglev.lookup_index(clockwise::Position{keys[i]});
    };
  });
}
BENCHMARK(maglev_random_read)->Args({1000, 65537})->Args({1000, 5000011});
BENCHMARK(maglev_read_at_remainder)->Args({1000, 65537})->Args({1000, 5000011});
BENCHMARK(maglev_lookup)->Args({1000, 65537})->Args({1000, 5000011});

void maglev_build(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(filled<clockwise::Maglev<>>(state));
}
BENCHMARK(maglev_build)->Arg(16)->Arg(1000)->Unit(benchmark::kMillisecond);

// --- Rendezvous and the ring --------------------------------------------------------------------

void mixes(benchmark::State& state) {
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = clockwise::detail::mix(i);
  for_each_position(state, [&](std::uint64_t key) {
    std::uint64_t best = 0;
    for (const auto seed : seeds) {
      const std::uint64_t drawn = clockwise::detail::mix(key ^ seed);
      best = drawn > best ? drawn : best;
    }
    return best;
  });
}
void rendezvous_weighted(benchmark::State& state) {
  auto scheme = filled<clockwise::Rendezvous<>>(state);
  scheme.set_weight("node-0", 1.5);
  for_each_position(state, [&](std::uint64_t position) {
    return scheme.lookup_index(clockwise::Position{position});
  });
}
BENCHMARK(mixes)->Arg(4)->Arg(16)->Arg(64)->Arg(256);
BENCHMARK(lookup<clockwise::Rendezvous<>>)
    ->Name("rendezvous_lookup")
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->Arg(12)
    ->Arg(16)
    ->Arg(24)
    ->Arg(32)
    ->Arg(64)
    ->Arg(256);
BENCHMARK(rendezvous_weighted)->Arg(4)->Arg(16)->Arg(64)->Arg(256);
BENCHMARK(lookup<clockwise::HashRing<>>)
    ->Name("ring_lookup")
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->Arg(12)
    ->Arg(16)
    ->Arg(24)
    ->Arg(32)
    ->Arg(64)
    ->Arg(256);

/// A ring that uses binary search, as most rings do.
using SearchedRing =
    clockwise::HashRing<clockwise::Xxh3, std::string, std::uint16_t, clockwise::NoIndex>;
BENCHMARK(lookup<SearchedRing>)->Name("ring_search")->RangeMultiplier(2)->Range(2, 256);

// --- The others ---------------------------------------------------------------------------------

BENCHMARK(lookup<clockwise::ModN<>>)->Name("mod_n_lookup")->Arg(16)->Arg(256);
BENCHMARK(lookup<clockwise::SlotMap<>>)->Name("slot_map_lookup")->Arg(16)->Arg(256);
BENCHMARK(lookup<clockwise::MultiProbe<>>)->Name("multi_probe_lookup")->Arg(16)->Arg(256);

/// A request starts and ends; the rest of the fleet's load stays.
void bounded_load(benchmark::State& state) {
  clockwise::BoundedLoad balancer(filled<clockwise::HashRing<>>(state));
  std::vector<decltype(balancer)::Token> under_way;
  for (std::size_t i = 0; i < 4096; ++i) {
    under_way.push_back(balancer.acquire(clockwise::Position{positions()[i]}));
  }
  std::uint64_t probes = 0;
  for_each_position(state, [&](std::uint64_t position) {
    const auto token = balancer.acquire(clockwise::Position{position});
    probes += token.probes();
    return token.probes();
  });
  state.counters["probes"] =
      benchmark::Counter(static_cast<double>(probes), benchmark::Counter::kAvgIterations);
}
BENCHMARK(bounded_load)->Arg(16)->Arg(256);

}  // namespace
