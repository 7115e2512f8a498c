// SPDX-License-Identifier: MIT
// Which nodes are members, which are up, and which change is pending.

#include "clockwise/fleet.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/transition.hpp"
#include "support/errors.hpp"
#include "support/failing_memory.hpp"
#include "support/keys.hpp"

namespace fleet_test {

using clockwise::Fleet;
using clockwise::FleetOptions;
using clockwise::HashRing;
using clockwise::MemberState;
using clockwise::NodeOptions;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise::Transition;
using clockwise_test::fail_each_allocation;
using clockwise_test::fails_with;
using clockwise_test::numbered;

namespace {

HashRing<> ring_of(std::size_t nodes) { return HashRing<>(numbered("node", nodes)); }

/// The events of check(), as "+node" for up and "-node" for down.
template <class AnyFleet>
std::vector<std::string> checked(AnyFleet& fleet, clockwise::FleetTime now) {
  std::vector<std::string> events;
  for (const auto& event : fleet.check(now)) events.push_back((event.up ? "+" : "-") + event.node);
  return events;
}
using Events = std::vector<std::string>;

template <class AnyFleet>
void hear_all(AnyFleet& fleet, clockwise::FleetTime now, std::string_view but = "") {
  for (const auto& row : fleet.members()) {
    if (row.node != but) fleet.heard(row.node, now);
  }
}

}  // namespace

TEST_CASE("a silent node goes down and keeps its arcs, and its keys have substitutes") {
  Fleet fleet(ring_of(5), {.down_after = 10, .up_after = 30}, 100);
  const HashRing<> before = fleet.ring();
  hear_all(fleet, 105);
  CHECK(checked(fleet, 115).empty());
  hear_all(fleet, 115, "node2");
  CHECK(checked(fleet, 115).empty());  // ten units of silence are allowed
  CHECK(checked(fleet, 116) == Events{"-node2"});
  CHECK(checked(fleet, 116).empty());  // reported once
  CHECK(fleet.state("node2") == MemberState::down);
  CHECK(fleet.state("node1") == MemberState::up);
  CHECK_FALSE(fleet.is_live("node2"));

  CHECK(fleet.ring() == before);
  CHECK(fleet.target() == before);
  CHECK(fleet.epoch() == 1);
  std::size_t substituted = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const auto list = fleet.ring().preference_list(key, {3, Spread::nodes}, fleet.live());
    CHECK_FALSE(list.contains("node2"));
    CHECK(list.complete());
    substituted += list.first_substitute() < list.size() ? 1u : 0u;
  }
  CHECK(substituted > 0);
}

TEST_CASE("a flapping node stays down until it has been healthy for long enough") {
  Fleet fleet(ring_of(3), {.down_after = 10, .up_after = 30}, 0);
  const auto run = [&](clockwise::FleetTime from, clockwise::FleetTime to) {
    Events events;
    for (clockwise::FleetTime now = from; now <= to; now += 5) {
      hear_all(fleet, now, "node0");
      fleet.heard("node0", now);
      for (auto& event : checked(fleet, now)) events.push_back(event);
    }
    return events;
  };
  const auto silence = [&](clockwise::FleetTime from, clockwise::FleetTime to) {
    Events events;
    for (clockwise::FleetTime now = from; now <= to; now += 5) {
      hear_all(fleet, now, "node0");
      for (auto& event : checked(fleet, now)) events.push_back(event);
    }
    return events;
  };
  CHECK(silence(5, 20) == Events{"-node0"});
  CHECK(run(25, 50).empty());                // 25 units of health: not enough
  CHECK(silence(55, 65).empty());            // down throughout
  CHECK(run(70, 95).empty());                // and 25 more do not add up
  CHECK(run(100, 100) == Events{"+node0"});  // 30 in a row
  CHECK(fleet.state("node0") == MemberState::up);
  // A short silence does not count.
  CHECK(silence(105, 110).empty());
  CHECK(run(115, 120).empty());
}

TEST_CASE("reports that are late, repeated or of unknown nodes do no harm") {
  Fleet fleet(ring_of(3), {.down_after = 10}, 50);
  CHECK(fleet.heard("node0", 60));
  CHECK(fleet.heard("node0", 60));
  CHECK(fleet.heard("node0", 20));
  CHECK_FALSE(fleet.heard("stranger", 60));
  CHECK(checked(fleet, 30).empty());  // a clock that is slow
  CHECK(checked(fleet, 65) == Events{"-node1", "-node2"});
  CHECK_FALSE(fleet.is_live("stranger"));
  CHECK(checked(fleet, ~clockwise::FleetTime{0}) == Events{"-node0"});
}

