// SPDX-License-Identifier: MIT
// HaproxyRing compared with a running HAProxy.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
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
class Haproxy {
 public:
  explicit Haproxy(std::vector<Backend> backends) : backends_(std::move(backends)) {
    const std::string program = clockwise_test::require_program("haproxy", "haproxy");
    std::size_t servers = 0;
    for (const Backend& backend : backends_) servers += backend.servers.size();
    ports_ = clockwise_test::free_ports(backends_.size() + servers + 1);
    std::size_t next = backends_.size();
    std::string config =
        "global\n  nbthread 1\n  maxconn 200\n  stats socket ipv4@127.0.0.1:" +
        std::to_string(ports_.back()) +
        " level admin\n"
        "defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n";
    for (std::size_t i = 0; i < backends_.size(); ++i) {
      std::string listen =
          "listen fleet" + std::to_string(i) + "\n  bind 127.0.0.1:" + std::to_string(ports_[i]) +
          "\n  balance hdr(X-Key)\n" + "  hash-type consistent" + backends_[i].hash_type +
          "\n  http-response set-header X-Server-Id %[srv_id]\n";
      for (const Server& server : backends_[i].servers) {
        const std::string address = "127.0.0.1:" + std::to_string(ports_[next++]);
        config += "frontend " + server.name + "_of_" + std::to_string(i) + "\n  bind " + address +
                  "\n  http-request return status 200 content-type text/plain string " +
                  server.name + "\n";
        listen += "  server " + server.name + " " + address + " weight " +
                  std::to_string(server.weight) +
                  (server.id == 0 ? "" : " id " + std::to_string(server.id)) + "\n";
      }
      config += listen;
    }
    processes_.emplace_back(
        std::vector<std::string>{program, "-db", "-f", directory_.write("haproxy.cfg", config)},
        directory_.file("log"));
    for (const std::uint16_t port : ports_) clockwise_test::wait_for_port(processes_[0], port);
  }

  std::size_t size() const { return backends_.size(); }
  HaproxyRing ring(std::size_t backend) const { return ring_of(backends_[backend]); }

  /// `set server <backend>/<server> <what>` on the stats socket.
  void set(std::size_t backend, const std::string& server, const std::string& what) const {
    Connection socket(ports_.back());
    socket.send("set server fleet" + std::to_string(backend) + "/" + server + " " + what + "\n");
    const std::string answer = socket.read_until("\n");
    INFO("set server " << server << " " << what);
    REQUIRE(answer == "\n");
  }

  /// Returns the server of the backend that replies to a key.
  class Asking {
   public:
    Asking(std::uint16_t port, const HaproxyRing& ring) : connection_(port) {
      for (std::size_t place = 0; place < ring.servers().size(); ++place) {
        ids_[ring.servers()[place].name] = ring.ids()[place];
      }
    }
    std::string server_of(const std::string& key) {
      connection_.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\n\r\n");
      const std::string head = connection_.read_until("\r\n\r\n");
      const auto header = [&](const std::string& name) {
        const std::size_t at = head.find("\r\n" + name + ": ");
        INFO(head);
        REQUIRE(at != std::string::npos);
        return std::stoul(head.substr(at + name.size() + 4));
      };
      std::string server = connection_.read(header("content-length"));
      if (header("x-server-id") != ids_[server]) REQUIRE(header("x-server-id") == ids_[server]);
      return server;
    }

   private:
    Connection connection_;
    std::map<std::string, std::uint32_t> ids_;
  };
  Asking ask(std::size_t backend) const { return Asking(ports_[backend], ring(backend)); }

  /// Checks that HAProxy sends `keys` keys to the servers that `ring` returns.
  void compare(std::size_t backend, const HaproxyRing& ring, std::size_t keys) const {
    Asking asking = ask(backend);
    std::map<std::string, int> keys_of;
    for (std::size_t k = 0; k < keys; ++k) {
      const std::string key = key_of(k);
      const std::string server = asking.server_of(key);
      if (server != ring.lookup(key)) {
        INFO("backend " << backend << ", key " << key);
        REQUIRE(server == ring.lookup(key));
      }
      ++keys_of[server];
    }
    for (const auto& [server, share] : ring.load_shares()) {
      CHECK((keys_of[server] > 0) == (share > 0));
    }
  }

  static std::string key_of(std::size_t k) {
    return clockwise_test::real_key(k) + (k % 5 == 0 ? "\xc3\xa9\xff" : "");
  }

