// SPDX-License-Identifier: MIT
// The lookup index finds what a search of the positions finds, for any positions. Built a second
// time with CLOCKWISE_PORTABLE_SCAN, for processors without SSE2.
//
// docs/mutations.md lists plausible mistakes; each was made on purpose, and a case failed.

#include "clockwise/detail/ring/lookup_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "support/keys.hpp"

namespace lookup_index_test {

using clockwise::detail::LookupIndex;

namespace {

using Positions = std::vector<std::uint64_t>;

constexpr std::uint64_t circle_end = std::numeric_limits<std::uint64_t>::max();

/// SplitMix64: the same numbers on every platform.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }
  int shift() { return static_cast<int>(below(64)); }

 private:
  std::uint64_t state_;
};

/// The ends of the circle, and positions on, next to and between vnodes, at distances of every
/// magnitude from them.
std::vector<std::uint64_t> telling_keys(const Positions& positions, Draws& draws,
                                        std::size_t draws_each) {
  std::vector<std::uint64_t> keys;
  const auto around = [&](std::uint64_t place) {
    for (const std::uint64_t key : {place - 2, place - 1, place, place + 1, place + 2}) {
      keys.push_back(key);
    }
  };
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{1} << 32, circle_end / 2,
                                    positions.front(), positions.back()}) {
    around(place);
  }
  for (std::size_t i = 0; i < draws_each; ++i) {
    const auto rank = static_cast<std::size_t>(draws.below(positions.size()));
    const std::uint64_t position = positions[rank];
    around(position);
    keys.push_back(draws());
    keys.push_back(draws() >> draws.shift());
    keys.push_back(position + (draws() >> draws.shift()));
    keys.push_back(position - (draws() >> draws.shift()));
    keys.push_back(position + (std::uint64_t{1} << draws.shift()));
    keys.push_back(position - (std::uint64_t{1} << draws.shift()));
    if (rank > 0) keys.push_back(position - (position - positions[rank - 1]) / 2);
  }
  return keys;
}

/// How many keys the index answers differently from a search, by rank, by owner or in a batch.
template <class Index>
std::size_t wrong_answers(Positions positions, Draws& draws, std::size_t draws_each = 40) {
  std::sort(positions.begin(), positions.end());
  std::vector<Index> owners(positions.size());
  for (Index& owner : owners) owner = static_cast<Index>(draws());
  LookupIndex<Index> index;
  index.build(positions, owners);

  const auto keys = telling_keys(positions, draws, draws_each);
  std::vector<Index> batch(keys.size());
  index.owners_of(std::span(keys), std::span(batch), positions, owners);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = std::lower_bound(positions.begin(), positions.end(), keys[i]);
    const auto rank = at == positions.end() ? 0 : static_cast<std::size_t>(at - positions.begin());
    const bool right = index.rank(keys[i], positions, {owners.data(), sizeof(Index)}) == rank &&
                       index.owner(keys[i], positions, owners) == owners[rank] &&
                       batch[i] == owners[rank];
    wrong += right ? 0u : 1u;
  }
  return wrong;
}

struct Shape {
  std::string_view name;
  std::function<Positions(std::size_t, Draws&)> make;
};

template <class Next>
Positions each(std::size_t count, Next next) {
  Positions positions(count);
  for (std::uint64_t& position : positions) position = next();
  return positions;
}

