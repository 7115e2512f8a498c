// SPDX-License-Identifier: MIT
#include "clockwise/hot_key.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/rendezvous.hpp"
#include "support/keys.hpp"
#include "support/scheme_laws.hpp"

using namespace clockwise_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::HashRing;
using clockwise::HeavyHitters;

TEST_CASE("Counts are never too low, and too high by total / counters at most") {
  std::mt19937_64 random(1);
  for (const std::size_t counters : {std::size_t{1}, std::size_t{10}, std::size_t{100}}) {
    HeavyHitters sketch(counters);
    std::map<std::string, std::uint64_t> exact;
    for (int i = 0; i < 30000; ++i) {
      // One of 2,000 keys: key k with a frequency of about 1 / k, sometimes in bulk.
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      const std::string key = "key" + std::to_string(static_cast<int>(std::pow(2000.0, u)));
      const std::uint64_t times = i % 100 == 0 ? 5 : 1;
      sketch.observe(key, times);
      exact[key] += times;
    }
    const std::uint64_t bound = sketch.total() / counters;
    CHECK(sketch.max_error() <= bound);
    for (const auto& hit : sketch.above(-1)) {
      CHECK(hit.count >= exact[hit.key]);
      CHECK(hit.count - hit.error <= exact[hit.key]);
      CHECK(hit.error <= sketch.max_error());
    }
    CHECK(sketch.above(-1).size() == counters);
    // No key above the bound is missed.
    std::set<std::string> named;
    for (const auto& hit : sketch.above(1.0 / static_cast<double>(counters))) named.insert(hit.key);
    for (const auto& [key, count] : exact) {
      if (count > bound) CHECK(named.count(key) == 1);
    }
    const auto hits = sketch.above(0);
    CHECK(std::is_sorted(hits.begin(), hits.end(),
                         [](const auto& a, const auto& b) { return a.count > b.count; }));
  }
}

TEST_CASE("While there are counters to spare, counts are exact") {
  HeavyHitters sketch(8);
  for (const auto& key : {"a", "b", "a", "c", "a", "b"}) sketch.observe(key);
  const auto hits = sketch.above(0.4);
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].key == "a");
  CHECK(hits[0].count == 3);
  CHECK(hits[0].error == 0);
  CHECK(sketch.max_error() == 0);
  sketch.clear();
  CHECK(sketch.total() == 0);
  CHECK(sketch.above(0).empty());
}

TEST_CASE("Any bytes are a key; one longer than 1,024 bytes takes no counter") {
  HeavyHitters sketch(4);
  const std::string long_key(1025, 'x');
  CHECK_FALSE(sketch.observe(long_key));
  CHECK(sketch.observe(long_key.substr(1)));
  CHECK(sketch.observe(std::string_view("a\0b", 3)));
  CHECK(sketch.observe(std::string_view("a\0c", 3)));
  CHECK(sketch.observe(""));
  CHECK(sketch.total() == 5);
  CHECK(sketch.above(0).size() == 4);
  for (const std::size_t counters : {std::size_t{0}, (std::size_t{1} << 20) + 1}) {
    CHECK_THROWS_MATCHES(HeavyHitters(counters), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(counters))));
  }
}

TEST_CASE("A key split 8 ways: its load is an eighth a copy, on 8 nodes") {
  // 100,000 requests/s over 16 nodes, 30,000 of them for one key.
  const HashRing<> ring(numbered("node", 16));
  const auto copies = clockwise::split(ring, "hot", 8);
  REQUIRE(copies.all().size() == 8);
  CHECK(copies.all()[0].name == "hot");
  CHECK(copies.all()[0].node == ring.lookup("hot"));
  CHECK(copies.all()[7].name == "hot#7");
  std::map<std::string, std::size_t> load;
  for (std::uint64_t request = 0; request < 30000; ++request) ++load[copies.one(request).node];
  CHECK(load.size() == 8);
  for (const auto& [node, count] : load) CHECK(plausible(count, 30000, 1.0 / 8));  // 3,750
}

TEST_CASE("Copies share nodes only where there are too few, and then evenly") {
  for (const std::size_t nodes : {std::size_t{1}, std::size_t{3}, std::size_t{5}}) {
    const HashRing<> ring(numbered("node", nodes));
    clockwise::Rendezvous<> rendezvous;
    for (const auto& name : numbered("node", nodes)) rendezvous.add(name);
    const auto check = [&](const auto& placement) {
      for (std::size_t copies = 1; copies <= 12; ++copies) {
        std::map<std::string, std::size_t> per_node;
        std::set<std::string> names;
        for (const auto& copy : clockwise::split(placement, "hot", copies).all()) {
          ++per_node[copy.node];
          names.insert(copy.name);
        }
        CHECK(names.size() == copies);
        CHECK(per_node.size() == std::min(copies, nodes));
        for (const auto& [node, count] : per_node) {
          CHECK(count <= (copies + nodes - 1) / nodes);
        }
      }
    };
    check(ring);
    check(rendezvous);
  }
}

TEST_CASE("A split that cannot be") {
  const HashRing<> ring(numbered("node", 3));
  for (const std::size_t copies : {std::size_t{0}, std::size_t{1025}}) {
    CHECK_THROWS_MATCHES(clockwise::split(ring, "hot", copies), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(copies))));
  }
  CHECK_THROWS_AS(clockwise::split(HashRing<>{}, "hot", 2), std::out_of_range);
}
