// SPDX-License-Identifier: MIT
// Chosen tokens are even, equal on every platform, and never in use.

#include "clockwise/token_allocator.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"

using clockwise::allocate_tokens;
using clockwise::AllocationOptions;
using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise_test::fails_with;

namespace {

using Tokens = std::vector<std::uint64_t>;

/// The largest replicated ownership / the fair share, by a walk from every position. The fair share
/// is by weight: of all replicas or, with three racks and three replicas, of the rack's one copy of
/// all data.
template <class Ring>
double peak(const Ring& ring, bool racks) {
  std::map<std::string, double> owned;
  const auto visit = [&](const clockwise::Arc& arc, std::uint16_t) {
    for (const auto& node : ring.preference_list(Position{arc.last}, 3)) {
      owned[node] += arc.fraction();
    }
  };
  clockwise::detail::for_each_arc(ring.positions(), ring.owners(), visit);
  std::map<std::string, double> weights;
  for (const auto& member : ring.members()) weights[member.rack] += member.weight;
  double peak = 0;
  for (const auto& member : ring.members()) {
    const double fair = (racks ? 1 : 3) * member.weight / weights[member.rack];
    peak = std::max(peak, owned[member.node] / fair);
  }
  return peak;
}

NodeOptions options_of(int number, bool weights, bool racks) {
  return {weights ? 1.0 + number / 3 % 2 : 1.0, racks ? "r" + std::to_string(number % 3) : "", ""};
}

void join(TokenRing<>& ring, int number, const NodeOptions& options, std::uint32_t vnodes) {
  ring.add("n" + std::to_string(number), options,
           allocate_tokens(ring, options, {vnodes, {3, Spread::racks}}));
}

TokenRing<> grown(int nodes, std::uint32_t vnodes, bool weights, bool racks) {
  TokenRing<> ring;
  for (int i = 0; i < nodes; ++i) join(ring, i, options_of(i, weights, racks), vnodes);
  return ring;
}

}  // namespace

TEST_CASE("grown to 100 nodes, replicated ownership is even") {
  // Fixed bounds, not statistics: the tokens are the same on every platform.
  CHECK(peak(grown(100, 4, false, false), false) <= 1.08);
  CHECK(peak(grown(100, 8, false, false), false) <= 1.05);
  CHECK(peak(grown(100, 16, false, false), false) <= 1.03);
  HashRing<> random(RingOptions{16});
  for (int i = 0; i < 100; ++i) random.add("n" + std::to_string(i));
  CHECK(peak(random, false) > 1.2);
}

TEST_CASE("at 16 vnodes ownership stays even while nodes leave and others replace them") {
  for (const bool weights : {false, true}) {
    for (const bool racks : {false, true}) {
      TokenRing<> ring = grown(100, 16, weights, racks);
      CHECK(peak(ring, racks) <= 1.05);
      double worst = 0;
      for (int step = 0; step < 50; ++step) {
        const auto draw = clockwise::detail::draw(7, static_cast<std::uint64_t>(step));
        const auto leaver = ring.members()[static_cast<std::size_t>(draw % ring.size())];
        ring.remove(leaver.node);
        join(ring, 100 + step, {leaver.weight, leaver.rack, ""}, 16);
        worst = std::max(worst, peak(ring, racks));
      }
      CAPTURE(weights, racks);
      CHECK(worst <= 1.10);
    }
  }
}

TEST_CASE("the tokens depend only on the ring, and none is in use") {
  TokenRing<> ring;
  for (int i = 0; i < 30; ++i) {
    const NodeOptions options{1.0 + i % 3, i % 2 == 0 ? "r" + std::to_string(i % 4) : "",
                              i % 5 == 0 ? "east" : ""};
    const Tokens tokens = allocate_tokens(ring, options, {4, {3, Spread::racks}});
    REQUIRE(tokens == allocate_tokens(ring, options, {4, {3, Spread::racks}}));
    REQUIRE(tokens.size() == 4u * static_cast<unsigned>(1 + i % 3));
    REQUIRE(std::is_sorted(tokens.begin(), tokens.end()));
    for (const std::uint64_t token : tokens) {
      REQUIRE(std::find(ring.positions().begin(), ring.positions().end(), token) ==
              ring.positions().end());
    }
    ring.add("n" + std::to_string(i), options, tokens);  // refuses a token given twice
  }
  CHECK(ring.vnode_count() == std::set(ring.positions().begin(), ring.positions().end()).size());
}

