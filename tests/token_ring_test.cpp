// SPDX-License-Identifier: MIT
// A ring of given positions: the rules of hashed rings, with the tokens as state.

#include "clockwise/token_ring.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/movement.hpp"
#include "support/errors.hpp"

namespace token_ring_test {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::TokenRing;
using clockwise_test::fails_with;

namespace {

using Tokens = std::vector<std::uint64_t>;
constexpr std::uint64_t last = (std::numeric_limits<std::uint64_t>::max)();

std::string owner(const TokenRing<>& ring, std::uint64_t position) {
  return ring.lookup(Position{position});
}

}  // namespace

TEST_CASE("a token owns the arc that ends at it, across the end of the circle") {
  TokenRing<> ring;
  ring.add("a", {0, 20});
  ring.add("b", {10});
  CHECK(owner(ring, 0) == "a");
  CHECK(owner(ring, 1) == "b");
  CHECK(owner(ring, 10) == "b");
  CHECK(owner(ring, 11) == "a");
  CHECK(owner(ring, 20) == "a");
  CHECK(owner(ring, 21) == "a");
  CHECK(owner(ring, last) == "a");
  CHECK(ring.vnode_count() == 3);
  CHECK(ring.members()[0].vnodes == 2);
  CHECK(ring.tokens_of("a") == Tokens{0, 20});
}

TEST_CASE("nodes on one token: the smallest id owns it, the others inherit in order") {
  const std::vector<std::string> nodes{"c", "a", "b"};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    TokenRing<> ring;
    for (const std::size_t i : order) ring.add(nodes[i], {7});
    CHECK(owner(ring, 7) == "a");
    CHECK(ring.vnode_count() == 3);
    ring.remove("a");
    CHECK(owner(ring, 7) == "b");
    ring.remove("b");
    CHECK(owner(ring, 7) == "c");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("invalid input is refused by name and changes nothing") {
  TokenRing<> ring;
  ring.add("a", {1, 2});
  const auto before = ring.fingerprint();
  CHECK(fails_with<std::invalid_argument>("token 5 twice", [&] { ring.add("b", {5, 6, 5}); }));
  CHECK(
      fails_with<std::invalid_argument>("\"a\" is already a member", [&] { ring.add("a", {9}); }));
  CHECK(fails_with<std::invalid_argument>("empty", [&] { ring.add("", {9}); }));
  CHECK(fails_with<std::invalid_argument>("got -1",
                                          [&] { ring.add("b", NodeOptions{-1, "", ""}, {9}); }));
  CHECK(fails_with<std::invalid_argument>("must have no tokens, got 1",
                                          [&] { ring.add("b", NodeOptions{0, "", ""}, {9}); }));
  CHECK(fails_with<std::out_of_range>("set_tokens: \"b\"", [&] { ring.set_tokens("b", {9}); }));
  CHECK(fails_with<std::out_of_range>("tokens_of: \"b\"", [&] { ring.tokens_of("b"); }));
  CHECK(fails_with<std::invalid_argument>("token 3 twice", [&] {
    ring.update([](auto& edit) {
      const Tokens good{8};
      const Tokens bad{3, 3};
      edit.remove("a");
      edit.add("c", good);
      edit.add("d", bad);
    });
  }));
  TokenRing<clockwise::Xxh3, std::string, std::uint8_t> small;
  for (int i = 0; i < 255; ++i) small.add("n" + std::to_string(i), {static_cast<unsigned>(i)});
  CHECK(fails_with<std::length_error>("got 256", [&] { small.add("one more", {999}); }));
  CHECK(small.size() == 255);
  CHECK(ring.fingerprint() == before);
  CHECK(ring.tokens_of("a") == Tokens{1, 2});
}

TEST_CASE("the type of a token ring follows from its members, as that of a hash ring does") {
  const TokenRing listed({"a", "b"});
  const TokenRing weighted({{"a", 2}, {"b", 1}}, clockwise::Xxh64{});
  const TokenRing ranged(std::vector<std::string_view>{"a", "b"});
  const TokenRing numbered(std::vector<int>{1, 2});
  const TokenRing copied(numbered.members());
  static_assert(std::same_as<decltype(listed), const TokenRing<>>);
  static_assert(std::same_as<decltype(weighted), const TokenRing<clockwise::Xxh64>>);
  static_assert(std::same_as<decltype(ranged), const TokenRing<>>);
  static_assert(std::same_as<decltype(numbered), const TokenRing<clockwise::Xxh3, int>>);
  static_assert(std::same_as<decltype(copied), const TokenRing<clockwise::Xxh3, int>>);
  CHECK(listed == ranged);
  CHECK(copied == numbered);
  CHECK(weighted.member("a").weight == 2);
}

TEST_CASE("members without tokens, drained or not, own nothing") {
  TokenRing<> ring;
  ring.add("drained", NodeOptions{0, "", ""}, {});
  ring.add("waiting", Tokens{});
  CHECK(ring.try_lookup("key") == nullptr);
  CHECK(ring.preference_list("key", 2).empty());
  ring.set_tokens("waiting", {4});
  CHECK(ring.lookup("key") == "waiting");
  ring.set_tokens("waiting", Tokens{});
  CHECK(ring.try_lookup("key") == nullptr);
}

TEST_CASE("random changes end in the ring that is built in one step") {
  std::uint64_t draws = 0;
  const auto below = [&](std::uint64_t n) { return clockwise::detail::draw(11, draws++) % n; };
  std::map<std::string, Tokens> model;
  TokenRing<> ring;
  for (int step = 0; step < 600; ++step) {
    const std::string id = "n" + std::to_string(below(12));
    Tokens tokens;
    for (std::uint64_t i = below(6); i > 0; --i) tokens.push_back(below(40));  // ties abound
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    const bool is_member = model.count(id) != 0;
    CHECK(ring.contains(id) == is_member);
    if (!is_member) {
      ring.add(id, tokens);
      model[id] = tokens;
    } else if (below(2) == 0) {
      ring.set_tokens(id, tokens);
      model[id] = tokens;
    } else {
      CHECK(ring.remove(id));
      model.erase(id);
    }
    TokenRing<> fresh;
    fresh.update([&](auto& edit) {
      for (const auto& [node, own] : model) edit.add(node, own);
    });
    REQUIRE(ring == fresh);
    REQUIRE(ring.fingerprint() == fresh.fingerprint());
    for (const auto& [node, own] : model) REQUIRE(ring.tokens_of(node) == own);
  }
}

TEST_CASE("a fingerprint covers every part of a token ring") {
  TokenRing<> ring;
  ring.add("a", NodeOptions{1, "r", "d"}, {1, 5});
  ring.add("b", {3});
  std::vector<TokenRing<>> others(6, ring);
  others[0].set_tokens("a", {1, 6});
  others[1].set_tokens("b", {3, 4});
  others[2].remove("a");
  others[2].add("a", NodeOptions{2, "r", "d"}, {1, 5});
  others[3].remove("a");
  others[3].add("a", NodeOptions{1, "s", "d"}, {1, 5});
  others[4].remove("a");
  others[4].add("a", NodeOptions{1, "r", "e"}, {1, 5});
  others[5].remove("b");
  for (const TokenRing<>& other : others) CHECK(other.fingerprint() != ring.fingerprint());
  CHECK(others[2] == ring);  // a weight does not affect placement here
  CHECK_FALSE(others[0] == ring);
  CHECK_FALSE(others[3] == ring);
  CHECK(TokenRing<>(clockwise::Xxh3{1}).fingerprint() != TokenRing<>().fingerprint());
}

TEST_CASE("a token ring with a hash ring's positions is the same placement") {
  const HashRing ring({"a", "b", "c"}, RingOptions{20});
  TokenRing<> copy;
  copy.update([&](auto& edit) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      Tokens tokens;
      for (std::size_t rank = 0; rank < ring.vnode_count(); ++rank) {
        if (ring.owners()[rank] == i) tokens.push_back(ring.positions()[rank]);
      }
      edit.add(ring.members()[i].node, tokens);
    }
  });
  CHECK(copy.load_shares() == ring.load_shares());
  CHECK(clockwise::movement(ring, copy).fraction() == 0);
  CHECK(copy.fingerprint() != ring.fingerprint());
}

}  // namespace token_ring_test
