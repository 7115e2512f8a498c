// SPDX-License-Identifier: MIT
// The baseline: hash(key) mod N.

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "clockwise/concepts.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/movement.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

namespace mod_n_test {

using clockwise::ModN;
using clockwise::movement;
using clockwise::Position;
using clockwise::Xxh3;
using clockwise_test::fails_with;

static_assert(clockwise::Partitioner<ModN<>>);

namespace {

ModN<> of(const std::vector<std::string>& ids) {
  ModN<> placement;
  for (const std::string& id : ids) placement.add(id);
  return placement;
}

}  // namespace

TEST_CASE("a key's node is number hash mod N, in id order for any order of joins") {
  const ModN<> placement = of({"c", "a", "b"});
  for (std::uint64_t hash : {0u, 1u, 2u, 3u, 4u, 1'000'000u}) {
    CHECK(placement.lookup(Position{hash}) == std::string(1, static_cast<char>('a' + hash % 3)));
  }
  CHECK(placement.lookup(Position{~std::uint64_t{0}}) == "a");  // 2^64 - 1 = 3 * 0x5555555555555555
  const std::string key = "user:42";
  CHECK(placement.lookup(key) == placement.lookup(placement.position_of(key)));
  CHECK(placement.try_lookup(key) == &placement.lookup(key));
}

TEST_CASE("the list continues with the nodes numbered next") {
  const ModN<> placement = of({"a", "b", "c"});
  const auto list = placement.preference_list(Position{2}, 2);
  CHECK(list[0] == "c");
  CHECK(list[1] == "a");
  CHECK(list.complete());
  const auto all = placement.preference_list(Position{1}, 1'000'000);
  CHECK(all.size() == 3);
  CHECK_FALSE(all.complete());
  const ModN<> none;
  CHECK(none.preference_list("key", 2).empty());
}

TEST_CASE("the shares are the counted residues") {
  const auto shares = of({"a", "b", "c"}).load_shares();
  REQUIRE(shares.size() == 3);
  CHECK(shares[0].first == "a");
  double sum = 0;
  for (const auto& [node, share] : shares) {
    CHECK(std::abs(share - 1.0 / 3) < 1e-15);
    sum += share;
  }
  CHECK(sum == 1.0);
  CHECK(of({"a"}).load_shares()[0].second == 1.0);
  CHECK(ModN<>().load_shares().empty());
}

TEST_CASE("errors name the value and change nothing") {
  ModN<> placement = of({"a", "b"});
  CHECK(
      fails_with<std::invalid_argument>("\"a\" is already a member", [&] { placement.add("a"); }));
  CHECK(fails_with<std::invalid_argument>("empty", [&] { placement.add(""); }));
  CHECK_FALSE(placement.remove("c"));
  CHECK(placement.size() == 2);
  CHECK(placement.remove("a"));
  CHECK(placement.remove("b"));
  CHECK(placement.empty());
  CHECK(placement.try_lookup("key") == nullptr);
  CHECK(fails_with<std::out_of_range>("none of the 0 members owns anything",
                                      [&] { placement.lookup("key"); }));
}

TEST_CASE("movement matches the count over all residues") {
  // Each pair of fleets is from one pool, so nodes join and leave at both ends and in the middle.
  const auto pool = clockwise_test::numbered("n", 8);
  std::size_t wrong = 0;
  for (unsigned first = 1; first < 256; first += 3) {
    for (unsigned second = 1; second < 256; second += 5) {
      ModN<> before;
      ModN<> after;
      for (std::size_t i = 0; i < 8; ++i) {
        if ((first >> i & 1) != 0) before.add(pool[i]);
        if ((second >> i & 1) != 0) after.add(pool[i]);
      }
      const std::uint64_t residues = std::lcm(before.size(), after.size());
      std::uint64_t moved = 0;
      for (std::uint64_t residue = 0; residue < residues; ++residue) {
        moved += before.lookup(Position{residue}) == after.lookup(Position{residue}) ? 0u : 1u;
      }
      const auto result = movement(before, after);
      wrong += result.residues == residues && result.moved == moved ? 0u : 1u;
    }
  }
  CHECK(wrong == 0);
  CHECK(movement(ModN<>(), of({"a"})).fraction() == 0);
  CHECK(fails_with<std::invalid_argument>("hash policies",
                                          [] { movement(ModN<>(Xxh3{1}), ModN<>()); }));
}

TEST_CASE("N -> M keeps min(N, M) / lcm(N, M)") {
  std::size_t wrong = 0;
  for (std::size_t n = 1; n <= 40; ++n) {
    for (std::size_t m = 1; m <= 40; ++m) {
      // Numbers of one width, so that new nodes come last in id order.
      ModN<Xxh3, int> before;
      ModN<Xxh3, int> after;
      for (std::size_t i = 0; i < n; ++i) before.add(static_cast<int>(10 + i));
      for (std::size_t i = 0; i < m; ++i) after.add(static_cast<int>(10 + i));
      const auto result = movement(before, after);
      wrong += result.residues - result.moved == (n < m ? n : m) ? 0u : 1u;
      wrong += result.residues == std::lcm(n, m) ? 0u : 1u;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace mod_n_test
