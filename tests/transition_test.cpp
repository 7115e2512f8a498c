// SPDX-License-Identifier: MIT
// Where reads and writes go while data moves, under any interleaving.

#include "clockwise/transition.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/failing_memory.hpp"
#include "support/keys.hpp"

namespace transition_test {

using clockwise::Arc;
using clockwise::DatacenterReplicas;
using clockwise::HashRing;
using clockwise::movement;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise::Transition;
using clockwise::Width;
using clockwise_test::fails_with;
using clockwise_test::numbered;

namespace {

template <class List>
std::vector<std::string> ids(const List& list) {
  return {list.begin(), list.end()};
}
using Ids = std::vector<std::string>;

std::uint64_t last_of(const Arc& arc) { return arc.last; }

/// A store of versions, and the replies to clients: the reference for the routing. It moves data as
/// a database would, part of an arc at a time, during writes.
class Model {
 public:
  using Move = Transition<HashRing<>>;

  Model(Move move, std::uint64_t seed) : move_(std::move(move)), random_(seed) {
    for (std::size_t i = 0; i < 60; ++i) keys_.push_back(clockwise_test::real_key(i));
    for (const std::string& key : keys_) {
      for (const std::string& node : old_owners(key)) held_[node][key] = 1;
      acknowledged_[key] = 1;
    }
  }

  /// Whether the guarantees hold for every key; counts the cases.
  bool holds() {
    for (const std::string& key : keys_) {
      const Ids old_ones = old_owners(key);
      const Ids new_ones = new_owners(key);
      const bool old_hold = all_hold(old_ones, key);
      if (!old_hold && !all_hold(new_ones, key)) return false;
      if (!move_.finished() && !old_hold) return false;  // otherwise abort() would lose writes
      const Ids read = ids(move_.read_from(key));
      if (read != old_ones && read != new_ones) return false;
      if (!all_hold(read, key)) return false;
      read_from_new_ += read == new_ones && read != old_ones ? 1u : 0u;
    }
    return true;
  }

  void step() {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2:
        return write();
      case 3:
      case 4:
        return begin_stream();
      case 5:
        return copy_some();
      default:
        return end_stream();
    }
  }

  /// Streams all that is left.
  void finish() {
    while (!streams_.empty()) end_stream();
    for (const auto& member : move_.after().members()) {
      for (const Arc& arc : move_.pending(member.node)) {
        streams_.push_back({arc, member.node, {}});
        end_stream();
      }
    }
  }

  void abort() { move_.abort(); }
  void then(HashRing<> next) { move_.then(std::move(next)); }
  const Move& move() const { return move_; }
  std::size_t read_from_new() const { return read_from_new_; }
  void write() {
    const std::string& key = keys_[random_() % keys_.size()];
    const int version = ++version_;
    for (const std::string& node : move_.write_to(key)) held_[node][key] = version;
    acknowledged_[key] = version;
  }

 private:
  struct Stream {
    Arc arc;
    std::string to;
    std::map<std::string, int> read;  // in flight
  };

  Ids old_owners(const std::string& key) const {
    return ids(move_.before().preference_list(key, move_.replication()));
  }
  Ids new_owners(const std::string& key) const {
    return ids(move_.after().preference_list(key, move_.replication()));
  }
  bool all_hold(const Ids& nodes, const std::string& key) {
    return std::all_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
      return held_[node][key] == acknowledged_[key];
    });
  }

  // Part of the data that a node waits for: from a random position in an arc to its end, or all.
  void begin_stream() {
    const auto members = move_.after().members();
    const std::string& to = members[random_() % members.size()].node;
    const auto arcs = move_.pending(to);
    if (arcs.empty()) return;
    Arc arc = arcs[random_() % arcs.size()];
    const std::uint64_t positions = arc.last - arc.after - 1;
    if (positions > 0 && random_() % 2 == 0) arc.after += random_() % positions;
    streams_.push_back({arc, to, {}});
    read(streams_.back());
  }
  // A holder's data at this moment; a write can overtake it.
  void read(Stream& stream) {
    for (const std::string& key : keys_) {
      if (!stream.arc.contains(move_.before().position_of(key))) continue;
      const Ids holders = old_owners(key);
      stream.read[key] = held_[holders[random_() % holders.size()]][key];
    }
  }
  void deliver(Stream& stream) {
    for (const auto& [key, version] : stream.read) {
      int& held = held_[stream.to][key];
      held = (std::max)(held, version);
    }
    stream.read.clear();
  }
  void copy_some() {
    if (!streams_.empty()) deliver(streams_[random_() % streams_.size()]);
  }
  void end_stream() {
    if (streams_.empty()) return;
    const auto chosen = streams_.begin() + static_cast<std::ptrdiff_t>(random_() % streams_.size());
    if (chosen->read.empty()) read(*chosen);
    deliver(*chosen);
    move_.complete(chosen->arc, chosen->to);
    streams_.erase(chosen);
  }

  Move move_;
  std::mt19937_64 random_;
  std::vector<std::string> keys_;
  std::map<std::string, std::map<std::string, int>> held_;  // node, key: version
  std::map<std::string, int> acknowledged_;
  std::vector<Stream> streams_;
  int version_ = 1;
  std::size_t read_from_new_ = 0;
};

