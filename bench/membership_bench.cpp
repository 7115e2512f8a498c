// SPDX-License-Identifier: MIT
// The cost of building and changing a ring, compared with a lower bound.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <clockwise/hash_ring.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "clockwise/detail/ring/lookup_index.hpp"

namespace {

using clockwise::BucketIndex;
using clockwise::NoIndex;

template <class Lookup>
using Ring = clockwise::HashRing<clockwise::Xxh3, std::string, std::uint16_t, Lookup>;

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back("cache-" + std::to_string(i));
  return nodes;
}

// The lower bound of a build: hash every label, then sort the positions, without owners.
void hash_and_sort(benchmark::State& state) {
  const auto nodes = names(static_cast<std::size_t>(state.range(0)));
  const clockwise::Xxh3 hash;
  for (auto _ : state) {
    std::vector<std::uint64_t> positions;
    positions.reserve(nodes.size() * 200);
    for (const auto& node : nodes) {
      std::string label = node + "#000";
      for (unsigned i = 0; i < 200; ++i) {
        char* const end =
            std::to_chars(label.data() + node.size() + 1, label.data() + label.size(), i).ptr;
        const auto length = static_cast<std::size_t>(end - label.data());
        positions.push_back(hash(std::as_bytes(std::span(label.data(), length))));
      }
    }
    std::sort(positions.begin(), positions.end());
    benchmark::DoNotOptimize(positions.data());
  }
}

template <class Lookup>
void add_all(benchmark::State& state) {
  const auto nodes = names(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    Ring<Lookup> ring;
    ring.add_all(nodes);
    benchmark::DoNotOptimize(ring.positions().data());
  }
}

// The lower bound of a change: copy both arrays to new memory.
void copy_arrays(benchmark::State& state) {
  const Ring<NoIndex> ring(names(static_cast<std::size_t>(state.range(0))));
  const std::vector<std::uint64_t> positions(ring.positions().begin(), ring.positions().end());
  const std::vector<std::uint16_t> owners(ring.owners().begin(), ring.owners().end());
  for (auto _ : state) {
    auto new_positions = positions;
    auto new_owners = owners;
    benchmark::DoNotOptimize(new_positions.data());
    benchmark::DoNotOptimize(new_owners.data());
  }
}

void build_index(benchmark::State& state) {
  const Ring<NoIndex> ring(names(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    clockwise::detail::LookupIndex<std::uint16_t> index;
    index.build(ring.positions(), ring.owners());
    benchmark::DoNotOptimize(index);
  }
}

// A node joins and leaves, its name in the middle of the order. Two changes per iteration.
template <class Lookup>
void join_and_leave(benchmark::State& state) {
  Ring<Lookup> ring(names(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    ring.add("cache-5-joins");
    ring.remove("cache-5-joins");
  }
}

template <class Lookup>
void join(benchmark::State& state) {
  Ring<Lookup> ring(names(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    ring.add("cache-5-joins");
    state.PauseTiming();
    ring.remove("cache-5-joins");
    state.ResumeTiming();
  }
}

#define CLOCKWISE_SIZES ->Arg(16)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond)
BENCHMARK(hash_and_sort) CLOCKWISE_SIZES;
BENCHMARK_TEMPLATE(add_all, BucketIndex) CLOCKWISE_SIZES;
BENCHMARK_TEMPLATE(add_all, NoIndex) CLOCKWISE_SIZES;
BENCHMARK(copy_arrays) CLOCKWISE_SIZES;
BENCHMARK(build_index) CLOCKWISE_SIZES;
BENCHMARK_TEMPLATE(join, BucketIndex) CLOCKWISE_SIZES;
BENCHMARK_TEMPLATE(join, NoIndex) CLOCKWISE_SIZES;
BENCHMARK_TEMPLATE(join_and_leave, BucketIndex) CLOCKWISE_SIZES;
BENCHMARK_TEMPLATE(join_and_leave, NoIndex) CLOCKWISE_SIZES;

}  // namespace
