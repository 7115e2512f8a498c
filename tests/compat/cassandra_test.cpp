// SPDX-License-Identifier: MIT
// Cassandra is not packaged: published vectors, and a slow model written from the documentation.
#include "clockwise/compat/cassandra.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/movement.hpp"

namespace cassandra_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::cassandra_partition_key;
using clockwise::cassandra_token;
using clockwise::CassandraRange;
using clockwise::CassandraRing;
using clockwise_test::real_key;

static_assert(clockwise::Partitioner<CassandraRing>);

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

TEST_CASE("tokens match published ones") {
  STATIC_REQUIRE(cassandra_token("123") == -7468325962851647638);
  STATIC_REQUIRE(cassandra_token("test") == -6017608668500074083);
  STATIC_REQUIRE(cassandra_token("\xe2\xe7") == -8582699461035929883);
  STATIC_REQUIRE(cassandra_token("") == least);
  CHECK(cassandra_token(std::vector<unsigned char>{0xe2, 0xe7}) == -8582699461035929883);
}

/// MurmurHash3 x64 128 from its description, block by block over signed bytes, as in Java.
std::uint64_t model_murmur3(std::string_view key) {
  const std::uint64_t c1 = 0x87c37b91114253d5u;
  const std::uint64_t c2 = 0x4cf5ad432745937fu;
  const auto turn = [](std::uint64_t x, int by) { return x << by | x >> (64 - by); };
  const auto java_byte = [&](std::size_t i) {
    const int value = static_cast<unsigned char>(key[i]);
    return static_cast<std::uint64_t>(std::int64_t{value > 127 ? value - 256 : value});
  };
  std::uint64_t h1 = 0, h2 = 0;
  std::size_t block = 0;
  for (; block < key.size() / 16; ++block) {
    std::uint64_t k1 = 0, k2 = 0;
    for (int i = 7; i >= 0; --i) {
      k1 = k1 * 256 + (java_byte(block * 16 + static_cast<std::size_t>(i)) & 0xff);
      k2 = k2 * 256 + (java_byte(block * 16 + 8 + static_cast<std::size_t>(i)) & 0xff);
    }
    k1 *= c1;
    k1 = turn(k1, 31);
    k1 *= c2;
    h1 ^= k1;
    h1 = turn(h1, 27);
    h1 += h2;
    h1 = h1 * 5 + 0x52dce729;
    k2 *= c2;
    k2 = turn(k2, 33);
    k2 *= c1;
    h2 ^= k2;
    h2 = turn(h2, 31);
    h2 += h1;
    h2 = h2 * 5 + 0x38495ab5;
  }
  const std::size_t rest = key.size() % 16;
  std::uint64_t k1 = 0, k2 = 0;
  for (std::size_t i = rest; i > 8; --i) k2 ^= java_byte(block * 16 + i - 1) << (8 * (i - 9));
  if (rest > 8) {
    k2 *= c2;
    k2 = turn(k2, 33);
    k2 *= c1;
    h2 ^= k2;
  }
  for (std::size_t i = std::min<std::size_t>(rest, 8); i > 0; --i) {
    k1 ^= java_byte(block * 16 + i - 1) << (8 * (i - 1));
  }
  if (rest > 0) {
    k1 *= c1;
    k1 = turn(k1, 31);
    k1 *= c2;
    h1 ^= k1;
  }
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  for (std::uint64_t* h : {&h1, &h2}) {
    *h ^= *h >> 33;
    *h *= 0xff51afd7ed558ccdu;
    *h ^= *h >> 33;
    *h *= 0xc4ceb9fe1a85ec53u;
    *h ^= *h >> 33;
  }
  return h1 + h2;
}

TEST_CASE("tokens match a slow model at every length") {
  std::string key;
  for (unsigned i = 0; i < 200; ++i) {
    key += static_cast<char>(i * i * 7 + 130);
    CHECK(static_cast<std::uint64_t>(cassandra_token(key)) == model_murmur3(key));
  }
}

TEST_CASE("only an empty key has the smallest token") {
  // Sixteen bytes whose hash is -2^63, found by running the hash backwards.
  const std::string_view key("\xdf\xe7\x6f\x52\x02\x3f\xad\x4c\x82\xb8\x61\xc2\xc6\x5c\x7a\x6b",
                             16);
  CHECK(static_cast<std::int64_t>(model_murmur3(key)) == least);
  CHECK(cassandra_token(key) == greatest);
}

