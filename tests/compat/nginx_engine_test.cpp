// SPDX-License-Identifier: MIT
// NginxRing compared with a running nginx.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/compat/nginx.hpp"
#include "engine.hpp"

namespace {

using clockwise::NginxRing;
using clockwise_test::Connection;
using clockwise_test::free_ports;
using clockwise_test::Process;
using clockwise_test::real_key;
using clockwise_test::TemporaryDirectory;

using Servers = std::vector<std::pair<std::string, int>>;  // name, weight

/// How an upstream treats its servers: which are marked down, and whether a request continues to
/// the next server if one refuses.
struct Faults {
  std::vector<std::string> down;
  bool retries = false;
};

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// nginx with some upstreams, one for each front port, and with servers that reply with their name.
class Nginx {
 public:
  explicit Nginx(std::size_t upstreams) {
    const std::string program = clockwise_test::require_program("nginx", "nginx");
    fronts_ = free_ports(upstreams + 3);
    for (std::size_t i = 0; i < 3; ++i) {
      backends_.push_back("127.0.0.1:" + std::to_string(fronts_.back()));
      fronts_.pop_back();
    }
    backends_.push_back("unix:" + directory_.file("a.sock"));
    backends_.push_back("unix:" + directory_.file("b.sock"));
    program_ = program;
  }

  /// The servers that reply: three ports, two sockets.
  const std::vector<std::string>& backends() const { return backends_; }

  void start(const std::vector<Servers>& upstreams, const Faults& faults = {}) {
    std::string config =
        "daemon off; master_process off; worker_processes 1; pid " + directory_.file("pid") +
        "; error_log stderr crit; events { worker_connections 512; }\nhttp { access_log off;\n";
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
      config += std::string(kind) + "_temp_path " + directory_.file(kind) + ";\n";
    }
    for (const std::string& backend : backends_) {
      config += "server { listen " + backend + "; keepalive_requests 1000000; return 200 '" +
                backend + "'; }\n";
    }
    for (std::size_t i = 0; i < upstreams.size(); ++i) {
      const std::string name = "fleet" + std::to_string(i);
      config += "upstream " + name + " { hash $http_x_key consistent; keepalive 8;\n";
      for (const auto& [server, weight] : upstreams[i]) {
        config += "  server " + server + " weight=" + std::to_string(weight) + " max_fails=0" +
                  (is_in(faults.down, server) ? " down" : "") + ";\n";
      }
      config += "}\nserver { listen 127.0.0.1:" + std::to_string(fronts_[i]) +
                "; keepalive_requests 1000000; add_header X-Chosen $upstream_addr always;\n"
                "  location / { proxy_pass http://" +
                name + "; proxy_http_version 1.1; proxy_set_header Connection '';" +
                " proxy_next_upstream " + (faults.retries ? "error timeout" : "off") +
                "; proxy_next_upstream_tries 0; proxy_connect_timeout 5s; } }\n";
    }
    config += "}\n";
    processes_.emplace_back(std::vector<std::string>{program_, "-p", directory_.path(), "-c",
                                                     directory_.write("nginx.conf", config)},
                            directory_.file("log"));
    for (std::size_t i = 0; i < upstreams.size(); ++i) {
      clockwise_test::wait_for_port(processes_[0], fronts_[i]);
    }
  }

  Connection connect(std::size_t upstream) const { return Connection(fronts_[upstream]); }

 private:
  std::string program_;
  TemporaryDirectory directory_;
  std::vector<std::uint16_t> fronts_;
  std::vector<std::string> backends_;
  std::vector<Process> processes_;
};

struct Answer {
  std::string chosen;  // the addresses that nginx connected to, in turn
  std::string body;
};

Answer get(Connection& connection, const std::string& key) {
  connection.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\n\r\n");
  const std::string head = connection.read_until("\r\n\r\n");
  const auto header = [&](const std::string& name) {
    const std::size_t at = head.find("\r\n" + name + ": ");
    REQUIRE(at != std::string::npos);
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  };
  const std::string body = connection.read(std::stoul(header("Content-Length")));
  return {header("X-Chosen"), body};
}

NginxRing ring_of(const Servers& servers) {
  NginxRing ring;
  ring.add_all(servers);
  return ring;
}

