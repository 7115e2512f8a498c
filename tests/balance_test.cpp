// SPDX-License-Identifier: MIT
// How even a ring is, against theory. A node's share is Beta(V, (N-1)V).

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/balance.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/ring/fair_share.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/token_ring.hpp"
#include "support/keys.hpp"

namespace balance_test {

using clockwise::Balance;
using clockwise::balance;
using clockwise::HashRing;
using clockwise::ModN;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::Replication;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise::Xxh3;

namespace {

struct Sample {
  double mean = 0;
  double standard_error = 0;
};

Sample sample(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Sample result;
  for (const double value : values) result.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.standard_error = std::sqrt(squares / (count - 1) / count);
  return result;
}

struct Row {
  std::size_t nodes;
  std::uint32_t vnodes;
  double cv;
  double peak;
  double peak_rounding;  // half a unit of the last digit of `peak`
  double peak_95th;
  int rings;
};

// cv = sqrt((N-1)/(N V + 1)); at V = 1 the mean peak is H_N; the other peaks were simulated
// independently of this library. Small rings are more numerous.
constexpr Row rows[] = {
    {16, 1, 0.9393, 3.3807, 0.00005, 5.09, 1000}, {16, 10, 0.3052, 1.63, 0.005, 2.01, 400},
    {16, 16, 0.2416, 1.49, 0.005, 1.77, 400},     {16, 50, 0.1368, 1.27, 0.005, 1.41, 200},
    {16, 100, 0.0968, 1.185, 0.0005, 1.28, 200},  {16, 200, 0.0685, 1.129, 0.0005, 1.195, 100},
    {16, 256, 0.0605, 1.114, 0.0005, 1.173, 100}, {16, 800, 0.0342, 1.063, 0.0005, 1.096, 60},
    {8, 1, 0.8819, 2.7179, 0.00005, 4.15, 1000},  {8, 150, 0.0763, 1.120, 0.0005, 1.20, 200},
    {8, 200, 0.0661, 1.103, 0.0005, 1.17, 200},   {1000, 1, 0.9990, 7.4855, 0.00005, 10.0, 200},
    {1000, 16, 0.2499, 2.02, 0.005, 2.29, 40},    {1000, 200, 0.0707, 1.245, 0.0005, 1.30, 6},
};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t n) { return clockwise::detail::draw(seed_, next_++) % n; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// Up to 9 nodes of weights 0 to 8, in racks of uneven size, one rack or none, and datacenters.
HashRing<> random_ring(Draws& draws) {
  HashRing<> ring(RingOptions{static_cast<std::uint32_t>(1 + draws.below(4))});
  const std::uint64_t nodes = 1 + draws.below(9);
  const std::uint64_t racks = draws.below(5);
  for (std::uint64_t i = 0; i < nodes; ++i) {
    NodeOptions options{static_cast<double>(draws.below(5) * draws.below(5)) / 2, "", ""};
    if (racks > 0 && draws.below(6) > 0) {
      options.rack = "r" + std::to_string(draws.below(racks) * draws.below(racks) / racks);
    }
    options.datacenter = "d" + std::to_string(draws.below(2));
    ring.add("n" + std::to_string(i), options);
  }
  return ring;
}

/// The part of the circle on which each node is in the list, one list per arc.
std::map<std::string, double> held_by_walks(const HashRing<>& ring,
                                            const Replication& replication) {
  std::map<std::string, double> held;
  const auto visit = [&](const clockwise::Arc& arc, std::uint16_t) {
    for (const auto& node : ring.preference_list(Position{arc.last}, replication)) {
      held[node] += arc.fraction();
    }
  };
  clockwise::detail::for_each_arc(ring.positions(), ring.owners(), visit);
  return held;
}

std::vector<double> fair_shares(const HashRing<>& ring, const Replication& replication) {
  return clockwise::detail::fair_shares(ring, clockwise::detail::Topology::of(ring.members()),
                                        replication);
}

/// The failure domain that a rule uses for a member.
std::string domain_of(const HashRing<>& ring, std::size_t i, Spread spread) {
  const auto& member = ring.members()[i];
  return spread == Spread::nodes || member.rack.empty() ? "node " + member.node
                                                        : member.datacenter + "/" + member.rack;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

/// Checks that shares are fair, for `group`, the members that share `r` replicas. The reference for
/// what a rule allows a domain is a count of every choice of nodes: the rule takes one of each
/// domain first, then any others.
void check_fair(const HashRing<>& ring, const std::vector<double>& shares,
                const std::vector<std::size_t>& group, std::size_t r, Spread spread) {
  std::map<std::string, std::vector<std::size_t>> domains;
  for (const std::size_t i : group) {
    if (ring.members()[i].weight > 0) {
      domains[domain_of(ring, i, spread)].push_back(i);
    } else {
      REQUIRE(shares[i] == 0);
    }
  }
  std::map<std::string, std::pair<std::size_t, std::size_t>> bounds;  // fewest and most
  std::size_t length = 0;
  for (std::uint32_t chosen = 0; chosen < 1u << ring.size(); ++chosen) {
    std::map<std::string, std::size_t> counts;
    std::size_t nodes = 0;
    bool possible = true;
    for (const auto& [name, members] : domains) {
      for (const std::size_t i : members) counts[name] += chosen >> i & 1;
      nodes += counts[name];
    }
    for (const auto& [name, count] : counts) {
      if (spread == Spread::racks_only) possible = possible && count <= 1;
      if (count == 0 && spread == Spread::racks) {  // then no domain is used twice
        for (const auto& [other, twice] : counts) possible = possible && twice <= 1;
      }
    }
    if (!possible || nodes > r || nodes < length) continue;
    if (nodes > length) bounds.clear();
    length = nodes;
    for (const auto& [name, count] : counts) {
      const auto [at, first] = bounds.try_emplace(name, count, count);
      at->second = {(std::min)(at->second.first, count), (std::max)(at->second.second, count)};
    }
  }

  double sum = 0;
  double highest = 0;  // the share of a unit of weight without a limit
  double lowest = 1e300;
  struct Level {
    double at;
    bool can_fall;
    bool can_rise;
  };
  std::vector<Level> levels;
  for (const auto& [name, members] : domains) {
    double in_domain = 0;
    double level = 0;
    for (const std::size_t i : members) {
      REQUIRE(shares[i] < 1 + 1e-9);
      in_domain += shares[i];
      if (shares[i] < 1 - 1e-9) level = (std::max)(level, shares[i] / ring.members()[i].weight);
    }
    bool full = true;
    for (const std::size_t i : members) {
      const double weight = ring.members()[i].weight;
      if (shares[i] < 1 - 1e-9) {
        REQUIRE(near(shares[i] / weight, level));  // in proportion to weight
        full = false;
      } else {
        REQUIRE((level == 0 || weight * level > 1 - 1e-9));  // cut off at one replica
      }
    }
    const auto [fewest, most] = bounds.at(name);
    REQUIRE(in_domain > static_cast<double>(fewest) - 1e-9);
    REQUIRE(in_domain < static_cast<double>(most) + 1e-9);
    sum += in_domain;
    if (full) continue;
    levels.push_back({level, in_domain > static_cast<double>(fewest) + 1e-9,
                      in_domain < static_cast<double>(most) - 1e-9});
  }
  REQUIRE(near(sum, static_cast<double>(length)));
  // No domain that can give is above a domain that can take.
  for (const Level& level : levels) {
    if (level.can_fall) highest = (std::max)(highest, level.at);
    if (level.can_rise) lowest = (std::min)(lowest, level.at);
  }
  REQUIRE(highest < lowest + 1e-9);
}

}  // namespace

TEST_CASE("evenness is as theory predicts, for every row of the table") {
  for (const Row& row : rows) {
    INFO("N = " << row.nodes << ", V = " << row.vnodes);
    std::vector<double> squared_cvs;
    std::vector<double> peaks;
    int below_95th = 0;
    const auto ids = clockwise_test::numbered("node-", row.nodes);
    for (int seed = 0; seed < row.rings; ++seed) {
      const HashRing<> ring(ids, RingOptions{row.vnodes}, Xxh3{static_cast<std::uint64_t>(seed)});
      const Balance measured = balance(ring);
      CHECK(std::abs(measured.mean * static_cast<double>(row.nodes) - 1) < 1e-12);
      CHECK(measured.min_to_mean <= 1);
      squared_cvs.push_back(measured.cv * measured.cv);
      peaks.push_back(measured.peak_to_mean);
      if (measured.peak_to_mean <= row.peak_95th) ++below_95th;
    }
    // Shares average to exactly 1/N, so E[cv^2] = N^2 Var(share) = (N-1)/(N V + 1), exactly.
    const auto n = static_cast<double>(row.nodes);
    const double expected = (n - 1) / (n * row.vnodes + 1);
    CHECK(std::abs(std::sqrt(expected) - row.cv) < 0.00006);
    const Sample cv = sample(squared_cvs);
    CHECK(std::abs(cv.mean - expected) < 4 * cv.standard_error);
    const Sample peak = sample(peaks);
    CHECK(std::abs(peak.mean - row.peak) < 4 * peak.standard_error + row.peak_rounding);
    // The number below the 95th percentile is binomial. (6 rings are too few.)
    if (row.rings >= 40) {
      CHECK(std::abs(below_95th - 0.95 * row.rings) < 4 * std::sqrt(row.rings * 0.95 * 0.05));
    }
  }
}

TEST_CASE("common claims about evenness that are wrong") {
  // "V = 200 gives 5%" and "8 nodes, V = 150: 1.05x", averaged over 100 rings each.
  double cv = 0;
  double peak = 0;
  const auto sixteen = clockwise_test::numbered("n", 16);
  const auto eight = clockwise_test::numbered("n", 8);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    cv += balance(HashRing<>(sixteen, RingOptions{200}, Xxh3{seed})).cv / 100;
    peak += balance(HashRing<>(eight, RingOptions{150}, Xxh3{seed})).peak_to_mean / 100;
  }
  CHECK(cv > 0.06);
  CHECK(peak > 1.10);
}

TEST_CASE("balance of a ring written by hand") {
  TokenRing<> ring;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  ring.add("a", {quarter});      // owns (3/4, 1/4]: a half
  ring.add("b", {2 * quarter});  // a quarter
  ring.add("c", {3 * quarter});  // a quarter
  const Balance result = balance(ring);
  CHECK(std::abs(result.mean - 1.0 / 3) < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1.5) < 1e-15);
  CHECK(std::abs(result.min_to_mean - 0.75) < 1e-15);
  // Ratios 1.5, 0.75, 0.75: the mean square of 0.5, 0.25, 0.25 is 0.125.
  CHECK(std::abs(result.cv - std::sqrt(0.125)) < 1e-15);
}

