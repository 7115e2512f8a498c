// SPDX-License-Identifier: MIT
// The cost of a change, and its steps.

#include "clockwise/migration.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/theory.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

namespace migration_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::KeyMovement;
using clockwise::MigrationOptions;
using clockwise::ModN;
using clockwise::movement;
using clockwise::NodeOptions;
using clockwise::plan_migration;
using clockwise::plan_one_by_one;
using clockwise::Position;
using clockwise::Replication;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::StreamFrom;
using clockwise::TokenRing;
using clockwise::Width;
using clockwise_test::fails_with;
using clockwise_test::numbered;

namespace theory = clockwise::theory;

namespace {

// The corpus of docs/numbers.md: 10 billion objects of 1,088 bytes, and a network card of 1 Gbit/s.
const double stored = theory::stored_bytes(1e10, 1088);
constexpr double card = 125e6;

bool near(double a, double b, double relative = 1e-9) {
  return std::abs(a - b) <= relative * std::abs(b);
}

template <class Plan>
std::map<std::string, typename Plan::NodeLoad> loads(const Plan& plan) {
  std::map<std::string, typename Plan::NodeLoad> result;
  for (const auto& load : plan.nodes()) result.emplace(load.node, load);
  return result;
}

/// Which node gets a copy of which arc, and which node gives one up, as comparable data.
using Change = std::tuple<std::uint64_t, std::uint64_t, std::string, std::string>;
template <class Plan>
std::vector<Change> changes(const Plan& plan, bool backwards = false) {
  std::vector<Change> result;
  for (const auto& step : plan.steps()) {
    const std::string from = step.replaces ? step.from : "";
    result.emplace_back(step.arc.after, step.arc.last, backwards ? step.to : from,
                        backwards ? from : step.to);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// The time taken if each step begins as soon as both its nodes are free.
template <class Plan>
double makespan(const Plan& plan) {
  std::map<std::string, double> sends_until;
  std::map<std::string, double> receives_until;
  double end = 0;
  for (const auto& step : plan.steps()) {
    double& out = sends_until[step.source];
    double& in = receives_until[step.to];
    out = in = (std::max)(out, in) + step.bytes / card;
    end = (std::max)(end, in);
  }
  return end;
}

/// 16 nodes of exactly 1/16 each, to within 17 positions, and a 17th, which takes 1/17 of each.
std::pair<TokenRing<>, TokenRing<>> exact_16_to_17() {
  constexpr std::uint64_t seventeenth = ~std::uint64_t{0} / 17;  // 17 divides 2^64 - 1
  constexpr std::uint64_t part = seventeenth / 16;
  TokenRing<> before;
  std::vector<std::uint64_t> joiner;
  for (std::uint64_t i = 0; i < 16; ++i) {
    before.add("node-" + std::to_string(100 + i), {(i + 1) * 17 * part});
    joiner.push_back((i * 17 + 1) * part);
  }
  TokenRing<> after = before;
  after.add("joiner", joiner);
  return {before, after};
}

}  // namespace

TEST_CASE("16 -> 17 on exact arcs: every figure of the table") {
  const auto [before, after] = exact_16_to_17();
  // 2^64 is 272 equal parts and 16 positions more: relative errors of 1e-17.
  const auto plan = plan_migration(before, after, {.bytes = stored, .bytes_per_second = card});
  CHECK(near(plan.bytes(), 640e9));
  CHECK(plan.steps().size() == 16);
  const auto by_node = loads(plan);
  REQUIRE(by_node.size() == 17);
  for (const auto& [node, load] : by_node) {
    const bool joins = node == "joiner";
    CHECK(near(load.egress_bytes, joins ? 0 : 40e9));
    CHECK(near(load.ingress_bytes, joins ? 640e9 : 0));
    CHECK(near(load.seconds, joins ? 5120 : 320));
  }
  REQUIRE(plan.critical());
  CHECK(plan.critical()->node == "joiner");
  CHECK(near(plan.seconds(), 5120));
  CHECK(near(plan_migration(before, after, {.bytes = stored, .throttle = 0.25}).seconds(), 20'480));
  CHECK(plan.lost_bytes() == 0);
}

TEST_CASE("16 -> 17 on exact arcs: with 3 replicas every figure is 3 times as large") {
  const auto [before, after] = exact_16_to_17();
  const MigrationOptions one{.replicas = 1, .bytes = stored, .bytes_per_second = card};
  MigrationOptions three = one;
  three.replicas = 3;
  // On this ring, a vnode of the joiner comes before each of the others', so the joiner is in every
  // list of two: with three replicas it gets all of the circle, and no other node gets anything.
  const auto plan = plan_migration(before, after, three);
  CHECK(plan.width() == Width::whole_circle());
  CHECK(near(plan.bytes(), stored));
  CHECK(near(plan.seconds(), stored / card));
  CHECK(plan.width() == movement(before, after, 3).width());

  // One vnode for the joiner, in the middle of an arc: it gets that half and the two arcs before,
  // which are 5 halves against 1 for a single copy.
  TokenRing<> half = before;
  const std::uint64_t token = before.tokens_of("node-107")[0];
  half.add("joiner", {token + Arc{token, before.tokens_of("node-108")[0]}.width().low() / 2});
  CHECK(near(plan_migration(before, half, one).seconds(), stored / 32 / card));
  CHECK(near(plan_migration(before, half, three).seconds(), 5 * stored / 32 / card));
}

TEST_CASE("16 -> 17 on hashed rings: the figures agree within sampling error") {
  for (const std::size_t r : {std::size_t{1}, std::size_t{3}}) {
    INFO("R = " << r);
    const auto copies = static_cast<double>(r);
    double bytes = 0;
    double seconds = 0;
    double mean_egress = 0;
    constexpr int rings = 40;
    for (int number = 0; number < rings; ++number) {
      const std::string prefix = "fleet" + std::to_string(number) + "-";
      const HashRing<> before(numbered(prefix, 16));
      HashRing<> after = before;
      after.add(prefix + "joiner");
      const auto plan =
          plan_migration(before, after, {.replicas = r, .bytes = stored, .bytes_per_second = card});
      bytes += plan.bytes() / rings;
      seconds += plan.seconds() / rings;
      const auto by_node = loads(plan);
      CHECK(by_node.at(prefix + "joiner").ingress_bytes == plan.bytes());
      CHECK(by_node.at(prefix + "joiner").egress_bytes == 0);
      for (const auto& [node, load] : by_node) mean_egress += load.egress_bytes / 16 / rings;
    }
    // The joiner's share is Beta(V, 16 V). With replicas it is a sum of R stretches before each of
    // its vnodes, with no larger relative spread. The mean of 40, four sigma: 4.3%.
    const double p = 1.0 / 17;
    const double sigma = std::sqrt((1 - p) / (p * (17.0 * 200 + 1)) / rings);
    CHECK(near(bytes, copies * 640e9, 4 * sigma));
    CHECK(near(bytes, copies * stored * theory::ring_ingress(16, 17), 4 * sigma));
    CHECK(near(mean_egress, copies * 40e9, 4 * sigma));
    CHECK(near(seconds, copies * 5120, 4 * sigma));
  }
}

TEST_CASE(
    "16 -> 17 with mod N: 10.24 TB move, 600 GB into each of the 16, 640 GB into the joiner") {
  ModN<> before;
  for (std::uint64_t i = 0; i < 16; ++i) before.add("node-" + std::to_string(100 + i));
  ModN<> after = before;
  after.add("node-116");
  CHECK(near(stored * movement(before, after).fraction(), 10.24e12));
  // The keys 0 to 271, as positions, are each residue once, so this is exact.
  KeyMovement keys(before, after);
  for (std::uint64_t residue = 0; residue < 272; ++residue) keys.observe(Position{residue});
  CHECK(keys.moved() == 256);
  std::map<std::string, double> in;
  std::map<std::string, double> out;
  for (const auto& flow : keys.flows()) {
    in[flow.to] += stored * static_cast<double>(flow.keys) / 272;
    out[flow.from] += stored * static_cast<double>(flow.keys) / 272;
  }
  for (const auto& member : before.members()) {
    CHECK(near(in[member.node], 600e9));
    CHECK(near(out[member.node], 640e9));
    CHECK(near(out[member.node] / card, 5120));
  }
  CHECK(near(in["node-116"], 640e9));
}

TEST_CASE("k joiners at once take 1/k of the time of k joins one by one, which move more") {
  const HashRing<> before(numbered("node", 16));
  HashRing<> after = before;
  const std::vector<std::string> joiners = numbered("joiner", 4);
  after.add_all(joiners);
  const MigrationOptions options{.bytes = stored, .bytes_per_second = card};
  const auto together = plan_migration(before, after, options);
  const auto in_turn = plan_one_by_one(before, after, options);
  REQUIRE(in_turn.size() == 4);
  double bytes = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < in_turn.size(); ++i) {
    bytes += in_turn[i].bytes();
    seconds += in_turn[i].seconds();
    REQUIRE(in_turn[i].critical());
    CHECK(in_turn[i].critical()->node == joiners[i]);
  }
  CHECK(bytes > together.bytes());
  // Shares of 1/16 to 1/20 have a coefficient of variation of 0.07 at V = 200; of the largest of
  // four, and of the sums of four: four sigma.
  CHECK(near(bytes, stored * theory::ring_movement_one_by_one(16, 20), 4 * 0.07 / 2));
  CHECK(near(together.bytes(), stored * theory::ring_movement(16, 20), 4 * 0.07 / 2));
  CHECK(near(together.seconds(), theory::ring_migration_seconds(stored, 16, 20, card), 4 * 0.07));
  CHECK(near(seconds / together.seconds(), 4 * 1.1, 0.3));
}

TEST_CASE("one by one: joins, weights and leaves end in the target ring") {
  HashRing<> before(numbered("node", 6), RingOptions{50});
  HashRing<> after = before;
  after.add("joiner", NodeOptions{2.0, "r1", {}});
  after.set_weight("node3", 2);
  after.remove("node0");
  const auto plans = plan_one_by_one(before, after, {.bytes = 1e9});
  REQUIRE(plans.size() == 3);
  for (const auto& step : plans[0].steps()) CHECK(step.to == "joiner");
  for (const auto& step : plans[1].steps()) CHECK(step.to == "node3");
  for (const auto& step : plans[2].steps()) CHECK(step.from == "node0");
  CHECK(plan_one_by_one(before, before, {}).empty());
  // Other vnodes everywhere: one change of all members.
  const HashRing<> other(numbered("node", 6), RingOptions{60});
  const auto rest = plan_one_by_one(before, other, {.bytes = 1e9});
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].width() == movement(before, other).width());
}

TEST_CASE("a source held the arc before, and the copies end as in the ring after") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 30; ++round) {
    HashRing<> before(RingOptions{6});
    HashRing<> after(RingOptions{6});
    for (const std::string& id : numbered("node", 12)) {
      const NodeOptions options{static_cast<double>(random() % 3),
                                "r" + std::to_string(random() % 4),
                                random() % 2 == 0 ? "east" : "west"};
      if (random() % 4 != 0) before.add(id, options);
      if (random() % 4 != 0) after.add(id, options);
    }
    const std::size_t r = 1 + random() % 4;
    const MigrationOptions options{.replicas = round % 3 == 0
                                                   ? Replication{{"east", 2}, {"west", r}}
                                               : round % 3 == 1 ? Replication{r, Spread::racks_only}
                                                                : Replication(r),
                                   .bytes = 1e12};
    const auto list = [&](const HashRing<>& ring, std::uint64_t position) {
      return ring.preference_list(Position{position}, options.replicas);
    };
    const auto plan = plan_migration(before, after, options);
    Width sum;
    std::size_t wrong = 0;
    for (const auto& step : plan.steps()) {
      sum += step.arc.width();
      for (const std::uint64_t position : {step.arc.after + 1, step.arc.last}) {
        const auto holders = list(before, position);
        const auto takers = list(after, position);
        wrong +=
            holders.contains(step.source) && !holders.contains(step.to) && takers.contains(step.to)
                ? 0u
                : 1u;
        wrong += step.replaces && !(holders.contains(step.from) && !takers.contains(step.from))
                     ? 1u
                     : 0u;
      }
    }
    CHECK(wrong == 0);
    CHECK(sum == plan.width());
    CHECK(plan.width() == movement(before, after, options.replicas).width());
  }
}

