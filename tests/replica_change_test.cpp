// SPDX-License-Identifier: MIT
// How a join or a leave can change a preference list, on random topologies.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/hash_ring.hpp"

namespace replica_change_test {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;

namespace {

using Ids = std::vector<std::string>;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t next() { return clockwise::detail::draw(seed_, count_++); }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

Ids list(const HashRing<>& ring, std::uint64_t position, std::size_t r, Spread spread) {
  const auto replicas = ring.preference_list(Position{position}, r, spread);
  return {replicas.begin(), replicas.end()};
}

Ids without(const Ids& ids, const std::string& left_out) {
  Ids rest;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(rest),
               [&](const std::string& id) { return id != left_out; });
  return rest;
}

/// Whether `shorter` is `longer` without at most one entry.
bool lacks_one_at_most(const Ids& shorter, const Ids& longer) {
  if (shorter == longer) return true;
  for (const std::string& id : longer) {
    if (without(longer, id) == shorter) return true;
  }
  return false;
}

}  // namespace

TEST_CASE(
    "a joiner takes one place in a list and the others keep their order; a leave is the reverse") {
  Draws draws(5);
  std::size_t unchanged = 0;
  std::size_t joined = 0;
  for (int round = 0; round < 300; ++round) {
    // Racks of uneven size, all present before and after because of nodes n0 to n4.
    const std::uint64_t racks = 1 + draws.below(5);
    HashRing<> with(RingOptions{static_cast<std::uint32_t>(1 + draws.below(12))});
    const std::uint64_t nodes = 6 + draws.below(12);
    for (std::uint64_t i = 0; i < nodes; ++i) {
      const std::uint64_t rack =
          i < 5 ? i % racks : draws.below(racks) * draws.below(racks) / racks;
      with.add("n" + std::to_string(i),
               NodeOptions{i < 5 ? 1.0 : static_cast<double>(draws.below(3)),
                           "r" + std::to_string(rack), ""});
    }
    with.set_weight("n5", 1);
    HashRing<> less = with;
    less.remove("n5");
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t position = draws.next();
      // If racks repeat, the repeated entries go to the nearest nodes, so a joiner can displace one
      // entry of each kind; then the claim is about nodes alone.
      const std::size_t r = 1 + draws.below(racks);
      for (const Spread spread : {Spread::nodes, Spread::racks, Spread::racks_only}) {
        const Ids before = list(less, position, r, spread);
        const Ids after = list(with, position, r, spread);
        REQUIRE(before.size() == after.size());
        const bool is_in = std::find(after.begin(), after.end(), "n5") != after.end();
        if (is_in) {
          REQUIRE(lacks_one_at_most(without(after, "n5"), before));
          ++joined;
        } else {
          REQUIRE(after == before);
          ++unchanged;
        }
      }
    }
  }
  CHECK(joined > 10'000);
  CHECK(unchanged > 10'000);
}

TEST_CASE("if racks repeat, a joiner changes at most its place and one place per replica") {
  // Two racks, four replicas: the first of each rack and the two nearest others. If a joiner is the
  // first of its rack, the old first becomes one of the others, so at most one node is dropped.
  Draws draws(6);
  std::size_t joined = 0;
  for (int round = 0; round < 200; ++round) {
    HashRing<> with(RingOptions{8});
    for (int i = 0; i < 9; ++i) {
      with.add("n" + std::to_string(i), NodeOptions{1, "r" + std::to_string(i % 2), ""});
    }
    HashRing<> less = with;
    less.remove("n8");
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t position = draws.next();
      const Ids before = list(less, position, 4, Spread::racks);
      const Ids after = list(with, position, 4, Spread::racks);
      const std::set<std::string> had(before.begin(), before.end());
      std::size_t fresh = 0;
      for (const std::string& id : after) fresh += had.count(id) == 0 ? 1u : 0u;
      REQUIRE(fresh <= 1);
      const bool is_in = std::find(after.begin(), after.end(), "n8") != after.end();
      REQUIRE(is_in == (fresh == 1));
      if (!is_in) REQUIRE(after == before);
      joined += is_in ? 1u : 0u;
    }
  }
  CHECK(joined > 1000);
}

}  // namespace replica_change_test
