// SPDX-License-Identifier: MIT
// The cost of failures, compared with brute-force counts.

#include "clockwise/durability.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/ring/packed_sets.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"

namespace durability_test {

using Catch::Approx;
using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::Quorum;
using clockwise::replica_sets;
using clockwise::ReplicaSets;
using clockwise::Replication;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise_test::fails_with;

namespace {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t anything() { return clockwise::detail::draw(seed_, next_++); }
  std::uint64_t below(std::uint64_t n) { return anything() % n; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// Up to 9 nodes with up to 4 tokens each, many tied; racks of uneven size, one rack, or none;
/// datacenters; members without tokens.
TokenRing<> random_ring(Draws& draws) {
  TokenRing<> ring;
  const std::uint64_t nodes = 1 + draws.below(9);
  const std::uint64_t racks = draws.below(5);
  const std::uint64_t datacenters = 1 + draws.below(3);
  for (std::uint64_t i = 0; i < nodes; ++i) {
    std::set<std::uint64_t> tokens;
    for (std::uint64_t left = draws.below(5); left > 0; --left) {
      tokens.insert(draws.below(2) == 0 ? draws.below(30) : draws.anything());
    }
    NodeOptions options;
    if (racks > 0 && draws.below(6) > 0) {
      options.rack = "r" + std::to_string(draws.below(racks) * draws.below(racks) / racks);
    }
    if (datacenters > 1) options.datacenter = "d" + std::to_string(draws.below(datacenters));
    ring.add("n" + std::to_string(i), options,
             std::vector<std::uint64_t>(tokens.begin(), tokens.end()));
  }
  return ring;
}

using Set = std::vector<std::uint32_t>;

/// One walk from every position that owns something.
template <class Ring>
std::set<Set> sets_by_walks(const Ring& ring, const Replication& replication) {
  std::set<Set> sets;
  for (const std::uint64_t position : ring.positions()) {
    Set set;
    for (const auto& node : ring.preference_list(Position{position}, replication)) {
      set.push_back(ring.index_of(node));
    }
    std::sort(set.begin(), set.end());
    sets.insert(set);
  }
  return sets;
}

template <class Ring>
void check_against_walks(const Ring& ring, const Replication& replication) {
  const auto expected = sets_by_walks(ring, replication);
  const ReplicaSets counted = replica_sets(ring, replication);
  std::set<Set> sets;
  for (std::size_t i = 0; i < counted.distinct; ++i) sets.insert(counted[i]);
  REQUIRE(sets.size() == counted.distinct);
  if (counted.replicas == 0) {
    REQUIRE(counted.distinct == 0);
  } else {
    REQUIRE(sets == expected);
  }
}

/// The share of choices of `failed` nodes that hold a set. Tries every choice.
double loss_by_trial(const ReplicaSets& sets, std::size_t nodes, std::size_t failed) {
  std::vector<std::uint32_t> masks;
  for (std::size_t i = 0; i < sets.distinct; ++i) {
    std::uint32_t mask = 0;
    for (const std::uint32_t node : sets[i]) mask |= 1u << node;
    masks.push_back(mask);
  }
  std::uint64_t choices = 0;
  std::uint64_t losses = 0;
  for (std::uint32_t down = 0; down < 1u << nodes; ++down) {
    std::size_t count = 0;
    for (std::uint32_t bits = down; bits != 0; bits &= bits - 1) ++count;
    if (count != failed) continue;
    ++choices;
    if (std::any_of(masks.begin(), masks.end(), [&](auto mask) { return (mask & ~down) == 0; })) {
      ++losses;
    }
  }
  return static_cast<double>(losses) / static_cast<double>(choices);
}

HashRing<> fleet(int nodes, std::uint32_t vnodes, int racks, const std::string& name = "n") {
  HashRing<> ring(RingOptions{vnodes});
  ring.update([&](auto& edit) {
    for (int i = 0; i < nodes; ++i) {
      edit.add(name + std::to_string(i),
               NodeOptions{1, racks == 0 ? "" : "r" + std::to_string(i % racks), ""});
    }
  });
  return ring;
}

}  // namespace

TEST_CASE("the sets match a walk from every position, on random topologies") {
  Draws draws(1);
  for (int round = 0; round < 3000; ++round) {
    const TokenRing<> ring = random_ring(draws);
    const std::size_t r = 1 + draws.below(6);
    for (const Spread spread : {Spread::nodes, Spread::racks, Spread::racks_only}) {
      check_against_walks(ring, {r, spread});
    }
    check_against_walks(ring, r);
    check_against_walks(ring, {{"d0", 1 + draws.below(3)}, {"d1", draws.below(3)}, {"", r}});
  }
}

TEST_CASE("the distinct numbers match those of a std::set") {
  const auto mixed = [](std::uint64_t i) { return clockwise::detail::mix(i); };
  for (const std::uint64_t kinds : {1u, 2u, 3000u, 200000u}) {
    for (const std::uint64_t shift : {0u, 1u, 40u}) {
      const auto number = [&](std::uint64_t i) { return mixed(i) % kinds << shift; };
      std::set<std::uint64_t> wanted;
      for (std::uint64_t i = 0; i < 200000; ++i) wanted.insert(number(i));
      for (const std::size_t expected : {0u, 1u, 5000u, 1000000u}) {
        clockwise::detail::DistinctNumbers numbers(expected);
        for (std::uint64_t i = 0; i < 200000; ++i) numbers.insert(number(i));
        auto found = std::move(numbers).take();
        std::sort(found.begin(), found.end());
        INFO(kinds << " kinds, " << expected << " expected, shifted by " << shift);
        REQUIRE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()));
      }
    }
  }
  CHECK(clockwise::detail::DistinctNumbers(7).take().empty());
}

