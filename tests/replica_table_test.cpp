// SPDX-License-Identifier: MIT
// Precomputed preference lists equal the ring's, for every key.

#include "clockwise/replica_table.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"

namespace replica_table_test {

using clockwise::BucketIndex;
using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::NoIndex;
using clockwise::Position;
using clockwise::ReplicaList;
using clockwise::ReplicaTable;
using clockwise::Replication;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise::Xxh3;

namespace {

using Ids = std::vector<std::string>;

template <class List>
Ids ids(const List& list) {
  return {list.begin(), list.end()};
}

/// Queried at every vnode, next to each and at the circle's ends, which covers every kind of key.
template <class Ring>
std::vector<Position> telling_keys(const Ring& ring) {
  std::vector<Position> keys{Position{0}, Position{std::numeric_limits<std::uint64_t>::max()}};
  for (const std::uint64_t position : ring.positions()) {
    for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      keys.push_back(Position{position + step});
    }
  }
  return keys;
}

template <class Ring>
std::size_t lists_that_differ(const Ring& ring, const ReplicaTable<Ring>& table,
                              const Replication& replication) {
  std::size_t differ = 0;
  for (const Position key : telling_keys(ring)) {
    const auto expected = ring.preference_list(key, replication);
    const auto row = table.preference_list(key);
    differ += ids(row) == ids(expected) && row.size() == table.list_size() &&
                      row.requested() == expected.requested() &&
                      row.complete() == expected.complete()
                  ? 0u
                  : 1u;
  }
  return differ;
}

/// Racks of unequal size, members without a rack, and one that is drained.
template <class Ring>
Ring mixed_fleet(std::size_t nodes) {
  Ring ring(RingOptions{13});
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string rack = i % 5 == 4 ? "" : i % 7 == 0 ? "lone" : i % 3 == 0 ? "big" : "small";
    const double weight = i == 3 ? 0 : 1 + static_cast<double>(i % 3);
    ring.add("n" + std::to_string(i), NodeOptions{weight, rack, i % 2 == 0 ? "east" : "west"});
  }
  return ring;
}

template <class Ring>
void check_every_rule(const Ring& ring) {
  for (const Spread spread : {Spread::nodes, Spread::racks, Spread::racks_only}) {
    for (const std::size_t r : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 9u, 15u, 100u}) {
      CAPTURE(spread, r);
      const ReplicaTable table(ring, {r, spread});
      CHECK(table.replication() == Replication(r, spread));
      CHECK(table.requested() == r);
      CHECK(lists_that_differ(ring, table, {r, spread}) == 0);
    }
  }
  const Replication by_datacenter[] = {{{"east", 2}, {"west", 1}},
                                       {{"west", 3}, {"nowhere", 2}, {"east", 0}},
                                       {{"east", 20}, {"west", 20}}};
  for (const Replication& replication : by_datacenter) {
    CHECK(lists_that_differ(ring, ReplicaTable(ring, replication), replication) == 0);
  }
}

}  // namespace

TEST_CASE("the table returns the ring's lists, in order, under every rule") {
  check_every_rule(mixed_fleet<HashRing<>>(20));
}

TEST_CASE("the table's lists are the ring's without an index, and with other kinds of index") {
  check_every_rule(mixed_fleet<HashRing<Xxh3, std::string, std::uint16_t, NoIndex>>(12));
  check_every_rule(mixed_fleet<HashRing<Xxh3, std::string, std::uint32_t, BucketIndex>>(12));
  check_every_rule(mixed_fleet<HashRing<Xxh3, std::string, std::uint8_t, BucketIndex>>(12));
}

TEST_CASE("the table's lists are the ring's if vnodes share positions") {
  check_every_rule(mixed_fleet<HashRing<clockwise_test::CoarseHash<6>>>(20));
  check_every_rule(mixed_fleet<HashRing<clockwise_test::ConstantHash>>(6));
}

