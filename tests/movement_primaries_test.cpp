// SPDX-License-Identifier: MIT
// What a change moves: counted over keys, and exactly over arcs.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/theory.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"

namespace movement_primaries_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::KeyMovement;
using clockwise::ModN;
using clockwise::movement;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::TokenRing;
using clockwise::Width;
using clockwise::Xxh3;
using clockwise_test::fails_with;
using clockwise_test::numbered;

namespace {

// Hashed once; the bytes of keys are tested elsewhere.
const std::vector<Position>& positions_of_keys() {
  static const std::vector<Position> positions = [] {
    std::vector<Position> result;
    const HashRing<> ring;
    for (std::size_t i = 0; i < 200'000; ++i) {
      result.push_back(ring.position_of(clockwise_test::real_key(i)));
    }
    return result;
  }();
  return positions;
}

// node-100, node-101, …: later nodes come last in id order, as in a numbered list.
std::vector<std::string> fleet(std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back("node-" + std::to_string(100 + i));
  return ids;
}

struct KeyCount {
  std::size_t moved = 0;
  std::size_t between_survivors = 0;
};

template <class Before, class After>
KeyCount count_moved(const Before& before, const After& after) {
  KeyCount count;
  for (const Position key : positions_of_keys()) {
    const std::string& from = before.lookup(key);
    const std::string& to = after.lookup(key);
    if (from == to) continue;
    ++count.moved;
    if (before.contains(to) && after.contains(from)) ++count.between_survivors;
  }
  return count;
}

double share(std::size_t moved) {
  return static_cast<double>(moved) / static_cast<double>(positions_of_keys().size());
}

// Checks the arcs of a movement against lookups on both rings.
template <class Ring, class Moved>
void check_transfers(const Ring& before, const Ring& after, const Moved& moved) {
  Width sum;
  std::size_t wrong = 0;
  std::vector<Arc> arcs;
  for (const auto& [arc, from, to] : moved.transfers()) {
    sum += arc.width();
    arcs.push_back(arc);
    for (const std::uint64_t position : {arc.after + 1, arc.last}) {
      wrong += before.lookup(Position{position}) == from ? 0u : 1u;
      wrong += after.lookup(Position{position}) == to ? 0u : 1u;
    }
    wrong += from == to ? 1u : 0u;
  }
  CHECK(wrong == 0);
  CHECK(sum == moved.width());
  // Clockwise, disjoint, and as long as possible: where one ends another can begin, but only
  // between other owners.
  const auto transfers = moved.transfers();
  for (std::size_t i = 0; i + 1 < arcs.size(); ++i) {
    wrong += arcs[i].last <= arcs[i + 1].after ? 0u : 1u;
    wrong += arcs[i].last == arcs[i + 1].after && transfers[i].from == transfers[i + 1].from &&
                     transfers[i].to == transfers[i + 1].to
                 ? 1u
                 : 0u;
  }
  CHECK(wrong == 0);
  // Exactly the keys in those arcs move.
  for (const std::string& key : clockwise_test::real_keys(1000)) {
    const Position position = before.position_of(key);
    const bool in_an_arc = std::any_of(arcs.begin(), arcs.end(),
                                       [&](const Arc& arc) { return arc.contains(position); });
    wrong += in_an_arc == (before.lookup(key) != after.lookup(key)) ? 0u : 1u;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("200,000 keys are distinct, and so are their positions") {
  auto positions = positions_of_keys();
  std::sort(positions.begin(), positions.end());
  CHECK(std::adjacent_find(positions.begin(), positions.end()) == positions.end());
}

TEST_CASE("16 -> 17: a ring moves 1/17, all of it to the joiner; mod N moves 16/17") {
  const HashRing<> before(fleet(16));
  HashRing<> after = before;
  after.add("node-116");

  const KeyCount ring_keys = count_moved(before, after);
  CHECK(std::abs(share(ring_keys.moved) - 1.0 / 17) < 0.01);
  CHECK(ring_keys.between_survivors == 0);

  const auto moved = movement(before, after);
  CHECK(std::abs(moved.fraction() - 1.0 / 17) < 0.01);
  CHECK(moved.fraction() == after.load_shares()[16].second);
  for (const auto& transfer : moved.transfers()) REQUIRE(transfer.to == "node-116");
  // The keys are a sample of the circle: binomial, four sigma.
  const double p = moved.fraction();
  CHECK(std::abs(share(ring_keys.moved) - p) < 4 * std::sqrt(p * (1 - p) / 200'000));
  check_transfers(before, after, moved);

  ModN<> sixteen;
  for (const std::string& id : fleet(16)) sixteen.add(id);
  ModN<> seventeen = sixteen;
  seventeen.add("node-116");
  CHECK(std::abs(share(count_moved(sixteen, seventeen).moved) - 16.0 / 17) < 0.01);
}

TEST_CASE("17 -> 16: only the leaver's keys move, and none between survivors") {
  const HashRing<> before(fleet(17));
  HashRing<> after = before;
  after.remove("node-107");
  const KeyCount keys = count_moved(before, after);
  CHECK(keys.between_survivors == 0);
  CHECK(std::abs(share(keys.moved) - 1.0 / 17) < 0.01);
  const auto moved = movement(before, after);
  CHECK(moved.fraction() == before.load_shares()[7].second);
  for (const auto& transfer : moved.transfers()) REQUIRE(transfer.from == "node-107");
  CHECK(moved.outgoing()[7].second == moved.fraction());
  check_transfers(before, after, moved);
  // And back: the same arcs, in reverse.
  CHECK(movement(after, before).width() == moved.width());
  CHECK(movement(before, before).transfers().empty());
  CHECK(movement(before, before).fraction() == 0);
}

TEST_CASE("every row of the movement table") {
  struct Row {
    std::size_t before;
    std::size_t after;
    double mod_n;
    double ring;
  };
  constexpr Row rows[] = {
      {16, 17, 16.0 / 17, 1.0 / 17},
      {4, 5, 0.80, 0.20},
      {5, 4, 0.80, 0.20},
      {4, 3, 0.75, 0.25},
      {8, 9, 8.0 / 9, 1.0 / 9},
      {100, 101, 100.0 / 101, 1.0 / 101},
      {12, 16, 0.75, 0.25},
      {16, 18, 16.0 / 18, 2.0 / 18},
      {16, 32, 0.50, 0.50},
  };
  constexpr double vnodes = 200;
  for (const Row& row : rows) {
    INFO(row.before << " -> " << row.after);
    const HashRing<> before(fleet(row.before));
    const HashRing<> after(fleet(row.after));
    const auto moved = movement(before, after);
    // The moved share is the share of the k joiners or leavers in the larger fleet of n: Beta(kV,
    // (n-k)V), with variance p (1-p) / (n V + 1). Four sigma.
    const auto n = static_cast<double>((std::max)(row.before, row.after));
    const double p = row.ring;
    const double sigma = std::sqrt(p * (1 - p) / (n * vnodes + 1));
    CHECK(std::abs(moved.fraction() - p) < 4 * sigma);
    const KeyCount keys = count_moved(before, after);
    CHECK(keys.between_survivors == 0);
    const double exact = moved.fraction();
    CHECK(std::abs(share(keys.moved) - exact) < 4 * std::sqrt(exact * (1 - exact) / 200'000));

    ModN<> mod_before;
    for (const std::string& id : fleet(row.before)) mod_before.add(id);
    ModN<> mod_after;
    for (const std::string& id : fleet(row.after)) mod_after.add(id);
    CHECK(std::abs(movement(mod_before, mod_after).fraction() - row.mod_n) < 1e-12);
    const double q = row.mod_n;
    CHECK(std::abs(share(count_moved(mod_before, mod_after).moved) - q) <
          4 * std::sqrt(q * (1 - q) / 200'000));
  }
}

TEST_CASE("16 -> 17 -> 18 one at a time moves 1/17 + 1/18, together 2/18") {
  double one_by_one = 0;
  double together = 0;
  constexpr int rings = 50;
  for (std::uint64_t seed = 0; seed < rings; ++seed) {
    const HashRing<> r16(fleet(16), {}, Xxh3{seed});
    const HashRing<> r17(fleet(17), {}, Xxh3{seed});
    const HashRing<> r18(fleet(18), {}, Xxh3{seed});
    one_by_one += (movement(r16, r17).fraction() + movement(r17, r18).fraction()) / rings;
    together += movement(r16, r18).fraction() / rings;
  }
  // The mean of 50 has a standard error of sqrt(p (1-p) / (18 * 200 + 1) / 50), about 0.00075.
  CHECK(std::abs(one_by_one - 0.1144) < 4 * 0.00075);
  CHECK(std::abs(together - 2.0 / 18) < 4 * 0.00075);
  CHECK(one_by_one > together);
}

TEST_CASE("the mean moved share is 1/17 at V = 1, 16 and 200: the vnode count cancels out") {
  for (const std::uint32_t vnodes : {1u, 16u, 200u}) {
    INFO("V = " << vnodes);
    constexpr int rings = 200;
    double mean = 0;
    for (int number = 0; number < rings; ++number) {
      const std::string prefix = "fleet" + std::to_string(number) + "-";
      const HashRing<> before(numbered(prefix, 16), RingOptions{vnodes});
      HashRing<> after = before;
      after.add(prefix + "joiner");
      mean += movement(before, after).fraction() / rings;
    }
    // The joiner's share is Beta(V, 16 V).
    const double p = 1.0 / 17;
    const double standard_error = std::sqrt(p * (1 - p) / (17.0 * vnodes + 1) / rings);
    CHECK(std::abs(mean - p) < 3 * standard_error);
  }
}

TEST_CASE(
    "at V = 1 one successor takes all of a leaver's keys, at V = 150 each of five takes a fifth") {
  const HashRing<> one(fleet(6), RingOptions{1});
  HashRing<> one_after = one;
  one_after.remove("node-102");
  const auto all = movement(one, one_after);
  REQUIRE(all.transfers().size() == 1);
  CHECK(all.fraction() == one.load_shares()[2].second);

  // A survivor takes 0.20 of the leaver's share, with a standard deviation of 0.048 (derived in
  // theory.hpp). Over 200 rings, each survivor's mean is within four standard errors of 0.20, and
  // the squared deviations average to that variance.
  constexpr int rings = 200;
  const double sigma = clockwise::theory::inherited_stddev(6, 150);
  CHECK(std::abs(sigma - 0.0483) < 0.0001);
  std::vector<double> mean(5);
  std::vector<double> squares;
  for (std::uint64_t seed = 0; seed < rings; ++seed) {
    const HashRing<> many(fleet(6), RingOptions{150}, Xxh3{seed});
    HashRing<> many_after = many;
    many_after.remove("node-102");
    const auto spread = movement(many, many_after);
    const auto incoming = spread.incoming();
    REQUIRE(incoming.size() == 5);
    double square = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double part = incoming[i].second / spread.fraction();
      mean[i] += part / rings;
      square += (part - 0.2) * (part - 0.2) / 5;
    }
    squares.push_back(square);
  }
  for (const double part : mean) CHECK(std::abs(part - 0.20) < 4 * sigma / std::sqrt(rings));
  double variance = 0;
  for (const double square : squares) variance += square / rings;
  double noise = 0;
  for (const double square : squares) noise += (square - variance) * (square - variance) / rings;
  CHECK(std::abs(variance - sigma * sigma) < 4 * std::sqrt(noise / rings));
}

TEST_CASE("movement on a ring written by hand, including the wrap") {
  TokenRing<> before;
  before.add("a", {100});
  before.add("b", {200});
  TokenRing<> after = before;
  after.add("c", {50, 150, 250});
  const auto moved = movement(before, after);
  const auto transfers = moved.transfers();
  // c takes (200, 250] and (250, 50], which are one arc, from a, and (100, 150] from b.
  REQUIRE(transfers.size() == 2);
  CHECK(transfers[0].arc == Arc{200, 50});
  CHECK(transfers[0].from == "a");
  CHECK(transfers[0].to == "c");
  CHECK(transfers[1].arc == Arc{100, 150});
  CHECK(transfers[1].from == "b");
  CHECK(moved.width() == Arc{200, 50}.width() + Width(50));
  CHECK(moved.outgoing()[0].second == Arc{200, 50}.fraction());
  CHECK(moved.incoming()[2].second == moved.fraction());
}

TEST_CASE("a whole circle that changes its owner is one transfer") {
  TokenRing<> before;
  before.add("a", {100});
  TokenRing<> after;
  after.add("b", {70, 5000});
  const auto moved = movement(before, after);
  REQUIRE(moved.transfers().size() == 1);
  CHECK(moved.transfers()[0].arc.is_whole_circle());
  CHECK(moved.fraction() == 1.0);
  CHECK(moved.width() == Width::whole_circle());
}

TEST_CASE("nothing moves to or from a ring that owns nothing, and the circles must be the same") {
  const HashRing<> ring(fleet(3));
  CHECK(movement(HashRing<>(), ring).fraction() == 0);
  CHECK(movement(ring, HashRing<>()).transfers().empty());
  const HashRing<> seeded(fleet(3), {}, Xxh3{1});
  CHECK(fails_with<std::invalid_argument>("hash policies", [&] { movement(ring, seeded); }));
}

TEST_CASE("ties hand over to the next id") {
  using Ring = HashRing<clockwise_test::CoarseHash<6>>;
  const Ring before(fleet(9), RingOptions{7});
  Ring after = before;
  after.remove("node-100");
  after.add("node-099");
  check_transfers(before, after, movement(before, after));
}

TEST_CASE("transfers of a temporary movement can be looped over") {
  const HashRing<> before(fleet(4));
  const HashRing<> after(fleet(5));
  std::size_t count = 0;
  for (const auto& transfer : movement(before, after).transfers()) {
    count += transfer.to == "node-104" ? 1u : 0u;
  }
  CHECK(count == movement(before, after).transfers().size());
}

TEST_CASE("KeyMovement counts keys between any two placements") {
  const HashRing<> ring(fleet(16));
  HashRing<> grown = ring;
  grown.add("node-116");
  KeyMovement moved(ring, grown);
  CHECK(moved.fraction() == 0);
  for (std::size_t i = 0; i < 20'000; ++i) moved.observe(positions_of_keys()[i]);
  CHECK(moved.keys() == 20'000);
  std::uint64_t sum = 0;
  for (const auto& flow : moved.flows()) {
    CHECK(flow.to == "node-116");
    sum += flow.keys;
  }
  CHECK(sum == moved.moved());
  const double p = movement(ring, grown).fraction();
  CHECK(std::abs(moved.fraction() - p) < 4 * std::sqrt(p * (1 - p) / 20'000));

  // From mod 16 to a ring of the same 16 nodes, 1 key in 16 stays by chance.
  ModN<> plain;
  for (const std::string& id : fleet(16)) plain.add(id);
  KeyMovement across(plain, ring);
  for (std::size_t i = 0; i < 20'000; ++i) across.observe(positions_of_keys()[i]);
  CHECK(std::abs(across.fraction() - 15.0 / 16) < 4 * std::sqrt(15.0 / 256 / 20'000) + 0.01);
}

}  // namespace movement_primaries_test
