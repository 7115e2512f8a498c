// SPDX-License-Identifier: MIT
// Replies of redis-server 7.0 and valkey-server 8.0, byte for byte, in redis_replies/, and the same
// bytes damaged.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/compat/redis_cluster.hpp"

namespace redis_cluster_replies_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::parse_cluster_nodes;
using clockwise::parse_cluster_shards;
using clockwise::parse_cluster_slots;
using clockwise::parse_redirect;
using clockwise::RedisEndpointType;
using clockwise::RedisHealth;
using clockwise::RedisReplyOptions;
using clockwise::RedisShard;
using clockwise::RedisSlotMap;
using clockwise::RedisSlotRange;
using Names = std::vector<std::string>;

const std::vector<std::string> servers{"redis-7.0", "valkey-8.0"};

std::filesystem::path folder() {
  return std::filesystem::path(__FILE__).parent_path() / "redis_replies";
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string captured(const std::string& server, const std::string& name) {
  return contents(folder() / server / name);
}

/// Three maps of one moment, and the redirection of "foo", slot 12182.
struct Scene {
  Scene(const std::string& server, const std::string& name, const RedisReplyOptions& options = {},
        const RedisReplyOptions& for_nodes = {})
      : slots(parse_cluster_slots(captured(server, name + ".slots"), options)),
        shards(parse_cluster_shards(captured(server, name + ".shards"), options)),
        nodes(parse_cluster_nodes(captured(server, name + ".nodes"), for_nodes)) {}

  RedisSlotMap slots;
  RedisSlotMap shards;
  RedisSlotMap nodes;
};

bool same_owners(const RedisSlotMap& a, const RedisSlotMap& b) {
  return clockwise::slot_moves(a, b).empty();
}

Names names_of(const RedisSlotMap& map) {
  Names names;
  for (const auto& node : map.nodes()) names.push_back(node.name);
  return names;
}

/// Returns the slot's owner; empty if it has none.
std::string owner_of(const RedisSlotMap& map, std::uint16_t slot) {
  const std::string* const owner = map.owner_of(slot);
  return owner == nullptr ? std::string() : *owner;
}

/// The nodes that keys of a slot's master can be read from.
Names list_of(const RedisSlotMap& map, const char* key) {
  Names names;
  for (const std::string& node : map.preference_list(key, 9)) names.push_back(node);
  return names;
}

std::string text(std::string_view value) {
  return "$" + std::to_string(value.size()) + "\r\n" + std::string(value) + "\r\n";
}

/// A node in CLUSTER SHARDS.
std::string node(std::string_view id, std::string_view endpoint, int port, std::string_view role,
                 std::string_view health) {
  return "*10\r\n" + text("id") + text(id) + text("port") + ":" + std::to_string(port) + "\r\n" +
         text("endpoint") + text(endpoint) + text("role") + text(role) + text("health") +
         text(health);
}

/// One shard of these nodes, with the slots 0 to 99.
std::string shard(const std::vector<std::string>& nodes) {
  std::string reply = "*1\r\n*4\r\n" + text("slots") + "*2\r\n:0\r\n:99\r\n" + text("nodes") + "*" +
                      std::to_string(nodes.size()) + "\r\n";
  for (const std::string& each : nodes) reply += each;
  return reply;
}

TEST_CASE("all replies name a node alike, and a redirection finds it") {
  const auto check = [](const std::string& server, const std::string& name,
                        const RedisReplyOptions& options, const RedisReplyOptions& for_nodes,
                        const Names& masters) {
    CAPTURE(server, name);
    Scene scene(server, name, options, for_nodes);
    CHECK(same_owners(scene.slots, scene.shards));
    CHECK(same_owners(scene.slots, scene.nodes));
    CHECK(names_of(scene.shards) == names_of(scene.nodes));
    CHECK(scene.slots.complete());
    CHECK(owner_of(scene.slots, 0) == masters[0]);
    CHECK(owner_of(scene.slots, 9000) == masters[1]);
    CHECK(owner_of(scene.slots, 12182) == masters[2]);
    const auto moved = parse_redirect(captured(server, name + ".moved"), options);
    REQUIRE(moved);
    CHECK(moved->node == masters[2]);
    const std::size_t before = scene.shards.size();
    scene.shards.apply(*moved);  // nothing new
    CHECK(scene.shards.size() == before);
    CHECK(same_owners(scene.slots, scene.shards));
  };
  for (const std::string& server : servers) {
    const Names ips{"127.0.0.1:7001", "127.0.0.1:7002", "127.0.0.1:7003"};
    const Names hostnames{"cache-7001.example:7001", "cache-7002.example:7002", "?:7003"};
    const Names unknown{":7001", ":7002", ":7003"};
    const Names replied{"10.0.0.9:7001", "10.0.0.9:7002", "10.0.0.9:7003"};
    RedisReplyOptions hostname;
    hostname.endpoint = RedisEndpointType::hostname;
    RedisReplyOptions unknown_endpoint;
    unknown_endpoint.endpoint = RedisEndpointType::unknown_endpoint;
    RedisReplyOptions asked;
    asked.replied_by = "10.0.0.9";
    RedisReplyOptions asked_unknown = unknown_endpoint;
    asked_unknown.replied_by = "10.0.0.9";

    check(server, "ip", {}, {}, ips);
    check(server, "ip", asked, asked, ips);  // an address that is known stays
    check(server, "migrating", {}, {}, ips);
    check(server, "hostname", {}, hostname, hostnames);
    check(server, "hostname", asked, hostname, hostnames);  // "?" is not the node that replied
    check(server, "hostname-resp3", {}, hostname, hostnames);
    for (const std::string name : {"unknown-endpoint", "unknown-endpoint-resp3"}) {
      check(server, name, {}, unknown_endpoint, unknown);
      check(server, name, asked, asked_unknown, replied);
    }
    check(server, "ipv6", {}, {}, {"::1:7001", "::1:6380", "::1:6380"});  // 6380 is announced
  }
}

TEST_CASE("an endpoint other than the server's can be chosen") {
  for (const std::string& server : servers) {
    for (const std::string name :
         {"ip", "hostname", "hostname-resp3", "unknown-endpoint", "unknown-endpoint-resp3"}) {
      CAPTURE(server, name);
      RedisReplyOptions options;
      options.endpoint = RedisEndpointType::ip;
      const Scene by_ip(server, name, options, options);
      options.endpoint = RedisEndpointType::hostname;
      const Scene by_hostname(server, name, options, options);
      for (const RedisSlotMap* map : {&by_ip.slots, &by_ip.shards, &by_ip.nodes}) {
        CHECK(owner_of(*map, 0) == "127.0.0.1:7001");
        CHECK(owner_of(*map, 12182) == "127.0.0.1:7003");
      }
      for (const RedisSlotMap* map :
           {&by_hostname.slots, &by_hostname.shards, &by_hostname.nodes}) {
        CHECK(owner_of(*map, 0) == "cache-7001.example:7001");
        CHECK(owner_of(*map, 12182) == "?:7003");
      }
    }
  }
}

TEST_CASE("a node that does not know its own address is the one that replied") {
  for (const std::string& server : servers) {
    for (const RedisEndpointType type : {RedisEndpointType::preferred, RedisEndpointType::ip}) {
      RedisReplyOptions options;
      options.endpoint = type;
      const Scene lone(server, "lone", options, options);
      options.replied_by = "2001:db8::7";
      const Scene known(server, "lone", options, options);
      for (const RedisSlotMap* map : {&lone.slots, &lone.shards, &lone.nodes}) {
        CHECK(names_of(*map) == Names{":7001"});
      }
      for (const RedisSlotMap* map : {&known.slots, &known.shards, &known.nodes}) {
        CHECK(names_of(*map) == Names{"2001:db8::7:7001"});
      }
    }
  }
  RedisReplyOptions with_port;
  with_port.replied_by = "10.0.0.1:7001";
  CHECK_THROWS_MATCHES(parse_cluster_slots("*0\r\n", with_port), std::invalid_argument,
                       MessageMatches(ContainsSubstring("a host without a port") &&
                                      ContainsSubstring("10.0.0.1:7001")));
}

TEST_CASE("the TLS port is used if requested") {
  RedisReplyOptions tls;
  tls.tls = true;
  for (const std::string& server : servers) {
    CAPTURE(server);
    const std::string plain_shards = captured(server, "tls-seen-plain.shards");
    const RedisSlotMap plain(parse_cluster_shards(plain_shards));
    const RedisSlotMap secure(parse_cluster_shards(plain_shards, tls));
    // 7003 is a TLS port: that node has no other.
    CHECK(names_of(plain) == Names{"127.0.0.1:7001", "127.0.0.1:7002", "127.0.0.1:7003"});
    CHECK(names_of(secure) == Names{"127.0.0.1:7003", "127.0.0.1:7101", "127.0.0.1:7102"});

    // The other replies have the port that suits the connection.
    const Scene seen_by_tls(server, "tls-seen-by-tls", tls, tls);
    CHECK(same_owners(seen_by_tls.slots, secure));
    CHECK(same_owners(seen_by_tls.shards, secure));
    CHECK(same_owners(seen_by_tls.nodes, secure));
    CHECK(parse_redirect(captured(server, "tls-seen-by-tls.moved"))->node == "127.0.0.1:7003");
  }
  // Redis 7.0 sends a client without TLS to the TLS port if the node has no other, Valkey to port
  // 0, which is not a node: its slots have no owner.
  const Scene redis("redis-7.0", "tls-seen-plain");
  CHECK(same_owners(redis.slots, redis.shards));
  CHECK(same_owners(redis.slots, redis.nodes));
  const RedisSlotMap slots(parse_cluster_slots(captured("valkey-8.0", "tls-seen-plain.slots")));
  const RedisSlotMap nodes(parse_cluster_nodes(captured("valkey-8.0", "tls-seen-plain.nodes")));
  CHECK(names_of(slots) == Names{"127.0.0.1:7001", "127.0.0.1:7002"});
  CHECK(names_of(nodes) == names_of(slots));
  CHECK(same_owners(slots, nodes));
  CHECK(owner_of(slots, 12182).empty());
  CHECK_FALSE(parse_redirect(captured("valkey-8.0", "tls-seen-plain.moved")));
}

TEST_CASE("a replica that is loading or has failed is in no list") {
  for (const std::string& server : servers) {
    CAPTURE(server);
    // 7005 is a replica of 7002 that never got its data, then stops.
    const Scene loading(server, "ip");
    CHECK(loading.shards.health_of("127.0.0.1:7005") == RedisHealth::loading);
    CHECK(loading.shards.health_of("127.0.0.1:7004") == RedisHealth::online);
    const Scene failed(server, "failed-replica");
    CHECK(failed.shards.health_of("127.0.0.1:7005") == RedisHealth::failed);
    CHECK(failed.nodes.health_of("127.0.0.1:7005") == RedisHealth::failed);
    for (const RedisSlotMap* map : {&loading.shards, &failed.shards, &failed.nodes}) {
      CHECK(list_of(*map, "baz") == Names{"127.0.0.1:7001", "127.0.0.1:7004"});  // slot 4813
      CHECK(list_of(*map, "key:1") == Names{"127.0.0.1:7002"});                  // slot 6657
      CHECK_FALSE(map->preference_list("key:1", 2).complete());
      CHECK(map->nodes().size() == 5);  // but it is known
    }
    // The server already leaves it out of CLUSTER SLOTS.
    CHECK_FALSE(loading.slots.contains("127.0.0.1:7005"));
    CHECK_FALSE(failed.slots.contains("127.0.0.1:7005"));
  }
}

TEST_CASE("a master that has failed keeps its slots until another master has them") {
  for (const std::string& server : servers) {
    CAPTURE(server);
    const Scene failed(server, "failed-master");
    for (const RedisSlotMap* map : {&failed.slots, &failed.shards, &failed.nodes}) {
      CHECK(list_of(*map, "baz") == Names{"127.0.0.1:7001", "127.0.0.1:7004"});
    }
    for (const RedisSlotMap* map : {&failed.shards, &failed.nodes}) {
      CHECK(map->health_of("127.0.0.1:7001") == RedisHealth::failed);
    }
    // Redis 7.0 then lists it in a separate shard, Valkey first in its old shard.
    const Scene taken_over(server, "failed-over");
    CHECK(same_owners(taken_over.slots, taken_over.shards));
    CHECK(same_owners(taken_over.slots, taken_over.nodes));
    CHECK(names_of(taken_over.shards) == names_of(taken_over.nodes));
    for (const RedisSlotMap* map : {&taken_over.slots, &taken_over.shards, &taken_over.nodes}) {
      CHECK(owner_of(*map, 0) == "127.0.0.1:7004");
      CHECK(list_of(*map, "baz") == Names{"127.0.0.1:7004"});
    }
    for (const RedisSlotMap* map : {&taken_over.shards, &taken_over.nodes}) {
      CHECK(map->size() == 5);
      CHECK(map->health_of("127.0.0.1:7001") == RedisHealth::failed);
      CHECK(map->slots_of("127.0.0.1:7001").empty());
    }
  }
}

TEST_CASE("of two masters in a shard, the healthier has its slots") {
  const std::string up = node("1", "a", 1, "master", "online");
  const std::string down = node("2", "b", 2, "master", "fail");
  const std::string loading = node("3", "c", 3, "master", "loading");
  const std::string replica = node("4", "d", 4, "replica", "online");
  const auto owner = [](const std::vector<std::string>& nodes) {
    const RedisSlotMap map(parse_cluster_shards(shard(nodes)));
    CHECK(map.size() == nodes.size());
    return owner_of(map, 0);
  };
  CHECK(owner({up, down}) == "a:1");
  CHECK(owner({down, up}) == "a:1");
  CHECK(owner({down, replica, up}) == "a:1");
  CHECK(owner({loading, down, up}) == "a:1");
  CHECK(owner({down, loading}) == "c:3");
  CHECK(owner({down, replica}) == "b:2");
  CHECK(owner({up, node("5", "e", 5, "master", "online")}) == "a:1");

  const auto shards = parse_cluster_shards(shard({down, replica, up}));
  REQUIRE(shards.size() == 2);
  CHECK(shards[0].master == "a:1");
  CHECK(shards[0].replicas == Names{"d:4"});
  CHECK(shards[0].failed.empty());
  CHECK(shards[1].master == "b:2");
  CHECK(shards[1].slots.empty());
  CHECK(shards[1].failed == Names{"b:2"});

  CHECK(parse_cluster_shards(shard({replica})).empty());
  // An unknown word for health counts as failed.
  CHECK(owner({node("6", "f", 6, "master", "asleep"), up}) == "a:1");
  CHECK(RedisSlotMap(parse_cluster_shards(shard({node("7", "g", 7, "master", "failed")})))
            .health_of("g:7") == RedisHealth::failed);
}

TEST_CASE("a node without an address is left out, and its slots have no owner") {
  for (const std::string& server : servers) {
    CAPTURE(server);
    for (const char* replied_by : {"", "127.0.0.1"}) {
      RedisReplyOptions options;
      options.replied_by = replied_by;
      const Scene replaced(server, "replaced", options, options);
      for (const RedisSlotMap* map : {&replaced.slots, &replaced.shards, &replaced.nodes}) {
        CHECK(names_of(*map) == Names{"127.0.0.1:7001"});
        CHECK(map->slots_of("127.0.0.1:7001") == std::vector<RedisSlotRange>{{0, 8191}});
        CHECK(owner_of(*map, 8192).empty());
      }
    }
  }
}

TEST_CASE("two nodes with the same name are refused, unless one has failed") {
  const std::string one = node("id-1", "", 6379, "master", "online");
  const std::string two = node("id-2", "", 6379, "replica", "online");
  CHECK_THROWS_MATCHES(parse_cluster_shards(shard({one, two})), std::invalid_argument,
                       MessageMatches(ContainsSubstring("\"id-1\" and \"id-2\"") &&
                                      ContainsSubstring("both named \":6379\"")));
  const std::string failed = node("id-3", "", 6379, "master", "fail");
  for (const auto& nodes : {std::vector{one, failed}, std::vector{failed, one}}) {
    const RedisSlotMap map(parse_cluster_shards(shard(nodes)));
    CHECK(names_of(map) == Names{":6379"});
    CHECK(map.health_of(":6379") == RedisHealth::online);
    CHECK(owner_of(map, 0) == ":6379");
  }
  CHECK(
      RedisSlotMap(parse_cluster_shards(shard({failed, node("id-4", "", 6379, "master", "fail")})))
          .size() == 1);

  const auto row = [](int slot, std::string_view host, std::string_view id) {
    const std::string number = ":" + std::to_string(slot) + "\r\n";
    return "*3\r\n" + number + number + "*3\r\n" + text(host) + ":6379\r\n" + text(id);
  };
  CHECK_THROWS_MATCHES(parse_cluster_slots("*2\r\n" + row(1, "?", "id-1") + row(2, "?", "id-2")),
                       std::invalid_argument, MessageMatches(ContainsSubstring("\"?:6379\"")));
  CHECK(parse_cluster_slots("*2\r\n" + row(1, "?", "id-1") + row(2, "?", "id-1")).size() == 2);

  CHECK_THROWS_MATCHES(parse_cluster_nodes("id-1 a:1@2 master - 0 0 1 connected 0\n"
                                           "id-2 a:1@3 slave id-1 0 0 1 connected\n"),
                       std::invalid_argument, MessageMatches(ContainsSubstring("\"a:1\"")));
  CHECK(parse_cluster_nodes("id-1 a:1@2 master - 0 0 1 connected 0\n"
                            "id-2 a:1@3 slave,fail id-1 0 0 1 disconnected\n")[0]
            .replicas.empty());
}

TEST_CASE("CLUSTER NODES is also read as plain text") {
  const std::string lines =
      "4908f6da 10.34.0.5:7005@17005 slave 14d846a9 0 1796086174856 1 connected\n"
      "14d846a9 10.34.0.1:7001@17001,cache-1.example master,fail? - 0 1 1 connected 0-5459 5461\n"
      "fec26ba5 :7002@17002 myself,master - 0 0 2 connected 5460 5462-16383 [77->-14d846a9]\n"
      "dc108130 10.34.0.6:7006 slave fec26ba5 0 1 2 disconnected\n"
      "0b1c2d3e 2001:db8::8:7008@17008,,shard-id=1 slave dc108130 0 1 2 connected\n"
      "7474592d 10.34.0.7:7007@17007 handshake - 1 0 0 disconnected\n"
      "7474592e 10.34.0.5:7005@17005 handshake - 1 0 0 disconnected\n"
      "a0a0a0a0 :0@0 slave,fail,noaddr fec26ba5 1 1 2 disconnected\n"
      "b1b1b1b1 10.34.0.9:7009@17009 slave - 1 1 2 connected\n"
      "c2c2c2c2 10.34.0.10:7010@17010 noflags - 1 1 2 connected\n"
      "d3d3d3d3 10.34.0.11:7011@17011 master - 1 1 3 connected\n";
  const auto shards = parse_cluster_nodes(lines);
  REQUIRE(shards.size() == 3);
  CHECK(shards[0].master == "10.34.0.1:7001");
  CHECK(shards[0].slots == std::vector<RedisSlotRange>{{0, 5459}, {5461, 5461}});
  CHECK(shards[0].replicas == Names{"10.34.0.5:7005"});
  CHECK(shards[0].failed.empty());  // suspected, but the cluster has not agreed on it
  CHECK(shards[1].master == ":7002");
  CHECK(shards[1].replicas == Names{"10.34.0.6:7006", "2001:db8::8:7008"});
  CHECK(shards[1].slots == std::vector<RedisSlotRange>{{5460, 5460}, {5462, 16383}});
  CHECK(shards[2].master == "10.34.0.11:7011");
  CHECK(RedisSlotMap(shards).complete());

  std::string windows;
  for (const char c : lines) windows += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& same :
       {text(lines), text(windows), windows, lines + "\n\n",
        "=" + std::to_string(lines.size() + 4) + "\r\ntxt:" + lines + "\r\n"}) {
    CHECK(same_owners(RedisSlotMap(parse_cluster_nodes(same)), RedisSlotMap(shards)));
  }
  RedisReplyOptions options;
  options.endpoint = RedisEndpointType::hostname;
  options.replied_by = "10.34.0.2";
  CHECK(parse_cluster_nodes(lines.substr(0, lines.find("fec26ba5 :")), options)[0].master ==
        "cache-1.example:7001");
  options.endpoint = RedisEndpointType::preferred;
  CHECK(parse_cluster_nodes(lines, options)[1].master == "10.34.0.2:7002");

  const auto refused = [](const std::string& reply, const std::string& reason) {
    INFO(reply);
    CHECK_THROWS_MATCHES(parse_cluster_nodes(reply), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
  };
  const std::string good = "a 10.0.0.1:1@2 master - 0 0 1 connected 0-9\n";
  refused("", "must list a node");
  refused("$0\r\n\r\n", "must list a node");
  refused("$-1\r\n", "must be text");
  refused("*0\r\n", "must be text");
  refused("=3\r\ntxt\r\n", "verbatim");
  refused("-ERR This instance has cluster support disabled\r\n", "cluster support disabled");
  refused("$9999999999\r\n" + good, "ends early");
  refused("a 10.0.0.1:1@2 master - 0 0 1\n", "line 1 of CLUSTER NODES must have at least 8 words");
  refused(good + "vars currentEpoch 6 lastVoteEpoch 0\n", "line 2");
  refused(good + good, "line 2 of CLUSTER NODES repeats the id \"a\"");
  for (const char* address :
       {"10.0.0.1", "10.0.0.1:", "10.0.0.1:x@1", "10.0.0.1:65536@1", "@", ""}) {
    refused(std::string("a ") + address + " master - 0 0 1 connected 0\n",
            "an address with a port");
  }
  for (const char* slots : {"x", "5-", "-5", "1-2-3", "99999999999999999999", "5 -"}) {
    refused(std::string("a h:1@2 master - 0 0 1 connected ") + slots + "\n", "slots such as");
  }
  refused("a h:1@2 master - 0 0 1 connected 16384\n", "between 0 and 16383, got 16384");
  refused("a h:1@2 master - 0 0 1 connected 9-8\n", "got 9 to 8");
}

TEST_CASE("replicas of replicas belong to the master at the top of any chain") {
  // A long chain costs no more than a short one: it is cut.
  std::string lines = "0 h:1@1 master - 0 0 1 connected 0-16383\n";
  for (int i = 1; i < 20000; ++i) {
    lines += std::to_string(i) + " h" + std::to_string(i) + ":1@1 slave " + std::to_string(i - 1) +
             " 0 0 1 connected\n";
  }
  lines += "x x:1@1 slave y 0 0 1 connected\ny y:1@1 slave x 0 0 1 connected\n";
  const auto shards = parse_cluster_nodes(lines);
  REQUIRE(shards.size() == 1);
  CHECK(shards[0].replicas.size() == 5);
}

TEST_CASE("replies of servers before 4.0 and 7.0 are read") {
  // Without ids, and without other endpoints.
  const auto oldest = parse_cluster_slots(
      "*1\r\n*4\r\n:0\r\n:16383\r\n*2\r\n$8\r\n10.0.0.1\r\n:1\r\n*2\r\n$8\r\n10.0.0.2\r\n:1\r\n");
  REQUIRE(oldest.size() == 1);
  CHECK(oldest[0].master == "10.0.0.1:1");
  CHECK(oldest[0].replicas == Names{"10.0.0.2:1"});
  RedisReplyOptions options;
  options.endpoint = RedisEndpointType::hostname;
  const auto no_hostname =
      parse_cluster_slots("*1\r\n*3\r\n:0\r\n:9\r\n*3\r\n+10.0.0.1\r\n:1\r\n+id\r\n", options);
  CHECK(no_hostname[0].master == "?:1");
}

TEST_CASE("values that no reply has today are read over") {
  const auto node_with = [](const std::string& more) {
    return "*1\r\n*3\r\n:+0\r\n:+9\r\n*4\r\n+10.0.0.1\r\n:+1\r\n+id\r\n" + more;
  };
  const auto read = [](const std::string& reply) {
    const auto shards = parse_cluster_slots(reply);
    REQUIRE(shards.size() == 1);
    CHECK(shards[0].master == "10.0.0.1:1");
    CHECK(shards[0].slots == std::vector<RedisSlotRange>{{0, 9}});
  };
  for (const char* value :
       {"#t\r\n", "#f\r\n", ",1.5\r\n", ",-inf\r\n", "(12345678901234567890\r\n",
        "~2\r\n+a\r\n:1\r\n", "%1\r\n+a\r\n#t\r\n", "*-1\r\n", "$-1\r\n", "_\r\n",
        "=5\r\ntxt:a\r\n", "|1\r\n+ttl\r\n:9\r\n+a\r\n", "|0\r\n|1\r\n~1\r\n+a\r\n%0\r\n#t\r\n"}) {
    INFO(value);
    read(node_with("%1\r\n+later\r\n" + std::string(value)));
    const std::string shard = "*1\r\n%3\r\n+later\r\n" + std::string(value) +
                              "+slots\r\n*2\r\n:0\r\n:9\r\n+nodes\r\n*1\r\n%4\r\n+later\r\n" +
                              value + "+port\r\n:1\r\n+ip\r\n+10.0.0.1\r\n+role\r\n+master\r\n";
    CHECK(parse_cluster_shards(shard).at(0).master == "10.0.0.1:1");
  }
  read("|1\r\n+key-popularity\r\n%1\r\n+a\r\n,0.19\r\n" + node_with("*0\r\n"));
  // But not if they would be a node's name, its port or its slots.
  for (const char* value : {"#t\r\n", ",1\r\n", "(1\r\n", "~0\r\n"}) {
    INFO(value);
    const std::string other = value;
    CHECK_THROWS_AS(parse_cluster_slots("*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n" + other + ":1\r\n"),
                    std::invalid_argument);
    CHECK_THROWS_AS(parse_cluster_slots("*1\r\n*3\r\n:0\r\n:9\r\n*2\r\n+a\r\n" + other),
                    std::invalid_argument);
    CHECK_THROWS_AS(parse_cluster_slots("*1\r\n*3\r\n:0\r\n" + other + "*2\r\n+a\r\n:1\r\n"),
                    std::invalid_argument);
  }
  CHECK_THROWS_MATCHES(parse_cluster_slots("!9\r\nERR down!\r\n"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("is an error: \"ERR down!\"")));
  CHECK_THROWS_MATCHES(parse_cluster_nodes("!9\r\nERR down!\r\n"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("is an error: \"ERR down!\"")));
  for (const char* reply : {"|", "|\r\n", "|1\r\n", "|-1\r\n*0\r\n", "|9\r\n*0\r\n", "|1\r\n+a\r\n",
                            "!", "!9\r\n", "!-1\r\n", "?x\r\n", ":++1\r\n", ":+\r\n"}) {
    INFO(reply);
    CHECK_THROWS_AS(parse_cluster_slots(reply), std::invalid_argument);
  }
}

TEST_CASE("slots of a shard are pairs") {
  const auto shard = [](const std::string& slots) {
    return "*1\r\n*4\r\n+slots\r\n" + slots +
           "+nodes\r\n*1\r\n*6\r\n+port\r\n:1\r\n+ip\r\n+10.0.0.1\r\n+role\r\n+master\r\n";
  };
  CHECK(parse_cluster_shards(shard("*4\r\n:0\r\n:1\r\n:3\r\n:3\r\n")).at(0).slots ==
        std::vector<RedisSlotRange>{{0, 1}, {3, 3}});
  CHECK_THROWS_MATCHES(parse_cluster_shards(shard("*3\r\n:0\r\n:1\r\n:3\r\n")),
                       std::invalid_argument, MessageMatches(ContainsSubstring("even number")));
}

TEST_CASE("a redirection without a valid slot and port is not one") {
  for (const char* error :
       {"MOVED 3999 host:", "MOVED 3999 :", "MOVED 3999 host", "MOVED 3999 host:0",
        "MOVED 3999 host:65536", "MOVED 3999 host:-1", "MOVED 3999 host:6379x",
        "ASK 3999 ::1:", "MOVED 3999  host:6379", "MOVED 3999 host:6379 ", "MOVED  3999 host:6379",
        "moved 3999 host:6379", "MOVED 3999 host:6379\n"}) {
    INFO(error);
    CHECK_FALSE(parse_redirect(error));
  }
  RedisReplyOptions options;
  options.replied_by = "10.0.0.1";
  options.endpoint = RedisEndpointType::unknown_endpoint;  // not read
  options.tls = true;                                      // not read
  CHECK(parse_redirect("-ASK 3999 :6381\r\n", options)->node == "10.0.0.1:6381");
  CHECK(parse_redirect("-ASK 3999 :6381\r\n")->node == ":6381");
  CHECK(parse_redirect("MOVED 3999 ?:6381", options)->node == "?:6381");
  CHECK(parse_redirect("MOVED 3999 cache-1.example:06381", options)->node ==
        "cache-1.example:6381");
  CHECK(parse_redirect("MOVED 16383 2001:db8::1:65535", options)->node == "2001:db8::1:65535");
}

TEST_CASE("health changes the listed replicas but no slot") {
  std::vector<RedisShard> shards{{{{0, 16383}}, "a:1", {"b:2", "c:3", "d:4"}}};
  shards[0].loading = {"c:3"};
  shards[0].failed = {"a:1"};
  RedisSlotMap map(shards);
  CHECK(map.health_of("a:1") == RedisHealth::failed);
  CHECK(map.lookup("foo") == "a:1");  // its owner still
  CHECK(list_of(map, "foo") == Names{"a:1", "b:2", "d:4"});
  map.set_health("b:2", RedisHealth::failed);
  map.set_health("c:3", RedisHealth::online);
  CHECK(list_of(map, "foo") == Names{"a:1", "c:3", "d:4"});
  CHECK(map.preference_list("foo", 2).size() == 2);
  CHECK(map.preference_list("foo", 2)[1] == "c:3");

  map.promote("b:2");  // it serves, so it is up
  CHECK(map.health_of("b:2") == RedisHealth::online);
  CHECK(map.health_of("a:1") == RedisHealth::failed);
  CHECK(list_of(map, "foo") == Names{"b:2", "c:3", "d:4"});
  map.set_health("a:1", RedisHealth::online);
  CHECK(list_of(map, "foo") == Names{"b:2", "a:1", "c:3", "d:4"});
  const RedisSlotMap copy = map;
  CHECK(list_of(copy, "foo") == list_of(map, "foo"));

  CHECK_THROWS_AS(map.set_health("z:9", RedisHealth::online), std::out_of_range);
  CHECK_THROWS_AS(map.health_of("z:9"), std::out_of_range);
  shards[0].loading = {"z:9"};
  CHECK_THROWS_MATCHES(RedisSlotMap(shards), std::invalid_argument,
                       MessageMatches(ContainsSubstring("\"z:9\" has a health but no shard")));
}

// --- Any bytes -----------------------------------------------------------------------------------

using Parser = std::vector<RedisShard> (*)(std::string_view, const RedisReplyOptions&);

/// Parses, and makes a map: either works or one of the documented errors is thrown. Returns whether
/// it parsed.
bool survives(Parser parse, const std::string& bytes, const RedisReplyOptions& options) {
  std::vector<RedisShard> shards;
  try {
    shards = parse(bytes, options);
  } catch (const std::invalid_argument&) {
    return false;
  }
  for (const RedisShard& shard : shards) {
    Names names = shard.replicas;
    names.push_back(shard.master);
    for (const std::string& name : names) {
      const std::size_t colon = name.rfind(':');
      if (colon == std::string::npos || name.substr(colon) == ":0") FAIL("named " << name);
    }
  }
  try {
    const RedisSlotMap map(shards);
    for (std::uint16_t slot = 0; slot < 16384; slot += 97) {
      if (const std::string* const owner = map.owner_of(slot)) {
        if (!map.contains(*owner)) FAIL("slot " << slot);
      }
    }
  } catch (const std::invalid_argument&) {  // such as a slot that is listed twice
  }
  return true;
}

std::uint32_t next(std::uint64_t& state) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return static_cast<std::uint32_t>(state >> 33);
}