TEST_CASE("the table's lists are the ring's on an empty ring, and with a single position") {
  check_every_rule(HashRing<>());
  HashRing<> drained;
  drained.add("idle", 0);
  check_every_rule(drained);
  const ReplicaTable nothing(drained, 3);
  CHECK(nothing.preference_list("key").empty());
  TokenRing<> lone;
  lone.add("a", {17});
  check_every_rule(lone);
}

TEST_CASE(
    "the table's lists are the ring's above 65,536 vnodes, where the index has another layout") {
  const HashRing<> ring(clockwise_test::numbered("n", 100), RingOptions{700});
  REQUIRE(ring.vnode_count() == 70'000);
  const ReplicaTable table(ring, 3);
  CHECK(lists_that_differ(ring, table, {3, Spread::nodes}) == 0);
}

TEST_CASE("the default spread is the ring's") {
  const auto racks = mixed_fleet<HashRing<>>(12);
  const ReplicaTable table(racks, 3);
  CHECK_FALSE(table.replication().spread());
  CHECK(lists_that_differ(racks, ReplicaTable(racks, 3), {3, Spread::racks}) == 0);
  const HashRing<> plain({"a", "b", "c"});
  CHECK(lists_that_differ(plain, ReplicaTable(plain, 2), {2, Spread::nodes}) == 0);
  // After the move, the ring still has its spread.
  auto moved = racks;
  CHECK(lists_that_differ(racks, ReplicaTable(std::move(moved), 3), {3, Spread::racks}) == 0);
}

TEST_CASE("keys of any type work as on the ring") {
  const HashRing<> ring(clockwise_test::numbered("n", 9));
  const ReplicaTable table(ring, 3);
  std::size_t wrong = 0;
  for (const std::string& key : clockwise_test::real_keys(300)) {
    wrong += ids(table.preference_list(key)) == ids(ring.preference_list(key, 3)) ? 0u : 1u;
    wrong += table.preference_list(key).front() == ring.lookup(key) ? 0u : 1u;
  }
  CHECK(wrong == 0);
  CHECK(ids(table.preference_list(42)) == ids(ring.preference_list(42, 3)));
}

TEST_CASE("a table is a snapshot: no later change of the ring affects it") {
  HashRing<> ring({"a", "b", "c"});
  const ReplicaTable table(ring, 2);
  const HashRing<> before = ring;
  ring.remove("a");
  ring.add("d");
  CHECK(table.ring() == before);
  CHECK(lists_that_differ(before, table, {2, Spread::nodes}) == 0);
}

TEST_CASE("a copy is independent") {
  auto table = std::make_unique<ReplicaTable<HashRing<>>>(HashRing<>({"a", "b", "c"}), 2u);
  const HashRing<> ring = table->ring();
  const ReplicaTable copy = *table;
  table.reset();
  CHECK(lists_that_differ(ring, copy, {2, Spread::nodes}) == 0);
}

TEST_CASE("a row converts to a list") {
  const HashRing<> ring({"a", "b", "c"});
  const ReplicaTable table(ring, 5);
  const auto row = table.preference_list("key");
  const ReplicaList<std::string> list = row;
  CHECK(ids(list) == ids(ring.preference_list("key", 5)));
  CHECK(list.requested() == 5);
  CHECK_FALSE(list.complete());
  CHECK(&list[0] == &row[0]);
  CHECK(row.contains("b"));
  CHECK_FALSE(row.contains("d"));
}

TEST_CASE("its size is as documented: one index per vnode and replica") {
  const HashRing<> ring(clockwise_test::numbered("n", 10));
  CHECK(ReplicaTable(ring, 3).memory_bytes() == 2'000 * 3 * sizeof(std::uint16_t));
  CHECK(ReplicaTable(ring, 50).memory_bytes() == 2'000 * 10 * sizeof(std::uint16_t));
  CHECK(ReplicaTable(ring, 0).memory_bytes() == 0);
}

}  // namespace replica_table_test
