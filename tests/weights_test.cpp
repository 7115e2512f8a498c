// SPDX-License-Identifier: MIT
// A weight and its number of vnodes.

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

#include "clockwise/hash_ring.hpp"
#include "support/errors.hpp"

namespace weights_test {

using clockwise::HashRing;
using clockwise::RingOptions;
using clockwise::vnode_count;
using clockwise_test::fails_with;

namespace {

std::uint64_t by_the_contract(double weight, std::uint32_t vnodes) {
  if (weight == 0) return 0;
  const long long rounded = std::llround(weight * static_cast<double>(vnodes));
  return rounded < 1 ? 1 : static_cast<std::uint64_t>(rounded);
}

static_assert(vnode_count(1.0, 200) == 200);
static_assert(vnode_count(0.0, 200) == 0);
static_assert(vnode_count(0.0025, 200) == 1, "a half rounds away from zero");
static_assert(vnode_count(0.0075, 200) == 2);
static_assert(vnode_count(0.0024, 200) == 1, "never less than one");
static_assert(vnode_count(1e-300, 200) == 1);
static_assert(vnode_count(5e-324, 1) == 1);
static_assert(vnode_count(1e300, 1) == ~std::uint64_t{0}, "more than 64 bits hold");
static_assert(vnode_count(0x1p31, 200) == std::uint64_t{200} << 31);

}  // namespace

TEST_CASE("vnode_count is max(1, llround(weight * vnodes))") {
  std::mt19937_64 random(20260101);
  std::size_t wrong = 0;
  const auto compare = [&](double weight, std::uint32_t vnodes) {
    // Above 2^63, llround is undefined.
    if (!std::isfinite(weight) || weight * vnodes >= 0x1p63) return;
    if (vnode_count(weight, vnodes) != by_the_contract(weight, vnodes)) {
      ++wrong;
      UNSCOPED_INFO(weight << " * " << vnodes);
    }
  };
  constexpr std::uint32_t counts[] = {1, 2, 3, 7, 10, 100, 160, 200, 255, 1000, 65535, 1u << 24};
  for (int i = 0; i < 200'000; ++i) {
    const auto bits = random();
    // Any non-negative double, and one of a realistic size.
    const auto any = std::bit_cast<double>(bits >> 1);
    const double usual =
        std::ldexp(static_cast<double>(bits >> 11), -53 + static_cast<int>(bits % 20));
    const std::uint32_t vnodes = counts[bits / 64 % std::size(counts)];
    compare(any, vnodes);
    compare(usual, vnodes);
    // Products at a half and next to it, where rounding changes.
    const double half = (static_cast<double>(bits % 5000) + 0.5) / vnodes;
    compare(half, vnodes);
    compare(std::nextafter(half, 0.0), vnodes);
    compare(std::nextafter(half, 1e9), vnodes);
  }
  CHECK(wrong == 0);
}

TEST_CASE("shares follow weights") {
  // The share of 300 vnodes among 600 is Beta(300, 300): a standard deviation of 0.0204; that of
  // 150 among 600 is Beta(150, 450): 0.0177. Four of them.
  HashRing<> ring(RingOptions{150});
  ring.add("big", 2);
  ring.add("one", 1);
  ring.add("two", 1);
  const auto shares = ring.load_shares();
  CHECK(std::abs(shares[0].second - 0.50) < 4 * 0.0204);
  CHECK(std::abs(shares[1].second - 0.25) < 4 * 0.0177);
  CHECK(std::abs(shares[2].second - 0.25) < 4 * 0.0177);
}

TEST_CASE("a ring of drained members owns nothing and does not fail") {
  HashRing<> ring;
  for (const char* id : {"a", "b", "c"}) ring.add(id, 0);
  CHECK(ring.size() == 3);
  CHECK(ring.vnode_count() == 0);
  CHECK(ring.try_lookup("key") == nullptr);
  CHECK(ring.preference_list("key", 2).empty());
  for (const auto& [node, share] : ring.load_shares()) CHECK(share == 0);
  CHECK(ring.remove("b"));
  ring.set_weight("a", 1);
  CHECK(ring.lookup("key") == "a");
  CHECK(ring.load_shares()[0].second == 1.0);
}

TEST_CASE("a weight of -0.0 is 0") {
  HashRing<> ring;
  ring.add("a", -0.0);
  HashRing<> plain;
  plain.add("a", 0.0);
  CHECK(ring.vnode_count() == 0);
  CHECK_FALSE(std::signbit(ring.members()[0].weight));
  CHECK(ring.fingerprint() == plain.fingerprint());
}

TEST_CASE("absurd weights are refused before any allocation") {
  HashRing<> ring(RingOptions{160});
  CHECK(fails_with<std::length_error>("\"vast\"", [&] { ring.add("vast", 0x1p31); }));
  CHECK(fails_with<std::length_error>("160000000 vnodes", [&] { ring.add("vast", 1'000'000); }));
  CHECK(ring.empty());
}

TEST_CASE("a small weight next to a large one has at least one vnode, and its true share") {
  HashRing<> ring(RingOptions{20});
  ring.add("small", 0.005);
  ring.add("large", 0.995);
  REQUIRE(ring.members()[1].node == "small");
  CHECK(ring.members()[1].vnodes == 1);
  CHECK(ring.members()[0].vnodes == 20);
  const auto shares = ring.load_shares();
  CHECK(shares[1].second > 0);
  CHECK(std::abs(shares[0].second + shares[1].second - 1.0) < 1e-15);
  // The share is the width of the one arc, not 0.005 as the weight is.
  std::size_t rank = 0;
  while (ring.owners()[rank] != 1) ++rank;
  CHECK(shares[1].second == ring.arc_of(clockwise::Position{ring.positions()[rank]}).fraction());
}

}  // namespace weights_test