TEST_CASE("upstreams answer for the keys that clockwise predicts") {
  Nginx nginx(3);
  const auto& names = nginx.backends();
  const std::vector<Servers> fleets{{{names[0], 1}, {names[1], 1}, {names[2], 1}},
                                    {{names[2], 5}, {names[0], 1}, {names[1], 2}},
                                    {{names[3], 2}, {names[1], 1}, {names[4], 1}}};
  nginx.start(fleets);
  for (std::size_t fleet = 0; fleet < fleets.size(); ++fleet) {
    const NginxRing ring = ring_of(fleets[fleet]);
    Connection connection = nginx.connect(fleet);
    std::map<std::string, int> keys_of;
    for (std::size_t i = 0; i < 4000; ++i) {
      const std::string key = real_key(i);
      const Answer answer = get(connection, key);
      if (answer.body != ring.lookup(key)) {
        INFO("fleet " << fleet << ", key " << key);
        REQUIRE(answer.body == ring.lookup(key));
      }
      ++keys_of[answer.body];
    }
    CHECK(keys_of.size() == 3);
  }
}

TEST_CASE("servers without a port") {
  // No server needs to reply: nginx names the address that it tried.
  Nginx nginx(1);
  const Servers servers{{"127.77.0.1", 1}, {"127.77.0.2:80", 1}, {"127.77.0.3", 2}};
  nginx.start({servers});
  const NginxRing ring = ring_of(servers);
  Connection connection = nginx.connect(0);
  std::set<std::string> chosen;
  for (std::size_t i = 0; i < 1500; ++i) {
    const std::string key = real_key(i);
    std::string expected = ring.lookup(key);
    if (expected.find(':') == std::string::npos) expected += ":80";
    const Answer answer = get(connection, key);
    REQUIRE(answer.chosen == expected);
    chosen.insert(answer.chosen);
  }
  CHECK(chosen.size() == 3);
}

TEST_CASE("points that two servers share") {
  Nginx nginx(2);
  // Of 192,000 points of three servers in 2^32, two servers are expected to share 2.9. The number
  // of shared points and the length of their arcs depend on which ports are free. So weights rise
  // until there is a shared point whose arc contains, on average, 12 or more of 20,000,000 keys: at
  // least three, except in 1 run in 2,000.
  const auto& names = nginx.backends();
  const clockwise::Width wide_enough(12 * (~std::uint64_t{0} / 20'000'000));
  std::uint64_t shared = 0;
  clockwise::Width widest;
  int weight = 0;
  while (widest < wide_enough && weight < 4000) {
    weight += 400;
    const NginxRing one = ring_of({{names[0], weight}});
    const NginxRing two = ring_of({{names[1], weight}});
    const NginxRing both = ring_of({{names[0], weight}, {names[1], weight}});
    std::vector<std::uint64_t> points;
    std::set_intersection(one.positions().begin(), one.positions().end(), two.positions().begin(),
                          two.positions().end(), std::back_inserter(points));
    for (const std::uint64_t point : points) {
      const clockwise::Width width = both.arc_of(clockwise::Position{point}).width();
      if (width <= widest) continue;
      widest = width;
      shared = point;
    }
    if (widest < wide_enough) widest = {};
  }
  REQUIRE(widest >= wide_enough);
  const std::vector<Servers> fleets{{{names[0], weight}, {names[1], weight}},
                                    {{names[1], weight}, {names[0], weight}}};
  nginx.start(fleets);
  for (std::size_t fleet = 0; fleet < fleets.size(); ++fleet) {
    const NginxRing ring = ring_of(fleets[fleet]);
    const auto arc = ring.arc_of(clockwise::Position{shared});
    REQUIRE(arc.last == shared);
    Connection connection = nginx.connect(fleet);
    int keys = 0;
    for (std::size_t i = 0; keys < 3 && i < 20000000; ++i) {
      const std::string key = "key:" + std::to_string(i);
      if (!arc.contains(ring.position_of(key))) continue;
      ++keys;
      CHECK(get(connection, key).body == fleets[fleet][0].first);
      CHECK(ring.lookup(key) == fleets[fleet][0].first);
    }
    CHECK(keys == 3);
  }
}