TEST_CASE("sets that do not fit one 64-bit word are counted exactly") {
  const HashRing<> ring = fleet(300, 4, 7);
  for (const std::size_t r : {7u, 8u, 9u, 20u}) {
    check_against_walks(ring, r);
    check_against_walks(ring, {r, Spread::nodes});
  }
}

TEST_CASE("sets of nearly all nodes are counted in time proportional to their number") {
  const HashRing<> ring = fleet(1000, 200, 10);
  const std::size_t most = ~std::size_t{0};
  for (const Replication& replication :
       {Replication(most), Replication(1000), Replication({{"", most}})}) {
    const ReplicaSets all = replica_sets(ring, replication);
    CHECK(all.replicas == 1000);
    CHECK(all.distinct == 1);
    CHECK(all.possible == 1);
    CHECK(all[0].size() == 1000);
    CHECK(all[0].front() == 0);
    CHECK(all[0].back() == 999);
    CHECK(all.scatter_width() == 999);
    CHECK(all.loss_probability(999) == 0);
    CHECK(all.loss_probability(most) == 1);
  }
  // All nodes but the one whose next vnode is farthest, which changes at few of the 200,000
  // positions.
  const ReplicaSets but_one = replica_sets(ring, {999, Spread::nodes});
  CHECK(but_one.distinct > 20);
  CHECK(but_one.distinct <= 1000);
  CHECK(but_one.loss_probability(999) == Approx(static_cast<double>(but_one.distinct) / 1000));
  CHECK(but_one.scatter_width() == 999);

  // The fewest replicas that are not all nodes, and more than fit one word.
  const HashRing<> small = fleet(40, 6, 4);
  for (std::size_t r = 10; r <= 41; ++r) {
    check_against_walks(small, {r, Spread::nodes});
    check_against_walks(small, r);
  }
}