TEST_CASE(
    "plan(before, after) and plan(after, before) are inverse, and reverse() returns the second") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 30; ++round) {
    HashRing<> before(RingOptions{6});
    HashRing<> after(RingOptions{6});
    for (const std::string& id : numbered("node", 7)) {  // few enough for lists to be short
      if (random() % 3 != 0) before.add(id, 1 + static_cast<int>(random() % 3));
      if (random() % 3 != 0) after.add(id, 1 + static_cast<int>(random() % 3));
    }
    if (before.empty() || after.empty()) continue;
    const MigrationOptions options{.replicas = 1 + random() % 4, .bytes = 1e12};
    const auto there = plan_migration(before, after, options);
    const auto back = plan_migration(after, before, options);
    // Which neighbours are joined can differ with their sources, so widths are compared arc by arc
    // at the finest cut: every position is queried.
    const auto reversed = there.reverse();
    CHECK(reversed.width() == back.width());
    const auto gains = [](const auto& plan, std::uint64_t at) {
      std::vector<std::string> result;
      for (const auto& step : plan.steps()) {
        if (step.arc.contains(at))
          result.push_back((step.replaces ? step.from : "") + ">" + step.to);
      }
      std::sort(result.begin(), result.end());
      return result;
    };
    std::size_t differing = 0;
    for (const auto* ring : {&before, &after}) {
      for (const std::uint64_t at : ring->positions()) {
        differing += gains(reversed, at) == gains(back, at) ? 0u : 1u;
        differing += gains(reversed, at + 1) == gains(back, at + 1) ? 0u : 1u;
      }
    }
    CHECK(differing == 0);
    // Each source of the reverse plan holds the arc after the change.
    std::size_t wrong = 0;
    for (const auto& step : reversed.steps()) {
      wrong +=
          after.preference_list(Position{step.arc.last}, options.replicas).contains(step.source)
              ? 0u
              : 1u;
    }
    CHECK(wrong == 0);
    const auto again = reversed.reverse();
    CHECK(changes(again) == changes(there));
    CHECK(again.width() == there.width());
    std::size_t other_sources = 0;
    std::multimap<Arc, std::string, bool (*)(const Arc&, const Arc&)> sources(
        [](const Arc& a, const Arc& b) { return a.last < b.last; });
    for (const auto& step : there.steps()) sources.emplace(step.arc, step.source + step.to);
    for (const auto& step : again.steps()) {
      const auto [begin, end] = sources.equal_range(step.arc);
      other_sources +=
          std::any_of(begin, end,
                      [&](const auto& entry) { return entry.second == step.source + step.to; })
              ? 0u
              : 1u;
    }
    CHECK(other_sources == 0);
  }
}