TEST_CASE("partition keys of several columns") {
  CHECK(cassandra_partition_key({"only"}) == "only");
  CHECK(cassandra_partition_key({"ab", ""}) == std::string("\0\2ab\0\0\0\0", 8));
  const std::string longest(65535, 'x');
  CHECK(cassandra_partition_key({longest, "y"}).substr(0, 2) == "\xff\xff");
  const std::string too_long(65536, 'x');
  CHECK_THROWS_AS(cassandra_partition_key({too_long, "y"}), std::length_error);
}

TEST_CASE("two strategies on three datacenters") {
  CassandraRing ring;
  ring.add("a", {.weight = 1, .rack = "", .datacenter = "dc1"}, {0});
  ring.add("b", {.weight = 1, .rack = "", .datacenter = "dc1"}, {1});
  ring.add("c", {.weight = 1, .rack = "", .datacenter = "dc1"}, {2});
  ring.add("d", {.weight = 1, .rack = "", .datacenter = "dc2"}, {100});
  ring.add("e", {.weight = 1, .rack = "", .datacenter = "dc2"}, {101});
  ring.add("f", {.weight = 1, .rack = "", .datacenter = "dc3"}, {200});
  const auto key = CassandraRing::position_of_token(0);
  const auto names = [](const auto& list) {
    return std::vector<std::string>(list.begin(), list.end());
  };
  CHECK(names(ring.network_topology_strategy(key, {{"dc1", 2}, {"dc2", 2}, {"dc3", 1}})) ==
        std::vector<std::string>{"a", "b", "d", "e", "f"});
  CHECK(names(ring.simple_strategy(key, 4)) == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(names(ring.simple_strategy(CassandraRing::position_of_token(201), 2)) ==
        std::vector<std::string>{"a", "b"});
  CHECK(names(ring.simple_strategy(CassandraRing::position_of_token(-1), 1)) ==
        std::vector<std::string>{"a"});
}

TEST_CASE("a node that is down has no substitute") {
  CassandraRing ring;
  for (std::int64_t i = 0; i < 12; ++i) {
    ring.add("node" + std::to_string(i),
             {.weight = 1,
              .rack = "rack" + std::to_string(i % 3),
              .datacenter = i % 2 == 0 ? "east" : "west"},
             {i * 1000, i * 1000 + 7});
  }
  const clockwise::DatacenterReplicas wanted{{"east", 3}, {"west", 2}};
  const auto is_live = [](const clockwise::Member<std::string>& member) {
    return member.node != "node2" && member.node != "node5" && member.rack != "rack1";
  };
  std::size_t missing = 0;
  for (std::int64_t token = -500; token < 12'000; token += 250) {
    const auto key = CassandraRing::position_of_token(token);
    const auto check = [&](const auto& replicas, const auto& live) {
      std::vector<std::string> expected;
      for (const std::string& node : replicas) {
        if (is_live(ring.members()[ring.index_of(node)])) expected.push_back(node);
      }
      CHECK(std::vector<std::string>(live.begin(), live.end()) == expected);
      CHECK(live.requested() == replicas.requested());
      CHECK(live.first_substitute() == live.size());
      missing += replicas.size() - live.size();
    };
    check(ring.preference_list(key, wanted), ring.preference_list(key, wanted, is_live));
    check(ring.preference_list(key, 3), ring.preference_list(key, 3, is_live));
    check(ring.preference_list(key, 4, clockwise::Spread::nodes),
          ring.preference_list(key, 4, clockwise::Spread::nodes, is_live));
    const auto by_name = ring.preference_list(key, 4, clockwise::Spread::nodes,
                                              [](const std::string& node) { return node != "a"; });
    CHECK(by_name.complete());
  }
  CHECK(missing > 50);
}

TEST_CASE("a range ends with its token, and the first wraps") {
  CassandraRing ring;
  ring.add("a", {-100, 50});
  ring.add("b", {0});
  CHECK(ring.ranges() ==
        std::vector<CassandraRange>{{50, -100, "a"}, {-100, 0, "b"}, {0, 50, "a"}});
  CHECK(ring.lookup(CassandraRing::position_of_token(0)) == "b");
  CHECK(ring.lookup(CassandraRing::position_of_token(1)) == "a");
  CHECK(ring.lookup(CassandraRing::position_of_token(greatest)) == "a");
  CHECK(ring.lookup(CassandraRing::position_of_token(least)) == "a");
  CHECK(ring.lookup("") == "a");
  CHECK(CassandraRing::token_at(ring.position_of("123")) == -7468325962851647638);

  CassandraRing lone;
  lone.add("a", {7});
  CHECK(lone.ranges() == std::vector<CassandraRange>{{7, 7, "a"}});
}

/// NetworkTopologyStrategy as documented, over plain lists.
std::vector<std::string> model_replicas(
    const std::map<std::int64_t, std::string>& tokens,
    const std::map<std::string, std::pair<std::string, std::string>>& places, std::int64_t token,
    const std::map<std::string, int>& wanted) {
  std::vector<std::string> clockwise;
  for (auto at = tokens.lower_bound(token); at != tokens.end(); ++at)
    clockwise.push_back(at->second);
  for (auto at = tokens.begin(); at != tokens.lower_bound(token); ++at) {
    clockwise.push_back(at->second);
  }
  std::map<std::string, std::set<std::string>> racks_of;
  std::map<std::string, int> nodes_of;
  for (const auto& [node, place] : places) {
    racks_of[place.first].insert(place.second);
    ++nodes_of[place.first];
  }
  std::map<std::string, int> left;
  std::map<std::string, int> repeats;
  for (const auto& [datacenter, count] : wanted) {
    left[datacenter] = std::min(count, nodes_of[datacenter]);
    repeats[datacenter] = count - static_cast<int>(racks_of[datacenter].size());
  }
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<std::string> replicas;
  for (const std::string& node : clockwise) {
    const auto& [datacenter, rack] = places.at(node);
    if (left[datacenter] == 0 ||
        std::find(replicas.begin(), replicas.end(), node) != replicas.end()) {
      continue;
    }
    if (!seen.insert({datacenter, rack}).second) {
      if (repeats[datacenter] <= 0) continue;
      --repeats[datacenter];
    }
    --left[datacenter];
    replicas.push_back(node);
  }
  return replicas;
}

TEST_CASE("NetworkTopologyStrategy matches a slow model on random clusters") {
  std::uint64_t state = 3;
  const auto next = [&](std::uint64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 100; ++round) {
    std::map<std::int64_t, std::string> tokens;
    std::map<std::string, std::pair<std::string, std::string>> places;
    CassandraRing ring;
    ring.update([&](auto& edit) {
      for (std::uint64_t i = 0, nodes = 1 + next(20); i < nodes; ++i) {
        const std::string node = "node" + std::to_string(i);
        const std::string datacenter = "dc" + std::to_string(next(3));
        const std::string rack = "rack" + std::to_string(next(1 + next(5)));
        places[node] = {datacenter, rack};
        std::vector<std::int64_t> own;
        for (std::uint64_t t = 0, count = 1 + next(8); t < count; ++t) {
          const auto token = static_cast<std::int64_t>(next(1u << 31) << 33 | next(1u << 31));
          if (tokens.emplace(token, node).second) own.push_back(token);
        }
        edit.add(node, {1, rack, datacenter}, {own});
      }
    });
    const std::map<std::string, int> wanted{{"dc0", static_cast<int>(1 + next(5))},
                                            {"dc1", static_cast<int>(1 + next(5))},
                                            {"dc2", static_cast<int>(1 + next(5))}};
    std::vector<clockwise::DatacenterReplicas::Entry> entries;
    for (const auto& [datacenter, count] : wanted) {
      entries.push_back({datacenter, static_cast<std::size_t>(count)});
    }
    const clockwise::DatacenterReplicas replicas(entries);
    for (std::size_t k = 0; k < 50; ++k) {
      const std::string key = real_key(k);
      const auto list = ring.network_topology_strategy(key, replicas);
      REQUIRE(std::vector<std::string>(list.begin(), list.end()) ==
              model_replicas(tokens, places, cassandra_token(key), wanted));
    }
  }
}

TEST_CASE("shares, movement and refusals") {
  CassandraRing ring;
  ring.add("a", {least, 0});
  ring.add("b", {std::int64_t{-1} << 62, std::int64_t{1} << 62});
  CHECK(ring.load_shares()[0].second == 0.5);
  CassandraRing after = ring;
  after.add("c", {(std::int64_t{1} << 62) / 2});
  const auto moved = clockwise::movement(ring, after);
  CHECK(moved.fraction() == 0.125);
  REQUIRE(moved.transfers().size() == 1);
  CHECK(moved[0].from == "b");

  const auto refuses = [&](auto change, const std::string& reason) {
    CHECK_THROWS_MATCHES(change(), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
    CHECK(ring.vnode_count() == 4);
  };
  refuses([&] { ring.add("c", {1, 0}); }, "token 0 is listed twice, for \"a\" and \"c\"");
  refuses([&] { ring.add("c", {5, 6, 5}); }, "token 5 is listed twice, for \"c\" and \"c\"");
  refuses([&] { ring.add("a", {5}); }, "\"a\" is already a member");
  refuses([&] { ring.add("c", {.weight = 2, .rack = "", .datacenter = ""}, {5}); }, "got 2");
  CassandraRing idle;
  idle.add("joining");
  CHECK(idle.try_lookup("key") == nullptr);
}

}  // namespace

}  // namespace cassandra_test