/// A fleet in three racks, and the result of a few changes to it.
std::pair<HashRing<>, HashRing<>> random_change(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto options = [&] {
    clockwise::NodeOptions result;
    if (seed % 2 == 0) result.rack = "r" + std::to_string(random() % 3);
    return result;
  };
  HashRing<> before(RingOptions{8});
  const std::size_t size = 1 + random() % 9;
  for (std::size_t i = 0; i < size; ++i) before.add("node" + std::to_string(i), options());
  HashRing<> after = before;
  const std::size_t changes = 1 + random() % 3;
  for (std::size_t i = 0; i < changes; ++i) {
    const std::string id = "node" + std::to_string(random() % size);
    const auto what = random() % 3;
    if (what == 0 || !after.contains(id) || after.size() == 1) {
      after.add("joiner" + std::to_string(i), options());
    } else if (what == 1) {
      after.remove(id);
    } else {
      after.set_weight(id, 0.5 + static_cast<double>(random() % 4) / 2);
    }
  }
  return {before, after};
}

}  // namespace

TEST_CASE("at every point of every interleaving, reads see all acknowledged writes") {
  std::size_t finished = 0;
  std::size_t aborted = 0;
  std::size_t read_from_new = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    INFO("seed " << seed);
    const auto [before, after] = random_change(seed);
    Model model(Transition(before, after, 1 + seed % 4), seed);
    std::mt19937_64 random(seed);
    const auto steps = 20 + random() % 120;
    for (std::uint64_t i = 0; i < steps; ++i) {
      model.step();
      REQUIRE(model.holds());
    }
    if (seed % 3 == 0 && !model.move().finished()) {
      model.abort();
      ++aborted;
    } else {
      model.finish();
      REQUIRE(model.move().finished());
      CHECK(model.move().progress().done == model.move().progress().total);
      ++finished;
    }
    for (int i = 0; i < 40; ++i) {  // including late reports
      model.step();
      REQUIRE(model.holds());
    }
    read_from_new += model.read_from_new();
  }
  CHECK(finished > 20);
  CHECK(aborted > 20);
  CHECK(read_from_new > 1000);
}

