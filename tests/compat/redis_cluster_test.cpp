// SPDX-License-Identifier: MIT
#include "clockwise/compat/redis_cluster.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfloat>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/concepts.hpp"
#include "clockwise/movement.hpp"
#include "support/failing_memory.hpp"

namespace redis_cluster_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::parse_cluster_shards;
using clockwise::parse_cluster_slots;
using clockwise::parse_redirect;
using clockwise::redis_even_split;
using clockwise::redis_slot;
using clockwise::RedisRedirect;
using clockwise::RedisShard;
using clockwise::RedisSlotMap;
using clockwise::RedisSlotRange;

static_assert(clockwise::Placement<RedisSlotMap>);
static_assert(!clockwise::Partitioner<RedisSlotMap>);  // a master that joins has no slots
static_assert(std::copyable<RedisSlotMap>);
static_assert(std::is_nothrow_move_constructible_v<RedisSlotMap>);
static_assert(std::is_nothrow_move_assignable_v<RedisSlotMap>);

std::uint16_t bitwise_crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return static_cast<std::uint16_t>(crc);
}

TEST_CASE("slots at compile time") {
  STATIC_REQUIRE(clockwise::detail::crc16("123456789") == 0x31c3);
  STATIC_REQUIRE(redis_slot("") == 0);
  STATIC_REQUIRE(redis_slot("foo") == 12182);
  STATIC_REQUIRE(redis_slot("bar") == 5061);
  STATIC_REQUIRE(redis_slot("hello") == 866);
  STATIC_REQUIRE(redis_slot("foo{}{bar}") == 8363);
  STATIC_REQUIRE(redis_slot("foo{{bar}}zap") == 4015);
  STATIC_REQUIRE(redis_slot("foo{bar}{zap}") == 5061);
}

TEST_CASE("CRC16 matches the bitwise one at every length") {
  std::string bytes;
  for (unsigned i = 0; i < 100; ++i) {
    INFO(bytes.size() << " bytes");
    CHECK(clockwise::detail::crc16(bytes) == bitwise_crc16(bytes));
    bytes += static_cast<char>(i * i * 31 + 7);
  }
}

TEST_CASE("a hash tag is found at any place in the key") {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string key = std::string(before, 'a') + "{user:42}" + std::string(after, '}');
      CHECK(redis_slot(key) == redis_slot("user:42"));
      const std::string empty = std::string(before, 'a') + "{}" + std::string(after, '{');
      CHECK(redis_slot(empty) == bitwise_crc16(empty) % 16384);
      const std::string open = std::string(before, '}') + "{" + std::string(after, 'b');
      CHECK(redis_slot(open) == bitwise_crc16(open) % 16384);
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string key = std::string(11, c) + "}" + std::string(9, c);
    INFO("byte " << byte);
    CHECK(redis_slot(key) == bitwise_crc16(c == '{' ? std::string(10, c) : key) % 16384);
  }
  // Bytes that differ from a brace by one bit, or have the top bit set, are not braces.
  for (const char* key :
       {"zzzzzzzz|zzzzzz}", "zzzzzzzz\xfbzzzzzz}", "\x7a\x7a\x7a\x7a\x7a\x7a\x7a\x7a}"}) {
    CHECK(redis_slot(key) == bitwise_crc16(key) % 16384);
  }
}