TEST_CASE("golden tokens: a change here means that two builds would allocate differently") {
  const TokenRing<> ring = grown(20, 4, true, true);
  CHECK(to_string(ring.fingerprint()) == "424290953af5481d27db350c0b6c5da3");
}

TEST_CASE("small and crowded rings get tokens") {
  TokenRing<> ring;
  CHECK(allocate_tokens(ring, {}, {3, {3, Spread::nodes}}).size() == 3);
  CHECK(allocate_tokens(ring, NodeOptions{0, "", ""}).empty());
  // Every position near 0 is taken: others are found.
  Tokens crowd;
  for (std::uint64_t i = 0; i < 100; ++i) crowd.push_back(i);
  ring.add("crowd", crowd);
  for (int i = 0; i < 5; ++i) join(ring, i, {}, 4);
  CHECK(ring.vnode_count() == 120);
  // One position, at the end of the circle; more replicas than nodes.
  TokenRing<> lone;
  lone.add("a", {(std::numeric_limits<std::uint64_t>::max)()});
  const Tokens tokens = allocate_tokens(lone, {}, {2, {1000, Spread::racks}});
  lone.add("b", tokens);
  CHECK(lone.load_shares()[1].second > 0.5);
  CHECK(lone.load_shares()[1].second < 0.9);
  // A first node in a new rack, many nodes in one rack.
  TokenRing<> racks;
  for (int i = 0; i < 12; ++i) join(racks, i, {1, "r0", ""}, 4);
  for (int i = 12; i < 24; ++i) join(racks, i, {1, "r" + std::to_string(i % 3), ""}, 4);
  CHECK(racks.vnode_count() == 96);
}

TEST_CASE("each datacenter is balanced separately") {
  TokenRing<> alone;
  TokenRing<> both;
  for (int i = 0; i < 20; ++i) {
    join(alone, i, {1, "", "west"}, 8);
    join(both, i, {1, "", "west"}, 8);
    join(both, 100 + i, {1, "", "east"}, 8);
  }
  for (int i = 0; i < 20; ++i) {
    const auto id = "n" + std::to_string(i);
    // The other node's tokens are only avoided.
    const Tokens a = alone.tokens_of(id);
    const Tokens b = both.tokens_of(id);
    for (std::size_t j = 0; j < a.size(); ++j) REQUIRE(b[j] - a[j] < 100);
  }
}

TEST_CASE("by datacenter, a node's tokens balance the replicas of its datacenter") {
  TokenRing<> ring;
  for (int i = 0; i < 20; ++i) join(ring, i, {1, "", i % 2 == 0 ? "east" : "west"}, 4);
  const NodeOptions east{1, "", "east"};
  const Tokens two = allocate_tokens(ring, east, {4, 2});
  CHECK(allocate_tokens(ring, east, {4, {{"west", 3}, {"east", 2}}}) == two);
  CHECK(allocate_tokens(ring, east, {4, {{"west", 2}, {"east", 3}}}) != two);
  CHECK(fails_with<std::invalid_argument>("at least 1 in datacenter \"east\", got 0", [&] {
    allocate_tokens(ring, east, {4, {{"west", 2}, {"east", 0}}});
  }));
  CHECK(fails_with<std::invalid_argument>("at least 1 in datacenter \"east\", got 0", [&] {
    allocate_tokens(ring, east, {4, {{"west", 2}}});
  }));
}

TEST_CASE("an impossible allocation is refused") {
  const TokenRing<> ring;
  CHECK(fails_with<std::invalid_argument>("vnodes must be between 1 and 16777216, got 0", [&] {
    allocate_tokens(ring, {}, {0, {3, Spread::nodes}});
  }));
  CHECK(fails_with<std::invalid_argument>("replicas must be at least 1, got 0", [&] {
    allocate_tokens(ring, {}, {4, {0, Spread::nodes}});
  }));
  CHECK(fails_with<std::invalid_argument>("got -1",
                                          [&] { allocate_tokens(ring, NodeOptions{-1, "", ""}); }));
  CHECK(fails_with<std::length_error>("1600000000 tokens",
                                      [&] { allocate_tokens(ring, NodeOptions{1e8, "", ""}); }));
}