TEST_CASE("joins and leaves are pending until they are committed") {
  Fleet fleet(ring_of(4), {}, 0);
  const HashRing<> before = fleet.ring();
  auto epoch = fleet.join(fleet.epoch(), "joiner", NodeOptions{.weight = 2});
  epoch = fleet.leave(epoch, "node1");
  CHECK(epoch == 3);
  CHECK(fleet.epoch() == 3);
  CHECK(fleet.ring() == before);
  HashRing<> after = before;
  after.add("joiner", 2);
  after.remove("node1");
  CHECK(fleet.target() == after);
  CHECK(fleet.state("joiner") == MemberState::joining);
  CHECK(fleet.state("node1") == MemberState::leaving);
  CHECK(fleet.state("node2") == MemberState::up);
  const auto rows = fleet.members();
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].node == "joiner");
  CHECK(rows[4].node == "node1");
  CHECK(rows[4].up);  // leaving, and serves until the commit

  // A joiner is live once it is heard from.
  CHECK_FALSE(fleet.is_live("joiner"));
  CHECK(fleet.heard("joiner", 5));
  CHECK(fleet.is_live("joiner"));

  Transition move(fleet.ring(), fleet.target(), 2);
  move.complete({0, 0});
  REQUIRE(move.finished());
  CHECK(fleet.commit(epoch) == 4);
  CHECK(fleet.ring() == after);
  CHECK(fleet.target() == after);
  CHECK(fleet.state("joiner") == MemberState::up);
  CHECK(fails_with<std::out_of_range>("\"node1\"", [&] { fleet.state("node1"); }));
  CHECK_FALSE(fleet.heard("node1", 6));
}

TEST_CASE("a change that is rolled back leaves no trace except the epoch") {
  Fleet fleet(ring_of(4), {}, 0);
  const HashRing<> before = fleet.ring();
  auto epoch = fleet.change(fleet.epoch(), [](auto& edit) {
    edit.add("joiner");
    edit.remove("node0");
    edit.set_weight("node1", 3);
  });
  fleet.heard("joiner", 1);
  CHECK(fleet.state("node0") == MemberState::leaving);
  epoch = fleet.rollback(epoch);
  CHECK(epoch == 3);
  CHECK(fleet.ring() == before);
  CHECK(fleet.target() == before);
  CHECK(fleet.state("node0") == MemberState::up);
  CHECK_FALSE(fleet.is_live("joiner"));

  // Adding a leaving member keeps it, and a joiner's leave cancels its join.
  epoch = fleet.leave(epoch, "node0");
  epoch = fleet.join(epoch, "node0");
  CHECK(fleet.target() == before);
  CHECK(fleet.state("node0") == MemberState::up);
  epoch = fleet.join(epoch, "joiner");
  fleet.heard("joiner", 2);
  epoch = fleet.leave(epoch, "joiner");
  CHECK(fleet.target() == before);
  CHECK_FALSE(fleet.is_live("joiner"));
  CHECK(checked(fleet, 100) == Events{"-node0", "-node1", "-node2", "-node3"});
}

TEST_CASE("a change based on a past epoch is refused and changes nothing") {
  Fleet fleet(ring_of(4), {}, 0, 41);
  const auto decided_upon = fleet.epoch();
  CHECK(decided_upon == 41);
  fleet.leave(decided_upon, "node0");
  const HashRing<> target = fleet.target();
  const auto stale = [&](auto action) {
    return fails_with<std::invalid_argument>("for epoch 41; the fleet is at epoch 42", action);
  };
  CHECK(stale([&] { fleet.leave(decided_upon, "node1"); }));
  CHECK(stale([&] { fleet.join(decided_upon, "joiner"); }));
  CHECK(stale([&] { fleet.change(decided_upon, [](auto& edit) { edit.remove("node1"); }); }));
  CHECK(stale([&] { fleet.commit(decided_upon); }));
  CHECK(stale([&] { fleet.rollback(decided_upon); }));
  CHECK(stale([&] { fleet.remove_overdue(decided_upon, 1000); }));
  CHECK(fails_with<std::invalid_argument>("for epoch 43", [&] { fleet.commit(43); }));
  CHECK(fleet.target() == target);
  CHECK(fleet.ring() == ring_of(4));
  CHECK(fleet.epoch() == 42);

  // Health changes in between, which does not invalidate a decision.
  CHECK(fleet.check(1000).size() == 4);
  CHECK(fleet.commit(42) == 43);
}