TEST_CASE("an even split covers every slot once") {
  CHECK(redis_even_split(3) ==
        std::vector<RedisSlotRange>{{0, 5460}, {5461, 10922}, {10923, 16383}});
  for (const std::uint32_t masters : {1u, 2u, 3u, 5u, 6u, 7u, 100u, 999u, 1000u, 16383u, 16384u}) {
    const auto ranges = redis_even_split(masters);
    REQUIRE(ranges.size() == masters);
    std::uint32_t next = 0;
    for (const auto& range : ranges) {
      CHECK(range.first == next);
      CHECK(range.last >= range.first);
      next = range.last + 1u;
    }
    CHECK(next == 16384);
  }
  CHECK_THROWS_AS(redis_even_split(0), std::invalid_argument);
  CHECK_THROWS_AS(redis_even_split(16385), std::invalid_argument);
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0 && !defined(__FAST_MATH__)
TEST_CASE("an even split rounds as floats do") {
  for (std::uint32_t masters = 1; masters <= 2000; ++masters) {
    const auto ranges = redis_even_split(masters);
    const volatile float each = 16384 / static_cast<float>(masters);
    volatile float cursor = 0;
    for (std::uint32_t i = 0; i < masters; ++i) {
      const volatile float end = cursor + each;
      const volatile float before = end - 1;
      const long last = i + 1 == masters ? 16383 : std::lround(static_cast<double>(before));
      if (ranges[i].last != last) {
        INFO("master " << i << " of " << masters);
        REQUIRE(ranges[i].last == last);
      }
      cursor = end;
    }
  }
}
#endif

TEST_CASE("a map names masters, replicas and shares") {
  const std::vector<RedisShard> shards{{{{0, 8191}}, "a:1", {"c:3"}},
                                       {{{8192, 12287}, {12289, 16383}}, "b:2", {"e:5", "d:4"}}};
  RedisSlotMap map(shards);
  CHECK(map.size() == 5);
  CHECK(map.lookup("hello") == "a:1");  // slot 866
  CHECK(map.lookup("foo") == "b:2");    // slot 12182
  CHECK(map.lookup(std::as_bytes(std::span("foo", 3))) == "b:2");
  const auto list = map.preference_list("foo", 3);
  REQUIRE(list.complete());
  CHECK(list[0] == "b:2");
  CHECK(list[1] == "e:5");
  CHECK(list[2] == "d:4");
  CHECK_FALSE(map.preference_list("hello", 3).complete());
  CHECK(map.load_shares()[0].second == 0.5);
  CHECK(map.load_shares()[1].second == 8191.0 / 16384);
  CHECK(map.load_shares()[2].second == 0);

  // One slot has no owner.
  CHECK_FALSE(map.complete());
  CHECK(map.owner_of(12288) == nullptr);
  map.assign({12288, 12288}, "b:2");
  CHECK(map.complete());
  CHECK(map.slots_of("b:2") == std::vector<RedisSlotRange>{{8192, 16383}});
  map.unassign({12182, 12182});
  CHECK(map.try_lookup("foo") == nullptr);
  CHECK_THROWS_MATCHES(map.lookup("foo"), std::out_of_range,
                       MessageMatches(ContainsSubstring("slot 12182")));
}

TEST_CASE("MOVED changes the map, ASK does not") {
  RedisSlotMap map({"a:1", "b:2", "c:3"});
  CHECK(map.lookup("foo") == "c:3");
  const auto ask = parse_redirect("-ASK 12182 a:1\r\n");
  REQUIRE(ask);
  CHECK(*ask == RedisRedirect{RedisRedirect::Kind::ask, 12182, "a:1"});
  map.apply(*ask);
  CHECK(map.lookup("foo") == "c:3");

  const auto moved = parse_redirect("MOVED 12182 new:9");
  REQUIRE(moved);
  map.apply(*moved);
  CHECK(map.lookup("foo") == "new:9");
  CHECK(map.slots_of("c:3") == std::vector<RedisSlotRange>{{10923, 12181}, {12183, 16383}});
  CHECK(map.slots_of("b:2") == std::vector<RedisSlotRange>{{5461, 10922}});

  CHECK(parse_redirect("MOVED 1 :6381")->node == ":6381");
  CHECK(parse_redirect("MOVED 1 ::1:6381")->node == "::1:6381");
  for (const char* other : {"", "MOVED", "MOVED x a:1", "MOVED 16384 a:1", "MOVED 1", "MOVED 1 ",
                            "MOVED 1 a", "MOVED 1 a:1 b", "ERR MOVED 1 a:1", "ASKING 1 a:1",
                            "MOVED -1 a:1", "MOVED 99999999999999999999 a:1"}) {
    INFO(other);
    CHECK_FALSE(parse_redirect(other));
  }
}

TEST_CASE("both ends of a migration answer for its slot") {
  using Kind = RedisSlotMap::Answer::Kind;
  RedisSlotMap map({"a:1", "b:2"});
  const std::uint16_t slot = 100;
  CHECK(map.answer("a:1", slot, {}).kind == Kind::serve);
  CHECK(map.answer("b:2", slot, {}).kind == Kind::moved);
  map.migrate(slot, "b:2");
  CHECK(*map.migrating_to(slot) == "b:2");
  CHECK(map.answer("a:1", slot, {}).kind == Kind::serve);
  CHECK(map.answer("a:1", slot, {.key_present = false}).kind == Kind::ask);
  CHECK(*map.answer("a:1", slot, {.key_present = false}).node == "b:2");
  CHECK(map.answer("b:2", slot, {.key_present = false, .asking = true}).kind == Kind::serve);
  CHECK(map.answer("b:2", slot, {.key_present = false}).kind == Kind::moved);
  CHECK(*map.answer("b:2", slot, {.key_present = false}).node == "a:1");
  CHECK_THROWS_AS(map.remove("b:2"), std::invalid_argument);

  SECTION("and arrives") {
    map.assign({slot, slot}, "b:2");
    CHECK(map.answer("a:1", slot, {}).kind == Kind::moved);
    CHECK(map.answer("b:2", slot, {.key_present = false}).kind == Kind::serve);
  }
  SECTION("or stays") {
    map.cancel(slot);
    CHECK(map.answer("a:1", slot, {.key_present = false}).kind == Kind::serve);
    CHECK(map.answer("b:2", slot, {.key_present = false, .asking = true}).kind == Kind::moved);
  }
  CHECK(map.migrating_to(slot) == nullptr);
  map.unassign({slot, slot});
  CHECK(map.answer("a:1", slot, {}).kind == Kind::cluster_down);
}

TEST_CASE("members join and leave, slots keep their owners") {
  RedisSlotMap map({"m:2", "m:4"});
  map.add("m:1");
  map.add("m:3");
  map.add_replica("m:0", "m:4");
  CHECK(map.owner_of(0) != nullptr);
  CHECK(*map.owner_of(0) == "m:2");
  CHECK(*map.owner_of(16383) == "m:4");
  CHECK(map.remove("m:1"));
  CHECK_FALSE(map.remove("m:1"));
  CHECK(*map.owner_of(0) == "m:2");
  CHECK(*map.owner_of(16383) == "m:4");

  map.promote("m:0");
  CHECK(*map.owner_of(16383) == "m:0");
  CHECK(map.preference_list("foo", 2)[1] == "m:4");
  CHECK_THROWS_MATCHES(map.assign({0, 0}, "m:4"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("replica of \"m:0\"")));
  CHECK_THROWS_MATCHES(map.remove("m:0"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("8192 slots")));
  CHECK(map.remove("m:4"));
  map.assign({8192, 16383}, "m:2");
  CHECK(map.remove("m:0"));
  CHECK(map.remove("m:3"));
  CHECK(map.size() == 1);
  CHECK(map.load_shares()[0].second == 1);

  CHECK_THROWS_AS(map.add(""), std::invalid_argument);
  CHECK_THROWS_AS(map.add("m:2"), std::invalid_argument);
  CHECK_THROWS_AS(map.add_replica("r:1", "nobody:1"), std::out_of_range);
  CHECK_THROWS_AS(map.assign({0, 16384}, "m:2"), std::out_of_range);
  CHECK_THROWS_AS(map.assign({2, 1}, "m:2"), std::out_of_range);
  CHECK_THROWS_AS(map.migrate(0, "m:2"), std::invalid_argument);
  CHECK_THROWS_AS(RedisSlotMap({"m:1", "m:1"}), std::invalid_argument);
  CHECK(map.size() == 1);
}

/// All results of a map's queries, in one text.
std::string described(const RedisSlotMap& map) {
  std::string text;
  for (const auto& node : map.nodes()) {
    text += node.name + " of " + node.master + ":";
    for (const auto& replica : node.replicas) text += " " + replica;
    for (const auto& range : map.slots_of(node.name)) {
      text += " " + std::to_string(range.first) + "-" + std::to_string(range.last);
    }
    text += '\n';
  }
  for (std::uint16_t slot = 0; slot < 16384; ++slot) {
    if (const auto* const to = map.migrating_to(slot)) {
      text += std::to_string(slot) + " to " + *to + '\n';
    }
  }
  return text;
}

RedisSlotMap with_replicas() {
  RedisSlotMap map({"a:1", "b:2", "c:3"});
  for (const char* replica : {"r:10", "r:11", "r:12"}) map.add_replica(replica, "b:2");
  map.migrate(0, "b:2");
  map.migrate(9000, "c:3");
  return map;
}

TEST_CASE("a map is copied, moved and assigned as a value") {
  const RedisSlotMap original = with_replicas();
  const std::string text = described(original);
  const auto is_empty = [](const RedisSlotMap& map) {
    CHECK(map.empty());
    CHECK_FALSE(map.complete());
    CHECK(map.try_lookup("foo") == nullptr);
    CHECK(map.owner_of(0) == nullptr);
    CHECK(map.migrating_to(0) == nullptr);
    CHECK(map.preference_list("foo", 3).empty());
    CHECK(map.load_shares().empty());
    CHECK_THROWS_AS(map.lookup("foo"), std::out_of_range);
  };
  RedisSlotMap copy = original;
  CHECK(described(copy) == text);
  RedisSlotMap moved = std::move(copy);
  CHECK(described(moved) == text);
  is_empty(copy);  // NOLINT: moved from
  copy = moved;
  CHECK(described(copy) == text);
  RedisSlotMap assigned({"x:1"});
  assigned = std::move(copy);
  CHECK(described(assigned) == text);
  is_empty(copy);   // NOLINT: moved from
  copy.add("y:1");  // and it can be used again
  copy.assign({0, 16383}, "y:1");
  CHECK(copy.complete());

  RedisSlotMap& self = assigned;
  assigned = self;
  CHECK(described(assigned) == text);
  assigned = std::move(self);
  CHECK(described(assigned) == text);
  assigned.swap(self);
  CHECK(described(assigned) == text);
  RedisSlotMap kept;
  {
    const RedisSlotMap temporary = with_replicas();
    kept = temporary;
  }
  CHECK(described(kept) == text);
}

TEST_CASE("masters are given as lists and ranges, and two texts in braces are two masters") {
  const RedisSlotMap expected({"a:1", "b:2"});
  CHECK(expected.size() == 2);
  CHECK(RedisSlotMap({{"a:1", "b:2"}}) == expected);
  CHECK(RedisSlotMap(std::vector<std::string>{"a:1", "b:2"}) == expected);
  CHECK(RedisSlotMap(std::set<std::string_view>{"a:1", "b:2"}) == expected);
  CHECK(RedisSlotMap({std::string("a:1"), std::string_view("b:2")}) == expected);
  RedisSlotMap joined = expected;
  joined.add_all({"c:3", "d:4"});
  joined.add_all(std::vector<std::string_view>{"e:5"});
  CHECK(joined.size() == 5);
  CHECK_THROWS_AS(joined.add_all({"f:6", "a:1"}), std::invalid_argument);
  CHECK(joined.size() == 5);
  const auto refuses = [](auto& map) {
    static_assert(!requires { map.add_all({{"f:6", "g:7"}}); });
    static_assert(!requires { map.add_all(std::string("f:6")); });
  };
  refuses(joined);
}

TEST_CASE("maps are equal if they place all keys alike; an update is all or nothing") {
  const RedisSlotMap original = with_replicas();
  RedisSlotMap map = original;
  CHECK(map == original);
  const std::string master = *map.owner_of(0);
  map.update([&](auto& edit) {
    edit.add("joiner:1");
    edit.migrate(0, "joiner:1");
  });
  CHECK_FALSE(map == original);
  CHECK(*map.migrating_to(0) == "joiner:1");
  const RedisSlotMap joined = map;
  map.cancel(0);
  CHECK(map == joined);  // no owner has changed
  CHECK_THROWS_AS(map.update([](auto& edit) {
    edit.assign({0, 99}, "joiner:1");
    edit.add("joiner:1");
  }),
                  std::invalid_argument);
  CHECK(map == joined);
  map.assign({0, 99}, "joiner:1");
  CHECK_FALSE(map == joined);
  map.assign({0, 99}, master);
  CHECK(map == joined);
  map.set_health("joiner:1", clockwise::RedisHealth::failed);
  CHECK_FALSE(map == joined);
  CHECK(map.memory_bytes() > original.memory_bytes());
  map.clear();
  CHECK(map == RedisSlotMap());
}

TEST_CASE("a name can be a view into the map that it changes") {
  RedisSlotMap map({"b:1", "c:2"});
  map.add_replica("a:0", *map.owner_of(0));
  CHECK(map.preference_list(std::string_view("hello"), 2)[1] == "a:0");
  for (int i = 0; i < 40; ++i) {
    map.add_replica("replica-" + std::to_string(i) + " with a name that is long",
                    map.nodes()[1].name);
  }
  CHECK(map.nodes()[1].name == "b:1");
  CHECK(map.nodes()[1].replicas.size() == 41);
  map.promote(map.nodes()[1].replicas[7]);
  CHECK(*map.owner_of(0) == "replica-6 with a name that is long");
  map.promote(map.nodes()[0].name);
  CHECK(*map.owner_of(0) == "a:0");
  map.migrate(0, *map.owner_of(16383));
  map.assign({0, 0}, *map.migrating_to(0));
  CHECK(*map.owner_of(0) == "c:2");
  map.assign({1, 8191}, *map.owner_of(0));
  CHECK(map.remove(map.nodes()[0].replicas[3]));
  CHECK(map.nodes()[0].replicas.size() == 40);
  while (!map.nodes()[0].replicas.empty()) CHECK(map.remove(map.nodes()[0].replicas.back()));
  CHECK(map.remove(map.nodes()[0].name));
  CHECK(map.size() == 1);
}

TEST_CASE("a map is unchanged if an allocation fails") {
  const auto check = [](const auto& change) {
    RedisSlotMap map = with_replicas();
    const std::string before = described(map);
    const auto unchanged = [&] { CHECK(described(map) == before); };
    const std::size_t failures =
        clockwise_test::fail_each_allocation([&] { change(map); }, unchanged);
    CHECK(described(map) != before);
    return failures;
  };
  const std::string name = "a host with a long name, so that a copy of it takes memory:1";
  CHECK(check([&](RedisSlotMap& map) { map.add(name); }) > 0);
  CHECK(check([&](RedisSlotMap& map) { map.add_replica(name, "b:2"); }) > 1);
  CHECK(check([](RedisSlotMap& map) { map.promote("r:11"); }) > 1);
  CHECK(check([](RedisSlotMap& map) { map.migrate(77, "b:2"); }) == 1);
  CHECK(check([](RedisSlotMap& map) { map.migrate(0, "c:3"); }) == 0);
  check([](RedisSlotMap& map) { map.assign({0, 99}, "c:3"); });
  check([](RedisSlotMap& map) { map.unassign({0, 99}); });
  check([](RedisSlotMap& map) { map.cancel(0); });
  check([](RedisSlotMap& map) { CHECK(map.remove("r:12")); });
  using Kind = RedisRedirect::Kind;
  const auto moved = [](std::string node) { return RedisRedirect{Kind::moved, 0, node}; };
  const RedisRedirect to_new = moved(name), to_replica = moved("r:12"), to_master = moved("c:3");
  CHECK(check([&](RedisSlotMap& map) { map.apply(to_new); }) > 0);
  CHECK(check([&](RedisSlotMap& map) { map.apply(to_replica); }) > 1);
  CHECK(check([&](RedisSlotMap& map) { map.apply(to_master); }) == 0);
  CHECK(check([](RedisSlotMap& map) { map = RedisSlotMap({"x:1", "y:2"}); }) > 1);
}

TEST_CASE("a failover keeps migrations, and each replica knows its new master") {
  RedisSlotMap map = with_replicas();
  map.promote("r:11");
  CHECK(described(map) ==
        "a:1 of : 0-5460\n"
        "b:2 of r:11:\n"
        "c:3 of : 10923-16383\n"
        "r:10 of r:11:\n"
        "r:11 of : r:10 b:2 r:12 5461-10922\n"
        "r:12 of r:11:\n"
        "0 to r:11\n"
        "9000 to c:3\n");
}

TEST_CASE("a map of 60,000 nodes is built in one go") {
  std::vector<RedisShard> shards;
  for (std::uint32_t i = 0; i < 15000; ++i) {
    const auto slot = static_cast<std::uint16_t>(i);
    const std::string host = "host-" + std::to_string(i * 7919 % 15000);
    RedisShard shard{{{slot, slot}}, host + ":1", {host + ":2", host + ":3"}};
    shards.push_back(shard);
    shard.slots.clear();
    shard.replicas.push_back(host + ":4");  // listed once more, with another replica
    shards.push_back(shard);
  }
  const RedisSlotMap map(shards);
  CHECK(map.size() == 60000);
  CHECK(std::is_sorted(map.nodes().begin(), map.nodes().end(),
                       [](const auto& a, const auto& b) { return a.name < b.name; }));
  CHECK(*map.owner_of(1) == "host-7919:1");
  CHECK(map.preference_list("hello", 9).size() == 4);  // slot 866
  CHECK(map.owner_of(15000) == nullptr);

  const auto refused = [](const std::vector<RedisShard>& list, const std::string& reason) {
    CHECK_THROWS_MATCHES(RedisSlotMap(list), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
  };
  refused({{{{0, 5}}, "a:1", {"b:2"}}, {{{6, 9}}, "b:2", {}}}, "\"b:2\" is a replica of \"a:1\"");
  refused({{{{0, 5}}, "a:1", {""}}}, "must not be empty");
  refused({{{{0, 5}}, "", {}}}, "must not be empty");
  CHECK_THROWS_AS(RedisSlotMap(std::vector<RedisShard>{{{{5, 4}}, "a:1", {}}}), std::out_of_range);
  std::vector<RedisShard> many;
  for (int i = 0; i < 65536; ++i) many.push_back({{}, std::to_string(i) + ":1", {}});
  CHECK_THROWS_AS(RedisSlotMap(many), std::length_error);
  many.pop_back();
  CHECK(RedisSlotMap(many).size() == 65535);
}

TEST_CASE("the movement between two maps") {
  const RedisSlotMap before({"a:1", "b:2"});
  RedisSlotMap after = before;
  after.add("c:3");
  after.assign({0, 99}, "c:3");
  after.assign({8192, 8200}, "c:3");
  const auto moves = clockwise::slot_moves(before, after);
  REQUIRE(moves.size() == 2);
  CHECK(moves[0].slots == RedisSlotRange{0, 99});
  CHECK(moves[0].from == "a:1");
  CHECK(moves[0].to == "c:3");
  CHECK(moves[1].slots == RedisSlotRange{8192, 8200});
  CHECK(moves[1].from == "b:2");
}

TEST_CASE("replies of CLUSTER SLOTS and CLUSTER SHARDS") {
  const std::string slots =
      "*2\r\n"
      "*4\r\n:0\r\n:5460\r\n"
      "*4\r\n$9\r\n127.0.0.1\r\n:30001\r\n$2\r\nid\r\n*0\r\n"
      "*3\r\n$9\r\n127.0.0.1\r\n:30004\r\n$2\r\nix\r\n"
      "*3\r\n:5461\r\n:10922\r\n*3\r\n$-1\r\n:30002\r\n$2\r\niy\r\n";
  const auto shards = parse_cluster_slots(slots);
  REQUIRE(shards.size() == 2);
  CHECK(shards[0].master == "127.0.0.1:30001");
  CHECK(shards[0].replicas == std::vector<std::string>{"127.0.0.1:30004"});
  CHECK(shards[0].slots == std::vector<RedisSlotRange>{{0, 5460}});
  CHECK(shards[1].master == ":30002");

  const auto text = [](std::string_view value) {
    return "$" + std::to_string(value.size()) + "\r\n" + std::string(value) + "\r\n";
  };
  const auto node = [&](char map, std::string_view role, int port) {
    return std::string(1, map) + (map == '%' ? "3" : "6") + "\r\n" + text("port") + ":" +
           std::to_string(port) + "\r\n" + text("ip") + text("10.0.0.1") + text("role") +
           text(role);
  };
  for (const char map : {'*', '%'}) {
    const std::string reply = std::string("*1\r\n") + map + (map == '%' ? "2" : "4") + "\r\n" +
                              text("slots") + "*4\r\n:0\r\n:99\r\n:200\r\n:300\r\n" +
                              text("nodes") + "*2\r\n" + node(map, "replica", 2) +
                              node(map, "master", 1);
    const auto parsed = parse_cluster_shards(reply);
    REQUIRE(parsed.size() == 1);
    CHECK(parsed[0].master == "10.0.0.1:1");
    CHECK(parsed[0].replicas == std::vector<std::string>{"10.0.0.1:2"});
    CHECK(parsed[0].slots == std::vector<RedisSlotRange>{{0, 99}, {200, 300}});
    // If cut off anywhere, it is refused, and never read past its end.
    for (std::size_t length = 0; length < reply.size(); ++length) {
      CHECK_THROWS_AS(parse_cluster_shards(std::string_view(reply).substr(0, length)),
                      std::invalid_argument);
    }
  }

  const auto refused = [](std::string_view reply, const std::string& reason) {
    INFO(reply);
    CHECK_THROWS_MATCHES(parse_cluster_slots(reply), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
  };
  refused("-ERR This instance has cluster support disabled\r\n", "cluster support disabled");
  refused("*4294967295\r\n", "more items than it has bytes");
  refused("*-7\r\n", "more items than it has bytes");
  refused("$5\r\nab\r\n", "ends early");
  refused("$1\r\nab\r\n", "another length");
  refused("*0\r\n*0\r\n", "more bytes");
  refused("*x\r\n", "no number");
  refused("@1\r\n", "type");
  refused("+OK\r\n", "list");
  refused("*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n+h\r\n:1\r\n", "16384");
  refused("*1\r\n*3\r\n:9\r\n:8\r\n*2\r\n+h\r\n:1\r\n", "got 9 to 8");
  refused("*1\r\n*3\r\n:0\r\n:8\r\n*2\r\n+h\r\n:65536\r\n", "65536");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "*1\r\n";
  refused(deep + ":1\r\n", "nested too deeply");
  CHECK_THROWS_MATCHES(
      RedisSlotMap(std::vector<RedisShard>{{{{0, 5}}, "a:1", {}}, {{{5, 9}}, "b:1", {}}}),
      std::invalid_argument, MessageMatches(ContainsSubstring("slot 5")));
}

TEST_CASE("a switch to another number of masters can be counted") {
  const RedisSlotMap three({"a:1", "b:2", "c:3"});
  const RedisSlotMap four({"a:1", "b:2", "c:3", "d:4"});
  clockwise::KeyMovement moved(three, four);
  for (int i = 0; i < 20000; ++i) moved.observe("key:" + std::to_string(i));
  // Reassigned, a keeps 4096 of 5461 slots, b 2731 of 5462, c 1365 of 5461: half move. 4 standard
  // errors of a share of 1/2 among 20,000 keys are 0.0142.
  CHECK(std::abs(moved.fraction() - 0.5) < 0.0142);
}

}  // namespace

}  // namespace redis_cluster_test
