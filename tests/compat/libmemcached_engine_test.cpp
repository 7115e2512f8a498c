// SPDX-License-Identifier: MIT
// KetamaRing compared with libmemcached's own choice of server.
#include <catch2/catch_test_macros.hpp>

#if CLOCKWISE_TEST_LIBMEMCACHED

#include <libmemcached/memcached.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/compat/ketama.hpp"
#include "engine.hpp"

namespace {

using clockwise::KetamaFlavour;
using clockwise::KetamaRing;

constexpr std::size_t key_count = 100000;

struct Server {
  std::string host;
  in_port_t port;
  std::uint32_t weight;
  std::string name;  // as KetamaRing takes it
};

Server ipv4(const std::string& host, in_port_t port, std::uint32_t weight) {
  return {host, port, weight, host + ":" + std::to_string(port)};
}

/// The client library, set up to place keys without connecting.
class Client {
 public:
  Client(const std::vector<Server>& servers, KetamaFlavour flavour)
      : handle_(memcached_create(nullptr)) {
    REQUIRE(handle_ != nullptr);
    set(MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
    if (flavour == KetamaFlavour::spy) {
      set(MEMCACHED_BEHAVIOR_DISTRIBUTION, MEMCACHED_DISTRIBUTION_CONSISTENT_KETAMA_SPY);
    }
    for (const Server& server : servers) {
      const memcached_return_t added =
          server.host.front() == '/'
              ? memcached_server_add_unix_socket_with_weight(handle_, server.host.c_str(),
                                                             server.weight)
              : memcached_server_add_with_weight(handle_, server.host.c_str(), server.port,
                                                 server.weight);
      REQUIRE(memcached_success(added));
    }
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { memcached_free(handle_); }

  std::uint32_t server_of(std::string_view key) const {
    return memcached_generate_hash(handle_, key.data(), key.size());
  }

  void set(memcached_behavior_t behavior, std::uint64_t value) {
    REQUIRE(memcached_success(memcached_behavior_set(handle_, behavior, value)));
  }

  /// The first step of each request: readmits servers whose timeout has passed.
  void let_back_in() { memcached_autoeject(handle_); }

  std::string name_of_server(const std::string& key) const {
    memcached_return_t error{};
    const auto* const server = memcached_server_by_key(handle_, key.data(), key.size(), &error);
    REQUIRE(server != nullptr);
    return memcached_server_name(server) + (":" + std::to_string(memcached_server_port(server)));
  }

  bool store(const std::string& key) {
    return memcached_success(memcached_set(handle_, key.data(), key.size(), "x", 1, 0, 0));
  }

 private:
  memcached_st* handle_;
};

void compare(const std::vector<Server>& servers, KetamaFlavour flavour) {
  const Client client(servers, flavour);
  KetamaRing ring(flavour);
  ring.update([&](KetamaRing::Edit& edit) {
    for (const Server& server : servers) edit.add(server.name, server.weight);
  });
  std::vector<std::size_t> keys_of(servers.size());
  for (std::size_t i = 0; i < key_count; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const std::uint32_t expected = client.server_of(key);
    if (ring.lookup(key) != servers[expected].name) {
      INFO("key " << key << " of " << servers.size() << " servers");
      REQUIRE(ring.lookup(key) == servers[expected].name);
    }
    ++keys_of[expected];
  }
  // The comparison was of placements, not of two constants.
  for (const std::size_t keys : keys_of) CHECK(keys > 0);
}

std::vector<Server> fleet(std::size_t count, std::uint32_t (*weight_of)(std::size_t)) {
  std::vector<Server> servers;
  for (std::size_t i = 0; i < count; ++i) {
    servers.push_back(ipv4("10.20." + std::to_string(i / 200) + "." + std::to_string(i % 200 + 1),
                           static_cast<in_port_t>(i % 3 == 0 ? 11211 : 11212 + i), weight_of(i)));
  }
  return servers;
}

const std::vector<Server> published{ipv4("10.0.1.1", 11211, 600),  ipv4("10.0.1.2", 11211, 300),
                                    ipv4("10.0.1.3", 11211, 200),  ipv4("10.0.1.4", 11211, 350),
                                    ipv4("10.0.1.5", 11211, 1000), ipv4("10.0.1.6", 11211, 800),
                                    ipv4("10.0.1.7", 11211, 950),  ipv4("10.0.1.8", 11211, 100)};

TEST_CASE("equal weights") {
  for (const std::size_t count : {1u, 2u, 7u, 25u, 61u}) {
    compare(fleet(count, [](std::size_t) { return 1u; }), KetamaFlavour::libmemcached);
  }
}

TEST_CASE("weights") {
  compare(published, KetamaFlavour::libmemcached);
  compare(fleet(33, [](std::size_t i) { return static_cast<std::uint32_t>(1 + i * i % 17); }),
          KetamaFlavour::libmemcached);
  compare(fleet(12, [](std::size_t i) { return 0xfffffffe - static_cast<std::uint32_t>(i << 27); }),
          KetamaFlavour::libmemcached);
}

TEST_CASE("spymemcached's labels") {
  compare(published, KetamaFlavour::spy);
  compare(fleet(25, [](std::size_t) { return 1u; }), KetamaFlavour::spy);
}

TEST_CASE("a point that two servers share") {
  const Server one = ipv4("10.0.3.100", 11211, 1);
  const Server other = ipv4("10.0.4.1", 11211, 1);
  for (const auto& servers : {std::vector{one, other}, std::vector{other, one}}) {
    const Client client(servers, KetamaFlavour::libmemcached);
    for (const char* key : {"key2586", "key13443", "key27818"}) CHECK(client.server_of(key) == 0);
    compare(servers, KetamaFlavour::libmemcached);
  }
}

TEST_CASE("names, IPv6 addresses and sockets") {
  compare({{"cache-a.example", 11211, 2, "cache-a.example"},
           {"cache-b.example", 11299, 2, "cache-b.example:11299"},
           {"::1", 11211, 2, "::1"},
           {"fd00::7", 11212, 3, "[fd00::7]:11212"},
           {"/run/memcached.sock", 0, 1, "/run/memcached.sock"}},
          KetamaFlavour::libmemcached);
}

TEST_CASE("weight 0 is 1") {
  compare(fleet(9, [](std::size_t i) { return static_cast<std::uint32_t>(i % 4); }),
          KetamaFlavour::libmemcached);
  compare(fleet(5, [](std::size_t) { return 0u; }), KetamaFlavour::spy);
}

/// Seven servers of different weights, on ports that nothing listens on.
std::vector<Server> unreachable_fleet() {
  std::vector<Server> servers;
  const auto ports = clockwise_test::free_ports(7);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    servers.push_back(ipv4("127.0.0.1", ports[i], static_cast<std::uint32_t>(1 + i * 3 % 5)));
  }
  return servers;
}

KetamaRing ring_of(const std::vector<Server>& servers) {
  KetamaRing ring;
  for (const Server& server : servers) ring.add(server.name, server.weight);
  return ring;
}

/// Checks that the client now sends keys to the servers that `ring` returns.
void compare_names(const Client& client, const KetamaRing& ring) {
  for (std::size_t i = 0; i < 20'000; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const std::string expected = client.name_of_server(key);
    if (ring.lookup(key) != expected) {
      INFO("key " << key);
      REQUIRE(ring.lookup(key) == expected);
    }
  }
}

/// Lets the client meet a server that refuses, with requests for its keys, until it looks
/// elsewhere.
void fail(Client& client, const std::string& server) {
  int requests = 0;
  for (std::size_t i = 0; requests < 20; ++i) {
    const std::string key = "probe:" + std::to_string(i);
    if (i == 100'000) break;
    if (client.name_of_server(key) != server) continue;
    CHECK_FALSE(client.store(key));
    ++requests;
  }
  REQUIRE(requests < 20);
}

void compare_ejection(memcached_behavior_t behavior) {
  const std::vector<Server> servers = unreachable_fleet();
  Client client(servers, KetamaFlavour::libmemcached);
  client.set(behavior, 1);
  client.set(MEMCACHED_BEHAVIOR_SERVER_FAILURE_LIMIT, 1);
  client.set(MEMCACHED_BEHAVIOR_RETRY_TIMEOUT, 3600);
  const KetamaRing ring = ring_of(servers);
  compare_names(client, ring);
  fail(client, servers[2].name);
  const KetamaRing without = ring.without({servers[2].name});
  compare_names(client, without);

  // Not checked: the points after the server's own, and survivors that stay.
  std::size_t walked_elsewhere = 0;
  std::size_t survivors_moved = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const auto walked = ring.preference_list(key, 2);
    if (walked[0] != servers[2].name) {
      survivors_moved += walked[0] != without.lookup(key) ? 1u : 0u;
    } else {
      walked_elsewhere += walked[1] != without.lookup(key) ? 1u : 0u;
    }
  }
  CHECK(walked_elsewhere > 20);
  CHECK(survivors_moved > 100);

  fail(client, servers[5].name);
  compare_names(client, ring.without({servers[2].name, servers[5].name}));
}

TEST_CASE("servers that fail are ejected") {
  compare_ejection(MEMCACHED_BEHAVIOR_AUTO_EJECT_HOSTS);
}

TEST_CASE("servers that fail are removed") {
  compare_ejection(MEMCACHED_BEHAVIOR_REMOVE_FAILED_SERVERS);
}

TEST_CASE("an ejected server returns after its timeout") {
  const std::vector<Server> servers = unreachable_fleet();
  Client client(servers, KetamaFlavour::libmemcached);
  client.set(MEMCACHED_BEHAVIOR_AUTO_EJECT_HOSTS, 1);
  client.set(MEMCACHED_BEHAVIOR_SERVER_FAILURE_LIMIT, 1);
  client.set(MEMCACHED_BEHAVIOR_RETRY_TIMEOUT, 2);
  const KetamaRing ring = ring_of(servers);
  fail(client, servers[4].name);
  compare_names(client, ring.without({servers[4].name}));
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  client.let_back_in();
  compare_names(client, ring);
}

TEST_CASE("without ejection, a server that fails keeps its keys") {
  const std::vector<Server> servers = unreachable_fleet();
  Client client(servers, KetamaFlavour::libmemcached);
  const KetamaRing ring = ring_of(servers);
  for (std::size_t i = 0; i < 50; ++i) CHECK_FALSE(client.store(clockwise_test::real_key(i)));
  compare_names(client, ring);
}

}  // namespace

#else

TEST_CASE("libmemcached") { SKIP("libmemcached was not found: install libmemcached-dev"); }

#endif
