// SPDX-License-Identifier: MIT
// redis_slot and RedisSlotMap compared with redis-server in cluster mode.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/compat/redis_cluster.hpp"
#include "engine.hpp"

namespace {

using clockwise::redis_slot;
using clockwise::RedisRedirect;
using clockwise::RedisSlotMap;
using clockwise_test::Connection;
using clockwise_test::free_ports;
using clockwise_test::Process;
using clockwise_test::TemporaryDirectory;

std::string command(std::initializer_list<std::string_view> words) {
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    bytes += "$" + std::to_string(word.size()) + "\r\n" + std::string(word) + "\r\n";
  }
  return bytes;
}

/// One whole reply, as received.
std::string reply(Connection& connection) {
  std::string bytes = connection.read_until("\r\n");
  const long count = std::strtol(bytes.c_str() + 1, nullptr, 10);
  if (bytes[0] == '$' && count >= 0) bytes += connection.read(static_cast<std::size_t>(count) + 2);
  const long items = bytes[0] == '*' ? count : bytes[0] == '%' ? 2 * count : 0;
  for (long i = 0; i < items; ++i) bytes += reply(connection);
  return bytes;
}

std::string ask(Connection& connection, std::initializer_list<std::string_view> words) {
  connection.send(command(words));
  return reply(connection);
}

struct Node {
  explicit Node(const std::string& program) : Node(program, free_ports(2)) {}
  Node(const std::string& program, const std::vector<std::uint16_t>& ports)
      : port(ports[0]),
        process({program, "--port", std::to_string(ports[0]), "--cluster-port",
                 std::to_string(ports[1]), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
                 "--dir", directory.path(), "--save", "", "--appendonly", "no",
                 "--cluster-require-full-coverage", "no"},
                directory.file("log")),
        bus_port(ports[1]) {
    clockwise_test::wait_for_port(process, port);
  }

  std::string name() const { return "127.0.0.1:" + std::to_string(port); }

  TemporaryDirectory directory;
  std::uint16_t port;
  Process process;
  std::uint16_t bus_port;
};

std::string program() { return clockwise_test::require_program("redis-server", "redis-server"); }

TEST_CASE("CLUSTER KEYSLOT of 40,000 binary keys") {
  const Node node(program());
  Connection connection(node.port);
  std::uint64_t state = 42;
  const auto random = [&] {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 33;
  };
  std::set<std::uint16_t> slots;
  std::size_t tagged = 0;
  for (int batch = 0; batch < 40; ++batch) {
    std::vector<std::string> keys;
    std::string commands;
    for (int i = 0; i < 1000; ++i) {
      std::string key;
      const bool braces = i % 2 == 0;  // half of them from an alphabet in which tags are common
      for (std::uint64_t length = random() % 48; length > 0; --length) {
        key += braces ? "{}ab"[random() % 4] : static_cast<char>(random());
      }
      commands += command({"CLUSTER", "KEYSLOT", key});
      keys.push_back(std::move(key));
    }
    connection.send(commands);
    for (const std::string& key : keys) {
      const std::string expected = ":" + std::to_string(redis_slot(key)) + "\r\n";
      const std::string answer = reply(connection);
      if (answer != expected) {
        CAPTURE(key);
        REQUIRE(answer == expected);
      }
      slots.insert(redis_slot(key));
      tagged += clockwise::redis_hash_tag(key).size() != key.size() ? 1u : 0u;
    }
  }
  CHECK(slots.size() > 8000);
  CHECK(tagged > 5000);
}