TEST_CASE("a transition on a ring written by hand") {
  TokenRing<> before;
  before.add("a", {100});
  before.add("b", {200});
  TokenRing<> after = before;
  after.add("c", {150});
  Transition move(before, after, 1);
  CHECK(move.progress().total == Width(50));
  CHECK(move.pending("c") == std::vector{Arc{100, 150}});
  CHECK(move.pending("a").empty());
  const auto read = [&](std::uint64_t at) { return ids(move.read_from(Position{at})); };
  const auto write = [&](std::uint64_t at) { return ids(move.write_to(Position{at})); };
  CHECK(read(120) == Ids{"b"});
  CHECK(write(120) == Ids{"b", "c"});
  CHECK(write(170) == Ids{"b"});
  CHECK(move.write_to(Position{120}).complete());

  // Only the part of the arc that lies in (90, 120] is completed.
  CHECK(move.complete({90, 120}, "c") == std::vector{Arc{100, 120}});
  CHECK(read(100) == Ids{"a"});
  CHECK(read(101) == Ids{"c"});
  CHECK(read(120) == Ids{"c"});
  CHECK(read(121) == Ids{"b"});
  CHECK(write(110) == Ids{"b", "c"});
  CHECK(move.progress().done == Width(20));
  CHECK(move.complete({90, 120}, "c").empty());  // reports can repeat
  CHECK(move.complete({0, 0}, "a").empty());     // of a node that waits for nothing
  CHECK(move.progress().done == Width(20));
  CHECK(move.progress().fraction() == 0.4);

  // From the middle: two parts are left.
  CHECK(move.complete({130, 140}) == std::vector{Arc{130, 140}});
  CHECK(move.pending("c") == std::vector{Arc{120, 130}, Arc{140, 150}});
  CHECK_FALSE(move.finished());
  CHECK(move.complete({0, 0}) == std::vector{Arc{120, 130}, Arc{140, 150}});
  CHECK(move.finished());
  CHECK(write(110) == Ids{"c"});
  CHECK(move.progress().fraction() == 1);
}

TEST_CASE("arcs across 2^64, and a whole circle, complete in parts") {
  TokenRing<> before;
  before.add("a", {1000});
  TokenRing<> after;
  after.add("b", {1000});
  Transition move(before, after, 1);
  REQUIRE(move.pending("b").size() == 1);
  CHECK(move.pending("b")[0].is_whole_circle());
  CHECK(move.progress().total == Width::whole_circle());
  CHECK(move.pending("a").empty());
  const std::uint64_t high = ~std::uint64_t{0} - 9;
  CHECK(move.complete({high, 500}, "b") == std::vector{Arc{high, 500}});
  CHECK(ids(move.read_from(Position{high})) == Ids{"a"});
  CHECK(ids(move.read_from(Position{high + 1})) == Ids{"b"});
  CHECK(ids(move.read_from(Position{0})) == Ids{"b"});
  CHECK(ids(move.read_from(Position{500})) == Ids{"b"});
  CHECK(ids(move.read_from(Position{501})) == Ids{"a"});
  CHECK(move.pending("b") == std::vector{Arc{500, high}});
  CHECK(move.complete({500, high}, "b") == std::vector{Arc{500, high}});
  CHECK(move.finished());
}

TEST_CASE("an arc is read from its new owners once all of them have it") {
  TokenRing<> before;
  before.add("a", {100});
  before.add("b", {200});
  TokenRing<> after;
  after.add("c", {100});
  after.add("d", {200});
  Transition move(before, after, 2);
  const Ids old_ones = ids(before.preference_list(Position{150}, 2));
  CHECK(move.complete({100, 200}, "c").empty());
  CHECK(ids(move.read_from(Position{150})) == old_ones);
  CHECK(move.pending("c") == std::vector{Arc{200, 100}});
  CHECK(move.complete({120, 160}, "d") == std::vector{Arc{120, 160}});
  CHECK(ids(move.read_from(Position{150})) == Ids{"d", "c"});
  CHECK(ids(move.read_from(Position{170})) == old_ones);
  CHECK(ids(move.write_to(Position{150})) == Ids{"b", "a", "d", "c"});
}

TEST_CASE("pending matches the movement: the same arcs and widths") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto [before, after] = random_change(seed);
    const std::size_t r = 1 + seed % 4;
    const Transition move(before, after, r);
    const auto moved = movement(before, after, r);
    CHECK(move.progress().total == moved.width());
    for (const auto& member : after.members()) {
      Width waiting;
      for (const Arc& arc : move.pending(member.node)) waiting += arc.width();
      Width gained;
      for (const auto& [arc, from, to] : moved.transfers()) {
        if (to == member.node) gained += arc.width();
      }
      CHECK(waiting == gained);
    }
  }
}

TEST_CASE("completing the transfers of a movement finishes the transition, in any order") {
  const HashRing<> before(numbered("node", 6), RingOptions{20});
  HashRing<> after = before;
  after.add("joiner");
  after.remove("node2");
  std::vector<Arc> arcs;
  for (const auto& transfer : movement(before, after, 3).transfers()) arcs.push_back(transfer.arc);
  std::mt19937_64 random(5);
  std::shuffle(arcs.begin(), arcs.end(), random);
  Transition move(before, after, 3);
  for (const Arc& arc : arcs) {
    CHECK_FALSE(move.finished());
    move.complete(arc);
    CHECK(ids(move.read_from(Position{last_of(arc)})) ==
          ids(after.preference_list(Position{last_of(arc)}, 3)));
    if (move.finished()) break;
  }
  CHECK(move.finished());
}

