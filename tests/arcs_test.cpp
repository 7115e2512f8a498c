// SPDX-License-Identifier: MIT
// Arcs and their exact widths.

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"

namespace arcs_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::merged;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Width;

namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};

static_assert(Arc{10, 20}.width() == Width(10));
static_assert(Arc{20, 10}.width() == Width(top - 9), "across 2^64");
static_assert(Arc{top, 0}.width() == Width(1));
static_assert(Arc{5, 5}.width() == Width::whole_circle());
static_assert(Arc{0, 0}.is_whole_circle());
static_assert(!Arc{0, 1}.is_whole_circle());
static_assert(Arc{5, 5}.fraction() == 1.0);
static_assert(Arc{0, std::uint64_t{1} << 63}.fraction() == 0.5);

static_assert(!Arc{10, 20}.contains(std::uint64_t{10}), "the end before is not of the arc");
static_assert(Arc{10, 20}.contains(std::uint64_t{11}));
static_assert(Arc{10, 20}.contains(Position{20}), "the last position is");
static_assert(!Arc{10, 20}.contains(std::uint64_t{21}));
static_assert(Arc{20, 10}.contains(std::uint64_t{0}));
static_assert(Arc{20, 10}.contains(top));
static_assert(Arc{20, 10}.contains(std::uint64_t{10}));
static_assert(!Arc{20, 10}.contains(std::uint64_t{11}));
static_assert(!Arc{20, 10}.contains(std::uint64_t{20}));
static_assert(Arc{5, 5}.contains(std::uint64_t{5}));
static_assert(Arc{5, 5}.contains(std::uint64_t{6}));
static_assert(Arc{5, 5}.contains(std::uint64_t{0}));
static_assert(Arc{5, 5}.contains(top));

static_assert(merged(Arc{1, 2}, Arc{2, 3}) == Arc{1, 3});
static_assert(merged(Arc{20, 10}, Arc{10, 15}) == Arc{20, 15});
static_assert(merged(Arc{top, 5}, Arc{5, top}) == Arc{top, top}, "two halves are the whole");
static_assert(!merged(Arc{1, 2}, Arc{3, 4}), "a gap");
static_assert(!merged(Arc{1, 5}, Arc{5, 2}), "an overlap");
static_assert(!merged(Arc{1, 1}, Arc{1, 2}), "the whole circle leaves no room for another arc");

static_assert(Width(top) + Width(1) == Width::whole_circle(), "the carry");
static_assert((Width::whole_circle() + Width::whole_circle()).high() == 2);
static_assert((Width(top) + Width(top)).low() == top - 1);
static_assert(Width(top) < Width::whole_circle());
static_assert(Width(3) < Width(4));
static_assert(Width().fraction() == 0.0);
static_assert(Width::whole_circle().fraction() == 1.0);

// Walks the arcs that arc_of returns, from the first to the last. Each must begin where the
// previous one ends, and their sum must be exactly 2^64.
template <class Ring>
bool arcs_tile_the_circle(const Ring& ring, std::size_t& arcs) {
  Width sum;
  std::vector<Width> by_owner(ring.size());
  std::uint64_t position = ring.positions().front();
  const std::uint64_t start = ring.arc_of(Position{position}).after;
  std::uint64_t after = start;
  arcs = 0;
  do {
    const Arc arc = ring.arc_of(Position{position});
    if (arc.after != after || arc.last != position) return false;
    sum += arc.width();
    by_owner[ring.lookup_index(Position{position})] += arc.width();
    ++arcs;
    after = arc.last;
    position = ring.arc_of(Position{after + 1}).last;
  } while (after != start);
  return sum == Width::whole_circle() && by_owner == ring.widths();
}

}  // namespace

TEST_CASE("the arcs of a ring tile the circle: no gap, no overlap, 2^64 in total") {
  std::size_t arcs = 0;
  for (const std::uint32_t vnodes : {1u, 2u, 7u, 200u}) {
    for (const std::size_t nodes : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
      const HashRing<> ring(clockwise_test::numbered("n", nodes), RingOptions{vnodes});
      CHECK(arcs_tile_the_circle(ring, arcs));
      CHECK(arcs == ring.vnode_count());
    }
  }
}

TEST_CASE("the arcs tile the circle if vnodes share positions") {
  std::size_t arcs = 0;
  const HashRing<clockwise_test::CoarseHash<4>> coarse(clockwise_test::numbered("n", 9),
                                                       RingOptions{10});
  CHECK(arcs_tile_the_circle(coarse, arcs));
  CHECK(arcs == 16);
  const HashRing<clockwise_test::ConstantHash> point(clockwise_test::numbered("n", 9));
  CHECK(arcs_tile_the_circle(point, arcs));
  CHECK(arcs == 1);
}

TEST_CASE("shares are the widths as doubles, sum to 1, and are in id order") {
  const HashRing<> ring(clockwise_test::numbered("n", 23), RingOptions{50});
  const auto widths = ring.widths();
  const auto shares = ring.load_shares();
  Width sum;
  double total = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    CHECK(shares[i].first == ring.members()[i].node);
    CHECK(shares[i].second == widths[i].fraction());
    if (i > 0) CHECK(shares[i - 1].first < shares[i].first);
    sum += widths[i];
    total += shares[i].second;
  }
  CHECK(sum == Width::whole_circle());
  // 23 roundings of at most 2^-54 each, and as many additions.
  CHECK(total > 1 - 1e-14);
  CHECK(total < 1 + 1e-14);
}

}  // namespace arcs_test