TEST_CASE("balance is measured by weight and ignores drained members") {
  TokenRing<> ring;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  ring.add("a", {2, {}, {}}, {quarter, 0});
  ring.add("b", {1, {}, {}}, {2 * quarter});
  ring.add("c", {1, {}, {}}, {3 * quarter});
  ring.add("drained", {0, {}, {}}, {});
  const Balance result = balance(ring);
  CHECK(std::abs(result.mean - 1.0 / 3) < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1) < 1e-15);
  CHECK(std::abs(result.min_to_mean - 1) < 1e-15);
  CHECK(result.cv < 1e-15);
}

TEST_CASE("the balance of an empty ring is all zeros") {
  HashRing<> drained;
  drained.add("a", 0);
  for (const HashRing<>& ring : {HashRing<>(), drained}) {
    const Balance result = balance(ring);
    CHECK(result.mean == 0);
    CHECK(result.cv == 0);
    CHECK(result.peak_to_mean == 0);
    CHECK(result.min_to_mean == 0);
  }
}

TEST_CASE("mod N is perfectly even") {
  const Balance result = balance(ModN<>({"a", "b", "c"}));
  CHECK(result.cv < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1) < 1e-15);
  CHECK(std::abs(result.mean - 1.0 / 3) < 1e-15);
}

