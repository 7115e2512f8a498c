// SPDX-License-Identifier: MIT
// What the commands compute, without files, terminals or processes.
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
#include "model/membership.hpp"
#include "model/plan.hpp"
#include "model/scheme_diff.hpp"
#include "model/schemes.hpp"
#include "model/shares.hpp"

using Catch::Approx;
using Catch::Matchers::Message;
using namespace ringctl;

namespace {

/// n1, n2, … in four racks, on lines 1, 2, …
Fleet fleet_of(int nodes) {
  Fleet fleet{"f.csv", {}};
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
  CHECK_NOTHROW(check_fleet(fleet));
  fleet.nodes[2].id = "n1";
  CHECK_THROWS_MATCHES(check_fleet(fleet), InputError,
                       Message("f.csv:3: node \"n1\" is already on line 1"));
  CHECK_THROWS_MATCHES(check_fleet(Fleet{"f.csv", {}}), InputError,
                       Message("f.csv: no nodes listed"));
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
  const Shares shares = shares_of(fleet, {});
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
  const Diff exact = diff_of(before, after, {}, {});
  CHECK_FALSE(exact.keys);
  const Diff diff = diff_of(before, after, {}, keys_up_to(5000));
  const auto ring_before = make_ring(before, {}, clockwise::Xxh3{});
  const auto ring_after = make_ring(after, {}, clockwise::Xxh3{});
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
  const auto same = scheme_diff_of(before, "ketama", after, "ketama", {}, {});
  REQUIRE(same.share);
  CHECK(*same.share > 0);
  double total = 0;
  for (const Flow& flow : same.flows) {
    CHECK(flow.to == "n9");
    total += flow.share;
  }
  CHECK(total == Approx(*same.share));

  const auto other = scheme_diff_of(before, "ketama", after, "nginx", {}, keys_up_to(1000));
  CHECK_FALSE(other.share);
  CHECK(other.keys == 1000);
  CHECK(other.moved > 500);
  CHECK_THROWS_MATCHES(scheme_diff_of(before, "ketama", after, "nginx", {}, {}), InputError,
                       Message("ketama and nginx use different circles: give keys to count"));
  CHECK_THROWS_MATCHES(scheme_diff_of(before, "envoy:maglev", after, "ketama", {}, {}), InputError,
                       Message("envoy:maglev has no circle: give keys to count"));
}

TEST_CASE("the arcs of clockwise's own ring move as the ring does") {
  const Fleet before = fleet_of(8);
  const Fleet after = fleet_of(9);
  const auto diff = scheme_diff_of(before, "clockwise", after, "clockwise", {}, {});
  CHECK(diff.share == diff_of(before, after, {}, {}).ring.share);
}

TEST_CASE("route: substitutes follow the live replicas, in every kind of scheme") {
  const Fleet fleet = fleet_of(6);
  for (const std::string scheme : {"clockwise", "ketama", "envoy:maglev"}) {
    INFO(scheme);
    const auto placed = place(fleet, scheme, {});
    CHECK(placed->members().size() == 6);
    for (int i = 0; i < 50; ++i) {
      const std::string key = "key:" + std::to_string(i);
      const Route usual = placed->route(key, 3, Spread::nodes, {});
      REQUIRE(usual.replicas.size() == 3);
      CHECK(usual.owner == &usual.replicas.front());
      CHECK(*usual.owner == placed->owner(key));
      const std::string& down = usual.replicas[1];
      const Route route = placed->route(key, 3, Spread::nodes,
                                        [&](const std::string& node) { return node != down; });
      REQUIRE(route.replicas.size() == 3);
      CHECK(route.replicas.first_substitute() == 2);
      CHECK(route.replicas[0] == usual.replicas[0]);
      CHECK(route.replicas[1] == usual.replicas[2]);
      CHECK_FALSE(route.owner_is_dead());
    }
  }
}

TEST_CASE("plan: one change has no other order; two have") {
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
  request.placement.vnodes = 20;
  Fleet fleet = fleet_of(8);
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

TEST_CASE("compare: times are differences of the clock that is given") {
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

TEST_CASE("membership: a round trip, and what is wrong with bytes") {
  const Membership membership = membership_of(fleet_of(3), {});
  const std::string bytes = to_wire(membership);
  REQUIRE(is_wire(bytes));
  const Membership again = from_wire(bytes, "f.ring");
  CHECK(fingerprint_of(again) == fingerprint_of(membership));
  CHECK(again.vnodes == 200);
  CHECK(difference(membership, again).changed.empty());
  CHECK_THROWS_AS(from_wire(bytes.substr(0, 30), "f.ring"), InputError);

  Membership other = membership;
  other.rows[1].options.weight = 2;
  other.rows.pop_back();
  const auto found = difference(membership, other);
  CHECK_FALSE(found.rules);
  CHECK(found.only_first == std::vector<std::size_t>{2});
  CHECK(found.changed.size() == 1);
  other.policy = "md5";
  CHECK_THROWS_MATCHES(checked(other), InputError,
                       Message("f.csv: hash must be xxh3-64 or xxh64, got \"md5\""));
}
