// SPDX-License-Identifier: MIT
// HaproxyRing compared with a running HAProxy.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "engine.hpp"

namespace {

using clockwise::HaproxyHash;
using clockwise::HaproxyOptions;
using clockwise::HaproxyRing;
using clockwise_test::Connection;
using clockwise_test::Process;
using clockwise_test::TemporaryDirectory;

struct Server {
  std::string name;
  std::uint32_t weight = 1;
  std::uint32_t id = 0;
};

struct Backend {
  std::string hash_type;  // after "hash-type consistent"
  HaproxyOptions options;
  std::vector<Server> servers;
};

HaproxyRing ring_of(const Backend& backend) {
  HaproxyRing ring(backend.options);
  for (const Server& server : backend.servers) ring.add(server.name, server.weight, server.id);
  return ring;
}

/// HAProxy with one front port per backend; each server replies with its name.
void compare(const std::vector<Backend>& backends, std::size_t keys) {
  const std::string program = clockwise_test::require_program("haproxy", "haproxy");
  const TemporaryDirectory directory;
  std::size_t servers = 0;
  for (const Backend& backend : backends) servers += backend.servers.size();
  const auto ports = clockwise_test::free_ports(backends.size() + servers);
  std::size_t next = backends.size();

  std::string config =
      "global\n  nbthread 1\n  maxconn 200\n"
      "defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n";
  for (std::size_t i = 0; i < backends.size(); ++i) {
    std::string listen =
        "listen fleet" + std::to_string(i) + "\n  bind 127.0.0.1:" + std::to_string(ports[i]) +
        "\n  balance hdr(X-Key)\n" + "  hash-type consistent" + backends[i].hash_type +
        "\n  http-response set-header X-Server-Id %[srv_id]\n";
    for (const Server& server : backends[i].servers) {
      const std::string address = "127.0.0.1:" + std::to_string(ports[next++]);
      config += "frontend " + server.name + "_of_" + std::to_string(i) + "\n  bind " + address +
                "\n  http-request return status 200 content-type text/plain string " + server.name +
                "\n";
      listen += "  server " + server.name + " " + address + " weight " +
                std::to_string(server.weight) +
                (server.id == 0 ? "" : " id " + std::to_string(server.id)) + "\n";
    }
    config += listen;
  }
  Process process({program, "-db", "-f", directory.write("haproxy.cfg", config)},
                  directory.file("log"));
  for (const std::uint16_t port : ports) clockwise_test::wait_for_port(process, port);

  for (std::size_t i = 0; i < backends.size(); ++i) {
    const HaproxyRing ring = ring_of(backends[i]);
    std::map<std::string, std::uint32_t> ids;
    for (std::size_t place = 0; place < ring.servers().size(); ++place) {
      ids[ring.servers()[place].name] = ring.ids()[place];
    }
    Connection connection(ports[i]);
    std::map<std::string, int> keys_of;
    for (std::size_t k = 0; k < keys; ++k) {
      std::string key = clockwise_test::real_key(k);
      if (k % 5 == 0) key += "\xc3\xa9\xff";
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\n\r\n");
      const std::string head = connection.read_until("\r\n\r\n");
      const auto header = [&](const std::string& name) {
        const std::size_t at = head.find("\r\n" + name + ": ");
        INFO(head);
        REQUIRE(at != std::string::npos);
        return std::stoul(head.substr(at + name.size() + 4));
      };
      const std::string server = connection.read(header("content-length"));
      if (server != ring.lookup(key) || header("x-server-id") != ids[server]) {
        INFO("backend " << i << ", key " << key);
        REQUIRE(server == ring.lookup(key));
        REQUIRE(header("x-server-id") == ids[server]);
      }
      ++keys_of[server];
    }
    for (const auto& [server, share] : ring.load_shares()) {
      CHECK((keys_of[server] > 0) == (share > 0));
    }
  }
}

TEST_CASE("three servers, and every hash function") {
  const std::vector<Server> servers{{"web1"}, {"web2"}, {"web3"}};
  compare({{"", {}, servers},
           {" sdbm", {HaproxyHash::sdbm, false}, servers},
           {" djb2 avalanche", {HaproxyHash::djb2, true}, servers},
           {" wt6", {HaproxyHash::wt6, false}, servers},
           {" crc32 avalanche", {HaproxyHash::crc32, true}, servers}},
          3000);
}

TEST_CASE("weights and ids") {
  compare({{"", {}, {{"web1", 10}, {"web2", 256}, {"web3", 0}, {"web4", 100}}},
           {"", {}, {{"web1", 2, 2}, {"web2", 2}, {"web3", 2}, {"web4", 2, 1}, {"web5", 2}}},
           {"", {}, {{"web1", 5, 2147483647}, {"web2", 5, 1000000}, {"web3", 5, 77}}}},
          3000);
}

TEST_CASE("servers whose points coincide") {
  const std::uint32_t same = 1 << 20;  // ids that differ by it have the same points
  compare({{"", {}, {{"web1", 1, 3}, {"web2", 1, 3 + same}}},
           {"", {}, {{"web1", 1, 3 + same}, {"web2", 1, 3}}},
           {"", {}, {{"web1", 4, 9}, {"web2", 2, 9 + same}, {"web3", 3, 10}}}},
          2000);
}

}  // namespace