TEST_CASE("shares of replicas match the lists of every arc") {
  Draws draws(1);
  for (int round = 0; round < 300; ++round) {
    const HashRing<> ring = random_ring(draws);
    const std::size_t r = draws.below(7);
    for (const Replication& replication :
         {Replication(r), Replication(r, Spread::nodes), Replication(r, Spread::racks_only),
          Replication{{"d0", r}, {"d1", 1}}}) {
      auto held = held_by_walks(ring, replication);
      for (const auto& [node, share] : ring.load_shares(replication)) {
        REQUIRE(near(share, held[node]));
      }
      const auto shares = fair_shares(ring, replication);
      Balance expected;
      double members = 0;
      expected.min_to_mean = 1e300;
      for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] == 0) continue;
        const double ratio = held[ring.members()[i].node] / shares[i];
        expected.peak_to_mean = (std::max)(expected.peak_to_mean, ratio);
        expected.min_to_mean = (std::min)(expected.min_to_mean, ratio);
        expected.cv += (ratio - 1) * (ratio - 1);
        expected.mean += held[ring.members()[i].node];
        ++members;
      }
      if (members == 0) expected = {};
      const Balance measured = balance(ring, replication);
      REQUIRE(near(measured.mean * members, expected.mean));
      REQUIRE(near(measured.cv * measured.cv * members, expected.cv));
      REQUIRE(near(measured.peak_to_mean, expected.peak_to_mean));
      REQUIRE(near(measured.min_to_mean, expected.min_to_mean));
    }
  }
}

