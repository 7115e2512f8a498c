// SPDX-License-Identifier: MIT
#include "clockwise/slot_map.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/balance.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/movement.hpp"
#include "support/failing_memory.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"
#include "support/scheme_laws.hpp"

namespace slot_map_test {

using namespace clockwise_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::NodeOptions;
using clockwise::SlotMap;
using clockwise::SlotMapOptions;
using clockwise::SlotState;
using Kind = clockwise::SlotAnswer<std::string>::Kind;

static_assert(clockwise::Partitioner<SlotMap<>>);
static_assert(clockwise::RemovesAny<SlotMap<>>);
static_assert(clockwise::Ring<SlotMap<>>);

namespace {

SlotMap<> fleet(std::size_t nodes, std::uint32_t slots) {
  SlotMap<> map(SlotMapOptions{slots});
  map.add_all(numbered("node", nodes));
  return map;
}

/// Slots held, by member; the table and the members' counts must agree.
std::map<std::string, std::uint32_t> held(const SlotMap<>& map) {
  std::map<std::string, std::uint32_t> counts;
  for (const auto& member : map.members()) counts[member.node] = 0;
  for (const auto owner : map.owners()) ++counts[map.node(owner)];
  for (const auto& member : map.members()) CHECK(counts[member.node] == member.vnodes);
  return counts;
}

std::pair<std::uint32_t, std::uint32_t> fewest_and_most(const SlotMap<>& map) {
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max(), most = 0;
  for (const auto& [id, count] : held(map)) {
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  return {fewest, most};
}

}  // namespace

TEST_CASE("A slot is an arc: the top of the hash, with equal numbers of positions") {
  for (const std::uint32_t slots : {1u, 2u, 3u, 7u, 256u, 1000u, 1024u, 16384u, 1048576u}) {
    const auto map = fleet(1, slots);
    REQUIRE(map.vnode_count() == slots);
    // The arcs' ends, by definition: the last position p with floor(p * slots / 2^64) == slot.
    std::mt19937_64 random(slots);
    for (int i = 0; i < 200; ++i) {
      const auto slot = static_cast<std::uint32_t>(i < 2 ? (slots - 1) * static_cast<unsigned>(i)
                                                         : random() % slots);
      const std::uint64_t last = map.positions()[slot];
      CHECK(map.slot_of(clockwise::Position{last}) == slot);
      CHECK(map.slot_of(clockwise::Position{last + 1}) == (slot + 1) % slots);
    }
  }
  const auto map = fleet(5, 1000);
  for (const auto& key : real_keys(20000)) {
    const auto position = map.position_of(key);
    // The direct read and the search of the table agree.
    if (map.owners()[map.slot_of(key)] !=
        clockwise::detail::RingAccess::table(map).owner_of(static_cast<std::uint64_t>(position)))
      FAIL(key);
    if (map.lookup(key) != map.owner_of(map.slot_of(key))) FAIL(key);
  }
}

TEST_CASE("An even assignment: 1,024 slots over 17 nodes give 60 or 61 each") {
  const auto map = fleet(17, 1024);
  CHECK(fewest_and_most(map) == std::pair{60u, 61u});
  const double peak = clockwise::balance(map).peak_to_mean;
  CHECK(std::abs(peak - 61 * 17.0 / 1024) < 1e-12);  // 1.013
}

TEST_CASE("A join moves only the slots that the joiner gets; a leave only the leaver's") {
  for (const std::uint32_t slots : {256u, 1024u, 16384u}) {
    auto map = fleet(1, slots);
    for (std::size_t n = 2; n <= 20; ++n) {
      const auto before = map;
      const std::string joiner = "node" + std::to_string(n * 7);
      map.add(joiner);
      const auto [fewest, most] = fewest_and_most(map);
      CHECK(most - fewest <= 1);
      const auto moves = slot_moves(before, map);
      CHECK(moves.size() == slots / n);  // the fewest that leave the joiner within one of the rest
      for (const auto& move : moves) CHECK(move.to == joiner);
      CHECK(std::abs(clockwise::movement(before, map).fraction() -
                     static_cast<double>(moves.size()) / slots) < 1e-9);
    }
    for (std::size_t n = 20; n > 1; --n) {
      const auto before = map;
      const std::string leaver = map.members()[n / 2].node;
      const auto had = map.members()[n / 2].vnodes;
      CHECK(map.remove(leaver));
      const auto [fewest, most] = fewest_and_most(map);
      CHECK(most - fewest <= 1);
      const auto moves = slot_moves(before, map);
      CHECK(moves.size() == had);
      for (const auto& move : moves) CHECK(move.from == leaver);
    }
  }
}

TEST_CASE(
    "After any history of joins, leaves and weights, quotas hold and the fewest slots moved") {
  std::mt19937_64 random(5);
  SlotMap<> map(SlotMapOptions{1000});
  std::map<std::string, double> weights;
  for (int step = 0; step < 400; ++step) {
    const auto before = held(map);
    const auto old = map;
    const std::string id = "node" + std::to_string(random() % 25);
    const double weight = static_cast<double>(random() % 5);
    if (weights.count(id) == 0) {
      map.add(id, weight);
      weights[id] = weight;
    } else if (random() % 2 == 0) {
      map.set_weight(id, weight);
      weights[id] = weight;
    } else {
      CHECK(map.remove(id));
      weights.erase(id);
    }
    double total = 0;
    for (const auto& [node, w] : weights) total += w;
    if (total == 0) {
      CHECK(map.vnode_count() == 0);
      continue;
    }
    std::uint32_t taken = 0;
    for (const auto& [node, count] : held(map)) {
      const double quota = 1000 * weights[node] / total;
      if (std::abs(count - quota) >= 1) FAIL(node << " holds " << count << " of " << quota);
      const auto was = before.find(node);
      const std::uint32_t had = was == before.end() ? 0 : was->second;
      if (count > had) taken += count - had;
    }
    // No slot moves between two members that both gain or both lose.
    if (old.vnode_count() > 0) CHECK(slot_moves(old, map).size() == taken);
  }
}

TEST_CASE("Four masters of 4,096 slots, one drained") {
  auto map = fleet(4, 16384);
  const auto before = map;
  for (const auto& [id, count] : held(map)) CHECK(count == 4096);
  map.set_weight("node2", 0);
  auto counts = held(map);
  CHECK(counts["node2"] == 0);
  counts.erase("node2");
  for (const auto& [id, count] : counts) CHECK((count == 5461 || count == 5462));
  CHECK(slot_moves(before, map).size() == 4096);
}

TEST_CASE("Replicas of a slot are on distinct nodes, from every slot, including the wrap") {
  for (const auto& [slots, nodes, replicas] :
       {std::tuple{64u, 7u, 3u}, {32u, 5u, 3u}, {16u, 5u, 3u}, {64u, 5u, 3u}}) {
    const auto map = fleet(nodes, slots);
    std::map<std::string, int> copies;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const auto list = map.replicas_of(slot, replicas);
      CHECK(list.complete());
      CHECK(list.front() == map.owner_of(slot));
      const std::set<std::string> distinct(list.begin(), list.end());
      CHECK(distinct.size() == replicas);
      for (const auto& node : distinct) ++copies[node];
    }
    CHECK(copies.size() == nodes);
  }
}

TEST_CASE("Replicas of a slot span racks") {
  SlotMap<> map(SlotMapOptions{64});
  for (int i = 0; i < 9; ++i) {
    map.add("node" + std::to_string(i),
            NodeOptions{.rack = "r" + std::to_string(i % 3), .datacenter = ""});
  }
  for (std::uint32_t slot = 0; slot < 64; ++slot) {
    std::set<std::string> racks;
    for (const auto& node : map.replicas_of(slot, 3)) {
      racks.insert(map.members()[map.index_of(node)].rack);
    }
    CHECK(racks.size() == 3);
  }
  CHECK(map.replicas_of(63, 4).complete());
  CHECK_FALSE(map.preference_list("key", 4, clockwise::Spread::racks_only).complete());
}

TEST_CASE("A migrating slot: the answer of each node") {
  SlotMap<> map({"a", "b", "c"}, {.slots = 12});
  const std::uint32_t slot = 0;
  const std::string owner = map.owner_of(slot);
  std::vector<std::string> others;
  for (const auto& member : map.members()) {
    if (member.node != owner) others.push_back(member.node);
  }
  const std::string target = others[0], bystander = others[1];
  const auto check = [&](const std::string& at, bool present, bool asking, Kind kind,
                         const std::string& node) {
    const auto answer = map.answer(at, slot, {.key_present = present, .asking = asking});
    CHECK(answer.kind == kind);
    CHECK((answer.node == nullptr ? "" : *answer.node) == node);
  };

  SECTION("stable") {
    for (const bool asking : {false, true}) {
      check(owner, true, asking, Kind::serve, "");
      check(owner, false, asking, Kind::serve, "");
      check(target, false, asking, Kind::moved, owner);
    }
  }
  SECTION("migrating and importing") {
    map.migrate(slot, target);
    CHECK(map.state(slot, owner) == SlotState::migrating);
    CHECK(map.state(slot, target) == SlotState::importing);
    CHECK(map.state(slot, bystander) == SlotState::stable);
    CHECK(map.state(slot + 1, target) == SlotState::stable);
    CHECK(map.owner_of(slot) == owner);
    CHECK(*map.migrating_to(slot) == target);
    check(owner, true, false, Kind::serve, "");
    check(owner, false, false, Kind::ask, target);
    check(target, true, false, Kind::moved, owner);
    check(target, false, true, Kind::serve, "");
    check(bystander, true, true, Kind::moved, owner);

    SECTION("arrives") {
      map.assign(slot, target);
      CHECK(map.migrations() == 0);
      CHECK(map.owner_of(slot) == target);
      check(target, false, false, Kind::serve, "");
      check(owner, true, false, Kind::moved, target);
    }
    SECTION("is called off") {
      CHECK(map.cancel(slot));
      CHECK_FALSE(map.cancel(slot));
      check(owner, false, false, Kind::serve, "");
    }
    SECTION("changes its target") {
      map.migrate(slot, bystander);
      CHECK(map.migrations() == 1);
      CHECK(*map.migrating_to(slot) == bystander);
    }
    SECTION("ends with its target's leave, not with another's") {
      auto without_bystander = map;
      CHECK(without_bystander.remove(bystander));
      CHECK(without_bystander.migrations() == 1);
      CHECK(*without_bystander.migrating_to(slot) == target);
      CHECK(map.remove(target));
      CHECK(map.migrations() == 0);
    }
  }
}

TEST_CASE("A join by migration: plan on a copy, move slot by slot") {
  auto map = fleet(4, 256);
  map.add("joiner", 0);  // a member, so that slots can move to it
  auto wanted = map;
  wanted.set_weight("joiner", 1);
  const auto moves = slot_moves(map, wanted);
  CHECK(moves.size() == 256 / 5);
  for (const auto& move : moves) map.migrate(move.slot, move.to);
  CHECK(map.migrations() == moves.size());
  for (const auto& move : moves) map.assign(move.slot, move.to);
  CHECK(map.migrations() == 0);
  CHECK(slot_moves(map, wanted).empty());
  map.set_weight("joiner", 1);  // the quotas already hold
  CHECK(slot_moves(map, wanted).empty());
  CHECK(map.fingerprint() == wanted.fingerprint());
}

TEST_CASE("A table is restored from the owners of its slots") {
  auto map = fleet(5, 64);
  CHECK(map.remove("node1"));
  map.assign(3, "node4");
  std::vector<std::string> table;
  for (std::uint32_t slot = 0; slot < 64; ++slot) table.push_back(map.owner_of(slot));

  SlotMap<> copy(SlotMapOptions{64});
  copy.add_all(std::vector<std::string>{"node4", "node3", "node0", "node2"});
  copy.assign_all(table);
  CHECK(copy.fingerprint() == map.fingerprint());
  check_same_owners(map, copy, real_keys(1000));
  table.pop_back();
  CHECK_THROWS_MATCHES(copy.assign_all(table), std::invalid_argument,
                       MessageMatches(ContainsSubstring("63 owners for 64 slots")));
}

TEST_CASE("One history gives one table; fingerprints distinguish tables") {
  const auto a = fleet(7, 1024), b = fleet(7, 1024);
  CHECK(a.fingerprint() == b.fingerprint());
  auto c = b;
  CHECK(c.remove("node3"));
  c.add("node3");
  CHECK(c.fingerprint() != b.fingerprint());  // a table depends on its history
  CHECK(fleet(7, 512).fingerprint() != a.fingerprint());
}

TEST_CASE("Maps are equal if they place all keys alike") {
  auto a = fleet(7, 1024);
  auto b = a;
  CHECK(a == b);
  b.migrate(0, b.owner_of(0) == "node0" ? "node1" : "node0");
  CHECK(a == b);  // no owner has changed
  b.assign(0, *b.migrating_to(0));
  CHECK(a != b);
  b = a;
  b.set_options("node3", {.rack = "r1"});
  CHECK(a != b);
  CHECK(SlotMap<>(SlotMapOptions{8}) != SlotMap<>(SlotMapOptions{16}));
  const SlotMap<> other_seed({"a"}, {}, clockwise::Xxh3{1});
  CHECK(other_seed != SlotMap<>({"a"}));
}

TEST_CASE("Assigned slots stay until a member joins, leaves or has another weight") {
  auto map = fleet(4, 64);
  map.assign_all(std::vector<std::string>(64, "node1"));
  const auto assigned = map;
  map.set_options("node2", {.rack = "r1"});
  map.set_weight("node3", 1);  // the weight that it has
  map.set_node("node0");
  CHECK(slot_moves(assigned, map).empty());
  CHECK(map.member("node2").rack == "r1");
  map.set_weight("node3", 2);
  CHECK(held(map)["node3"] == 25);  // 2/5 of 64; the others' quotas have larger rests
}

TEST_CASE("Several changes in one update move fewer slots than one by one") {
  const auto before = fleet(10, 1000);
  auto at_once = before, one_by_one = before;
  at_once.update([](auto& edit) {
    for (const char* id : {"node1", "node2", "node3"}) CHECK(edit.remove(id));
    edit.add_all({"x", "y", {"z", 2}});
    edit.set_weight("z", 1);
    CHECK(edit.contains("x"));
    CHECK_FALSE(edit.contains("node1"));
  });
  for (const char* id : {"node1", "node2", "node3"}) CHECK(one_by_one.remove(id));
  for (const char* id : {"x", "y", "z"}) one_by_one.add(id);
  CHECK(slot_moves(before, at_once).size() == 300);  // the slots of those that leave
  CHECK(slot_moves(before, at_once).size() < slot_moves(before, one_by_one).size());
  CHECK(held(at_once)["z"] == 100);
}

TEST_CASE("A member that is removed and added again in one update keeps its slots") {
  const auto before = fleet(7, 1024);
  auto map = before;
  map.migrate(0, map.owner_of(0) == "node3" ? "node4" : "node3");
  const std::string target = *map.migrating_to(0);
  map.update([&](auto& edit) {
    CHECK(edit.remove(target));
    edit.add(target, NodeOptions{.rack = "r9"});
  });
  CHECK(slot_moves(before, map).empty());
  CHECK(map.members()[map.index_of(target)].rack == "r9");
  CHECK(*map.migrating_to(0) == target);
}

TEST_CASE("An update that fails changes nothing, migrations included") {
  auto map = fleet(5, 64);
  map.migrate(0, map.owner_of(0) == "node3" ? "node4" : "node3");
  const auto before = map;
  CHECK_THROWS_AS(map.update([](auto& edit) {
    CHECK(edit.remove("node3"));
    CHECK(edit.remove("node4"));
    edit.set_weight("node0", -1);
  }),
                  std::invalid_argument);
  CHECK(map == before);
  CHECK(map.fingerprint() == before.fingerprint());
  CHECK(map.migrations() == 1);
}

TEST_CASE("Racks, datacenters and weights change in one step; a cleared map keeps its slots") {
  auto map = fleet(4, 64);
  map.set_options("node2", {.weight = 3, .rack = "r1", .datacenter = "east"});
  CHECK(held(map)["node2"] == 32);
  CHECK(map.members()[2].rack == "r1");
  CHECK(map.members()[2].datacenter == "east");
  map.migrate(0, map.owner_of(0) == "node2" ? "node1" : "node2");
  const auto full = map.memory_bytes();
  CHECK(full > 64 * (sizeof(std::uint64_t) + sizeof(std::uint16_t)));
  map.clear();
  CHECK(map.empty());
  CHECK(map.slot_count() == 64);
  CHECK(map.migrations() == 0);
  CHECK(map.try_lookup("key") == nullptr);
  CHECK(map.memory_bytes() < full);
  CHECK(map == SlotMap<>(SlotMapOptions{64}));
}

TEST_CASE("Members are entries, in every spelling") {
  const SlotMap<> weighted({{"a", 2}, {"b", 1}, {"c", {.rack = "r1"}}}, {.slots = 4});
  CHECK(held(weighted) == std::map<std::string, std::uint32_t>{{"a", 2}, {"b", 1}, {"c", 1}});
  const std::map<std::string, double> by_weight{{"a", 2}, {"b", 1}, {"c", 1}};
  const SlotMap from_range(by_weight, {.slots = 4});
  CHECK(slot_moves(weighted, from_range).empty());
  const SlotMap<> copied(weighted.members(), {.slots = 4});
  CHECK(copied == weighted);
  const SlotMap<clockwise::Xxh3, int> numbers({3, 1, 2}, {.slots = 6});
  CHECK(numbers.size() == 3);
  CHECK(numbers.contains(2));
  std::vector<std::uint16_t> owners(2);
  const std::vector<clockwise::Position> keys{clockwise::Position{0}, clockwise::Position{~0ull}};
  numbers.lookup_batch(keys, owners);
  CHECK(owners[0] == numbers.owners().front());
  CHECK(owners[1] == numbers.owners().back());
}

TEST_CASE("A moved-from map is empty") {
  auto map = fleet(3, 64);
  map.migrate(0, map.owner_of(0) == "node1" ? "node2" : "node1");
  const auto kept = map;
  const auto moved = std::move(map);
  CHECK(moved == kept);
  CHECK(moved.migrations() == 1);
  CHECK(map.try_lookup("key") == nullptr);  // NOLINT: moved from
  CHECK(map.migrations() == 0);
  CHECK(map.migrating_to(0) == nullptr);
  map = kept;
  CHECK(map == kept);
}

TEST_CASE("A map is unchanged if an allocation fails") {
  const auto check = [](const auto& change) {
    auto map = fleet(5, 64);
    map.migrate(0, map.owner_of(0) == "node3" ? "node4" : "node3");
    const auto before = map;
    const auto unchanged = [&] {
      CHECK(map == before);
      CHECK(map.fingerprint() == before.fingerprint());
      CHECK(map.migrations() == 1);
      CHECK(*map.migrating_to(0) == *before.migrating_to(0));
    };
    return fail_each_allocation([&] { change(map); }, unchanged);
  };
  using Map = SlotMap<>;
  const std::vector<std::string> table(64, "node1");
  CHECK(check([](Map& map) { map.add("a node whose name is no short string", 2); }) > 5);
  CHECK(check([](Map& map) { map.remove("node3"); }) > 5);
  CHECK(check([](Map& map) { map.set_weight("node3", 4); }) > 5);
  CHECK(check([](Map& map) { map.set_options("node3", {.rack = "r1"}); }) > 5);
  CHECK(check([](Map& map) { map.assign(1, "node3"); }) > 2);
  CHECK(check([&](Map& map) { map.assign_all(table); }) > 2);
  CHECK(check([](Map& map) { map.migrate(9, map.owner_of(9) == "node3" ? "node4" : "node3"); }) ==
        1);
  CHECK(check([](Map& map) { map.cancel(0); }) == 0);
  CHECK(check([](Map& map) { map.clear(); }) == 0);
}

TEST_CASE("A slot without an owner does not migrate") {
  SlotMap<> map({{"a", 1}, {"b", 0}}, {.slots = 8});
  map.migrate(3, "b");
  CHECK(map.remove("a"));  // nothing is owned now
  CHECK(map.vnode_count() == 0);
  CHECK(map.migrations() == 0);
}

TEST_CASE("Preference lists of a slot map") {
  check_preference_lists(fleet(9, 256), 9, real_keys(300));
}

TEST_CASE("With more members than slots, members without a slot own nothing") {
  const auto map = fleet(10, 4);
  CHECK(fewest_and_most(map) == std::pair{0u, 1u});
  check_preference_lists(map, 4, {"a", "b", "c"});
}

TEST_CASE("Bad input to a slot map is named and changes nothing") {
  for (const std::uint32_t slots : {0u, 1048577u}) {
    CHECK_THROWS_MATCHES(SlotMap<>(SlotMapOptions{slots}), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(slots))));
  }
  auto map = fleet(3, 64);
  const auto before = map.fingerprint();
  CHECK_THROWS_MATCHES(map.add("node1"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("\"node1\" is already a member")));
  CHECK_THROWS_AS(map.add(""), std::invalid_argument);
  CHECK_THROWS_AS(map.add_all(std::vector<std::string>{"x", "x"}), std::invalid_argument);
  CHECK_THROWS_MATCHES(
      map.add("heavy", -1), std::invalid_argument,
      MessageMatches(ContainsSubstring("\"heavy\" must be finite and not negative, got -1")));
  CHECK_THROWS_MATCHES(map.set_weight("stranger", 1), std::out_of_range,
                       MessageMatches(ContainsSubstring("\"stranger\"")));
  CHECK_THROWS_MATCHES(map.assign(64, "node1"), std::out_of_range,
                       MessageMatches(ContainsSubstring("at most 63, got 64")));
  CHECK_THROWS_AS(map.assign(0, "stranger"), std::out_of_range);
  CHECK_THROWS_AS(map.migrate(0, "stranger"), std::out_of_range);
  CHECK_THROWS_MATCHES(map.migrate(0, map.owner_of(0)), std::invalid_argument,
                       MessageMatches(ContainsSubstring("already owns slot 0")));
  CHECK_THROWS_AS(map.state(64, "node1"), std::out_of_range);
  CHECK_FALSE(map.remove("stranger"));
  CHECK(map.fingerprint() == before);

  SlotMap<> nobody;
  CHECK_THROWS_AS(nobody.lookup("key"), std::out_of_range);
  CHECK_THROWS_AS(nobody.owner_of(0), std::out_of_range);
  nobody.add("a", 0);
  CHECK(nobody.try_lookup("key") == nullptr);
  CHECK_THROWS_AS(nobody.assign(0, "a"), std::out_of_range);  // use assign_all instead
  nobody.assign_all(std::vector<std::string>(1024, "a"));
  CHECK(nobody.lookup("key") == "a");

  SlotMap<clockwise::Xxh3, std::string, std::uint8_t> small(SlotMapOptions{16});
  small.add_all(numbered("node", 255));
  CHECK_THROWS_MATCHES(small.add("more"), std::length_error,
                       MessageMatches(ContainsSubstring("got 256")));
}

}  // namespace slot_map_test