TEST_CASE("a change that fails does not advance the epoch") {
  Fleet fleet(ring_of(3), {}, 0);
  CHECK(fails_with<std::invalid_argument>("\"node0\"", [&] { fleet.join(1, "node0"); }));
  CHECK(fails_with<std::out_of_range>("\"stranger\"", [&] { fleet.leave(1, "stranger"); }));
  CHECK(fails_with<std::invalid_argument>("weight", [&] {
    fleet.change(1, [](auto& edit) {
      edit.remove("node0");
      edit.add("joiner", -1);
    });
  }));
  CHECK(fleet.epoch() == 1);
  CHECK(fleet.target() == ring_of(3));
  fleet.leave(1, "node0");
  CHECK(fails_with<std::out_of_range>("already leaving", [&] { fleet.leave(2, "node0"); }));
}

TEST_CASE("a node that is down for long is proposed, and leaves only when told to") {
  Fleet fleet(ring_of(5), {.down_after = 10, .up_after = 30, .remove_after = 600}, 0);
  hear_all(fleet, 100, "node3");
  fleet.check(100);
  REQUIRE(fleet.state("node3") == MemberState::down);
  CHECK(fleet.overdue(699).empty());
  CHECK(fleet.overdue(700) == std::vector<std::string>{"node3"});
  CHECK(fleet.state("node3") == MemberState::down);  // a proposal
  CHECK(fleet.remove_overdue(1, 699) == 1);
  CHECK(fleet.remove_overdue(1, 700) == 2);
  CHECK(fleet.state("node3") == MemberState::leaving);
  CHECK_FALSE(fleet.is_live("node3"));
  CHECK(fleet.overdue(800).empty());  // it is already leaving
  CHECK(fleet.ring().contains("node3"));
  fleet.commit(2);
  CHECK_FALSE(fleet.ring().contains("node3"));

  // An operator needs no timeout.
  CHECK(fleet.leave(3, "node4") == 4);

  Fleet patient(ring_of(5), {.down_after = 10}, 0);
  hear_all(patient, 100, "node3");
  patient.check(100);
  CHECK(patient.overdue(~clockwise::FleetTime{0}).empty());
}

TEST_CASE("an observer that hears half of the fleet or less proposes no node") {
  Fleet fleet(ring_of(4), {.down_after = 10, .up_after = 0, .remove_after = 100}, 0);
  fleet.heard("node0", 50);
  fleet.heard("node1", 50);
  CHECK(checked(fleet, 50) == Events{"-node2", "-node3"});
  CHECK(fleet.overdue(500).empty());
  fleet.heard("node2", 51);
  CHECK(checked(fleet, 51) == Events{"+node2"});  // up_after is 0
  CHECK(fleet.overdue(500) == std::vector<std::string>{"node3"});
}

TEST_CASE("a member joins as an entry, in every spelling") {
  Fleet fleet(ring_of(1), {}, 0);
  auto epoch = fleet.join(1, "a");
  epoch = fleet.join(epoch, "b", 2);
  epoch = fleet.join(epoch, "c", {.rack = "r1"});
  epoch = fleet.join(epoch, {"d", 2});
  epoch = fleet.join(epoch, {"e", {.weight = 3, .rack = "r2"}});
  const clockwise::Entry<std::string> entry("f", 4);
  epoch = fleet.join(epoch, entry);
  CHECK(fleet.target() == HashRing<>({{"node0"},
                                      {"a"},
                                      {"b", 2},
                                      {"c", {.rack = "r1"}},
                                      {"d", 2},
                                      {"e", {.weight = 3, .rack = "r2"}},
                                      {"f", 4}}));
  CHECK(epoch == 7);
}

TEST_CASE("a fleet can use any partitioner from which any member can be removed") {
  Fleet fleet(clockwise::Rendezvous<>(numbered("node", 5)), {.down_after = 10}, 0);
  hear_all(fleet, 20, "node2");
  CHECK(checked(fleet, 20) == Events{"-node2"});
  for (std::size_t i = 0; i < 20; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const auto list = fleet.ring().preference_list(key, 4, fleet.live());
    CHECK(list.complete());
    CHECK_FALSE(list.contains("node2"));
  }
  auto epoch = fleet.leave(fleet.epoch(), "node2");
  CHECK(fleet.ring().contains("node2"));
  epoch = fleet.commit(epoch);
  CHECK_FALSE(fleet.ring().contains("node2"));
}