TEST_CASE("sets of half of the nodes take memory proportional to their number, and estimates end") {
  const ReplicaSets halves = replica_sets(fleet(600, 30, 0), 300);
  CHECK(halves.replicas == 300);
  CHECK(halves.distinct > 5000);
  CHECK(halves.distinct <= 18000);
  CHECK(halves.scatter_width() == 599);
  const auto loss = halves.loss(599);
  CHECK(loss.value > 0.99);
  CHECK(halves.loss(301).value < 1e-100);
}

TEST_CASE("a set on an empty arc holds nothing and is not counted") {
  TokenRing<> ring;
  ring.add("a", {7});
  ring.add("b", {7});
  ring.add("c", {7, 20});
  // (20, 7]: a, b, and (7, 20]: c, a. Nothing lies between a and b, or b and c.
  CHECK(replica_sets(ring, 2).distinct == 2);
  CHECK(replica_sets(HashRing<clockwise_test::ConstantHash>({"a", "b", "c"}), 2).distinct == 1);
}

TEST_CASE("16 nodes: one vnode makes 16 triples, 200 make nearly all 560") {
  const ReplicaSets few = replica_sets(fleet(16, 1, 0), 3);
  CHECK(few.distinct == 16);
  CHECK(few.possible == 560);
  CHECK(few.loss_probability(3) == Approx(16.0 / 560).epsilon(1e-12));

  // The mean over 100 rings is 0.9919 with a standard deviation of 0.0034 per ring, as measured on
  // 400 others; 4 standard errors are 0.0014. The often-quoted 0.997 assumes independence.
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
    sum += replica_sets(fleet(16, 200, 0, std::to_string(i) + "-"), 3).loss_probability(3);
  }
  CHECK(std::abs(sum / 100 - 0.9919) < 0.0014);
}

TEST_CASE("racks leave only sets that span racks, and no rack holds all replicas of a key") {
  const HashRing<> ring = fleet(16, 200, 4);
  const ReplicaSets sets = replica_sets(ring, 3);
  CHECK(sets.distinct <= 256);
  CHECK(sets.distinct > 250);  // of 256; each is missed with about e^-11
  CHECK(clockwise::rack_losses(ring, 3).probability() == 0);
  const auto unaware = clockwise::rack_losses(ring, {3, Spread::nodes});
  REQUIRE(unaware.domains.size() == 4);
  CHECK(unaware.probability() == 1);
  CHECK(unaware.domains[0].rack == "r0");
  CHECK(unaware.domains[0].nodes == 4);
  // A key's three nodes are in one rack with 4 * C(4,3) / C(16,3) = 0.0286 in all, 0.0071 per rack.
  CHECK(unaware.worst() > 0.002);
  CHECK(unaware.worst() < 0.02);
  CHECK(clockwise::rack_losses(fleet(4, 8, 0), 1).domains.empty());
}

TEST_CASE("the loss of a domain is the share that only its members hold") {
  Draws draws(2);
  for (int round = 0; round < 500; ++round) {
    const TokenRing<> ring = random_ring(draws);
    const std::size_t r = 1 + draws.below(4);
    const auto racks = clockwise::rack_losses(ring, {r, Spread::nodes});
    for (const auto& rack : racks.domains) {
      std::vector<std::string> dead;
      for (const auto& member : ring.members()) {
        if (member.rack == rack.rack && member.datacenter == rack.datacenter) {
          dead.push_back(member.node);
        }
      }
      REQUIRE(rack.nodes == dead.size());
      const double readable = Quorum{r, 1, 1}.available(ring, dead, {r, Spread::nodes}).readable;
      REQUIRE(rack.lost == Approx(ring.vnode_count() == 0 ? 0 : 1 - readable).margin(1e-12));
    }
  }
  HashRing<> ring = fleet(6, 16, 0);
  ring.add("x", NodeOptions{1, "", "east"});
  ring.add("y", NodeOptions{1, "", "east"});
  const auto datacenters = clockwise::datacenter_losses(ring, 2);
  REQUIRE(datacenters.domains.size() == 2);
  CHECK(datacenters.domains[1].datacenter == "east");
  CHECK(datacenters.domains[1].nodes == 2);
  CHECK(datacenters.probability() == 1);
  CHECK(clockwise::datacenter_losses(ring, {{"", 1}, {"east", 1}}).worst() == 0);
}

TEST_CASE("domains are sorted by name") {
  HashRing<> ring(RingOptions{16});
  const std::vector<std::pair<std::string, std::string>> places{
      {"west", "b"}, {"east", "c"}, {"", "d"}, {"west", "a"}, {"east", "\xff"}, {"east", "a"}};
  for (std::size_t i = 0; i < 18; ++i) {
    const auto& [datacenter, rack] = places[i % places.size()];
    ring.add("n" + std::to_string(i),
             NodeOptions{.weight = 1, .rack = rack, .datacenter = datacenter});
  }
  std::vector<std::pair<std::string, std::string>> racks;
  for (const auto& domain : clockwise::rack_losses(ring, 1).domains) {
    racks.emplace_back(domain.datacenter, domain.rack);
    CHECK(domain.nodes == 3);
    double share = 0;
    for (const auto& member : ring.members()) {
      if (member.rack != domain.rack || member.datacenter != domain.datacenter) continue;
      share += ring.load_shares()[ring.index_of(member.node)].second;
    }
    CHECK(domain.lost == Approx(share));
  }
  auto sorted = places;
  std::sort(sorted.begin(), sorted.end());
  CHECK(racks == sorted);

  std::vector<std::string> datacenters;
  for (const auto& domain : clockwise::datacenter_losses(ring, 1).domains) {
    datacenters.push_back(domain.datacenter);
    CHECK(domain.nodes == (domain.datacenter.empty() ? 3 : domain.datacenter == "east" ? 9 : 6));
  }
  CHECK(datacenters == std::vector<std::string>{"", "east", "west"});
}

TEST_CASE("the probability of loss matches trying every choice") {
  for (const int nodes : {5, 9, 12}) {
    for (const std::uint32_t vnodes : {1u, 3u, 30u}) {
      const HashRing<> ring = fleet(nodes, vnodes, 0);
      for (const std::size_t r : {1u, 2u, 3u, 4u}) {
        const ReplicaSets sets = replica_sets(ring, r);
        for (std::size_t failed = 0; failed <= static_cast<std::size_t>(nodes); ++failed) {
          const auto loss = sets.loss(failed);
          REQUIRE(loss.exact);
          REQUIRE(loss.low == loss.high);
          REQUIRE(
              loss.value ==
              Approx(loss_by_trial(sets, static_cast<std::size_t>(nodes), failed)).margin(1e-12));
        }
        CHECK(sets.loss_probability(1000) == 1);
      }
    }
  }
}

TEST_CASE("the interval of an estimate contains the exact value as often as it promises") {
  std::size_t intervals = 0;
  std::size_t misses = 0;
  for (const std::uint32_t vnodes : {1u, 4u, 40u}) {
    const ReplicaSets sets = replica_sets(fleet(16, vnodes, 0), 3);
    for (const std::size_t failed : {4u, 6u, 9u}) {
      const double truth = sets.loss_probability(failed);
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto loss = sets.loss(failed, {0, 2000, seed});
        REQUIRE_FALSE(loss.exact);
        REQUIRE(loss.low <= loss.value);
        REQUIRE(loss.value <= loss.high);
        ++intervals;
        if (truth < loss.low - 1e-12 || truth > loss.high + 1e-12) ++misses;
      }
    }
  }
  // 5% of 360 are 18; 4 sigma of that count are 4 * sqrt(18 * 0.95) = 17 more.
  CHECK(intervals == 360);
  CHECK(misses <= 35);

  // Also rare losses: 2,000 samples of one in 800,000 choices.
  const ReplicaSets rare = replica_sets(fleet(1000, 1, 0), 3);
  const auto loss = rare.loss(5, {0, 2000, 1});
  const double union_bound = 1000 * clockwise::theory::expected_loss(1000, 3, 5);
  CHECK(loss.value <= union_bound);
  CHECK(loss.value > 0.95 * union_bound);
  CHECK(loss.low <= loss.value);
}

TEST_CASE("the estimate is the same on every platform") {
  const ReplicaSets sets = replica_sets(fleet(16, 4, 0), 3);
  CHECK(sets.loss(6, {0, 500, 7}).value == sets.loss(6, {0, 500, 7}).value);
  CHECK(sets.loss(6, {0, 500, 7}).value != sets.loss(6, {0, 500, 8}).value);
}

TEST_CASE("the expected loss does not depend on the vnodes") {
  for (const std::uint32_t vnodes : {1u, 20u}) {
    const HashRing<> ring = fleet(8, vnodes, 0);
    const ReplicaSets sets = replica_sets(ring, 2);
    // Tries every pair: the mean share lost with each.
    double sum = 0;
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < a; ++b) {
        const std::vector<std::string> dead{"n" + std::to_string(a), "n" + std::to_string(b)};
        sum += 1 - Quorum{2, 1, 1}.available(ring, dead).readable;
      }
    }
    CHECK(sets.expected_loss(2) == Approx(sum / 28));
    CHECK(sets.expected_loss(2) == Approx(1.0 / 28));
  }
}

TEST_CASE("scatter width: the number of nodes that share keys with a node") {
  TokenRing<> ring;
  for (std::uint64_t i = 0; i < 6; ++i) ring.add("n" + std::to_string(i), {i * 10});
  const ReplicaSets sets = replica_sets(ring, 3);
  // On a circle of six nodes with one token each: two on either side.
  CHECK(sets.scatter_widths() == std::vector<std::size_t>(6, 4));
  CHECK(sets.scatter_width() == 4);
  CHECK(sets.fewest_sets(4) == Approx(6 * 4 / 6.0));
  CHECK(sets.distinct == 6);
  ring.add("drained", NodeOptions{0, "", ""}, {});
  CHECK(replica_sets(ring, 3).scatter_width() == 4);
  CHECK(replica_sets(ring, 1).scatter_width() == 0);
  CHECK(replica_sets(ring, 1).fewest_sets(4) == 0);

  Draws draws(4);
  for (int round = 0; round < 300; ++round) {
    const TokenRing<> random = random_ring(draws);
    const ReplicaSets counted = replica_sets(random, 1 + draws.below(4));
    std::vector<std::set<std::uint32_t>> peers(random.size());
    for (std::size_t i = 0; i < counted.distinct; ++i) {
      for (const std::uint32_t a : counted[i]) {
        for (const std::uint32_t b : counted[i]) {
          if (a != b) peers[a].insert(b);
        }
      }
    }
    const auto widths = counted.scatter_widths();
    REQUIRE(widths.size() == peers.size());
    for (std::size_t i = 0; i < peers.size(); ++i) REQUIRE(widths[i] == peers[i].size());
  }
}

TEST_CASE("fewer nodes than replicas, no nodes, no replicas") {
  HashRing<> ring(RingOptions{50});
  CHECK(replica_sets(ring, 3).distinct == 0);
  CHECK(replica_sets(ring, 3).loss_probability(3) == 0);
  CHECK(Quorum{}.available(ring, std::vector<std::string>{}).readable == 0);
  ring.add("a");
  ring.add("b");
  ring.add("drained", 0);
  const ReplicaSets sets = replica_sets(ring, 3);
  CHECK(sets.nodes == 2);
  CHECK(sets.replicas == 2);
  CHECK(sets.distinct == 1);
  CHECK(sets.possible == 1);
  CHECK(sets.loss_probability(1) == 0);
  CHECK(sets.loss_probability(2) == 1);
  CHECK(fails_with<std::invalid_argument>("replicas must be at least 1",
                                          [&] { replica_sets(ring, 0); }));
}

