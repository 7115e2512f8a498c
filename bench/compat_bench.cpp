// SPDX-License-Identifier: MIT
// Placement of other engines, compared with the engines' own code in the same run.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/envoy.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/compat/nginx.hpp"
#include "clockwise/compat/redis_cluster.hpp"

#if CLOCKWISE_BENCH_LIBMEMCACHED
#include <libmemcached/memcached.h>
#endif

namespace {

constexpr std::size_t key_count = 4096;

/// Keys of 16 bytes, contiguous, so that they cause no extra cache misses.
const std::vector<std::string>& keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> made;
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < key_count; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      std::string digits = std::to_string(state >> 24);
      made.push_back("k:" + std::string(14 - digits.size(), '0') + digits);
      if (made.back().size() != 16) throw std::logic_error("key length");
    }
    return made;
  }();
  return keys;
}

template <class Lookup>
void each_key(benchmark::State& state, Lookup lookup) {
  const std::vector<std::string>& all = keys();
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(lookup(std::string_view(all[i])));
    i = (i + 1) % key_count;
  }
}

/// Redis's own method: one table, byte by byte.
constexpr auto bytewise_table = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc & 0x8000) != 0 ? 0x1021u : 0u);
    table[byte] = static_cast<std::uint16_t>(crc & 0xffff);
  }
  return table;
}();

std::uint16_t bytewise_crc16(std::string_view bytes) {
  std::uint16_t crc = 0;
  for (const char c : bytes) {
    crc = static_cast<std::uint16_t>(
        crc << 8 ^ bytewise_table[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xff]);
  }
  return crc;
}

void redis_bytewise_crc16(benchmark::State& state) {
  each_key(state, [](std::string_view key) { return bytewise_crc16(key) % 16384; });
}
BENCHMARK(redis_bytewise_crc16);

void redis_bytewise_with_tags(benchmark::State& state) {
  each_key(state, [](std::string_view key) {
    std::size_t open = 0;
    while (open < key.size() && key[open] != '{') ++open;
    if (open == key.size()) return bytewise_crc16(key) % 16384;
    return bytewise_crc16(clockwise::redis_hash_tag(key)) % 16384;
  });
}
BENCHMARK(redis_bytewise_with_tags);

void redis_slot(benchmark::State& state) {
  each_key(state, [](std::string_view key) { return clockwise::redis_slot(key); });
}
BENCHMARK(redis_slot);

std::vector<std::string> servers() {
  std::vector<std::string> servers;
  for (int i = 1; i <= 8; ++i) servers.push_back("10.0.1." + std::to_string(i));
  return servers;
}

#if CLOCKWISE_BENCH_LIBMEMCACHED
void ketama_libmemcached(benchmark::State& state) {
  memcached_st* const client = memcached_create(nullptr);
  memcached_behavior_set(client, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
  for (const std::string& server : servers()) memcached_server_add(client, server.c_str(), 11211);
  each_key(state, [&](std::string_view key) {
    return memcached_generate_hash(client, key.data(), key.size());
  });
  memcached_free(client);
}
BENCHMARK(ketama_libmemcached);
#endif

void ketama_lookup(benchmark::State& state) {
  const clockwise::KetamaRing ring(servers());
  each_key(state, [&](std::string_view key) { return ring.lookup_index(ring.position_of(key)); });
}
BENCHMARK(ketama_lookup);

void ketama_lookup_hashed(benchmark::State& state) {
  const clockwise::KetamaRing ring(servers());
  std::vector<clockwise::Position> positions;
  for (const std::string& key : keys()) positions.push_back(ring.position_of(key));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ring.lookup_index(positions[i]));
    i = (i + 1) % key_count;
  }
}
BENCHMARK(ketama_lookup_hashed);

template <class Ring>
void lookup(benchmark::State& state) {
  Ring ring;
  ring.add_all(servers());
  each_key(state, [&](std::string_view key) { return ring.lookup_index(ring.position_of(key)); });
}
BENCHMARK(lookup<clockwise::NginxRing>)->Name("nginx_lookup");
BENCHMARK(lookup<clockwise::EnvoyRing>)->Name("envoy_ring_lookup");
BENCHMARK(lookup<clockwise::EnvoyMaglev>)->Name("envoy_maglev_lookup");
BENCHMARK(lookup<clockwise::HaproxyRing>)->Name("haproxy_lookup");

void cassandra_token(benchmark::State& state) {
  each_key(state, [](std::string_view key) { return clockwise::cassandra_token(key); });
}
BENCHMARK(cassandra_token);

template <class Ring>
void build(benchmark::State& state) {
  std::vector<std::string> fleet;
  for (int i = 0; i < 100; ++i) fleet.push_back("10.0.1." + std::to_string(i));
  for (auto _ : state) {
    Ring ring;
    ring.add_all(fleet);
    benchmark::DoNotOptimize(ring.lookup("key"));
  }
}
BENCHMARK(build<clockwise::KetamaRing>)->Name("ketama_build_100")->Unit(benchmark::kMicrosecond);
BENCHMARK(build<clockwise::NginxRing>)->Name("nginx_build_100")->Unit(benchmark::kMicrosecond);
BENCHMARK(build<clockwise::EnvoyRing>)->Name("envoy_ring_build_100")->Unit(benchmark::kMicrosecond);
BENCHMARK(build<clockwise::EnvoyMaglev>)
    ->Name("envoy_maglev_build_100")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
