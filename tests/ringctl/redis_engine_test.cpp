// SPDX-License-Identifier: MIT
// The slots that ringctl moves in a change of a Redis Cluster, compared with redis-cli on a cluster
// of redis-servers.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <clockwise/compat/redis_cluster.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "compat/engine.hpp"
#include "model/fleet.hpp"
#include "model/redis_change.hpp"

namespace {

using clockwise_test::free_ports;
using clockwise_test::Process;
using clockwise_test::TemporaryDirectory;

/// Returns the output of a shell command.
std::string output_of(const std::string& command) {
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  INFO(command << "\n" << text);
  REQUIRE(::pclose(pipe) == 0);
  return text;
}

/// Redis servers that have met but have no slots yet.
class Cluster {
 public:
  explicit Cluster(std::size_t masters)
      : server_(clockwise_test::require_program("redis-server", "redis-server")),
        cli_(clockwise_test::require_program("redis-cli", "redis-tools")) {
    const auto ports = free_ports(2 * masters);
    for (std::size_t i = 0; i < masters; ++i) {
      const std::string port = std::to_string(ports[2 * i]);
      const std::string bus = std::to_string(ports[2 * i + 1]);
      TemporaryDirectory& directory = directories_.emplace_back();
      processes_.emplace_back(
          std::vector<std::string>{server_, "--port", port, "--cluster-port", bus, "--bind",
                                   "127.0.0.1", "--cluster-enabled", "yes", "--dir",
                                   directory.path(), "--save", "", "--appendonly", "no"},
          directory.file("log"));
      clockwise_test::wait_for_port(processes_.back(), ports[2 * i]);
      ports_.push_back(port);
      buses_.push_back(bus);
    }
    for (std::size_t i = 1; i < masters; ++i) {
      ask(0, "cluster meet 127.0.0.1 " + ports_[i] + " " + buses_[i]);
    }
  }

  std::string ask(std::size_t node, const std::string& words) const {
    return output_of(cli_ + " -p " + ports_[node] + " " + words);
  }

  std::string name(std::size_t node) const { return "127.0.0.1:" + ports_[node]; }
  std::string id(std::size_t node) const { return ask(node, "cluster myid").substr(0, 40); }

  void give(std::size_t node, const std::string& first, const std::string& last) const {
    ask(node, "cluster addslotsrange " + first + " " + last);
  }

  /// Waits until all nodes agree. News of the slots of an idle node can be late.
  void wait() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      bool agree = true;
      for (std::size_t i = 0; i < ports_.size(); ++i) {
        agree = agree && ask(i, "cluster info").find("cluster_state:ok") != std::string::npos &&
                owners(i) == owners(0);
      }
      if (agree) return;
      REQUIRE(std::chrono::steady_clock::now() < deadline);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  /// Returns the master of each slot, as a node sees it.
  std::map<std::uint16_t, std::string> owners(std::size_t node) const {
    std::map<std::uint16_t, std::string> owners;
    for (const auto& [name, slots] : nodes(node)) {
      std::istringstream words(slots);
      for (std::string word; words >> word;) {
        const std::size_t dash = word.find('-');
        const int first = std::stoi(word.substr(0, dash));
        const int last = dash == word.npos ? first : std::stoi(word.substr(dash + 1));
        for (int slot = first; slot <= last; ++slot) {
          owners[static_cast<std::uint16_t>(slot)] = name;
        }
      }
    }
    return owners;
  }

  /// Returns names and slots in redis-cli's order of the nodes if it queries the first. The order
  /// decides between nodes with an equal excess of slots.
  std::vector<std::pair<std::string, std::string>> nodes(std::size_t asked = 0) const {
    std::vector<std::pair<std::string, std::string>> nodes(1);
    std::istringstream lines(ask(asked, "cluster nodes"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string id, address, flags, skipped;
      words >> id >> address >> flags;
      for (int i = 0; i < 5; ++i) words >> skipped;
      std::string slots;
      std::getline(words, slots);
      const bool self = flags.find("myself") != std::string::npos;
      auto& node = self ? nodes.front() : nodes.emplace_back();
      node = {address.substr(0, address.find('@')), slots};
    }
    return nodes;
  }

  std::string rebalance(const std::string& options) const {
    return output_of(cli_ + " --cluster rebalance " + name(0) + " " + options);
  }

 private:
  std::string server_;
  std::string cli_;
  std::deque<TemporaryDirectory> directories_;
  std::deque<Process> processes_;
  std::vector<std::string> ports_;
  std::vector<std::string> buses_;
};

ringctl::Fleet fleet_of(const std::vector<std::pair<std::string, std::string>>& nodes,
                        bool with_slots, const std::string& without = "") {
  ringctl::Fleet fleet;
  fleet.name = "cluster";
  for (const auto& [name, slots] : nodes) {
    if (name == without) continue;
    ringctl::FleetNode node;
    node.id = name;
    if (with_slots && slots.find_first_of("0123456789") != slots.npos) {
      node.traits["slots"] = slots.substr(slots.find_first_not_of(' '));
    }
    fleet.nodes.push_back(node);
  }
  return fleet;
}

/// Rebalances the cluster and checks that it ends as ringctl says.
void check_rebalance(const Cluster& cluster, const std::string& options,
                     const ringctl::RedisChange& change) {
  INFO(cluster.rebalance(options));
  cluster.wait();
  CHECK(change.rebalanced);
  std::size_t different = 0;
  const auto owners = cluster.owners(0);
  REQUIRE(owners.size() == 16384);
  for (const auto& [slot, owner] : owners) different += *change.after.owner_of(slot) != owner;
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("a rebalance to an empty master, then away from a master that leaves") {
  Cluster cluster(4);
  cluster.give(0, "0", "5460");
  cluster.give(1, "5461", "10922");
  cluster.give(2, "10923", "16383");
  cluster.wait();

  const auto before = cluster.nodes();
  const auto joined =
      ringctl::redis_change(fleet_of(before, true, cluster.name(3)), fleet_of(before, true));
  check_rebalance(cluster, "--cluster-use-empty-masters", joined);

  const auto even = cluster.nodes();
  const auto left =
      ringctl::redis_change(fleet_of(even, true), fleet_of(even, false, cluster.name(1)));
  check_rebalance(cluster, "--cluster-weight " + cluster.id(1) + "=0", left);
}

TEST_CASE("a rebalance of slots that are far from even") {
  Cluster cluster(4);
  cluster.give(0, "100", "999");
  cluster.give(1, "0", "99");
  cluster.give(1, "1000", "12345");
  cluster.give(2, "12346", "16383");
  cluster.wait();
  const auto before = cluster.nodes();
  const auto change =
      ringctl::redis_change(fleet_of(before, true, cluster.name(3)), fleet_of(before, false));
  check_rebalance(cluster, "--cluster-use-empty-masters", change);
}
