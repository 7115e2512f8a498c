// SPDX-License-Identifier: MIT
// KetamaRing compared with twemproxy in front of memcached: a key that was set through the proxy is
// on the server that clockwise names, and on no other.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/compat/ketama.hpp"
#include "engine.hpp"

namespace {

using clockwise::KetamaFlavour;
using clockwise::KetamaHash;
using clockwise::KetamaRing;
using clockwise_test::Connection;
using clockwise_test::Process;
using clockwise_test::TemporaryDirectory;

/// memcached on its own address, so that several can have the same port.
struct Cache {
  Cache(const TemporaryDirectory& directory, const std::string& at, std::uint16_t on)
      : host(at),
        port(on),
        process({clockwise_test::require_program("memcached", "memcached"), "-l", host, "-p",
                 std::to_string(port), "-U", "0", "-m", "64", "-t", "1", "-u", "root"},
                directory.file("memcached-" + host)) {
    clockwise_test::wait_for_port(process, port, host);
  }
  std::string address() const { return host + ":" + std::to_string(port); }

  std::string host;
  std::uint16_t port;
  Process process;
};

struct Pool {
  std::string hash;  // a line of the configuration, or nothing
  KetamaHash expected;
  std::vector<std::uint32_t> weights;  // of the caches, in order
  std::vector<std::string> names;      // empty: the servers have none
};

TEST_CASE("keys are where clockwise says") {
  const std::string proxy = clockwise_test::require_program("nutcracker", "nutcracker");
  const TemporaryDirectory directory;
  // All of 127.0.0.0/8 is loopback: an address used by this process only keeps the default port
  // free.
  const std::string network = "127." + std::to_string(64 + getpid() / 65536 % 64) + "." +
                              std::to_string(getpid() / 256 % 256) + ".";
  const auto ports = clockwise_test::free_ports(6);
  std::deque<Cache> caches;
  for (int i = 0; i < 3; ++i) {
    caches.emplace_back(directory, network + std::to_string((getpid() + 85 * i) % 254 + 1),
                        static_cast<std::uint16_t>(i == 2 ? ports[0] : 11211));
  }

  const std::vector<Pool> pools{
      {"hash: md5", KetamaHash::md5, {1, 1, 1}, {}},
      {"hash: md5", KetamaHash::md5, {3, 1, 5}, {"cache-a", "cache-b", "cache-c"}},
      {"hash: fnv1a_64", KetamaHash::fnv1a_64, {2, 1, 1}, {"cache-a", "cache-b", "cache-c"}},
      {"", KetamaHash::fnv1a_64, {1, 7, 1}, {}}};
  std::string config;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    config += "pool" + std::to_string(i) +
              ":\n  listen: 127.0.0.1:" + std::to_string(ports[1 + i]) +
              "\n  distribution: ketama\n  auto_eject_hosts: false\n";
    if (!pools[i].hash.empty()) config += "  " + pools[i].hash + "\n";
    config += "  servers:\n";
    for (std::size_t s = 0; s < caches.size(); ++s) {
      config += "   - " + caches[s].address() + ":" + std::to_string(pools[i].weights[s]) +
                (pools[i].names.empty() ? "" : " " + pools[i].names[s]) + "\n";
    }
  }
  Process process({proxy, "-c", directory.write("nutcracker.yml", config), "-s",
                   std::to_string(ports[5]), "-a", "127.0.0.1", "-o", directory.file("proxy.log")},
                  directory.file("proxy.out"));

  for (std::size_t i = 0; i < pools.size(); ++i) {
    clockwise_test::wait_for_port(process, ports[1 + i]);
    KetamaRing ring(KetamaFlavour::twemproxy, pools[i].expected);
    std::map<std::string, std::size_t> cache_of;
    for (std::size_t s = 0; s < caches.size(); ++s) {
      const std::string name = pools[i].names.empty() ? caches[s].address() : pools[i].names[s];
      ring.add(name, pools[i].weights[s]);
      cache_of[name] = s;
    }

    Connection connection(ports[1 + i]);
    std::vector<std::string> keys;
    for (std::size_t k = 0; k < 3000; ++k) {
      keys.push_back("pool" + std::to_string(i) + ":" + clockwise_test::real_key(k) +
                     (k % 7 == 0 ? "\xc3\xa9" : ""));
      connection.send("set " + keys.back() + " 0 0 1\r\nx\r\n");
      REQUIRE(connection.read_until("\r\n") == "STORED\r\n");
    }
    for (std::size_t s = 0; s < caches.size(); ++s) {
      Connection cache(caches[s].port, caches[s].host);
      std::size_t found = 0;
      for (const std::string& key : keys) {
        cache.send("get " + key + "\r\n");
        const std::string answer = cache.read_until("END\r\n");
        const bool expected = cache_of.at(ring.lookup(key)) == s;
        if ((answer != "END\r\n") != expected) {
          INFO("pool " << i << ", key " << key << ", server " << s << ": " << answer);
          REQUIRE((answer != "END\r\n") == expected);
        }
        found += expected ? 1u : 0u;
      }
      CHECK(found > 0);
    }
  }
}

}  // namespace
