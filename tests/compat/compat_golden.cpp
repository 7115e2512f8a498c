// SPDX-License-Identifier: MIT
// Owners of 2,000 keys under every engine, one digest each. The vectors were taken on x86-64 from
// placements that the other tests here compare with the engines themselves. This test checks them
// on machines without an engine or a test framework: big-endian, 32-bit, x87.

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/envoy.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/compat/nginx.hpp"
#include "clockwise/compat/redis_cluster.hpp"

namespace {

int failures = 0;

template <class Placement>
void check(const char* engine, const Placement& placement, std::uint64_t expected) {
  std::string owners;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::string key = clockwise_test::real_key(i) + (i % 3 == 0 ? "\xc3\xa9\xff" : "");
    owners += placement.lookup(key);
    owners += '\n';
  }
  const std::uint64_t digest = clockwise::detail::digest(owners).low;
  if (digest == expected) return;
  ++failures;
  std::printf("%s: 0x%016" PRIx64 "; every deployed fleet would reshuffle\n", engine, digest);
}

template <class Ring>
Ring filled(Ring ring, std::size_t servers, int greatest_weight) {
  std::vector<std::pair<std::string, int>> fleet;
  for (std::size_t i = 0; i < servers; ++i) {
    fleet.emplace_back("10.0.0." + std::to_string(i) + ":1121" + std::to_string(i % 3),
                       static_cast<int>(1 + i * i * 7 % static_cast<std::size_t>(greatest_weight)));
  }
  ring.add_all(fleet);
  return ring;
}

}  // namespace

int main() {
  using clockwise::EnvoyHashFunction;
  using clockwise::HaproxyHash;
  using clockwise::KetamaFlavour;
  using clockwise::KetamaHash;
  using clockwise::KetamaRing;

  check("ketama", filled(KetamaRing(), 25, 1), 0xebdd9da8ca5e0e4d);
  check("ketama, weighted", filled(KetamaRing(), 23, 1000), 0x378afd44d7b134f1);
  check("ketama, spy", filled(KetamaRing(KetamaFlavour::spy), 23, 1000), 0x92553bc96e922790);
  check("ketama, rj", filled(KetamaRing(KetamaFlavour::rj), 61, 1), 0x716acfe4922a098b);
  check("twemproxy", filled(KetamaRing(KetamaFlavour::twemproxy, KetamaHash::fnv1a_64), 23, 9),
        0x37efe3e8975c4500);
  check("nginx", filled(clockwise::NginxRing(), 23, 9), 0x08349ddac160bdd2);
  check("envoy", filled(clockwise::EnvoyRing(), 23, 9), 0xe5950eb7c1e5e13e);
  check("envoy, murmur2",
        filled(clockwise::EnvoyRing({3000, 5000, EnvoyHashFunction::murmur_hash_2}), 23, 30),
        0xdd921e1d70f658c5);
  check("envoy, maglev", filled(clockwise::EnvoyMaglev(4099), 23, 9), 0x71aeb109ee4ea5ba);
  check("haproxy", filled(clockwise::HaproxyRing(), 23, 200), 0xaea9f4277deea7cf);
  check("haproxy, wt6", filled(clockwise::HaproxyRing({HaproxyHash::wt6, false}), 23, 20),
        0x5657ffe8f2c5f10c);

  const std::vector<std::string> masters = clockwise_test::numbered("10.0.0.", 7);
  check("redis", clockwise::RedisSlotMap(masters), 0xecd93921f32b183d);

  clockwise::CassandraRing cassandra;
  cassandra.update([&](auto& edit) {
    std::uint64_t state = 1;
    for (const std::string& node : masters) {
      std::vector<std::int64_t> tokens;
      for (int i = 0; i < 16; ++i) {
        state = state * 6364136223846793005 + 1442695040888963407;
        tokens.push_back(static_cast<std::int64_t>(state));
      }
      edit.add(node, tokens);
    }
  });
  check("cassandra", cassandra, 0xcec691757412497f);

  std::printf("placement of other engines: %d of 13 differ\n", failures);
  return failures == 0 ? 0 : 1;
}