TEST_CASE("fair shares are proportional to weight, as far as the rule allows") {
  Draws draws(2);
  for (int round = 0; round < 300; ++round) {
    const HashRing<> ring = random_ring(draws);
    const std::size_t r = draws.below(7);
    std::vector<std::size_t> all;
    std::map<std::string, std::vector<std::size_t>> datacenters;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      all.push_back(i);
      datacenters[ring.members()[i].datacenter].push_back(i);
    }
    for (const Spread spread : {Spread::nodes, Spread::racks, Spread::racks_only}) {
      check_fair(ring, fair_shares(ring, {r, spread}), all, r, spread);
    }
    const auto by_datacenter = fair_shares(ring, {{"d0", r}, {"d1", 2}, {"d2", 1}});
    check_fair(ring, by_datacenter, datacenters["d0"], r, Spread::racks);
    check_fair(ring, by_datacenter, datacenters["d1"], 2, Spread::racks);
  }
}

TEST_CASE("the balance of one replica is the balance of the owners") {
  Draws draws(3);
  for (int round = 0; round < 100; ++round) {
    const HashRing<> ring = random_ring(draws);
    const Balance keys = balance(ring);
    const Balance replicas = balance(ring, 1);
    CHECK(near(keys.mean, replicas.mean));
    CHECK(near(keys.cv, replicas.cv));
    CHECK(near(keys.peak_to_mean, replicas.peak_to_mean));
    CHECK(near(keys.min_to_mean, replicas.min_to_mean));
  }
}

TEST_CASE("three racks and three replicas: each rack holds everything, at any weight") {
  HashRing<> ring;
  ring.add("a", {10, "r1", ""});
  ring.add("b", {10, "r2", ""});
  ring.add("c", {1, "r3", ""});
  const Balance result = balance(ring, 3);
  CHECK(result.mean == 1);
  CHECK(result.cv == 0);
  CHECK(result.peak_to_mean == 1);
  CHECK(result.min_to_mean == 1);
  CHECK(ring.load_shares(3) ==
        std::vector<std::pair<std::string, double>>{{"a", 1}, {"b", 1}, {"c", 1}});

  // In the third rack, nodes of weights 1 and 3 share one replica of each key.
  ring.add("d", {3, "r3", ""});
  CHECK(fair_shares(ring, 3)[0] == 1);
  CHECK(near(fair_shares(ring, 3)[2], 0.25));
  CHECK(near(fair_shares(ring, 3)[3], 0.75));
  // At two replicas over weights of 10, 10 and 4, no rack would get more than one.
  CHECK(near(fair_shares(ring, 2)[0], 2 * 10.0 / 24));
  // At four, every node holds one of each key.
  CHECK(fair_shares(ring, 4)[0] == 1);
  CHECK(fair_shares(ring, 4)[3] == 1);
}

TEST_CASE("balance of replicas written by hand: the excess of a heavy node goes to the others") {
  TokenRing<> ring;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  ring.add("a", {10, "", ""}, {quarter, 3 * quarter});
  ring.add("b", {1, "", ""}, {2 * quarter});
  ring.add("c", {1, "", ""}, {0});
  // Of two replicas, 10/6 would be a's: it can hold one of each key, b and c half of the rest.
  const Balance result = balance(ring, 2);
  CHECK(std::abs(result.mean - 2.0 / 3) < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1) < 1e-15);
  CHECK(std::abs(result.min_to_mean - 1) < 1e-15);
  // A member without tokens holds less than its share, the others more.
  ring.add("d", {1, "", ""}, {});
  CHECK(balance(ring, 2).min_to_mean == 0);
  CHECK(std::abs(balance(ring, 2).peak_to_mean - 1.5) < 1e-15);
}

TEST_CASE("the balance of no replicas is all zeros") {
  HashRing<> drained;
  drained.add("a", 0);
  const HashRing<> ring({"a", "b"});
  for (const Balance& result : {balance(HashRing<>(), 3), balance(drained, 3), balance(ring, 0),
                                balance(ring, {{"nowhere", 2}})}) {
    CHECK(result.mean == 0);
    CHECK(result.cv == 0);
    CHECK(result.peak_to_mean == 0);
    CHECK(result.min_to_mean == 0);
  }
}

}  // namespace balance_test
