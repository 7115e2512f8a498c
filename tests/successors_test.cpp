// SPDX-License-Identifier: MIT
// The cost of a step, as a number of owners read, never as a time.
#include "clockwise/detail/ring/successors.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/bounded_load.hpp"
#include "clockwise/hash_ring.hpp"

namespace successors_test {

using clockwise::HashRing;
using clockwise::Member;
using clockwise::RingOptions;

namespace {

std::size_t reads = 0;

/// A member's number that counts how often it is read.
struct CountedIndex {
  std::uint32_t number;
  operator std::size_t() const {
    ++reads;
    return number;
  }
};

using Walk = clockwise::detail::Successors<std::uint32_t, CountedIndex>;

std::vector<Member<std::uint32_t>> numbered_members(std::uint32_t nodes) {
  std::vector<Member<std::uint32_t>> members(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) members[i].node = i;
  return members;
}

std::vector<CountedIndex> shuffled_owners(std::uint32_t nodes, std::uint32_t vnodes) {
  std::vector<CountedIndex> owners;
  for (std::uint32_t i = 0; i < nodes * vnodes; ++i) owners.push_back({i % nodes});
  std::mt19937 random(1);
  for (std::size_t i = owners.size(); i > 1; --i) std::swap(owners[i - 1], owners[random() % i]);
  return owners;
}

}  // namespace

TEST_CASE("each step reads as many owners as it passes, for any number of members") {
  for (const std::uint32_t nodes : {1000u, 65535u, 65536u, 65537u, 70000u, 200000u}) {
    CAPTURE(nodes);
    const auto members = numbered_members(nodes);
    const auto owners = shuffled_owners(nodes, 4);
    std::vector<bool> met(nodes);
    std::size_t count = 0;
    reads = 0;
    Walk walk(owners, members, 5, nodes);
    for (const std::uint32_t node : walk) {
      // Each vnode passed is read once, and once more for the node that is returned.
      if (met[node] || reads > owners.size() + 2 * count + 2) break;
      met[node] = true;
      ++count;
    }
    CHECK(count == nodes);
    CHECK(reads <= owners.size() + nodes);
  }
}

TEST_CASE("a walk can be moved at any step") {
  constexpr std::uint32_t nodes = 70000;
  const auto members = numbered_members(nodes);
  const auto owners = shuffled_owners(nodes, 2);
  std::vector<std::uint32_t> expected;
  Walk whole(owners, members, 0, nodes);
  for (const std::uint32_t node : whole) expected.push_back(node);
  for (const std::size_t steps : {0u, 1u, 1000u, 69999u}) {
    CAPTURE(steps);
    Walk first(owners, members, 0, nodes);
    auto at = first.begin();
    for (std::size_t i = 0; i < steps; ++i) ++at;
    Walk second(std::move(first));
    Walk third(owners, members, 7, nodes);
    third = std::move(second);
    std::vector<std::uint32_t> rest;
    for (const std::uint32_t node : third) rest.push_back(node);
    CHECK(std::equal(rest.begin(), rest.end(), expected.begin() + static_cast<long>(steps),
                     expected.end()));
  }
}

TEST_CASE("a request that no node can accept visits each node once") {
  constexpr std::uint32_t nodes = 70000;
  std::vector<std::uint32_t> numbers(nodes);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const HashRing<clockwise::Xxh3, std::uint32_t, std::uint32_t> ring(numbers, RingOptions{2});
  clockwise::BoundedLoad bounded(ring);
  std::size_t visits = 0;
  const auto token = bounded.acquire("key", [&](std::uint32_t) {
    ++visits;
    return false;
  });
  CHECK_FALSE(token);
  CHECK(visits == nodes);
}

}  // namespace successors_test