TEST_CASE(
    "a ring of two that grows to three at R = 3 gains copies, and drops them on the way back") {
  const HashRing<> two(numbered("node", 2));
  const HashRing<> three(numbered("node", 3));
  const auto grow = plan_migration(two, three, {.replicas = 3, .bytes = 1e9});
  CHECK(grow.width() == Width::whole_circle());
  for (const auto& step : grow.steps()) {
    CHECK_FALSE(step.replaces);
    CHECK(step.from == step.source);
    CHECK(step.to == "node2");
  }
  CHECK(grow.reverse().steps().empty());
  CHECK(grow.reverse().bytes() == 0);
  const auto shrink = plan_migration(three, two, {.replicas = 3, .bytes = 1e9});
  CHECK(shrink.steps().empty());
  CHECK(shrink.reverse().width() == Width::whole_circle());
  CHECK(changes(grow.reverse().reverse()) == changes(grow));
}

TEST_CASE("egress is spread evenly over the holders") {
  const HashRing<> before(numbered("node", 16));
  HashRing<> after = before;
  after.add("joiner");
  const auto peak = [&](StreamFrom from) {
    const auto plan =
        plan_migration(before, after, {.replicas = 3, .bytes = stored, .stream_from = from});
    double most = 0;
    for (const auto& load : plan.nodes()) most = (std::max)(most, load.egress_bytes);
    return most / (plan.bytes() / 16);
  };
  // There are about 600 arcs of at most H(3400)/3400 of the circle each. The busiest sender leads
  // the others by at most one arc while any of them holds the next: 8.7 / 3400 of the circle over a
  // mean of 3 / 17 / 16 is 0.23. Which node gives up its copy is random: shares of about 37 arcs.
  CHECK(peak(StreamFrom::any_holder) < 1.23);
  CHECK(peak(StreamFrom::any_holder) < peak(StreamFrom::replaced));
}