namespace {

// A node whose copies fail on request.
struct Fragile {
  std::string id;
  static inline int copies_left = -1;  // negative: any number

  explicit Fragile(std::string name) : id(std::move(name)) {}
  Fragile(const Fragile& other) : id(other.id) {
    if (copies_left == 0) throw std::bad_alloc();
    if (copies_left > 0) --copies_left;
  }
  Fragile(Fragile&&) noexcept = default;
  Fragile& operator=(const Fragile&) = default;
  Fragile& operator=(Fragile&&) noexcept = default;
};

}  // namespace

TEST_CASE("an event that cannot be stored is not lost") {
  HashRing<clockwise::Xxh3, Fragile> ring;
  for (const auto& name : numbered("node", 3)) ring.add(Fragile(name));
  Fleet fleet(ring, {.down_after = 10}, 0);
  for (int copies = 0; copies < 3; ++copies) {
    Fragile::copies_left = copies;
    CHECK_THROWS_AS(fleet.check(20), std::bad_alloc);
    Fragile::copies_left = -1;
    CHECK(fleet.is_live("node0"));
  }
  CHECK(fleet.check(20).size() == 3);
  CHECK(fleet.check(20).empty());
}

TEST_CASE("a fleet is unchanged if an allocation fails") {
  const std::string name = "a node whose name is no short string";
  const auto check = [&](const auto& change) {
    Fleet fleet(ring_of(3), {.down_after = 10, .remove_after = 1}, 0);
    const auto epoch = fleet.leave(fleet.join(fleet.epoch(), "joiner"), "node0");
    fleet.heard("node0", 15);
    fleet.heard("node1", 15);
    fleet.check(15);
    const auto described = [&] {
      std::string text = std::to_string(fleet.epoch());
      for (const auto& row : fleet.members()) {
        text += " " + row.node + (row.up ? "+" : "-") + std::to_string(static_cast<int>(row.state));
      }
      return text;
    };
    const std::string before = described();
    const auto ring = fleet.ring();
    const auto target = fleet.target();
    const auto unchanged = [&] {
      CHECK(described() == before);
      CHECK(fleet.ring() == ring);
      CHECK(fleet.target() == target);
    };
    const auto failures = fail_each_allocation([&] { change(fleet, epoch); }, unchanged);
    CHECK(described() != before);
    return failures;
  };
  using Named = Fleet<HashRing<>>;
  CHECK(check([&](Named& f, auto epoch) { f.join(epoch, name); }) > 5);
  CHECK(check([&](Named& f, auto epoch) { f.leave(epoch, "node1"); }) > 5);
  CHECK(check([&](Named& f, auto epoch) {
          f.change(epoch, [&](auto& edit) {
            edit.add(name);
            edit.remove("node2");
          });
        }) > 5);
  CHECK(check([&](Named& f, auto epoch) { f.remove_overdue(epoch, 100); }) > 5);
  CHECK(check([&](Named& f, auto epoch) { f.commit(epoch); }) > 1);
  CHECK(check([&](Named& f, auto epoch) { f.rollback(epoch); }) > 1);
  CHECK(check([&](Named& f, auto) { f.heard("joiner", 15); }) > 0);
  CHECK(check([&](Named& f, auto) { f.check(40); }) > 0);
}

TEST_CASE("other rings and node types work, and options out of range are refused") {
  TokenRing<clockwise::Xxh3, int> tokens;
  tokens.add(7, {100});
  Fleet fleet(tokens, {.down_after = 5}, 0);
  fleet.join(1, 8, std::initializer_list<std::uint64_t>{200});
  CHECK(fleet.state(8) == MemberState::joining);
  CHECK(fleet.heard(8, 3));
  CHECK(fleet.check(6).size() == 1);
  CHECK(fleet.state(7) == MemberState::down);
  fleet.commit(2);
  CHECK(fleet.ring().lookup(clockwise::Position{150}) == 8);
  CHECK(fails_with<std::invalid_argument>("down_after",
                                          [&] { Fleet(tokens, FleetOptions{.down_after = 0}); }));
}

}  // namespace fleet_test