/// Good and bad hashes, and chosen tokens.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"uniform", [](std::size_t n, Draws& d) { return each(n, [&] { return d(); }); }},
      {"in the low bits",
       [](std::size_t n, Draws& d) {
         return each(n, [&, shift = d.shift()] { return d() >> shift; });
       }},
      {"in the top bits",
       [](std::size_t n, Draws& d) {
         return each(n, [&, shift = d.shift()] { return d() << shift; });
       }},
      {"of every magnitude",
       [](std::size_t n, Draws& d) { return each(n, [&] { return d() >> d.shift(); }); }},
      {"of every distance from the end",
       [](std::size_t n, Draws& d) { return each(n, [&] { return ~(d() >> d.shift()); }); }},
      {"all at one place",
       [](std::size_t n, Draws& d) { return each(n, [place = d()] { return place; }); }},
      {"a cluster among others",
       [](std::size_t n, Draws& d) {
         return each(n, [&, place = d(), shift = d.shift()] {
           return d.below(4) == 0 ? d() : place + (d() >> shift);
         });
       }},
      {"eight clusters",
       [](std::size_t n, Draws& d) {
         return each(n,
                     [&, shift = d.shift()] { return (d() >> 61 << 61) + (d() >> shift) % 1000; });
       }},
      {"in equal steps",
       [](std::size_t n, Draws& d) {
         return each(n, [place = d(), step = std::uint64_t{1} << d.shift() / 2]() mutable {
           return place += step;
         });
       }},
      {"evenly over the circle",
       [](std::size_t n, Draws&) {
         return each(n, [place = std::uint64_t{0}, step = circle_end / n]() mutable {
           return place += step;
         });
       }},
      {"with a gap",
       [](std::size_t n, Draws& d) {
         return each(n, [&, gap = d()] {
           const std::uint64_t place = d();
           return (place ^ gap) >> 60 == 0 ? gap : place;
         });
       }},
      // In units of the bits that are kept, so that keys lie half and one fragment range away from
      // their vnode, where before and after swap.
      {"with gaps of about half a range and a whole one",
       [](std::size_t n, Draws& d) {
         const int bucket_bits = static_cast<int>(std::bit_width(n - 1));
         const int unit = std::clamp(64 - bucket_bits - (n < 65'536 ? 11 : 10), 0, 47);
         return each(n, [&, unit, bucket_bits, place = std::uint64_t{0}]() mutable {
           const std::uint64_t before = place;
           const int range = static_cast<int>(d.below(10));
           const std::uint64_t gap =
               range < 3 ? std::uint64_t{1} << (unit + 14 + range) : d.below(3);
           place += (gap >> (d.below(3) == 0 ? 0 : bucket_bits / 2)) + d.below(2);
           return before;
         });
       }},
  };
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("one to four vnodes, at boundaries of words", "", std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  constexpr std::array<std::uint64_t, 9> places{0,
                                                1,
                                                (1 << 11) - 1,
                                                1 << 11,
                                                std::uint64_t{1} << 32,
                                                circle_end / 2,
                                                circle_end / 2 + 1,
                                                circle_end - 1,
                                                circle_end};
  Draws draws(1);
  std::size_t wrong = 0;
  for (const std::uint64_t a : places) {
    for (const std::uint64_t b : places) {
      for (const std::uint64_t c : places) {
        for (const Positions& positions : {Positions{a}, {a, b}, {a, b, c}, {a, b, c, a}}) {
          wrong += wrong_answers<TestType>(positions, draws, 2);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("small tables of any shape", "", std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  for (const Shape& shape : shapes()) {
    Draws draws(2);
    std::size_t wrong = 0;
    for (int round = 0; round < 40; ++round) {
      const std::size_t most = round % 2 == 0 ? 70 : 3'000;
      wrong += wrong_answers<TestType>(shape.make(1 + draws.below(most), draws), draws);
    }
    CAPTURE(shape.name);
    CHECK(wrong == 0);
  }
}

TEMPLATE_TEST_CASE("tables of any shape about the size where the layout changes", "", std::uint16_t,
                   std::uint32_t) {
  for (const Shape& shape : shapes()) {
    Draws draws(3);
    std::size_t wrong = 0;
    for (const std::size_t size : {65'534u, 65'535u, 65'536u, 65'537u, 71'000u}) {
      wrong += wrong_answers<TestType>(shape.make(size, draws), draws, 1'500);
    }
    CAPTURE(shape.name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a large table of any shape") {
  for (const Shape& shape : shapes()) {
    Draws draws(4);
    CAPTURE(shape.name);
    CHECK(wrong_answers<std::uint16_t>(shape.make(300'000, draws), draws, 5'000) == 0);
  }
}

TEST_CASE("vnodes at one position: the first by rank, for any start of the scan") {
  Draws draws(5);
  std::size_t wrong = 0;
  for (const std::size_t size : {40u, 2'000u, 66'000u}) {
    for (const std::size_t copies : {2u, 3u, 4u, 5u, 15u, 16u, 17u, 33u}) {
      Positions positions;
      while (positions.size() < size) positions.insert(positions.end(), copies, draws());
      wrong += wrong_answers<std::uint16_t>(std::move(positions), draws, 200);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("memory is as documented") {
  Draws draws(6);
  const auto bytes_a_vnode = [&](auto owner, std::size_t size) {
    auto positions = each(size, [&] { return draws(); });
    std::sort(positions.begin(), positions.end());
    const std::vector<decltype(owner)> owners(size);
    LookupIndex<decltype(owner)> index;
    index.build(positions, owners);
    return static_cast<double>(index.bytes()) / static_cast<double>(size);
  };
  for (const std::size_t size : {1'025u, 2'048u, 5'000u, 32'768u, 32'769u, 65'535u}) {
    CAPTURE(size);
    CHECK(bytes_a_vnode(std::uint16_t{}, size) < 8.1);  // 16 bytes of all are for the last scan
    CHECK(bytes_a_vnode(std::uint32_t{}, size) < 12.1);
  }
  for (const std::size_t size : {65'536u, 131'072u, 131'073u, 500'000u}) {
    CAPTURE(size);
    CHECK(bytes_a_vnode(std::uint16_t{}, size) < 2.6);
    CHECK(bytes_a_vnode(std::uint32_t{}, size) < 2.6);
  }
}

TEST_CASE("a rebuilt index forgets the previous table") {
  Draws draws(7);
  LookupIndex<std::uint16_t> index;
  for (const std::size_t size : {70'000u, 3u, 66'000u, 900u}) {
    auto positions = each(size, [&] { return draws(); });
    std::sort(positions.begin(), positions.end());
    std::vector<std::uint16_t> owners(size);
    for (auto& owner : owners) owner = static_cast<std::uint16_t>(draws());
    index.build(positions, owners);
    std::size_t wrong = 0;
    for (const std::uint64_t position : positions) {
      const auto at = std::lower_bound(positions.begin(), positions.end(), position);
      const auto rank = static_cast<std::size_t>(at - positions.begin());
      wrong += index.owner(position, positions, owners) == owners[rank] ? 0u : 1u;
    }
    CAPTURE(size);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a ring has the same owners with and without its index") {
  using Plain =
      clockwise::HashRing<clockwise::Xxh3, std::string, std::uint16_t, clockwise::NoIndex>;
  const auto names = clockwise_test::numbered("n", 30);
  const clockwise::HashRing<> ring(names);
  const Plain plain(names);
  std::vector<clockwise::Position> positions;
  Draws draws(8);
  for (const std::uint64_t position : ring.positions()) {
    for (const std::uint64_t step : {std::uint64_t{0}, std::uint64_t{1}, circle_end}) {
      positions.push_back(clockwise::Position{position + step});
    }
    positions.push_back(clockwise::Position{draws()});
  }
  std::vector<std::uint16_t> owners(positions.size());
  std::vector<std::uint16_t> plain_owners(positions.size());
  ring.lookup_batch(positions, owners);
  plain.lookup_batch(positions, plain_owners);
  CHECK(owners == plain_owners);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    wrong += ring.lookup_index(positions[i]) == owners[i] ? 0u : 1u;
    wrong += ring.arc_of(positions[i]) == plain.arc_of(positions[i]) ? 0u : 1u;
  }
  CHECK(wrong == 0);
}

}  // namespace lookup_index_test
