// SPDX-License-Identifier: MIT
// KetamaRing compared with twemproxy in front of memcached: a key that was set through the proxy is
// on the server that clockwise names, and on no other.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <thread>
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

TEST_CASE("keys are where clockwise predicts") {
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

/// Caches of different weights and a proxy that ejects caches that fail.
class Ejecting {
 public:
  explicit Ejecting(std::size_t caches, int retry_milliseconds)
      : program_(clockwise_test::require_program("nutcracker", "nutcracker")),
        ports_(clockwise_test::free_ports(caches + 2)) {
    std::string config = "pool:\n  listen: 127.0.0.1:" + std::to_string(ports_[caches]) +
                         "\n  distribution: ketama\n  auto_eject_hosts: true\n"
                         "  server_failure_limit: 1\n  timeout: 5000\n  server_retry_timeout: " +
                         std::to_string(retry_milliseconds) + "\n  servers:\n";
    for (std::size_t i = 0; i < caches; ++i) {
      caches_.emplace_back();
      start(i);
      config += "   - 127.0.0.1:" + std::to_string(ports_[i]) + ":" +
                std::to_string(i % 4 * 3 + 1) + " cache-" + std::to_string(i) + "\n";
      ring_.add("cache-" + std::to_string(i), i % 4 * 3 + 1);
    }
    proxy_.emplace(
        std::vector<std::string>{program_, "-c", directory_.write("nutcracker.yml", config), "-s",
                                 std::to_string(ports_[caches + 1]), "-a", "127.0.0.1", "-o",
                                 directory_.file("proxy.log")},
        directory_.file("proxy.out"));
    clockwise_test::wait_for_port(*proxy_, ports_[caches]);
  }

  const KetamaRing& ring() const { return ring_; }
  void stop(std::size_t cache) { caches_[cache].reset(); }
  void start(std::size_t cache) { caches_[cache].emplace(directory_, "127.0.0.1", ports_[cache]); }

  /// Lets the proxy meet a cache that was stopped: by a connection that broke off, or by a request
  /// that fails.
  void notice(const std::string& key) {
    Connection connection(ports_[caches_.size()]);
    connection.send("set " + key + " 0 0 1\r\nx\r\n");
    connection.read_until("\r\n");
  }

  /// Sets keys through the proxy; each must then be on the server that `ring` returns, and on no
  /// other.
  void compare(const KetamaRing& ring, const std::string& prefix, std::size_t count) {
    Connection connection(ports_[caches_.size()]);
    std::vector<std::string> keys;
    for (std::size_t k = 0; k < count; ++k) {
      keys.push_back(prefix + clockwise_test::real_key(k));
      connection.send("set " + keys.back() + " 0 0 1\r\nx\r\n");
      REQUIRE(connection.read_until("\r\n") == "STORED\r\n");
    }
    for (std::size_t i = 0; i < caches_.size(); ++i) {
      if (!caches_[i]) continue;
      Connection cache(ports_[i]);
      std::size_t found = 0;
      for (const std::string& key : keys) {
        cache.send("get " + key + "\r\n");
        const bool stored = cache.read_until("END\r\n") != "END\r\n";
        const bool expected = ring.lookup(key) == "cache-" + std::to_string(i);
        if (stored != expected) {
          INFO("key " << key << ", cache-" << i);
          REQUIRE(stored == expected);
        }
        found += stored ? 1u : 0u;
      }
      CHECK(found > 0);
    }
  }

 private:
  std::string program_;
  TemporaryDirectory directory_;
  std::vector<std::uint16_t> ports_;  // of the caches, the proxy and its statistics
  KetamaRing ring_{KetamaFlavour::twemproxy, KetamaHash::fnv1a_64};
  std::deque<std::optional<Cache>> caches_;
  std::optional<Process> proxy_;
};

/// A key of the ring's server.
std::string key_on(const KetamaRing& ring, const std::string& server, int number) {
  for (int i = number * 100'000;; ++i) {
    const std::string key = "probe:" + std::to_string(i);
    if (ring.lookup(key) == server) return key;
  }
}

TEST_CASE("ejected servers are left out of the ring, which also moves keys of others") {
  constexpr int forever = 3'600'000;
  Ejecting caches(6, forever);
  const KetamaRing& ring = caches.ring();
  caches.compare(ring, "all:", 2000);

  caches.stop(3);
  caches.notice(key_on(ring, "cache-3", 1));
  const KetamaRing without = ring.without({"cache-3"});
  caches.compare(without, "five:", 2000);

  // Not checked: the points after the server's own, and survivors that stay.
  std::size_t walked_elsewhere = 0;
  std::size_t survivors_moved = 0;
  for (std::size_t k = 0; k < 2000; ++k) {
    const std::string key = "five:" + clockwise_test::real_key(k);
    const auto walked = ring.preference_list(key, 2);
    if (walked[0] != "cache-3") {
      survivors_moved += walked[0] != without.lookup(key) ? 1u : 0u;
    } else {
      walked_elsewhere += walked[1] != without.lookup(key) ? 1u : 0u;
    }
  }
  CHECK(walked_elsewhere > 0);
  CHECK(survivors_moved > 10);

  caches.stop(0);
  caches.notice(key_on(without, "cache-0", 2));
  caches.compare(ring.without({"cache-0", "cache-3"}), "four:", 2000);
}

TEST_CASE("a server that can be reached again gets its points back") {
  constexpr int ejected_for = 3000;  // much more than 100 requests take
  Ejecting caches(4, ejected_for);
  const KetamaRing& ring = caches.ring();
  caches.stop(2);
  caches.notice(key_on(ring, "cache-2", 1));
  caches.compare(ring.without({"cache-2"}), "gone:", 100);
  caches.start(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(ejected_for + 500));
  caches.compare(ring, "back:", 2000);
}

TEST_CASE("weight 0 is refused") {
  const std::string program = clockwise_test::require_program("nutcracker", "nutcracker");
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "nutcracker.yml",
      "pool:\n  listen: 127.0.0.1:" + std::to_string(clockwise_test::free_ports(1)[0]) +
          "\n  distribution: ketama\n  servers:\n   - 127.0.0.1:11211:0\n");
  Process process({program, "-c", config, "-o", directory.file("log")}, directory.file("out"));
  const auto deadline = std::chrono::steady_clock::now() + clockwise_test::patience;
  const auto log = [&] { return clockwise_test::contents(directory.file("log")); };
  while (log().find("zero weight") == std::string::npos) {
    INFO(log());
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace
