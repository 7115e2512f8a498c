// SPDX-License-Identifier: MIT
// Where vnodes are, and which of them owns a position.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

namespace ring_placement_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::TokenRing;
using clockwise_test::fails_with;

namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};

std::uint64_t hash_of(std::string_view text) {
  return clockwise::Xxh3{}(std::as_bytes(std::span(text.data(), text.size())));
}

std::vector<std::uint64_t> positions_of(const auto& ring) {
  return {ring.positions().begin(), ring.positions().end()};
}

}  // namespace

TEST_CASE("vnode i of a node is at the hash of id#i") {
  const HashRing ring({"beta", "alpha"}, RingOptions{3});
  std::vector<std::pair<std::uint64_t, std::string>> expected;
  for (const char* label : {"alpha#0", "alpha#1", "alpha#2"})
    expected.emplace_back(hash_of(label), "alpha");
  for (const char* label : {"beta#0", "beta#1", "beta#2"})
    expected.emplace_back(hash_of(label), "beta");
  std::sort(expected.begin(), expected.end());

  REQUIRE(ring.vnode_count() == 6);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    CHECK(ring.positions()[rank] == expected[rank].first);
    CHECK(ring.node(ring.owners()[rank]) == expected[rank].second);
  }
}

TEST_CASE("the default is 200 vnodes") {
  CHECK(HashRing({"a"}).vnode_count() == 200);
  CHECK(HashRing<>().options().vnodes == 200);
}

TEST_CASE("labels do not run into each other") {
  const HashRing ring({"s1:1", "s1:11", "s2:2", "s2:5"}, RingOptions{100});
  const auto positions = positions_of(ring);
  CHECK(positions.size() == 400);
  CHECK(std::set(positions.begin(), positions.end()).size() == 400);

  const HashRing lone({"n"}, RingOptions{1000});
  const auto many = positions_of(lone);
  CHECK(std::set(many.begin(), many.end()).size() == 1000);

  // "n#1" + "#0" and "n" + "#1", "n" + "#10": the last '#' ends the id.
  const HashRing nested({"n", "n#1", "n#1#1", "#", "##"}, RingOptions{100});
  const auto apart = positions_of(nested);
  CHECK(std::set(apart.begin(), apart.end()).size() == 500);
}

TEST_CASE("a lone vnode owns the whole circle") {
  for (const std::uint64_t p : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}, top}) {
    TokenRing<> ring;
    ring.add("only", {p});
    for (const std::uint64_t position : {std::uint64_t{0}, p - 1, p, p + 1, top}) {
      CHECK(ring.lookup(Position{position}) == "only");
      CHECK(ring.arc_of(Position{position}) == Arc{p, p});
    }
    CHECK(ring.load_shares()[0].second == 1.0);
  }
  const HashRing hashed({"only"}, RingOptions{1});
  const std::uint64_t p = hashed.positions()[0];
  for (const std::uint64_t position : {std::uint64_t{0}, p - 1, p, p + 1, top}) {
    CHECK(hashed.lookup(Position{position}) == "only");
  }
}

TEST_CASE("a position belongs to the first vnode at or after it, past the last to the first") {
  TokenRing<> ring;
  ring.add("zero", {0});
  ring.add("ten", {10});
  ring.add("twenty", {20});
  CHECK(ring.lookup(Position{0}) == "zero");
  CHECK(ring.lookup(Position{1}) == "ten");
  CHECK(ring.lookup(Position{9}) == "ten");
  CHECK(ring.lookup(Position{10}) == "ten");
  CHECK(ring.lookup(Position{11}) == "twenty");
  CHECK(ring.lookup(Position{20}) == "twenty");
  CHECK(ring.lookup(Position{21}) == "zero");
  CHECK(ring.lookup(Position{top}) == "zero");
  CHECK(ring.arc_of(Position{5}) == Arc{0, 10});
  CHECK(ring.arc_of(Position{21}) == Arc{20, 0});
  CHECK(ring.arc_of(Position{0}) == Arc{20, 0});

  TokenRing<> ends;
  ends.add("first", {0});
  ends.add("last", {top});
  CHECK(ends.lookup(Position{0}) == "first");
  CHECK(ends.lookup(Position{1}) == "last");
  CHECK(ends.lookup(Position{top}) == "last");
}

TEST_CASE("every lookup returns the same owner") {
  const HashRing ring({"a", "b", "c", "d"}, RingOptions{16});
  std::size_t wrong = 0;
  for (const std::string& key : clockwise_test::real_keys(2000)) {
    const Position position = ring.position_of(key);
    const std::string& owner = ring.lookup(key);
    wrong += ring.try_lookup(key) == &owner ? 0u : 1u;
    wrong += &ring.node(ring.lookup_index(position)) == &owner ? 0u : 1u;
    wrong += &ring.lookup(position) == &owner ? 0u : 1u;
    wrong += ring.arc_of(position).contains(position) ? 0u : 1u;
    const Position last{ring.arc_of(position).last};
    wrong += &ring.lookup(last) == &owner ? 0u : 1u;
  }
  CHECK(wrong == 0);
}

TEST_CASE("lookup_batch matches lookup_index over a span") {
  const HashRing ring({"a", "b", "c", "d"}, RingOptions{16});
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1001}}) {
    std::vector<Position> positions;
    for (std::size_t i = 0; i < count; ++i) {
      positions.push_back(ring.position_of(clockwise_test::real_key(i)));
    }
    if (count > 60) {
      positions[3] = Position{0};
      positions[4] = Position{top};
      positions[5] = Position{ring.positions().back()};
      positions[6] = Position{ring.positions().back() + 1};
      positions[7] = Position{ring.positions().front()};
    }
    std::vector<std::uint16_t> owners(count, 12345);
    ring.lookup_batch(positions, owners);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      wrong += owners[i] == ring.lookup_index(positions[i]) ? 0u : 1u;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("lookup_batch refuses spans of different lengths") {
  const HashRing ring({"a"});
  const std::vector<Position> positions(3);
  std::vector<std::uint16_t> owners(2, 9);
  CHECK(fails_with<std::invalid_argument>("3", [&] { ring.lookup_batch(positions, owners); }));
  CHECK(owners == std::vector<std::uint16_t>{9, 9});
}

TEST_CASE("a ring that owns nothing reports it") {
  HashRing drained({"a", "b"});
  drained.set_weight("a", 0);
  drained.set_weight("b", 0);
  for (const HashRing<>& ring : {HashRing<>(), drained}) {
    CHECK(ring.vnode_count() == 0);
    CHECK(ring.try_lookup("key") == nullptr);
    CHECK(ring.lookup_index(Position{1}) == HashRing<>::npos);
    CHECK(fails_with<std::out_of_range>("owns anything", [&] { ring.lookup("key"); }));
    CHECK(fails_with<std::out_of_range>("owns nothing", [&] { ring.arc_of(Position{1}); }));
    CHECK(ring.preference_list("key", 3).empty());
    CHECK(ring.preference_list("key", 3).requested() == 3);
    CHECK_FALSE(ring.preference_list("key", 3).complete());
    CHECK(ring.preference_list("key", 0).complete());
    std::size_t met = 0;
    for ([[maybe_unused]] const std::string& node : ring.successors("key")) ++met;
    CHECK(met == 0);
    const std::vector<Position> positions(5);
    std::vector<std::uint16_t> owners(5);
    ring.lookup_batch(positions, owners);
    CHECK(owners == std::vector<std::uint16_t>(5, HashRing<>::npos));
    for (const auto& [node, share] : ring.load_shares()) CHECK(share == 0);
  }
  CHECK(drained.size() == 2);
  CHECK_FALSE(drained.empty());
  CHECK(HashRing<>().empty());
}

}  // namespace ring_placement_test
