// SPDX-License-Identifier: MIT
#include "clockwise/hot_key.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/rendezvous.hpp"
#include "support/failing_memory.hpp"
#include "support/keys.hpp"
#include "support/scheme_laws.hpp"

// The cache of the example, whose main() is not run.
#define main front_cache_main
#include "../examples/front_cache.cpp"
#undef main

using namespace clockwise_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::HashRing;
using clockwise::HeavyHitters;

TEST_CASE("Counts are never too low, and too high by at most total / counters") {
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

TEST_CASE("Counts are exact while counters are free") {
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

TEST_CASE("Any bytes are a key; a key longer than 1,024 bytes takes no counter") {
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

namespace {

/// The i-th key; all are too long for std::string's own buffer.
std::string long_key(std::uint64_t i) { return std::string(40, 'k') + std::to_string(i); }

struct Hit {
  std::string key;
  std::uint64_t count;
  std::uint64_t error;
  friend bool operator==(const Hit&, const Hit&) = default;
};
std::vector<Hit> hits_of(const HeavyHitters& sketch) {
  std::vector<Hit> hits{{"(total)", sketch.total(), sketch.max_error()}};
  for (const auto& hit : sketch.above(-1)) hits.push_back({hit.key, hit.count, hit.error});
  return hits;
}

}  // namespace

TEST_CASE("A copy of the counters is independent") {
  auto original = std::make_unique<HeavyHitters>(20);
  for (std::uint64_t i = 0; i < 500; ++i) original->observe(long_key(i * i % 37));
  const auto hits = hits_of(*original);
  HeavyHitters copy(*original);
  HeavyHitters assigned(1);
  assigned.observe("forgotten");
  assigned = *original;
  for (std::uint64_t i = 0; i < 100; ++i) original->observe(long_key(100 + i));
  original.reset();
  CHECK(hits_of(copy) == hits);
  CHECK(hits_of(assigned) == hits);

  // Both continue alike and independently.
  HeavyHitters moved(std::move(assigned));
  for (std::uint64_t i = 0; i < 200; ++i) {
    copy.observe(long_key(i % 50));
    moved.observe(long_key(i % 50));
    if (i % 50 == 0) CHECK(hits_of(copy) == hits_of(moved));
  }
  CHECK(hits_of(copy) == hits_of(moved));
  CHECK(hits_of(copy) != hits);

  const auto before = hits_of(copy);
  HeavyHitters& self = copy;
  copy = self;
  CHECK(hits_of(copy) == before);
  copy = std::move(self);
  CHECK(hits_of(copy) == before);
  using std::swap;
  swap(copy, self);
  CHECK(hits_of(copy) == before);

  // A moved-from object has counted nothing.
  for (HeavyHitters* const from : {&assigned, &moved}) {
    if (from == &moved) copy = std::move(moved);
    CHECK(from->total() == 0);
    CHECK(from->max_error() == 0);
    CHECK(from->above(-1).empty());
    CHECK(from->observe("again", 3));
    CHECK(hits_of(*from) == std::vector<Hit>{{"(total)", 3, 0}, {"again", 3, 0}});
  }
}

TEST_CASE("An observation whose allocation fails is not counted and can be repeated") {
  for (const std::size_t counters : {std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
    HeavyHitters sketch(counters);
    HeavyHitters unharmed(counters);
    for (std::uint64_t i = 0; i < 30; ++i) {
      const std::string key = long_key(i * i % 17);
      const auto before = hits_of(sketch);
      bool new_key = true;
      for (const auto& hit : sketch.above(-1)) new_key = new_key && hit.key != key;
      const std::size_t failures = fail_each_allocation([&] { sketch.observe(key, i + 1); },
                                                        [&] { CHECK(hits_of(sketch) == before); });
      CHECK((failures > 0) == new_key);
      unharmed.observe(key, i + 1);
      CHECK(hits_of(sketch) == hits_of(unharmed));
    }
    const auto before = hits_of(sketch);
    HeavyHitters assigned(5);
    assigned.observe(long_key(0));
    const auto kept = hits_of(assigned);
    fail_each_allocation([&] { assigned = sketch; }, [&] { CHECK(hits_of(assigned) == kept); });
    CHECK(hits_of(assigned) == before);
  }
}

TEST_CASE("Counts that would exceed 2^64 - 1 stay at that number") {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  HeavyHitters sketch(2);
  sketch.observe("a", most - 1);
  sketch.observe("b", 5);
  sketch.observe("a", most - 1);
  sketch.observe("c", most);
  CHECK(hits_of(sketch) ==
        std::vector<Hit>{{"(total)", most, most}, {"a", most, 0}, {"c", most, 5}});
}

TEST_CASE("A value that cannot be cached reaches all callers, and none waits forever") {
  using std::chrono::seconds;
  const std::string value(100, 'v');
  for (long successes = 0; successes < 20; ++successes) {
    CAPTURE(successes);
    FrontCache cache(seconds(1), 10);
    std::promise<void> fetching;
    std::promise<void> go_on;
    auto gone_on = go_on.get_future().share();
    bool fetched = false;
    // The first caller runs out of memory after the fetch; the second waits for it meanwhile.
    const auto first = std::async(std::launch::async, [&]() -> std::string {
      const std::string key = "key";
      try {
        std::string got = cache.get(key, Time(0), [&](const std::string&) {
          fetching.set_value();
          gone_on.wait();
          std::string result = value;
          fetched = true;
          allocations_left = successes;
          return result;
        });
        allocations_left = -1;
        return got;
      } catch (const std::bad_alloc&) {
        allocations_left = -1;
        return "no memory";
      }
    });
    fetching.get_future().wait();
    auto second = std::async(std::launch::async, [&] {
      return cache.get("key", Time(0), [&](const std::string&) { return value; });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    go_on.set_value();
    first.wait();
    CHECK(fetched);
    REQUIRE(second.wait_for(seconds(10)) == std::future_status::ready);
    CHECK(second.get() == value);
    CHECK(cache.get("key", Time(0), [](const std::string&) { return std::string("again"); }) ==
          value);
  }
}

TEST_CASE("A key split 8 ways: each copy has an eighth of its load, on 8 nodes") {
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

template <class Copies>
concept GivesOne = requires(Copies&& copies) { std::forward<Copies>(copies).one(3); };
template <class Copies>
concept GivesAll = requires(Copies&& copies) { std::forward<Copies>(copies).all(); };

TEST_CASE("What refers to copies cannot outlive them") {
  using Copies = clockwise::SplitCopies<std::string>;
  STATIC_CHECK(GivesOne<const Copies&>);
  STATIC_CHECK_FALSE(GivesOne<Copies>);
  STATIC_CHECK_FALSE(GivesOne<const Copies>);
  STATIC_CHECK(GivesAll<Copies>);  // the copies themselves
  STATIC_CHECK_FALSE(GivesAll<const Copies>);
}

TEST_CASE("Copies share nodes only if nodes are too few, and then evenly") {
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

TEST_CASE("An impossible split is refused") {
  const HashRing<> ring(numbered("node", 3));
  for (const std::size_t copies : {std::size_t{0}, std::size_t{1025}}) {
    CHECK_THROWS_MATCHES(clockwise::split(ring, "hot", copies), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(copies))));
  }
  CHECK_THROWS_AS(clockwise::split(HashRing<>{}, "hot", 2), std::out_of_range);
}

TEST_CASE("A null pointer is not a key") {
  const auto observes = [](auto key) { return requires(HeavyHitters& h) { h.observe(key); }; };
  const auto splits = [](auto key) {
    return requires(const clockwise::HashRing<>& r) { clockwise::split(r, key, 3); };
  };
  static_assert(observes("key") && !observes(nullptr));
  static_assert(splits("key") && !splits(nullptr));
}