TEST_CASE("with StreamFrom::replaced, each copy replaces its source's copy") {
  const HashRing<> before(numbered("node", 9));
  HashRing<> after = before;
  after.remove("node3");
  after.add("joiner");
  const auto plan = plan_migration(
      before, after, {.replicas = 3, .bytes = 1e9, .stream_from = StreamFrom::replaced});
  CHECK_FALSE(plan.steps().empty());
  for (const auto& step : plan.steps()) CHECK(step.source == step.from);
  // A failed node cannot stream; the other holders do.
  const auto dead = [](const std::string& node) { return node != "node3"; };
  const auto without = plan_migration(
      before, after, {.replicas = 3, .bytes = 1e9, .stream_from = StreamFrom::replaced}, dead);
  CHECK(without.width() == plan.width());
  CHECK(without.lost_bytes() == 0);
  for (const auto& step : without.steps()) {
    CHECK(step.source != "node3");
    if (step.from != "node3") CHECK(step.source == step.from);
  }
}

TEST_CASE("data that only a dead node held is reported as lost") {
  const HashRing<> before(numbered("node", 9));
  HashRing<> after = before;
  after.remove("node3");
  const auto dead = [](const std::string& node) { return node != "node3"; };
  const auto plan = plan_migration(before, after, {.replicas = 1, .bytes = 1e9}, dead);
  CHECK(plan.steps().empty());
  CHECK(near(plan.lost_bytes(), 1e9 * before.load_shares()[3].second));
}