TEST_CASE("a quorum: overlaps, and failures that it survives") {
  CHECK(Quorum{3, 2, 2}.reads_see_latest_write());
  CHECK(Quorum{3, 1, 3}.reads_see_latest_write());
  CHECK_FALSE(Quorum{3, 1, 2}.reads_see_latest_write());
  CHECK_FALSE(Quorum{5, 2, 3}.reads_see_latest_write());
  CHECK(Quorum{3, 2, 2}.read_failures() == 1);
  CHECK(Quorum{5, 1, 4}.read_failures() == 4);
  CHECK(Quorum{5, 1, 4}.write_failures() == 1);
}

TEST_CASE("the readable and writable shares match a walk from every arc") {
  Draws draws(3);
  for (int round = 0; round < 2000; ++round) {
    const TokenRing<> ring = random_ring(draws);
    Quorum quorum;
    quorum.n = 1 + draws.below(5);
    quorum.r = 1 + draws.below(quorum.n);
    quorum.w = 1 + draws.below(quorum.n);
    std::vector<std::string> dead;
    for (const auto& member : ring.members()) {
      if (draws.below(3) == 0) dead.push_back(member.node);
    }
    double readable = 0;
    double writable = 0;
    const auto visit = [&](const clockwise::Arc& arc, std::uint16_t) {
      std::size_t live = 0;
      for (const auto& node : ring.preference_list(Position{arc.last}, quorum.n)) {
        if (std::find(dead.begin(), dead.end(), node) == dead.end()) ++live;
      }
      if (live >= quorum.r) readable += arc.fraction();
      if (live >= quorum.w) writable += arc.fraction();
    };
    clockwise::detail::for_each_arc(ring.positions(), ring.owners(), visit);
    const auto share = quorum.available(ring, dead);
    REQUIRE(share.readable == Approx(readable).margin(1e-12));
    REQUIRE(share.writable == Approx(writable).margin(1e-12));
  }
  const HashRing<> ring = fleet(3, 8, 0);
  CHECK(fails_with<std::invalid_argument>("between 1 and 3, got 0", [&] {
    Quorum{3, 0, 2}.available(ring, std::vector<std::string>{});
  }));
  CHECK(fails_with<std::invalid_argument>("between 1 and 3, got 4", [&] {
    Quorum{3, 2, 4}.available(ring, std::vector<std::string>{});
  }));
  CHECK(fails_with<std::invalid_argument>("must ask for the quorum's 3 replicas, got 2", [&] {
    Quorum{3, 2, 2}.available(ring, std::vector<std::string>{}, 2);
  }));
  CHECK(fails_with<std::invalid_argument>("must ask for the quorum's 3 replicas, got 4", [&] {
    Quorum{3, 2, 2}.available(ring, std::vector<std::string>{}, {{"a", 3}, {"b", 1}});
  }));
  CHECK(fails_with<std::out_of_range>("\"stranger\"", [&] {
    Quorum{3, 2, 2}.available(ring, std::vector<std::string>{"stranger"});
  }));
}

TEST_CASE(
    "three zones, three replicas: with one zone down, quorums of two read and write every key") {
  const HashRing<> ring = fleet(12, 100, 3);
  std::vector<std::string> dead;
  for (const auto& member : ring.members()) {
    if (member.rack == "r1") dead.push_back(member.node);
  }
  const auto share = Quorum{3, 2, 2}.available(ring, dead);
  CHECK(share.readable == 1);
  CHECK(share.writable == 1);
  CHECK(Quorum{3, 2, 3}.available(ring, dead).writable == 0);
  CHECK(Quorum{3, 2, 2}.available(ring, dead, {3, Spread::nodes}).readable < 1);
}

}  // namespace durability_test