/// A few edits, of bytes, of runs and of numbers.
std::string damaged(std::string bytes, std::uint64_t& state) {
  for (std::uint32_t edits = 1 + next(state) % 4; edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = next(state) % bytes.size();
    const std::size_t length = next(state) % 40;
    switch (next(state) % 7) {
      case 0:
        bytes[at] = static_cast<char>(next(state));
        break;
      case 1:
        bytes[at] = "$*%:-+_=@,[] \r\n0123456789?"[next(state) % 27];
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(next(state) % bytes.size(), length));
        break;
      case 4:
        bytes.insert(at, std::to_string(next(state)));
        break;
      case 5: {
        const std::size_t digit = bytes.find_first_of("0123456789", at);
        if (digit != std::string::npos) bytes[digit] = static_cast<char>('0' + next(state) % 10);
        break;
      }
      default:
        bytes.resize(at);
    }
  }
  return bytes;
}

TEST_CASE("damaged replies are read or refused") {
  RedisReplyOptions given;
  given.replied_by = "10.0.0.9";
  given.endpoint = RedisEndpointType::hostname;
  given.tls = true;
  std::size_t files = 0, read = 0, refused = 0;
  for (const std::string& server : servers) {
    for (const auto& entry : std::filesystem::directory_iterator(folder() / server)) {
      const std::string reply = contents(entry.path());
      const std::string kind = entry.path().extension().string();
      CAPTURE(entry.path().string());
      ++files;
      // The order of a folder is not fixed, so each file has its own seed.
      std::uint64_t state = 42;
      for (const char c : entry.path().filename().string()) {
        state = state * 31 + static_cast<unsigned char>(c);
      }
      if (kind == ".moved") {
        for (int i = 0; i < 2000; ++i) {
          const auto redirect = parse_redirect(damaged(reply, state));
          if (redirect && redirect->slot >= 16384) FAIL("slot " << redirect->slot);
        }
        continue;
      }
      const Parser parse = kind == ".slots"    ? &parse_cluster_slots
                           : kind == ".shards" ? &parse_cluster_shards
                                               : &parse_cluster_nodes;
      REQUIRE(survives(parse, reply, {}));
      for (std::size_t length = 0; length < reply.size(); ++length) {
        if (survives(parse, reply.substr(0, length), {})) FAIL(length << " bytes are a reply");
      }
      for (int i = 0; i < 400; ++i) {
        const std::string bytes = damaged(reply, state);
        survives(parse, bytes, given) ? ++read : ++refused;
        for (const Parser other : {Parser{&parse_cluster_slots}, Parser{&parse_cluster_shards},
                                   Parser{&parse_cluster_nodes}}) {
          survives(other, bytes, {});
        }
      }
    }
  }
  CHECK(files > 90);
  CHECK(read > 1000);  // otherwise the edits are too coarse to get past the frame
  CHECK(refused > 1000);
}

}  // namespace

}  // namespace redis_cluster_replies_test