TEST_CASE("data that only a dead node could send back is lost in the reverse plan") {
  const HashRing<> before(numbered("node", 5));
  HashRing<> after = before;
  after.add("joiner");
  for (const std::size_t replicas : {1u, 2u, 3u}) {
    const MigrationOptions options{.replicas = replicas, .bytes = 1e9};
    for (const bool all : {false, true}) {
      const auto sends = [&](const std::string& node) { return !all && node != "joiner"; };
      const auto there = plan_migration(before, after, options, sends);
      const auto back = plan_migration(after, before, options, sends);
      const auto reversed = there.reverse();
      CHECK(reversed.width() == back.width());
      CHECK(near(reversed.lost_bytes(), back.lost_bytes()));
      CHECK((replicas == 1 || all) == (reversed.lost_bytes() > 0));
      for (const auto& step : reversed.steps()) CHECK(step.source != "joiner");
      const auto again = reversed.reverse();
      CHECK(changes(again) == changes(there));
      CHECK(near(again.lost_bytes(), there.lost_bytes()));
    }
  }
}

TEST_CASE("batches have a bounded size and together cover the arcs") {
  const HashRing<> before(numbered("node", 5), RingOptions{8});
  HashRing<> after = before;
  after.add("joiner");
  const MigrationOptions whole{.replicas = 2, .bytes = 1e12};
  MigrationOptions cut = whole;
  cut.batch_bytes = 1e9;
  const auto arcs = plan_migration(before, after, whole);
  const auto batches = plan_migration(before, after, cut);
  CHECK(batches.width() == arcs.width());
  CHECK(static_cast<double>(batches.steps().size()) >= arcs.bytes() / 1e9);
  CHECK(static_cast<double>(batches.steps().size()) <
        arcs.bytes() / 1e9 + static_cast<double>(arcs.steps().size()) + 1);
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Arc>> cut_arcs;
  for (const auto& step : batches.steps()) {
    CHECK(step.bytes <= 1e9 * (1 + 1e-9));
    cut_arcs[{step.from, step.source, step.to}].push_back(step.arc);
  }
  std::size_t wrong = 0;
  for (const auto& step : arcs.steps()) {
    Width inside;
    for (const Arc& arc : cut_arcs[{step.from, step.source, step.to}]) {
      if (step.arc.contains(arc.last)) {
        inside += arc.width();
        wrong += step.arc.contains(arc.after + 1) ? 0u : 1u;
      }
    }
    wrong += inside == step.arc.width() ? 0u : 1u;
  }
  CHECK(wrong == 0);

  // A whole circle, an arc of one position, and more parts than positions.
  TokenRing<> one;
  one.add("a", {7});
  TokenRing<> other;
  other.add("b", {7});
  const auto circle = plan_migration(one, other, {.bytes = 10, .batch_bytes = 3});
  REQUIRE(circle.steps().size() == 4);
  CHECK(circle.width() == Width::whole_circle());
  other.add("a", {6});  // of b's (6, 7]
  const auto dot = plan_migration(one, other, {.bytes = 1e30, .batch_bytes = 1e10});
  REQUIRE(dot.steps().size() == 1);
  CHECK(dot.steps()[0].arc == Arc{6, 7});
}