 private:
  TemporaryDirectory directory_;
  std::vector<Backend> backends_;
  std::vector<std::uint16_t> ports_;  // of the backends, the servers and the stats socket
  std::vector<Process> processes_;
};

void compare(const std::vector<Backend>& backends, std::size_t keys) {
  const Haproxy haproxy(backends);
  for (std::size_t i = 0; i < haproxy.size(); ++i) haproxy.compare(i, haproxy.ring(i), keys);
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

/// Ten servers, some of which have an id, so that numbers depend on the whole list.
std::vector<Server> fleet_of_ten() {
  std::vector<Server> servers;
  for (std::uint32_t i = 0; i < 10; ++i) {
    servers.push_back({"srv" + std::to_string(i), i % 3 + 4, i == 6 ? 2u : 0u});
  }
  return servers;
}

TEST_CASE("servers that are down, drained or of weight 0, and come back") {
  const std::size_t keys = 3000;
  const Haproxy haproxy(
      {{"", {}, fleet_of_ten()}, {" crc32", {HaproxyHash::crc32, false}, fleet_of_ten()}});
  for (std::size_t i = 0; i < haproxy.size(); ++i) {
    const HaproxyRing ring = haproxy.ring(i);
    haproxy.compare(i, ring, keys);
    for (const char* state : {"state maint", "state drain", "weight 0"}) {
      haproxy.set(i, "srv3", state);
      haproxy.compare(i, ring.without({"srv3"}), keys);
      haproxy.set(i, "srv3", state[0] == 's' ? "state ready" : "weight 4");
      haproxy.compare(i, ring, keys);
    }

    haproxy.set(i, "srv0", "state maint");
    haproxy.set(i, "srv6", "state drain");
    haproxy.set(i, "srv9", "weight 0");
    const std::vector<std::string> down{"srv0", "srv6", "srv9"};
    haproxy.compare(i, ring.without(down), keys);
    haproxy.set(i, "srv2", "weight 40");
    HaproxyRing heavier = ring;
    heavier.set_weight("srv2", 40);
    haproxy.compare(i, heavier.without(down), keys);
    haproxy.set(i, "srv6", "state ready");
    haproxy.compare(i, heavier.without({"srv0", "srv9"}), keys);
    haproxy.set(i, "srv0", "state ready");
    haproxy.set(i, "srv9", "weight 4");
    haproxy.set(i, "srv2", "weight 6");
    haproxy.compare(i, ring, keys);
  }
}

TEST_CASE("HAProxy does not walk clockwise past a server that is down") {
  const Haproxy haproxy({{"", {}, fleet_of_ten()}});
  const HaproxyRing ring = haproxy.ring(0);
  haproxy.set(0, "srv3", "state maint");
  auto asking = haproxy.ask(0);
  int lost = 0;
  int elsewhere = 0;
  for (std::size_t k = 0; k < 6000; ++k) {
    const std::string key = Haproxy::key_of(k);
    if (ring.lookup(key) != "srv3") continue;
    ++lost;
    for (const std::string& server : ring.successors(key)) {
      if (server == "srv3") continue;
      elsewhere += server != asking.server_of(key) ? 1 : 0;
      break;
    }
  }
  // About 40%: the nearest remaining point is before the key about as often as after it.
  CHECK(lost > 300);
  CHECK(elsewhere > lost / 4);
}

TEST_CASE("a server that comes back is last among servers that share its points") {
  const std::uint32_t same = 1 << 20;
  const std::vector<Server> listed{
      {"web1", 1, 3}, {"web2", 1, 3 + same}, {"web3", 1, 3 + 2 * same}};
  const std::vector<Server> returned{listed[1], listed[2], listed[0]};
  const Haproxy haproxy({{"", {}, listed}});
  const HaproxyRing ring = haproxy.ring(0);
  CHECK(ring.id_collisions() == std::vector<std::vector<std::string>>{{"web1", "web2", "web3"}});
  haproxy.compare(0, ring, 2000);  // web2 gets nothing
  CHECK(ring.load_shares()[1].second == 0);
  haproxy.set(0, "web1", "state maint");
  haproxy.compare(0, ring.without({"web1"}), 2000);
  haproxy.set(0, "web1", "state ready");
  haproxy.compare(0, ring_of({"", {}, returned}), 2000);
}

}  // namespace