TEST_CASE("redirections, and a slot on its way") {
  using Kind = RedisSlotMap::Answer::Kind;
  Node one(program());
  const Node two(program());
  Connection first(one.port);
  Connection second(two.port);
  CHECK(ask(first, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(two.port),
                    std::to_string(two.bus_port)}) == "+OK\r\n");
  CHECK(ask(first, {"CLUSTER", "ADDSLOTSRANGE", "0", "9999"}) == "+OK\r\n");
  CHECK(ask(second, {"CLUSTER", "ADDSLOTSRANGE", "10000", "16000"}) == "+OK\r\n");

  const auto map_of = [](Connection& connection) {
    return RedisSlotMap(clockwise::parse_cluster_slots(ask(connection, {"CLUSTER", "SLOTS"})));
  };
  const auto is_ready = [&](Connection& connection) {
    const RedisSlotMap seen = map_of(connection);
    return seen.contains(one.name()) && seen.contains(two.name()) &&
           ask(connection, {"CLUSTER", "INFO"}).find("cluster_state:ok") != std::string::npos;
  };
  clockwise_test::wait_for(one.process, "the two nodes to know each other",
                           [&] { return is_ready(first) && is_ready(second); });
  RedisSlotMap map = map_of(first);
  CHECK(map.slots_of(one.name()) == std::vector<clockwise::RedisSlotRange>{{0, 9999}});
  CHECK(map.slots_of(two.name()) == std::vector<clockwise::RedisSlotRange>{{10000, 16000}});
  CHECK_FALSE(map.complete());
  CHECK(clockwise::slot_moves(
            map, RedisSlotMap(clockwise::parse_cluster_shards(ask(second, {"CLUSTER", "SHARDS"}))))
            .empty());

  // Each node's reply for each key is what the map says.
  const auto compare = [&](const Node& node, Connection& connection, const std::string& key,
                           bool present, bool asking) {
    if (asking) CHECK(ask(connection, {"ASKING"}) == "+OK\r\n");
    const std::string got = ask(connection, {"GET", key});
    const auto answer = map.answer(node.name(), redis_slot(key), present, asking);
    CAPTURE(node.name(), key, present, asking, got);
    const auto redirect = clockwise::parse_redirect(got);
    switch (answer.kind) {
      case Kind::serve:
        CHECK(got == (present ? "$5\r\nvalue\r\n" : "$-1\r\n"));
        break;
      case Kind::cluster_down:
        CHECK(got.starts_with("-CLUSTERDOWN"));
        break;
      case Kind::moved:
      case Kind::ask:
        REQUIRE(redirect);
        CHECK(redirect->slot == redis_slot(key));
        CHECK(redirect->node == *answer.node);
        CHECK((redirect->kind == RedisRedirect::Kind::ask) == (answer.kind == Kind::ask));
    }
    return answer.kind;
  };
  std::set<Kind> kinds;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "key:" + std::to_string(i);
    kinds.insert(compare(one, first, key, false, false));
    kinds.insert(compare(two, second, key, false, false));
  }
  CHECK(kinds == std::set<Kind>{Kind::serve, Kind::moved, Kind::cluster_down});

  // A slot of the first node with a key that has moved and one that has not.
  const std::string stays = "{hello}:stays";
  const std::string gone = "{hello}:gone";
  const std::uint16_t slot = redis_slot(stays);
  REQUIRE(slot < 10000);
  CHECK(ask(first, {"SET", stays, "value"}) == "+OK\r\n");
  const auto id_of = [](Connection& connection) {
    const std::string bulk = ask(connection, {"CLUSTER", "MYID"});
    return bulk.substr(bulk.find("\r\n") + 2, 40);
  };
  const std::string slot_text = std::to_string(slot);
  CHECK(ask(second, {"CLUSTER", "SETSLOT", slot_text, "IMPORTING", id_of(first)}) == "+OK\r\n");
  CHECK(ask(first, {"CLUSTER", "SETSLOT", slot_text, "MIGRATING", id_of(second)}) == "+OK\r\n");
  map.migrate(slot, two.name());
  CHECK(compare(one, first, stays, true, false) == Kind::serve);
  CHECK(compare(one, first, gone, false, false) == Kind::ask);
  CHECK(compare(two, second, gone, false, false) == Kind::moved);
  CHECK(compare(two, second, gone, false, true) == Kind::serve);

  CHECK(ask(first, {"DEL", stays}) == ":1\r\n");
  CHECK(ask(second, {"CLUSTER", "SETSLOT", slot_text, "NODE", id_of(second)}) == "+OK\r\n");
  CHECK(ask(first, {"CLUSTER", "SETSLOT", slot_text, "NODE", id_of(second)}) == "+OK\r\n");
  map.assign({slot, slot}, two.name());
  CHECK(compare(two, second, gone, false, false) == Kind::serve);
  CHECK(compare(one, first, gone, false, false) == Kind::moved);
}

TEST_CASE("redis-cli --cluster create deals out the same slots") {
  const std::string server = program();
  const std::string client = clockwise_test::require_program("redis-cli", "redis-tools");
  std::deque<Node> nodes;
  for (int i = 0; i < 7; ++i) nodes.emplace_back(server);
  for (const std::size_t masters : {3u, 6u, 7u}) {
    const TemporaryDirectory directory;
    std::vector<std::string> arguments{client, "--cluster", "create"};
    for (std::size_t i = 0; i < masters; ++i) arguments.push_back(nodes[i].name());
    Process plan(arguments, directory.file("log"));  // asks for a confirmation, gets none
    clockwise_test::wait_for(nodes[0].process, "the plan", [&] {
      return clockwise_test::contents(directory.file("log")).find("Can I set") != std::string::npos;
    });
    const std::string text = clockwise_test::contents(directory.file("log"));
    const auto ranges = clockwise::redis_even_split(static_cast<std::uint32_t>(masters));
    for (std::size_t i = 0; i < masters; ++i) {
      const std::string line = "Master[" + std::to_string(i) + "] -> Slots " +
                               std::to_string(ranges[i].first) + " - " +
                               std::to_string(ranges[i].last);
      INFO(text);
      CHECK(text.find(line + "\n") != std::string::npos);
    }
  }
}

}  // namespace