TEST_CASE("the order keeps senders and receivers busy") {
  const HashRing<> before(numbered("node", 16));
  HashRing<> after = before;
  after.add_all(numbered("joiner", 4));
  after.remove("node0");
  const auto plan = plan_migration(
      before, after,
      {.replicas = 3, .bytes = stored, .bytes_per_second = card, .batch_bytes = 10e9});
  // Never less than the critical node's time. The excess is a few batches at the end, of 80 s each
  // on a card.
  CHECK(makespan(plan) >= plan.seconds() * (1 - 1e-9));
  CHECK(makespan(plan) < plan.seconds() * 1.05);
  // The same steps, sorted by receiver, leave all receivers but one idle.
  std::vector<std::size_t> order(plan.steps().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return plan[a].source < plan[b].source; });
  std::map<std::string, double> out;
  std::map<std::string, double> in;
  double end = 0;
  for (const std::size_t i : order) {
    const auto step = plan[i];
    out[step.source] = in[step.to] = (std::max)(out[step.source], in[step.to]) + step.bytes / card;
    end = (std::max)(end, in[step.to]);
  }
  CHECK(end > makespan(plan) * 1.2);
}

TEST_CASE("a plan is resumed by the numbers of its finished steps") {
  const HashRing<> before(numbered("node", 6), RingOptions{20});
  HashRing<> after = before;
  after.add("joiner");
  const MigrationOptions options{.replicas = 2, .bytes = 1e12};
  const auto plan = plan_migration(before, after, options);
  std::vector<std::size_t> done;
  Width done_width;
  for (std::size_t i = 0; i < plan.steps().size(); i += 3) {
    done.push_back(i);
    done_width += plan[i].arc.width();
  }
  done.push_back(0);  // twice is harmless
  const auto rest = plan_migration(before, after, options).remaining(done);
  CHECK(rest.width() + done_width == plan.width());
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    if (i % 3 == 0) continue;
    REQUIRE(next < rest.steps().size());
    CHECK(rest[next].arc == plan[i].arc);
    CHECK(rest[next].source == plan[i].source);
    ++next;
  }
  CHECK(next == rest.steps().size());
  const std::vector<std::size_t> beyond{plan.steps().size()};
  CHECK(fails_with<std::out_of_range>("step must be below", [&] { plan.remaining(beyond); }));
}

