// SPDX-License-Identifier: MIT
// KetamaRing compared with libmemcached's own choice of server.
#include <catch2/catch_test_macros.hpp>

#if CLOCKWISE_TEST_LIBMEMCACHED

#include <libmemcached/memcached.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/compat/ketama.hpp"

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

 private:
  void set(memcached_behavior_t behavior, std::uint64_t value) {
    REQUIRE(memcached_success(memcached_behavior_set(handle_, behavior, value)));
  }

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

}  // namespace

#else

TEST_CASE("libmemcached") { SKIP("libmemcached was not found: install libmemcached-dev"); }

#endif
