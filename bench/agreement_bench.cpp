// SPDX-License-Identifier: MIT
// The cost of sharing a ring: between threads (Shared), and between programs (wire).

#include <benchmark/benchmark.h>

#include <clockwise/hash_ring.hpp>
#include <clockwise/shared.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using Ring = clockwise::HashRing<>;

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back("cache-" + std::to_string(i));
  return nodes;
}

// A cheap walk over the circle, so that every lookup is of a different key.
constexpr std::uint64_t stride = 0x9e3779b97f4a7c15;

const Ring& plain_ring() {
  static const Ring ring(names(100));
  return ring;
}
const clockwise::Shared<Ring>& shared_ring() {
  static const clockwise::Shared<Ring> shared(plain_ring());
  return shared;
}

void lookup_plain(benchmark::State& state) {
  const Ring& ring = plain_ring();
  std::uint64_t position = static_cast<std::uint64_t>(state.thread_index());
  for (auto _ : state) {
    benchmark::DoNotOptimize(ring.lookup_index(clockwise::Position{position += stride}));
  }
}

void lookup_shared(benchmark::State& state) {
  auto reader = shared_ring().reader();
  std::uint64_t position = static_cast<std::uint64_t>(state.thread_index());
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader->lookup_index(clockwise::Position{position += stride}));
  }
}

BENCHMARK(lookup_plain)->Threads(1)->Threads(2);
BENCHMARK(lookup_shared)->Threads(1)->Threads(2);

// The baseline of encode and decode: a ring built from names.
void build_from_names(benchmark::State& state) {
  const auto nodes = names(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const Ring ring(nodes);
    benchmark::DoNotOptimize(ring.positions().data());
  }
}

void wire_encode(benchmark::State& state) {
  const Ring ring(names(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(clockwise::wire::encode(ring).data());
  state.counters["bytes"] = static_cast<double>(clockwise::wire::encode(ring).size());
}

void wire_parse(benchmark::State& state) {
  const auto bytes = clockwise::wire::encode(Ring(names(static_cast<std::size_t>(state.range(0)))));
  for (auto _ : state) benchmark::DoNotOptimize(clockwise::wire::parse(bytes)->members.data());
}

// Parses, and builds the ring.
void wire_decode(benchmark::State& state) {
  const auto bytes = clockwise::wire::encode(Ring(names(static_cast<std::size_t>(state.range(0)))));
  for (auto _ : state) {
    const Ring decoded = clockwise::wire::decode<Ring>(bytes);
    benchmark::DoNotOptimize(decoded.positions().data());
  }
}

BENCHMARK(build_from_names)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(wire_encode)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(wire_parse)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(wire_decode)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