TEST_CASE("a copy that is only dropped needs no stream, and is written to until the end") {
  TokenRing<> before;
  before.add("a", {100});
  before.add("b", {200});
  before.add("c", {300});
  TokenRing<> after = before;
  after.remove("c");
  Transition move(before, after, 3);  // two nodes are left for three copies
  CHECK(move.progress().total == Width());
  CHECK(move.finished());
  CHECK(ids(move.read_from(Position{150})) == Ids{"b", "a"});
  CHECK_FALSE(move.write_to(Position{150}).complete());

  Transition held(before, after, 3);
  held.hold();
  CHECK_FALSE(held.finished());
  CHECK(ids(held.write_to(Position{150})) == Ids{"b", "c", "a"});
  CHECK_FALSE(held.write_to(Position{150}).complete());
  held.let_finish();
  CHECK(held.finished());
}

TEST_CASE("a held transition can be aborted when every arc is complete") {
  const HashRing<> before(numbered("node", 3));
  HashRing<> after = before;
  after.add("joiner");
  Transition move(before, after, 2);
  move.hold();
  move.complete({0, 0});
  CHECK_FALSE(move.finished());
  CHECK(move.progress().fraction() == 1);
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string key = clockwise_test::real_key(i);
    CHECK(ids(move.read_from(key)) == ids(after.preference_list(key, 2)));
    for (const std::string& node : before.preference_list(key, 2)) {
      CHECK(move.write_to(key).contains(node));
    }
  }
  move.abort();
  CHECK(move.aborted());
  for (std::size_t i = 0; i < 100; ++i) {
    const std::string key = clockwise_test::real_key(i);
    CHECK(ids(move.read_from(key)) == ids(before.preference_list(key, 2)));
    CHECK(ids(move.write_to(key)) == ids(before.preference_list(key, 2)));
  }
}

TEST_CASE("a transition can use replicas by datacenter") {
  HashRing<> before;
  for (const std::string& id : numbered("east", 4)) before.add(id, {.datacenter = "east"});
  for (const std::string& id : numbered("west", 4)) before.add(id, {.datacenter = "west"});
  HashRing<> after = before;
  after.add("west9", {.datacenter = "west"});
  const DatacenterReplicas wanted{{"east", 2}, {"west", 1}};
  Transition move(before, after, wanted);
  CHECK(move.replication().requested() == 3);
  CHECK(move.progress().total == movement(before, after, wanted).width());
  CHECK(move.pending("east0").empty());
  CHECK(ids(move.read_from("key")) == ids(before.preference_list("key", wanted)));
  move.complete({0, 0}, "west9");
  CHECK(move.finished());
  CHECK(ids(move.write_to("key")) == ids(after.preference_list("key", wanted)));
}

TEST_CASE("a report whose allocation fails reports nothing and can be repeated") {
  std::size_t failures = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto [before, after] = random_change(seed);
    Transition move(before, after, 1 + seed % 4);
    Transition undisturbed = move;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 30; ++i) {
      const std::string& node = after.members()[random() % after.size()].node;
      const bool all_nodes = random() % 4 == 0;
      const Arc arc{random(), random()};
      const auto report = [&](Transition<HashRing<>>& to) {
        return all_nodes ? to.complete(arc) : to.complete(arc, node);
      };
      std::vector<Arc> readable;
      failures += clockwise_test::fail_each_allocation(
          [&] { readable = report(move); },
          [&] {
            REQUIRE(move.progress().done == undisturbed.progress().done);
            REQUIRE(move.pending(node) == undisturbed.pending(node));
            REQUIRE(ids(move.read_from(Position{arc.last})) ==
                    ids(undisturbed.read_from(Position{arc.last})));
          });
      REQUIRE(readable == report(undisturbed));
      REQUIRE(move.progress().done == undisturbed.progress().done);
      for (const auto& member : after.members()) {
        REQUIRE(move.pending(member.node) == undisturbed.pending(member.node));
      }
    }
  }
  CHECK(failures > 200);
}

