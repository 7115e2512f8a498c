// SPDX-License-Identifier: MIT
// The computations of the commands, without files, terminals or processes.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <clockwise/movement.hpp>
#include <clockwise/theory.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/compare.hpp"
#include "model/diff.hpp"
#include "model/durability.hpp"
#include "model/error.hpp"
#include "model/flow.hpp"
#include "model/own_ring.hpp"
#include "model/placement_options.hpp"
#include "model/plan.hpp"
#include "model/redis_change.hpp"
#include "model/scheme_diff.hpp"
#include "model/schemes.hpp"
#include "model/shares.hpp"
#include "model/wire_form.hpp"

namespace model_test {

using Catch::Approx;
using Catch::Matchers::Message;
using namespace ringctl;

namespace {

/// n1, n2, … in four racks, on lines 1, 2, …
Fleet fleet_of(int nodes) {
  Fleet fleet;
  fleet.name = "f.csv";
  for (int i = 1; i <= nodes; ++i) {
    FleetNode node;
    node.id = "n" + std::to_string(i);
    node.options.rack = "r" + std::to_string(i % 4);
    node.line = static_cast<std::size_t>(i);
    fleet.nodes.push_back(node);
  }
  return fleet;
}

/// "key:0", "key:1", …
NextKey keys_up_to(int count) {
  return [i = 0, count, text = std::string()](std::string_view& key) mutable {
    if (i == count) return false;
    text = "key:" + std::to_string(i++);
    key = text;
    return true;
  };
}

template <class AnyRing>
int moved_keys(const AnyRing& before, const AnyRing& after, int count) {
  int moved = 0;
  for (int i = 0; i < count; ++i) {
    const std::string key = "key:" + std::to_string(i);
    moved += before.lookup(key) != after.lookup(key) ? 1 : 0;
  }
  return moved;
}

}  // namespace

TEST_CASE("a fleet is checked") {
  Fleet fleet = fleet_of(3);
  CHECK_NOTHROW(check_ids(fleet));
  CHECK_NOTHROW(check_owns(fleet));
  fleet.nodes[2].id = "n1";
  CHECK_THROWS_MATCHES(check_ids(fleet), InputError,
                       Message("f.csv:3: node \"n1\" is already on line 1"));
  fleet.nodes[2].line = 0;
  CHECK_THROWS_MATCHES(check_ids(fleet), InputError,
                       Message("f.csv: node \"n1\" is already on line 1"));
  fleet.nodes.clear();
  CHECK_THROWS_MATCHES(check_owns(fleet), InputError, Message("f.csv: no nodes listed"));
}

TEST_CASE("flows are summed by pair, the largest first") {
  Flows flows;
  flows.between("a", "b").share += 0.1;
  flows.between("b", "a").share += 0.3;
  flows.between("a", "b").share += 0.1;
  flows.between("c", "d").keys = 7;
  flows.between("d", "c").keys = 8;
  const auto sorted = flows.sorted();
  REQUIRE(sorted.size() == 4);
  CHECK(sorted[0].from == "b");
  CHECK(sorted[1].share == Approx(0.2));
  CHECK(sorted[2].keys == 8);
  CHECK(sorted[3].keys == 7);
}

TEST_CASE("shares: a drained node has no fair share, and theory ignores it") {
  Fleet fleet = fleet_of(5);
  fleet.nodes[4].options.weight = 0;
  const Shares shares = shares_of(fleet);
  REQUIRE(shares.nodes.size() == 5);
  double total = 0;
  for (const NodeShare& node : shares.nodes) total += node.share;
  CHECK(total == Approx(1));
  CHECK(shares.nodes[4].vnodes == 0);
  CHECK_FALSE(shares.nodes[4].share_to_fair());
  CHECK(*shares.nodes[0].share_to_fair() == Approx(4 * shares.nodes[0].share));
  CHECK(shares.expected.cv == Approx(clockwise::theory::share_cv(4, 200)));
  CHECK(shares.expected.peak_to_mean == clockwise::theory::peak_to_mean(4, 200));
}

TEST_CASE("expected balance: a weight that is rounded to whole vnodes is a bias") {
  // Fair shares are 1/2, but one node has 1 of 4 vnodes: share/fair is 0.5 and 1.5 on average.
  std::vector<NodeShare> nodes(2);
  nodes[0].vnodes = 1;
  nodes[1].vnodes = 3;
  nodes[0].fair = nodes[1].fair = 0.5;
  const double bias = 0.5;
  CHECK(expected_balance(nodes).cv > bias);
  CHECK_FALSE(expected_balance(nodes).peak_to_mean);
}

TEST_CASE("diff: exact shares, and keys counted one by one") {
  const Fleet before = fleet_of(8);
  const Fleet after = fleet_of(9);
  const Diff exact = diff_of(before, after, {});
  CHECK_FALSE(exact.keys);
  const Diff diff = diff_of(before, after, keys_up_to(5000));
  const auto ring_before = make_ring(before, clockwise::Xxh3{});
  const auto ring_after = make_ring(after, clockwise::Xxh3{});
  CHECK(diff.keys == 5000);
  CHECK(diff.ring.share == exact.ring.share);
  CHECK(diff.ring.share == clockwise::movement(ring_before, ring_after).fraction());
  CHECK(diff.ring.keys == static_cast<std::uint64_t>(moved_keys(ring_before, ring_after, 5000)));
  CHECK(diff.mod_n.share == Approx(8.0 / 9));
  CHECK(diff.changes.joined == std::vector<std::string>{"n9"});
  CHECK(diff.changes.ideal == Approx(1.0 / 9));
}

TEST_CASE("diff between schemes: exact on one circle, by keys on two") {
  const Fleet before = fleet_of(8);
  const Fleet after = fleet_of(9);
  const auto same = scheme_diff_of(before, "ketama", after, "ketama", {});
  REQUIRE(same.share);
  CHECK(*same.share > 0);
  double total = 0;
  for (const Flow& flow : same.flows) {
    CHECK(flow.to == "n9");
    total += flow.share;
  }
  CHECK(total == Approx(*same.share));

  const auto other = scheme_diff_of(before, "ketama", after, "nginx", keys_up_to(1000));
  CHECK_FALSE(other.share);
  CHECK(other.keys == 1000);
  CHECK(other.moved > 500);
  CHECK_THROWS_MATCHES(scheme_diff_of(before, "ketama", after, "nginx", {}), InputError,
                       Message("ketama and nginx use different circles: give keys to count"));
  CHECK_THROWS_MATCHES(scheme_diff_of(before, "envoy:maglev", after, "ketama", {}), InputError,
                       Message("envoy:maglev has no circle: give keys to count"));
}

TEST_CASE("the arcs of clockwise's own ring move as the ring does") {
  const Fleet before = fleet_of(8);
  const Fleet after = fleet_of(9);
  const auto diff = scheme_diff_of(before, "clockwise", after, "clockwise", {});
  CHECK(diff.share == diff_of(before, after, {}).ring.share);
}

TEST_CASE("route: substitutes follow the replicas that are up, on rings that are walked") {
  const Fleet fleet = fleet_of(6);
  for (const std::string scheme : {"clockwise", "nginx"}) {
    INFO(scheme);
    const auto placed = place(fleet, scheme);
    CHECK(placed->members().size() == 6);
    for (int i = 0; i < 50; ++i) {
      const std::string key = "key:" + std::to_string(i);
      const Route usual = placed->route(key, 3, Spread::nodes);
      REQUIRE(usual.replicas.size() == 3);
      CHECK(usual.owner == &usual.replicas.front());
      CHECK(*usual.owner == placed->owner(key));
      const auto without = place(fleet, scheme, {usual.replicas[1]});
      const Route route = without->route(key, 3, Spread::nodes);
      REQUIRE(route.replicas.size() == 3);
      CHECK(route.replicas.first_substitute() == 2);
      CHECK(route.replicas[0] == usual.replicas[0]);
      CHECK(route.replicas[1] == usual.replicas[2]);
      CHECK_FALSE(route.owner_is_dead());
    }
  }
}

TEST_CASE("route: an engine that rebuilds its ring without dead nodes gives that ring's answer") {
  const Fleet fleet = fleet_of(6);
  Fleet left = fleet;
  left.nodes.erase(left.nodes.begin() + 2);
  for (const std::string scheme : {"ketama", "envoy", "envoy:maglev"}) {
    INFO(scheme);
    const auto placed = place(fleet, scheme, {"n3"});
    const auto rebuilt = place(left, scheme);
    const auto usual = place(fleet, scheme);
    for (int i = 0; i < 200; ++i) {
      const std::string key = "key:" + std::to_string(i);
      const Route route = placed->route(key, 2, Spread::nodes);
      CHECK(*route.owner == usual->owner(key));
      const Route expected = rebuilt->route(key, 2, Spread::nodes);
      REQUIRE(route.replicas.size() == 2);
      CHECK(route.replicas[0] == expected.replicas[0]);
      CHECK(route.replicas[1] == expected.replicas[1]);
      CHECK(route.owner_is_dead() == (*route.owner != route.replicas[0]));
    }
  }
  const DeadNodes all{"n1", "n2", "n3", "n4", "n5", "n6"};
  const auto none = place(fleet, "ketama", all);
  CHECK(none->note().empty());
  CHECK(none->route("key", 2, Spread::nodes).replicas.empty());
  CHECK_FALSE(none->route("key", 2, Spread::nodes).replicas.complete());
}

TEST_CASE("route: with too few hosts up, Envoy uses all hosts") {
  const Fleet fleet = fleet_of(6);
  for (const std::string scheme : {"envoy", "envoy:maglev"}) {
    const auto usual = place(fleet, scheme);
    const auto panic = place(fleet, scheme, {"n1", "n2", "n3", "n4"});
    CHECK(panic->note() ==
          "Envoy panics with so few hosts up: it sends to all of them, dead or not");
    for (int i = 0; i < 50; ++i) {
      const std::string key = "key:" + std::to_string(i);
      CHECK(panic->route(key, 1, Spread::nodes).replicas[0] == usual->owner(key));
    }
    CHECK(place(fleet, scheme, {"n1", "n2"})->note().empty());
  }
}

TEST_CASE("route: if nginx uses round robin, no server is named") {
  const Fleet fleet = fleet_of(40);
  CHECK(place(fleet, "nginx")->route("", 1, Spread::nodes).replicas.empty());
  DeadNodes dead;
  for (int i = 1; i < 40; ++i) dead.insert("n" + std::to_string(i));
  const auto placed = place(fleet, "nginx", dead);
  int named = 0;
  for (int i = 0; i < 200; ++i) {
    const Route route = placed->route("key:" + std::to_string(i), 1, Spread::nodes);
    if (route.replicas.empty()) continue;
    CHECK(route.replicas[0] == "n40");
    ++named;
  }
  // One server of 40 has one of 21 points with probability 1 - (39/40)^21, 0.41; the margin is four
  // standard deviations of 200 draws.
  CHECK(named > 82 - 28);
  CHECK(named < 82 + 28);
}

TEST_CASE("plan: one by one is computed from two changes on") {
  PlanRequest request;
  request.bytes = 1e12;
  const PlanReport one = plan_of(fleet_of(4), fleet_of(5), request);
  CHECK_FALSE(one.one_by_one);
  CHECK(one.stored == 3e12);
  CHECK(one.moved > 0);
  CHECK(one.lost == 0);
  REQUIRE(one.critical);
  CHECK(one.nodes.front().node == *one.critical);
  const PlanReport two = plan_of(fleet_of(4), fleet_of(6), request);
  REQUIRE(two.one_by_one);
  CHECK(two.one_by_one->changes == 2);
  CHECK(two.one_by_one->bytes >= two.moved * (1 - 1e-9));
  CHECK_FALSE(plan_of(fleet_of(4), fleet_of(4), request).critical);
}

TEST_CASE("durability: vnode counts up to the ring's own, and domains that are named") {
  DurabilityRequest request;
  Fleet fleet = fleet_of(8);
  fleet.placement.vnodes = 20;
  const Durability result = durability_of(fleet, request);
  std::vector<std::uint32_t> counts;
  for (const LossOdds& odds : result.odds) counts.push_back(odds.vnodes);
  CHECK(counts == std::vector<std::uint32_t>{1, 4, 16, 20});
  CHECK(result.odds.back().sets == result.sets);
  CHECK(result.racks.size() == 4);
  CHECK(result.datacenters.empty());
  CHECK(result.quorum.reads == 2);
  CHECK(result.quorum.reads_see_latest_write);
  fleet.nodes[0].options.datacenter = "east";
  CHECK(durability_of(fleet, request).datacenters.size() == 2);
  request.writes = 4;
  CHECK_THROWS_MATCHES(durability_of(fleet, request), InputError,
                       Message("--write must be at most 3, got 4"));
}

TEST_CASE("compare: times are differences of the given clock") {
  double now = 0;
  CompareRequest request;
  request.keys = 1000;
  request.cpu_seconds = [&] { return now += 1; };  // every reading is a second later
  const Comparison comparison = compare_schemes(fleet_of(4), request);
  REQUIRE(comparison.schemes.size() == 8);
  CHECK(comparison.leaver == "n3");
  for (const SchemeResult& scheme : comparison.schemes) {
    INFO(scheme.name);
    CHECK(scheme.build_ms == 1000);
    CHECK(scheme.lookup_ns == 1e9 / 1000);
    CHECK(scheme.bytes > 0);
    CHECK(scheme.join_moves > 0);
  }
  Fleet fleet = fleet_of(2);
  fleet.nodes[1].id = "joiner";
  CHECK(compare_schemes(fleet, request).joiner == "joiner+");
}

TEST_CASE("wire bytes: a round trip, and the errors of invalid bytes") {
  const Fleet fleet = fleet_of(3);
  const std::string bytes = to_wire(fleet);
  REQUIRE(is_wire(bytes));
  const Fleet again = from_wire(bytes, "f.ring");
  CHECK(fingerprint_of(again) == fingerprint_of(fleet));
  CHECK(again.placement.vnodes == 200);
  CHECK(again.names_placement);
  CHECK(difference(fleet, again).changed.empty());
  CHECK_THROWS_AS(from_wire(bytes.substr(0, 30), "f.ring"), InputError);

  Fleet other = fleet;
  other.nodes[1].options.weight = 2;
  other.nodes.pop_back();
  const auto found = difference(fleet, other);
  CHECK_FALSE(found.rules);
  REQUIRE(found.only_first.size() == 1);
  CHECK(found.only_first[0].id == "n3");
  REQUIRE(found.changed.size() == 1);
  CHECK(found.changed[0].second.options.weight == 2);
  other.placement.seed = 1;
  CHECK(difference(fleet, other).rules);

  CHECK_FALSE(is_wire("cwrgate-1,2\n"));  // a node of that name
  other.nodes[0].traits["slots"] = "0-5";
  CHECK_THROWS_MATCHES(to_wire(other), InputError,
                       Message("f.csv:1: wire bytes cannot hold the column \"slots\", which only "
                               "engines read"));
}

TEST_CASE("placement options: files that name their placement keep it") {
  Fleet csv = fleet_of(3);
  PlacementOptions options;
  options.vnodes = 10;
  apply(options, csv);
  CHECK(csv.placement.vnodes == 10);
  CHECK(csv.placement.weight_unit == 1);

  Fleet ring = fleet_of(3);
  ring.name = "f.ring";
  ring.placement.vnodes = 64;
  ring.names_placement = true;
  CHECK_THROWS_MATCHES(apply(options, ring), InputError,
                       Message("f.ring: the file says 64 vnodes at weight 1, so --vnodes 10 does "
                               "not apply; convert it to CSV to place it differently"));
  CHECK_NOTHROW(apply_if_unnamed(options, ring));
  CHECK(ring.placement.vnodes == 64);

  Fleet after = fleet_of(4);  // names none, so it gets the other's
  apply({}, ring, after);
  CHECK(after.placement.vnodes == 64);

  Fleet other = ring;
  other.placement.xxh64 = true;
  CHECK_THROWS_MATCHES(diff_of(ring, other, {}), InputError,
                       Message("f.ring uses xxh3, f.ring xxh64: keys are hashed differently, so "
                               "almost all of them move"));
}

TEST_CASE("relative weights have a mean of 1, in a change by the mean before it") {
  const auto disks = [](int count) {
    Fleet fleet = fleet_of(count);
    for (int i = 0; i < count; ++i) {
      fleet.nodes[static_cast<std::size_t>(i)].options.weight = 4000 + 2000 * i;
    }
    return fleet;
  };
  PlacementOptions relative;
  relative.relative_weights = true;
  Fleet fleet = disks(10);
  apply(relative, fleet);
  CHECK(fleet.placement.weight_unit == 13000);
  CHECK(fleet.nodes[0].options.weight == 4000.0 / 13000);
  CHECK(shares_of(fleet).positions == 2000);

  Fleet before = disks(9);
  Fleet after = disks(10);
  apply(relative, before, after);
  CHECK(before.placement.weight_unit == 12000);
  CHECK(after.placement.weight_unit == 12000);
  CHECK(diff_of(before, after, {}).changes.reweighted.empty());

  Fleet kept = disks(10);
  PlacementOptions unit;
  unit.weight_unit = 12000;
  apply(unit, kept);
  CHECK(kept.nodes[9].options.weight == 22000.0 / 12000);
}

TEST_CASE("a small fleet gets many vnodes only on request") {
  Fleet fleet = fleet_of(1);
  fleet.nodes[0].options.weight = 83886;
  CHECK_THROWS_MATCHES(apply({}, fleet), InputError,
                       Message("f.csv: weights of 83886 in all need 16,777,200 vnodes at --vnodes "
                               "200, about 536 MB; --relative-weights scales weights to a mean of "
                               "1, --max-vnodes 16777200 allows this many"));
  PlacementOptions options;
  options.max_vnodes = 16777200;
  CHECK_NOTHROW(apply(options, fleet));
  CHECK(usual_positions(1) == 1u << 21);
  CHECK(usual_positions(10000) == 10240000);
  CHECK(usual_positions(1000000) == 1u << 26);
}

namespace {

/// Masters a, b, …, with slots if any are given.
Fleet redis_fleet(const std::vector<std::pair<std::string, std::string>>& masters) {
  Fleet fleet;
  fleet.name = "redis.csv";
  for (const auto& [id, slots] : masters) {
    FleetNode node;
    node.id = id;
    node.line = fleet.nodes.size() + 1;
    if (!slots.empty()) node.traits["slots"] = slots;
    fleet.nodes.push_back(node);
  }
  return fleet;
}

double moved_share(const Fleet& before, const Fleet& after) {
  return scheme_diff_of(before, "redis", after, "redis", {}).share.value();
}

}  // namespace

TEST_CASE("redis: a rebalance to a fourth master moves a quarter of the slots") {
  const Fleet three = redis_fleet({{"a", ""}, {"b", ""}, {"c", ""}});
  const Fleet four = redis_fleet({{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}});
  const SchemeDiff diff = scheme_diff_of(three, "redis", four, "redis", {});
  CHECK(diff.rebalanced);
  CHECK(diff.share == 0.25);
  for (const Flow& flow : diff.flows) CHECK(flow.to == "d");
  CHECK(moved_share(four, three) == 0.25);

  // The same with the slots of a cluster in use, and a new master without slots.
  const Fleet real = redis_fleet({{"a", "0-5460"}, {"b", "5461-10922"}, {"c", "10923-16383"}});
  const Fleet joined =
      redis_fleet({{"a", "0-5460"}, {"b", "5461-10922"}, {"c", "10923-16383"}, {"d", ""}});
  CHECK(moved_share(real, joined) == 0.25);
  CHECK(moved_share(real, four) == 0.25);
  CHECK(moved_share(real, three) == 0);
}

TEST_CASE("redis: slots that are listed after a change are used unchanged") {
  const Fleet before = redis_fleet({{"a", "0-5460"}, {"b", "5461-10922"}, {"c", "10923-16383"}});
  const Fleet after =
      redis_fleet({{"a", "0-5460"}, {"b", "5461-10922"}, {"c", "10924-16383"}, {"d", "10923"}});
  const SchemeDiff diff = scheme_diff_of(before, "redis", after, "redis", {});
  CHECK_FALSE(diff.rebalanced);
  CHECK(diff.share == 1.0 / 16384);
}

TEST_CASE("redis: a replica that becomes master has its master's slots") {
  Fleet before = redis_fleet({{"a", "0-8191"}, {"b", "8192-16383"}, {"r", ""}});
  before.nodes[2].traits["replica_of"] = "a";
  const Fleet after = redis_fleet({{"r", ""}, {"b", ""}});
  const SchemeDiff diff = scheme_diff_of(before, "redis", after, "redis", {});
  CHECK(diff.share == 0.5);
  REQUIRE(diff.flows.size() == 1);
  CHECK(diff.flows[0].from == "a");
  CHECK(diff.flows[0].to == "r");
}

TEST_CASE("redis: small differences stay, and slots without a master give no circle") {
  // 1% from even is within redis-cli's threshold of 2%.
  const Fleet uneven = redis_fleet({{"a", "0-8109"}, {"b", "8110-16383"}});
  CHECK(moved_share(uneven, redis_fleet({{"a", ""}, {"b", ""}})) == 0);
  const Fleet partial = redis_fleet({{"a", "0-8191"}, {"b", "8192-16382"}});
  CHECK_THROWS_MATCHES(moved_share(partial, partial), InputError,
                       Message("redis.csv: some slots have no master: give keys to count"));
}

TEST_CASE("durability: failures default to what the fleet can lose, and more are refused") {
  DurabilityRequest request;
  CHECK(durability_of(fleet_of(2), request).failures == 2);
  CHECK(durability_of(fleet_of(8), request).failures == 3);
  request.failures = 8;
  CHECK(durability_of(fleet_of(8), request).odds.back().loss.value == 1);
  request.failures = 9;
  CHECK_THROWS_MATCHES(
      durability_of(fleet_of(8), request), InputError,
      Message("--failures must be at most 8, the number of nodes that own data, got 9"));
}

}  // namespace model_test
