// SPDX-License-Identifier: MIT
// Which nodes hold the replicas of a key.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

namespace replicas_test {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::ReplicaList;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise_test::fails_with;

namespace {

using Ids = std::vector<std::string>;

Ids ids(const ReplicaList<std::string>& list) { return {list.begin(), list.end()}; }

TokenRing<> racks_of_five() {
  TokenRing<> ring;
  ring.add("A", NodeOptions{1, "r1", ""}, {0});
  ring.add("B", NodeOptions{1, "r1", ""}, {10});
  ring.add("C", NodeOptions{1, "r2", ""}, {20});
  ring.add("D", NodeOptions{1, "r2", ""}, {30});
  ring.add("E", NodeOptions{1, "r3", ""}, {40});
  return ring;
}

}  // namespace

TEST_CASE("Spread::nodes is the first R distinct nodes clockwise") {
  TokenRing<> ring;
  ring.add("a", {10, 20, 30});
  ring.add("b", {40});
  CHECK(ids(ring.preference_list(Position{5}, 2)) == Ids{"a", "b"});
  CHECK(ids(ring.preference_list(Position{35}, 2)) == Ids{"b", "a"});
  CHECK(ids(ring.preference_list(Position{41}, 2)) == Ids{"a", "b"});
  CHECK(ids(ring.preference_list(Position{41}, 1)) == Ids{"a"});
  CHECK(ids(ring.preference_list(Position{41}, 0)).empty());
  CHECK(ids(ring.preference_list(Position{5}, 2, Spread::racks)) == Ids{"a", "b"});
}

TEST_CASE("the owner comes first, and no list names a node twice") {
  const HashRing<> ring(clockwise_test::numbered("n", 12), RingOptions{20});
  std::size_t wrong = 0;
  for (const std::string& key : clockwise_test::real_keys(500)) {
    Ids longest;
    for (const std::size_t r : {12u, 9u, 8u, 5u, 3u, 1u}) {
      const auto list = ring.preference_list(key, r);
      const Ids names = ids(list);
      if (longest.empty()) longest = names;
      wrong += list.size() == r && list.requested() == r && list.complete() ? 0u : 1u;
      wrong += list.front() == ring.lookup(key) ? 0u : 1u;
      wrong += std::set(names.begin(), names.end()).size() == r ? 0u : 1u;
      wrong += list.first_substitute() == r && !list.is_substitute(0) ? 0u : 1u;
      // A shorter list is the beginning of a longer one.
      wrong += std::equal(names.begin(), names.end(), longest.begin()) ? 0u : 1u;
      for (const std::string& name : names) wrong += list.contains(name) ? 0u : 1u;
      wrong += list.contains("n99") ? 1u : 0u;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("with more replicas than nodes, the list has all nodes and reports that it is short") {
  HashRing<> ring(RingOptions{100'000});
  ring.add("a");
  ring.add("b");
  ring.add("drained", 0);
  for (const std::size_t r : {std::size_t{3}, std::size_t{9}, std::size_t{1'000'000},
                              (std::numeric_limits<std::size_t>::max)()}) {
    const auto list = ring.preference_list("key", r);
    CHECK(list.size() == 2);
    CHECK(list.requested() == r);
    CHECK_FALSE(list.complete());
    CHECK_FALSE(list.contains("drained"));
  }
}

TEST_CASE("the walk ends at the last node and does not continue in search of more") {
  // Counted, not timed: the predicate sees every vnode that the walk passes.
  HashRing<> ring(RingOptions{100'000});
  ring.add("a");
  ring.add("b");
  std::size_t calls = 0;
  const auto is_live = [&](const std::string&) {
    ++calls;
    return true;
  };
  CHECK(ring.preference_list("key", 3, Spread::nodes, is_live).size() == 2);
  CHECK(calls <= 100);
  calls = 0;
  const auto only_a = [&](const std::string& node) {
    ++calls;
    return node == "a";
  };
  CHECK(ids(ring.preference_list("key", 3, Spread::nodes, only_a)) == Ids{"a"});
  CHECK(calls <= 100);
  calls = 0;
  const auto nobody = [&](const std::string&) {
    ++calls;
    return false;
  };
  CHECK(ring.preference_list("key", 3, Spread::nodes, nobody).empty());
  CHECK(calls <= 100);
}

TEST_CASE(
    "Spread::racks always takes a new rack, and a used one only as far as R exceeds the racks") {
  const TokenRing<> ring = racks_of_five();
  CHECK(ring.default_spread() == Spread::racks);
  CHECK(ids(ring.preference_list(Position{5}, 3)) == Ids{"B", "C", "E"});
  CHECK(ids(ring.preference_list(Position{5}, 4)) == Ids{"B", "C", "D", "E"});
  CHECK(ids(ring.preference_list(Position{5}, 5)) == Ids{"B", "C", "D", "E", "A"});
  CHECK(ids(ring.preference_list(Position{5}, 6)) == Ids{"B", "C", "D", "E", "A"});
  CHECK(ids(ring.preference_list(Position{11}, 3)) == Ids{"C", "E", "A"});
  CHECK(ids(ring.preference_list(Position{41}, 3)) == Ids{"A", "C", "E"});
  CHECK(ids(ring.preference_list(Position{5}, 3, Spread::nodes)) == Ids{"B", "C", "D"});
  CHECK_FALSE(ring.preference_list(Position{5}, 6).complete());
}

TEST_CASE("Spread::racks_only never uses a rack twice and reports a short list") {
  const TokenRing<> ring = racks_of_five();
  CHECK(ids(ring.preference_list(Position{5}, 4, Spread::racks_only)) == Ids{"B", "C", "E"});
  CHECK_FALSE(ring.preference_list(Position{5}, 4, Spread::racks_only).complete());
  CHECK(ring.preference_list(Position{5}, 3, Spread::racks_only).complete());
}

TEST_CASE("three racks and R = 4: four nodes, one or two per rack") {
  HashRing<> ring(RingOptions{32});
  for (int i = 0; i < 9; ++i) {
    ring.add("n" + std::to_string(i), {1, "r" + std::to_string(i % 3), ""});
  }
  std::size_t wrong = 0;
  for (const std::string& key : clockwise_test::real_keys(1000)) {
    const auto list = ring.preference_list(key, 4);
    std::vector<int> used(3);
    for (const std::string& node : list) {
      ++used[static_cast<std::size_t>(ring.members()[ring.index_of(node)].rack[1] - '0')];
    }
    const auto [fewest, most] = std::minmax_element(used.begin(), used.end());
    wrong += list.size() == 4 && *fewest == 1 && *most == 2 ? 0u : 1u;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a node that is down keeps its keys, and its substitute follows the nodes that are up") {
  const TokenRing<> ring = racks_of_five();
  const auto without = [](const char* down) {
    return [down](const std::string& node) { return node != down; };
  };
  auto list = ring.preference_list(Position{5}, 3, Spread::nodes, without("B"));
  CHECK(ids(list) == Ids{"C", "D", "E"});
  CHECK(list.first_substitute() == 2);
  CHECK(list.is_substitute(2));
  CHECK_FALSE(list.is_substitute(1));
  list = ring.preference_list(Position{5}, 3, Spread::racks, without("C"));
  CHECK(ids(list) == Ids{"B", "E", "D"});
  CHECK(list.first_substitute() == 2);
  list = ring.preference_list(Position{5}, 3, Spread::racks, without("A"));
  CHECK(ids(list) == Ids{"B", "C", "E"});
  CHECK(list.first_substitute() == 3);
  // Without r3 two racks are left, so one of them has two replicas.
  list = ring.preference_list(Position{5}, 3, Spread::racks, without("E"));
  CHECK(ids(list) == Ids{"B", "C", "D"});
  list = ring.preference_list(Position{5}, 3, Spread::racks_only, without("E"));
  CHECK(ids(list) == Ids{"B", "C"});
  CHECK_FALSE(list.complete());
}

TEST_CASE("replicas by datacenter follow the rule in each datacenter") {
  TokenRing<> ring;
  ring.add("a0", NodeOptions{1, "", "dc1"}, {0});
  ring.add("a1", NodeOptions{1, "", "dc1"}, {1});
  ring.add("a2", NodeOptions{1, "", "dc1"}, {2});
  ring.add("b0", NodeOptions{1, "", "dc2"}, {100});
  ring.add("b1", NodeOptions{1, "", "dc2"}, {101});
  ring.add("c0", NodeOptions{1, "", "dc3"}, {200});
  CHECK(ids(ring.preference_list(Position{0}, {{"dc1", 2}, {"dc2", 2}, {"dc3", 1}})) ==
        Ids{"a0", "a1", "b0", "b1", "c0"});
  CHECK(ids(ring.preference_list(Position{101}, {{"dc1", 1}, {"dc2", 1}})) == Ids{"b1", "a0"});
  const auto short_list = ring.preference_list(Position{0}, {{"dc3", 2}, {"nowhere", 1}});
  CHECK(ids(short_list) == Ids{"c0"});
  CHECK(short_list.requested() == 3);
  CHECK_FALSE(short_list.complete());
  const std::size_t most = (std::numeric_limits<std::size_t>::max)();
  const auto all = ring.preference_list(Position{0}, {{"dc1", most}, {"dc2", most}});
  CHECK(all.size() == 5);
  CHECK(all.requested() == most);
  CHECK(fails_with<std::invalid_argument>(
      "\"dc1\"", [&] { ring.preference_list(Position{0}, {{"dc1", 1}, {"dc2", 1}, {"dc1", 2}}); }));
}

TEST_CASE("successors are all distinct nodes, lazily, in the order of the longest list") {
  HashRing<> ring(clockwise_test::numbered("n", 30), RingOptions{10});
  ring.add("drained", 0);
  std::size_t wrong = 0;
  for (const std::string& key : clockwise_test::real_keys(300)) {
    Ids seen;
    for (const std::string& node : ring.successors(key)) seen.push_back(node);
    wrong += seen == ids(ring.preference_list(key, 30)) ? 0u : 1u;
  }
  CHECK(wrong == 0);

  using Successors = decltype(ring.successors("key"));
  static_assert(std::ranges::input_range<Successors>);
  static_assert(std::is_same_v<std::ranges::range_reference_t<Successors>, const std::string&>);
  auto successors = ring.successors("key");
  auto it = successors.begin();
  CHECK(&*it == &ring.lookup("key"));
  CHECK(it->size() == it->length());
  ++it;
  CHECK(*it == ring.preference_list("key", 2)[1]);

  auto moved = std::move(successors);  // as a view that takes over the range does
  Ids rest;
  for (const std::string& node : moved) rest.push_back(node);
  Ids all_nodes = ids(ring.preference_list("key", 30));
  all_nodes.erase(all_nodes.begin());
  CHECK(rest == all_nodes);

  const HashRing lone({"only"});
  auto all = lone.successors("key");
  CHECK(std::ranges::distance(all) == 1);
}

TEST_CASE("successors work for more nodes than one word has bits") {
  // Above 65,536 nodes, numbers share a bit, and the walk must distinguish them.
  constexpr std::size_t nodes = 66'000;
  const HashRing<clockwise::Xxh3, int, std::uint32_t> ring(
      [] {
        std::vector<int> numbers;
        for (int i = 0; i < static_cast<int>(nodes); ++i) numbers.push_back(i);
        return numbers;
      }(),
      RingOptions{1});
  std::vector<bool> met(nodes);
  std::size_t count = 0;
  for (const int node : ring.successors("key")) {
    if (met[static_cast<std::size_t>(node)]) break;
    met[static_cast<std::size_t>(node)] = true;
    ++count;
  }
  CHECK(count == nodes);
}

TEST_CASE("substitutes in a long list are not among its natural replicas") {
  HashRing<> ring(RingOptions{20});
  for (int i = 0; i < 40; ++i) {
    ring.add("n" + std::to_string(i), NodeOptions{.rack = "r" + std::to_string(i % 7)});
  }
  const auto is_live = [](const std::string& node) { return node.back() != '3'; };
  for (const Spread spread : {Spread::nodes, Spread::racks}) {
    for (const std::size_t r : {std::size_t{8}, std::size_t{9}, std::size_t{12}, std::size_t{30},
                                std::size_t{36}, std::size_t{40}}) {
      CAPTURE(r);
      for (int key = 0; key < 20; ++key) {
        Ids expected;
        for (const auto& node : ring.preference_list(key, r, spread)) {
          if (is_live(node)) expected.push_back(node);
        }
        const auto list = ring.preference_list(key, r, spread, is_live);
        CHECK(list.size() == (std::min)(r, std::size_t{36}));  // n3, n13, n23 and n33 are down
        CHECK(list.first_substitute() == expected.size());
        CHECK(std::equal(expected.begin(), expected.end(), list.begin()));
        CHECK(std::set<std::string>(list.begin(), list.end()).size() == list.size());
        CHECK(std::all_of(list.begin(), list.end(), is_live));
      }
    }
  }
}

TEST_CASE("a replica list is a range of references into the ring") {
  const HashRing ring({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
  using List = ReplicaList<std::string>;
  static_assert(std::ranges::random_access_range<List>);
  static_assert(std::is_same_v<decltype(List()[0]), const std::string&>);
  for (const std::size_t r : {std::size_t{3}, std::size_t{8}, std::size_t{9}, std::size_t{10}}) {
    const List list = ring.preference_list("key", r);
    const List copy = list;
    REQUIRE(copy.size() == r);
    for (std::size_t i = 0; i < r; ++i) {
      CHECK(&copy[i] == &ring.node(ring.index_of(copy[i])));
      CHECK(&copy.begin()[static_cast<std::ptrdiff_t>(i)] == &list[i]);
    }
    CHECK(copy.end() - copy.begin() == static_cast<std::ptrdiff_t>(r));
    CHECK(copy.begin()->size() == 1);
  }
  CHECK(List().empty());
  CHECK(List().complete());
}

}  // namespace replicas_test