/// A fleet of which most servers do not reply: the servers of `backends` do, the rest have a port
/// that nothing listens on.
Servers fleet_around(const std::vector<std::string>& backends, std::size_t silent) {
  Servers servers;
  const auto ports = free_ports(silent);
  for (std::size_t i = 0; i < silent; ++i) {
    servers.emplace_back("127.0.0.1:" + std::to_string(ports[i]), 1 + static_cast<int>(i % 2));
    if (i < backends.size()) servers.emplace_back(backends[i], 1);
  }
  return servers;
}

/// Checks the servers that nginx picks while only `live` can be used. Returns how many keys it sent
/// to round robin.
int compare_faulty(const Nginx& nginx, const Servers& servers,
                   const std::vector<std::string>& live) {
  const NginxRing ring = ring_of(servers);
  const auto is_live = [&](const std::string& server) { return is_in(live, server); };
  Connection connection = nginx.connect(0);
  int in_turn = 0;
  std::set<std::string> met;
  for (std::size_t i = 0; i < 1500; ++i) {
    const std::string key = real_key(i);
    if (ring.uses_round_robin(key, is_live)) {
      // The servers in turn: the key does not decide.
      std::set<std::string> chosen;
      for (std::size_t turn = 0; turn < live.size(); ++turn) {
        chosen.insert(get(connection, key).body);
      }
      INFO("key " << key);
      REQUIRE(chosen == std::set<std::string>(live.begin(), live.end()));
      ++in_turn;
      continue;
    }
    const auto list = ring.preference_list(key, 1, is_live);
    for (std::size_t turn = 0; turn < live.size(); ++turn) {
      const Answer answer = get(connection, key);
      if (answer.body != list.front()) {
        INFO("key " << key);
        REQUIRE(answer.body == list.front());
      }
    }
    met.insert(list.front());
  }
  CHECK(met.size() == live.size());
  return in_turn;
}

TEST_CASE("servers that are down are skipped, up to 20 points") {
  Nginx nginx(1);
  const auto live =
      std::vector<std::string>(nginx.backends().begin(), nginx.backends().begin() + 3);
  const Servers servers = fleet_around(live, 24);
  Faults faults;
  for (const auto& [server, weight] : servers) {
    if (!is_in(live, server)) faults.down.push_back(server);
  }
  nginx.start({servers}, faults);
  // 36 of 39 points belong to servers that are down: (36 / 39)^21 = 0.19 of the keys pass 21 of
  // them.
  const int in_turn = compare_faulty(nginx, servers, live);
  CHECK(in_turn > 150);
  CHECK(in_turn < 450);

  // A request without a key.
  std::set<std::string> chosen;
  Connection connection = nginx.connect(0);
  for (int turn = 0; turn < 3; ++turn) chosen.insert(get(connection, "").body);
  CHECK(chosen == std::set<std::string>(live.begin(), live.end()));
  CHECK(ring_of(servers).uses_round_robin(""));
}

TEST_CASE("a request skips servers that refuse like servers that are down") {
  Nginx nginx(1);
  const auto live =
      std::vector<std::string>(nginx.backends().begin(), nginx.backends().begin() + 3);
  const Servers servers = fleet_around(live, 6);
  nginx.start({servers}, {{}, true});
  const NginxRing ring = ring_of(servers);
  Connection connection = nginx.connect(0);
  std::size_t retried = 0;
  for (std::size_t i = 0; i < 1500; ++i) {
    const std::string key = real_key(i);
    const auto is_live = [&](const std::string& server) { return is_in(live, server); };
    if (ring.uses_round_robin(key, is_live)) continue;
    // nginx names every server that it tried: the servers of the walk, up to the first that
    // replies.
    std::string tried;
    std::size_t passed = 0;
    for (const std::string& server : ring.successors(key)) {
      tried += (tried.empty() ? "" : ", ") + server;
      if (is_live(server)) break;
      ++passed;
    }
    const Answer answer = get(connection, key);
    INFO("key " << key);
    REQUIRE(answer.chosen == tried);
    REQUIRE(answer.body == ring.preference_list(key, 1, is_live).front());
    retried += passed > 0 ? 1u : 0u;
  }
  CHECK(retried > 500);
}

}  // namespace