TEST_CASE("steps of a temporary plan can be looped over") {
  const HashRing<> before(numbered("node", 4));
  HashRing<> after = before;
  after.add("joiner");
  double bytes = 0;
  for (const auto& step : plan_migration(before, after, {.bytes = 1e9}).steps())
    bytes += step.bytes;
  CHECK(near(bytes, plan_migration(before, after, {.bytes = 1e9}).bytes()));
}

TEST_CASE("a plan can be empty") {
  const HashRing<> ring(numbered("node", 4));
  const auto plan = plan_migration(ring, ring, {.replicas = 3, .bytes = 1e12});
  CHECK(plan.steps().empty());
  CHECK_FALSE(plan.critical());
  CHECK(plan.seconds() == 0);
  CHECK(plan.nodes().size() == 4);
  CHECK(plan_migration(HashRing<>(), ring, {.bytes = 1}).steps().empty());
}

TEST_CASE("options out of range are refused by name") {
  const HashRing<> before(numbered("node", 4));
  const HashRing<> after(numbered("node", 5));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [&](const MigrationOptions& options, const char* text) {
    return fails_with<std::invalid_argument>(text, [&] { plan_migration(before, after, options); });
  };
  CHECK(refused({.replicas = 0}, "replicas must be at least 1, got 0"));
  CHECK(refused({.bytes = -1}, "bytes must be finite and not negative, got -1"));
  CHECK(refused({.bytes = nan}, "bytes must be finite and not negative, got nan"));
  CHECK(refused({.bytes = infinity}, "bytes must be finite and not negative, got inf"));
  CHECK(refused({.bytes_per_second = 0}, "bytes_per_second must be finite and above 0, got 0"));
  CHECK(refused({.bytes_per_second = -5}, "bytes_per_second must be finite and above 0, got -5"));
  CHECK(refused({.bytes_per_second = nan}, "bytes_per_second must be finite and above 0, got nan"));
  CHECK(refused({.throttle = 0}, "throttle must be above 0 and at most 1, got 0"));
  CHECK(refused({.throttle = 1.5}, "throttle must be above 0 and at most 1, got 1.5"));
  CHECK(refused({.throttle = nan}, "throttle must be above 0 and at most 1, got nan"));
  CHECK(refused({.batch_bytes = -1}, "batch_bytes must be finite and not negative, got -1"));
  CHECK(refused({.batch_bytes = nan}, "batch_bytes must be finite and not negative, got nan"));
  CHECK(fails_with<std::length_error>(
      "batch_bytes", [&] { plan_migration(before, after, {.bytes = 1e18, .batch_bytes = 1}); }));
  const HashRing<> seeded(numbered("node", 4), {}, clockwise::Xxh3{1});
  CHECK(fails_with<std::invalid_argument>("hash policies",
                                          [&] { plan_migration(before, seeded, {}); }));
}

}  // namespace migration_test