TEST_CASE("a second change whose allocation fails changes nothing") {
  TokenRing<> before;
  before.add("a", {100, 1000});
  before.add("b", {200, 2000});
  TokenRing<> after = before;
  after.add("c", {150});
  TokenRing<> next = after;
  next.add("d", {1500});
  Transition move(before, after, 1);
  const std::size_t failures = clockwise_test::fail_each_allocation(
      [&] { move.then(next); },
      [&] {
        REQUIRE(move.after() == after);
        REQUIRE(move.pending("c") == std::vector{Arc{100, 150}});
        REQUIRE(move.progress().total == Width(50));
      });
  CHECK(failures > 10);
  CHECK(move.after() == next);
  CHECK(move.progress().total == Width(550));
}

TEST_CASE("a second change of other arcs runs at the same time; of the same arcs, it is refused") {
  TokenRing<> before;
  before.add("a", {100, 1000});
  before.add("b", {200, 2000});
  TokenRing<> after = before;
  after.add("c", {150});
  Transition move(before, after, 1);
  CHECK(move.complete({100, 130}, "c").size() == 1);

  TokenRing<> overlapping = after;
  overlapping.add("d", {170});  // of (150, 200], which does not change
  overlapping.add("e", {120});  // of (100, 120], which does, although it is complete
  CHECK(fails_with<std::invalid_argument>("(100, 120]", [&] { move.then(overlapping); }));
  CHECK(move.after() == after);
  CHECK(move.pending("c") == std::vector{Arc{130, 150}});

  TokenRing<> next = after;
  next.add("b9", {1500});  // of (1000, 1500]; it comes before c in id order
  move.then(next);
  CHECK(move.progress().total == Width(550));
  CHECK(move.progress().done == Width(30));
  CHECK(move.pending("c") == std::vector{Arc{130, 150}});
  CHECK(move.pending("b9") == std::vector{Arc{1000, 1500}});
  CHECK(ids(move.read_from(Position{110})) == Ids{"c"});
  CHECK(ids(move.write_to(Position{1200})) == Ids{"b", "b9"});
  move.complete({130, 150}, "c");
  CHECK_FALSE(move.finished());
  move.complete({1000, 1500}, "b9");
  CHECK(move.finished());
  CHECK(move.after() == next);
  CHECK(fails_with<std::invalid_argument>("then: the transition is finished",
                                          [&] { move.then(before); }));
}

TEST_CASE("invalid transitions are refused") {
  const HashRing<> before(numbered("node", 4));
  HashRing<> after = before;
  after.add("joiner");
  CHECK(fails_with<std::invalid_argument>("replicas must be at least 1",
                                          [&] { Transition(before, after, 0); }));
  CHECK(fails_with<std::invalid_argument>("owns nothing",
                                          [&] { Transition(before, HashRing<>(), 1); }));
  const HashRing<> seeded(numbered("node", 4), {}, clockwise::Xxh3{1});
  CHECK(fails_with<std::invalid_argument>("hash policies", [&] { Transition(before, seeded, 1); }));

  Transition move(before, after, 2);
  CHECK(fails_with<std::out_of_range>("\"stranger\"", [&] { move.complete({0, 0}, "stranger"); }));
  CHECK(fails_with<std::out_of_range>("\"stranger\"", [&] { move.pending("stranger"); }));
  CHECK(move.progress().done == Width());
  move.complete({0, 0});
  CHECK(fails_with<std::invalid_argument>("abort: the transition is finished",
                                          [&] { move.abort(); }));
  Transition given_up(before, after, 2);
  given_up.abort();
  CHECK(given_up.complete({0, 0}).empty());
  CHECK_FALSE(given_up.finished());
  CHECK(fails_with<std::invalid_argument>("aborted", [&] { given_up.then(after); }));

  // From an empty ring, nothing moves.
  const Transition first(HashRing<>(), before, 2);
  CHECK(first.finished());
  CHECK(ids(first.read_from("key")) == ids(before.preference_list("key", 2)));
}

}  // namespace transition_test
