// SPDX-License-Identifier: MIT
// Several vnodes at one position: all stay, and the smallest id owns it.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"

namespace ring_ties_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise_test::ConstantHash;
using clockwise_test::Fnv1a32;

TEST_CASE("with everything at one position the smallest id owns, in each of the six orders") {
  std::vector<std::string> ids{"a", "b", "c"};
  do {
    HashRing<ConstantHash> ring(RingOptions{5});
    for (const std::string& id : ids) ring.add(id);
    CHECK(ring.vnode_count() == 15);
    CHECK(ring.lookup("any") == "a");
    CHECK(ring.lookup(Position{0}) == "a");
    CHECK(ring.lookup(Position{7}) == "a");
    CHECK(ring.lookup(Position{8}) == "a");
    CHECK(ring.arc_of(Position{8}) == Arc{7, 7});
    const auto list = ring.preference_list("any", 5);
    REQUIRE(list.size() == 3);
    CHECK(list[0] == "a");
    CHECK(list[1] == "b");
    CHECK(list[2] == "c");
    const auto shares = ring.load_shares();
    CHECK(shares[0].second == 1.0);
    CHECK(shares[1].second == 0.0);
    CHECK(shares[2].second == 0.0);

    // When a node leaves, the next id takes over.
    ring.remove("a");
    CHECK(ring.lookup("any") == "b");
    CHECK(ring.load_shares()[0].second == 1.0);
    ring.add("a");
    CHECK(ring.lookup("any") == "a");
    ring.set_weight("a", 0);
    CHECK(ring.lookup("any") == "b");
  } while (std::next_permutation(ids.begin(), ids.end()));
}

TEST_CASE("ids are compared as unsigned bytes") {
  HashRing<ConstantHash> ring(RingOptions{1});
  ring.add("\xff");
  CHECK(ring.lookup("k") == "\xff");
  ring.add("z");
  CHECK(ring.lookup("k") == "z");
  ring.add("10");
  CHECK(ring.lookup("k") == "10");
  ring.add("1");
  CHECK(ring.lookup("k") == "1");
  ring.add(std::string("\0", 1));
  CHECK(ring.lookup("k") == std::string("\0", 1));
  // Integers are also compared by the digits of their ids: "10" before "9".
  const HashRing<ConstantHash, int> numbers({9, 10}, RingOptions{1});
  CHECK(numbers.lookup("k") == 10);
}

TEST_CASE("two labels that collide both stay, and a leave of either gives the other's ring") {
  const auto hash = [](std::string_view text) {
    return Fnv1a32{}(std::as_bytes(std::span(text.data(), text.size())));
  };
  REQUIRE(hash("node-89#99") == 501488934);
  REQUIRE(hash("node-1698#10") == 501488934);

  const RingOptions options{100};
  const HashRing<Fnv1a32> both({"node-89", "node-1698"}, options);
  const HashRing<Fnv1a32> only_89({"node-89"}, options);
  const HashRing<Fnv1a32> only_1698({"node-1698"}, options);
  CHECK(both.vnode_count() == 200);
  CHECK(std::count(both.positions().begin(), both.positions().end(), 501488934) == 2);
  CHECK(both.lookup(Position{501488934}) == "node-1698");
  CHECK(both.preference_list(Position{501488934}, 2)[1] == "node-89");

  for (const bool listed_first : {true, false}) {
    HashRing<Fnv1a32> ring(options);
    ring.add(listed_first ? "node-89" : "node-1698");
    ring.add(listed_first ? "node-1698" : "node-89");
    CHECK(ring == both);
    HashRing<Fnv1a32> other = ring;
    CHECK(ring.remove("node-1698"));
    CHECK(ring == only_89);
    CHECK(ring.lookup(Position{501488934}) == "node-89");
    CHECK(other.remove("node-89"));
    CHECK(other == only_1698);
  }
}

TEST_CASE("131,072 positions on a 32-bit hash, with collisions") {
  auto ids = clockwise_test::numbered("node-", 1023);
  ids.push_back("node-1698");  // collides with node-89, as above
  const HashRing<Fnv1a32> ring(ids, RingOptions{128});
  CHECK(ring.vnode_count() == 131'072);
  const auto positions = ring.positions();
  std::size_t collisions = 0;
  std::size_t disorder = 0;
  for (std::size_t rank = 1; rank < positions.size(); ++rank) {
    if (positions[rank] < positions[rank - 1]) ++disorder;
    if (positions[rank] != positions[rank - 1]) continue;
    ++collisions;
    if (ring.node(ring.owners()[rank]) < ring.node(ring.owners()[rank - 1])) ++disorder;
  }
  CHECK(disorder == 0);
  CHECK(collisions > 0);
}

TEST_CASE("a tie at the wrap, and ties next to single positions") {
  clockwise::TokenRing<> ring;
  ring.add("b", {0, 10, 20});
  ring.add("c", {0, 20});
  ring.add("a", {20});
  CHECK(ring.lookup(Position{0}) == "b");
  CHECK(ring.lookup(Position{21}) == "b");
  CHECK(ring.lookup(Position{15}) == "a");
  CHECK(ring.arc_of(Position{21}) == Arc{20, 0});
  CHECK(ring.arc_of(Position{20}) == Arc{10, 20});
  ring.remove("a");
  CHECK(ring.lookup(Position{15}) == "b");
  ring.remove("b");
  CHECK(ring.lookup(Position{15}) == "c");
  CHECK(ring.lookup(Position{21}) == "c");
}

}  // namespace ring_ties_test
