// SPDX-License-Identifier: MIT
// redis_slot, RedisSlotMap and the parsed replies compared with redis-server and valkey-server in
// cluster mode.
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/compat/redis_cluster.hpp"
#include "engine.hpp"

namespace {

using clockwise::redis_slot;
using clockwise::RedisEndpointType;
using clockwise::RedisHealth;
using clockwise::RedisRedirect;
using clockwise::RedisReplyOptions;
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
  if ((bytes[0] == '$' || bytes[0] == '=') && count >= 0)
    bytes += connection.read(static_cast<std::size_t>(count) + 2);
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

TEST_CASE("redirections, and a migrating slot") {
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

  // Each node's reply for each key agrees with the map.
  const auto compare = [&](const Node& node, Connection& connection, const std::string& key,
                           bool present, bool asking) {
    if (asking) CHECK(ask(connection, {"ASKING"}) == "+OK\r\n");
    const std::string got = ask(connection, {"GET", key});
    const auto answer = map.answer(node.name(), redis_slot(key), {present, asking});
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

/// A running server, queried over one connection.
struct Member {
  explicit Member(const std::string& program)
      : node(program), connection(node.port), id(text({"CLUSTER", "MYID"})) {}

  /// The contents of a bulk reply.
  std::string text(std::initializer_list<std::string_view> words) {
    const std::string bulk = ask(connection, words);
    const std::size_t begin = bulk.find("\r\n") + 2;
    REQUIRE(bulk[0] == '$');
    return bulk.substr(begin, bulk.size() - begin - 2);
  }
  void order(std::initializer_list<std::string_view> words) {
    const std::string answer = ask(connection, words);
    INFO(*(words.begin() + 1));
    REQUIRE(answer == "+OK\r\n");
  }
  bool says(std::string_view part) {
    return text({"CLUSTER", "NODES"}).find(part) != std::string::npos;
  }
  RedisSlotMap slots(const RedisReplyOptions& options = {}) {
    return RedisSlotMap(
        clockwise::parse_cluster_slots(ask(connection, {"CLUSTER", "SLOTS"}), options));
  }
  RedisSlotMap shards(const RedisReplyOptions& options = {}) {
    return RedisSlotMap(
        clockwise::parse_cluster_shards(ask(connection, {"CLUSTER", "SHARDS"}), options));
  }
  RedisSlotMap nodes(const RedisReplyOptions& options = {}) {
    return RedisSlotMap(
        clockwise::parse_cluster_nodes(ask(connection, {"CLUSTER", "NODES"}), options));
  }

  Node node;
  Connection connection;
  std::string id;
};

/// Suspends a server, like a machine that hangs, until the end of the scope.
class Hang {
 public:
  explicit Hang(Member& member) {
    const std::string info = member.text({"INFO", "server"});
    const std::size_t at = info.find("process_id:");
    REQUIRE(at != std::string::npos);
    pid_ = static_cast<pid_t>(std::strtol(info.c_str() + at + 11, nullptr, 10));
    REQUIRE(pid_ > 1);
    REQUIRE(kill(pid_, SIGSTOP) == 0);
  }
  Hang(const Hang&) = delete;
  Hang& operator=(const Hang&) = delete;
  ~Hang() { kill(pid_, SIGCONT); }

 private:
  pid_t pid_ = 0;
};

bool same_owners(const RedisSlotMap& a, const RedisSlotMap& b) {
  return clockwise::slot_moves(a, b).empty();
}

std::string owner(const RedisSlotMap& map, std::uint16_t slot) {
  const std::string* const name = map.owner_of(slot);
  return name == nullptr ? std::string() : *name;
}

/// Three masters, of which the third has no hostname, and two replicas, of which the second cannot
/// get its data. Every reply in every endpoint type, then with a failed replica and a failed
/// master.
void check_replies(const std::string& server) {
  std::vector<std::unique_ptr<Member>> all;
  for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<Member>(server));
  Member& first = *all[0];
  Member& second = *all[1];
  Member& third = *all[2];
  Member& replica = *all[3];
  Member& loading = *all[4];
  const auto wait = [&](const std::string& what, const auto& done) {
    clockwise_test::wait_for(third.node.process, what, done);
  };
  const auto all_say = [&](const std::string& part) {
    for (const auto& member : all) {
      if (!member->says(part)) return false;
    }
    return true;
  };
  const auto host = [](const Member& member) {
    return "cache-" + std::to_string(member.node.port) + ".example";
  };
  for (Member* member : {&first, &second, &replica, &loading}) {
    member->order({"CONFIG", "SET", "cluster-announce-hostname", host(*member)});
  }
  first.order({"CLUSTER", "ADDSLOTSRANGE", "0", "5460"});
  second.order({"CLUSTER", "ADDSLOTSRANGE", "5461", "10922"});
  third.order({"CLUSTER", "ADDSLOTSRANGE", "10923", "16383"});
  for (std::size_t i = 1; i < all.size(); ++i) {
    first.order({"CLUSTER", "MEET", "127.0.0.1", std::to_string(all[i]->node.port),
                 std::to_string(all[i]->node.bus_port)});
  }
  wait("the nodes to know each other", [&] {
    for (const auto& member : all) {
      if (!all_say(member->id + " " + member->node.name()) || member->says("handshake"))
        return false;
    }
    return all_say(" 0-5460") && all_say(" 5461-10922") && all_say(" 10923-16383");
  });
  first.order({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
  loading.order({"CONFIG", "SET", "masterauth", "not the password"});
  loading.order({"CLUSTER", "REPLICATE", second.id});
  replica.order({"CLUSTER", "REPLICATE", first.id});
  wait("one replica to be up, one to load", [&] {
    ask(first.connection, {"SET", "hello", "value"});  // refused until the cluster is up
    if (!first.says(host(second)) || !first.says(host(replica)) || !first.says(host(loading))) {
      return false;
    }
    const RedisSlotMap seen = first.shards();
    return seen.nodes().size() == 5 && seen.preference_list("hello", 2).complete() &&
           seen.health_of(loading.node.name()) == RedisHealth::loading;
  });

  struct Setting {
    const char* name;
    RedisEndpointType type;
  };
  for (const Setting& setting :
       {Setting{"ip", RedisEndpointType::ip}, Setting{"hostname", RedisEndpointType::hostname},
        Setting{"unknown-endpoint", RedisEndpointType::unknown_endpoint}}) {
    const RedisEndpointType type = setting.type;
    first.order({"CONFIG", "SET", "cluster-preferred-endpoint-type", setting.name});
    const auto named = [&](const Member& member, const std::string& replied_by) {
      if (type == RedisEndpointType::ip) return member.node.name();
      const std::string port = ":" + std::to_string(member.node.port);
      if (type == RedisEndpointType::unknown_endpoint) return replied_by + port;
      return (&member == &third ? "?" : host(member)) + port;
    };
    for (const char* protocol : {"2", "3"}) {
      ask(first.connection, {"HELLO", protocol});
      for (const char* replied_by : {"", "10.0.0.9"}) {
        CAPTURE(setting.name, protocol, replied_by);
        RedisReplyOptions options;
        options.replied_by = replied_by;
        RedisReplyOptions same_type = options;
        same_type.endpoint = type;  // CLUSTER NODES does not say it
        const RedisSlotMap slots = first.slots(options);
        const RedisSlotMap shards = first.shards(options);
        const RedisSlotMap nodes = first.nodes(same_type);
        CHECK(slots.complete());
        CHECK(owner(slots, 0) == named(first, replied_by));
        CHECK(owner(slots, 5461) == named(second, replied_by));
        CHECK(owner(slots, 10923) == named(third, replied_by));
        CHECK(same_owners(slots, shards));
        CHECK(same_owners(slots, nodes));
        CHECK(same_owners(slots, first.slots(same_type)));
        CHECK(same_owners(slots, first.shards(same_type)));
        CHECK(shards.size() == 5);
        for (const auto& node : shards.nodes()) CHECK(nodes.contains(node.name));
        const auto moved =
            clockwise::parse_redirect(ask(first.connection, {"GET", "foo"}), options);
        REQUIRE(moved);
        CHECK(moved->node == owner(slots, 12182));

        const std::string lame = named(loading, replied_by);
        CHECK(shards.health_of(lame) == RedisHealth::loading);
        CHECK(shards.preference_list("key:1", 2).size() == 1);  // slot 6657
        CHECK_FALSE(slots.contains(lame));
        CHECK(shards.preference_list("hello", 2)[1] == named(replica, replied_by));
        CHECK(nodes.preference_list("hello", 2)[1] == named(replica, replied_by));
        CHECK(slots.preference_list("hello", 2)[1] == named(replica, replied_by));
      }
    }
    ask(first.connection, {"HELLO", "2"});
  }
  first.order({"CONFIG", "SET", "cluster-preferred-endpoint-type", "ip"});

  for (const auto& member : all) member->order({"CONFIG", "SET", "cluster-node-timeout", "2000"});
  const std::string lame = loading.node.name();
  all.pop_back();  // ends it
  wait("the replica to fail", [&] { return third.nodes().health_of(lame) == RedisHealth::failed; });
  CHECK(third.shards().health_of(lame) == RedisHealth::failed);
  CHECK_FALSE(third.slots().contains(lame));
  const RedisSlotMap without = third.nodes();
  CHECK(without.preference_list("key:1", 2).size() == 1);

  const Hang hang(first);
  const std::string former = first.node.name();
  wait("the master to fail",
       [&] { return third.nodes().health_of(former) == RedisHealth::failed; });
  wait("its replica to take over", [&] { return owner(third.slots(), 0) == replica.node.name(); });
  const RedisSlotMap shards = third.shards();
  const RedisSlotMap nodes = third.nodes();
  CHECK(same_owners(third.slots(), shards));
  CHECK(same_owners(third.slots(), nodes));
  for (const RedisSlotMap* map : {&shards, &nodes}) {
    CHECK(map->complete());
    CHECK(owner(*map, 0) == replica.node.name());
    CHECK(map->health_of(replica.node.name()) == RedisHealth::online);
    CHECK(map->health_of(former) == RedisHealth::failed);
    CHECK(map->slots_of(former).empty());
    CHECK(map->preference_list("hello", 2).size() == 1);
  }
}

TEST_CASE("replies of redis-server, with nodes that fail") { check_replies(program()); }

TEST_CASE("replies of valkey-server, with nodes that fail") {
  check_replies(clockwise_test::require_program("valkey-server", "valkey-server"));
}

TEST_CASE("redis-cli --cluster create assigns the same slots") {
  const std::string server = program();
  const std::string client = clockwise_test::require_program("redis-cli", "redis-tools");
  std::deque<Node> nodes;
  for (int i = 0; i < 7; ++i) nodes.emplace_back(server);
  for (const std::size_t masters : {3u, 6u, 7u}) {
    const TemporaryDirectory directory;
    std::vector<std::string> arguments{client, "--cluster", "create"};
    for (std::size_t i = 0; i < masters; ++i) arguments.push_back(nodes[i].name());
    Process plan(arguments, directory.file("log"));  // requests a confirmation and gets none
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
