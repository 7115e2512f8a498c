// SPDX-License-Identifier: MIT
#include "clockwise/rendezvous.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "clockwise/concepts.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"
#include "support/scheme_laws.hpp"

namespace rendezvous_test {

using namespace clockwise_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::Rendezvous;

static_assert(clockwise::Partitioner<Rendezvous<>>);
static_assert(clockwise::RemovesAny<Rendezvous<>>);

namespace {

Rendezvous<> fleet(std::size_t nodes) {
  Rendezvous<> result;
  for (const auto& name : numbered("node", nodes)) result.add(name);
  return result;
}

/// Counts its calls.
struct CountingHash {
  std::size_t* calls;
  static constexpr std::string_view name = "counting";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
    ++*calls;
    return clockwise::Xxh3{}(bytes);
  }
};

}  // namespace

TEST_CASE("If every draw ties, the smallest id owns, in any order of joins") {
  for (const double weight_of_b : {1.0, 2.0}) {  // equal weights and unequal ones
    std::vector<std::string> ids{"a", "b", "c"};
    do {
      Rendezvous<ConstantHash> nodes;
      for (const auto& id : ids) nodes.add(id, id == "b" ? weight_of_b : 1.0);
      const auto list = nodes.preference_list("key", 3);
      if (weight_of_b == 1.0) {
        CHECK(nodes.lookup("key") == "a");
        CHECK(list[1] == "b");
        CHECK(list[2] == "c");
      } else {
        CHECK(nodes.lookup("key") == "b");
        CHECK(list[1] == "a");
        CHECK(list[2] == "c");
      }
    } while (std::next_permutation(ids.begin(), ids.end()));
  }
}

TEST_CASE("Order and history of rendezvous do not matter") {
  const auto keys = real_keys(10000);
  const auto names = numbered("node", 10);
  Rendezvous<> forwards;
  for (const auto& name : names) forwards.add(name, name == "node3" ? 2.5 : 1.0);

  Rendezvous<> wandering;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    wandering.add(*name, 7.0);
    wandering.add(*name + "-guest");
  }
  for (const auto& name : names) {
    CHECK(wandering.remove(name + "-guest"));
    wandering.set_weight(name, name == "node3" ? 2.5 : 1.0);
  }
  CHECK(wandering.remove("node7"));
  wandering.add("node7");
  check_same_owners(forwards, wandering, keys);
}

TEST_CASE("Shares follow weights") {
  const auto keys = real_keys(200000);
  SECTION("equal") {
    for (const auto& [id, count] : loads(fleet(16), keys)) {
      INFO(id << " owns " << count);
      CHECK(plausible(count, keys.size(), 1.0 / 16));
    }
  }
  SECTION("2 : 1 : 1") {
    Rendezvous<> nodes({"b", "c"});
    nodes.add("a", 2.0);
    auto counts = loads(nodes, keys);
    CHECK(plausible(counts["a"], keys.size(), 0.5));
    CHECK(plausible(counts["b"], keys.size(), 0.25));
    CHECK(plausible(counts["c"], keys.size(), 0.25));
  }
  SECTION("far apart: 995 : 5, and only proportions count") {
    for (const double unit : {1.0, 1e-300, 1e300}) {
      Rendezvous<> nodes;
      nodes.add("large", 0.995 * unit);
      nodes.add("small", 0.005 * unit);
      auto counts = loads(nodes, keys);
      CHECK(plausible(counts["small"], keys.size(), 0.005));
    }
  }
  SECTION("100 nodes of one weight and 100 of thrice that") {
    Rendezvous<> nodes;
    for (const auto& name : numbered("light", 100)) nodes.add(name, 0.1);
    for (const auto& name : numbered("heavy", 100)) nodes.add(name, 0.3);
    std::size_t heavy = 0;
    for (const auto& [id, count] : loads(nodes, keys)) heavy += id[0] == 'h' ? count : 0;
    CHECK(plausible(heavy, keys.size(), 0.75));
  }
}

TEST_CASE("load_shares are the weights' proportions") {
  Rendezvous<> nodes({"b"});
  nodes.add("a", 3.0);
  nodes.add("drained", 0.0);
  const auto shares = nodes.load_shares();
  REQUIRE(shares.size() == 3);
  CHECK(shares[0] == std::pair<std::string, double>{"a", 0.75});
  CHECK(shares[1] == std::pair<std::string, double>{"b", 0.25});
  CHECK(shares[2] == std::pair<std::string, double>{"drained", 0.0});
}

TEST_CASE("load_shares sum to 1 for any weights") {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  const auto shares_of = [](const std::vector<double>& weights) {
    Rendezvous<> nodes;
    for (std::size_t i = 0; i < weights.size(); ++i) nodes.add("n" + std::to_string(i), weights[i]);
    std::vector<double> shares;
    for (const auto& [node, share] : nodes.load_shares()) shares.push_back(share);
    return shares;
  };
  CHECK(shares_of({1e308, 1e308}) == std::vector<double>{0.5, 0.5});
  CHECK(shares_of({largest, largest, largest, largest}) == std::vector<double>(4, 0.25));
  CHECK(shares_of({largest, 1}) == std::vector<double>{1, 1 / largest});
  CHECK(shares_of({largest, largest, 0, smallest}) == std::vector<double>{0.5, 0.5, 0, 0});
  CHECK(shares_of({smallest, smallest}) == std::vector<double>{0.5, 0.5});
  CHECK(shares_of({smallest, 0}) == std::vector<double>{1, 0});
}

TEST_CASE("A join moves keys only to the joiner, as many as its share; a leave is the inverse") {
  const auto keys = real_keys(200000);
  const auto before = fleet(16);
  auto after = before;
  SECTION("of equal weight") {
    after.add("joiner");
    CHECK(plausible(keys_moved_to("joiner", before, after, keys), keys.size(), 1.0 / 17));
  }
  SECTION("of another weight, which takes another path through the code") {
    after.add("joiner", 0.5);
    CHECK(plausible(keys_moved_to("joiner", before, after, keys), keys.size(), 0.5 / 16.5));
  }
  CHECK(after.remove("joiner"));
  check_same_owners(before, after, keys);
}

TEST_CASE("A rising weight attracts keys and moves no others") {
  const auto keys = real_keys(100000);
  auto before = fleet(8);
  before.set_weight("node2", 1.25);
  auto after = before;
  after.set_weight("node5", 1.5);
  // From 1 / 8.25 to 1.5 / 8.75 of the keys.
  CHECK(plausible(keys_moved_to("node5", before, after, keys), keys.size(), 1.5 / 8.75 - 1 / 8.25));
  after.set_weight("node5", 0.0);
  CHECK(loads(after, keys).count("node5") == 0);
  after.set_weight("node5", 1.0);
  check_same_owners(before, after, keys);
}

TEST_CASE("The preference list of rendezvous is the order of inheritance") {
  const auto keys = real_keys(300);
  for (const double weight : {1.0, 3.0}) {
    auto nodes = fleet(12);
    nodes.set_weight("node4", weight);
    nodes.add("drained", 0.0);
    check_preference_lists(nodes, 12, keys);
    for (const std::string key : {"a", "user:42", "x"}) {
      auto left = nodes;
      for (const std::string& node : nodes.preference_list(key, 12)) {
        CHECK(left.lookup(key) == node);
        CHECK(left.remove(node));
      }
      CHECK(left.try_lookup(key) == nullptr);
    }
  }
}

TEST_CASE("A lookup hashes the key once, for any number of nodes") {
  std::size_t calls = 0;
  Rendezvous<CountingHash> nodes(CountingHash{&calls});
  for (const auto& name : numbered("node", 16)) nodes.add(name);
  calls = 0;
  (void)nodes.lookup("user:42");
  CHECK(calls == 1);
  (void)nodes.preference_list("user:42", 3);
  CHECK(calls == 2);
  (void)nodes.lookup(clockwise::Position{42});
  CHECK(calls == 2);
}

TEST_CASE("Bad input to rendezvous is named and changes nothing") {
  auto nodes = fleet(3);
  const auto before = nodes;
  CHECK_THROWS_MATCHES(nodes.add("node1"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("\"node1\" is already a member")));
  CHECK_THROWS_MATCHES(nodes.add(""), std::invalid_argument,
                       MessageMatches(ContainsSubstring("id must not be empty")));
  for (const double weight :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_MATCHES(nodes.add("heavy", weight), std::invalid_argument,
                         MessageMatches(ContainsSubstring("weight of node \"heavy\"")));
    CHECK_THROWS_MATCHES(nodes.set_weight("node1", weight), std::invalid_argument,
                         MessageMatches(ContainsSubstring("weight of node \"node1\"")));
  }
  CHECK_THROWS_MATCHES(nodes.set_weight("stranger", 1), std::out_of_range,
                       MessageMatches(ContainsSubstring("\"stranger\"")));
  CHECK_FALSE(nodes.remove("stranger"));
  check_same_owners(before, nodes, real_keys(1000));

  Rendezvous<> drained;
  CHECK_THROWS_AS(drained.lookup("key"), std::out_of_range);
  drained.add("a", 0.0);
  CHECK_THROWS_AS(drained.lookup("key"), std::out_of_range);
  CHECK(drained.try_lookup("key") == nullptr);
  CHECK(drained.preference_list("key", 2).empty());
}

TEST_CASE("The integer logarithm") {
  using clockwise::detail::negative_log2;
  SECTION("is exact at powers of two and at its ends") {
    CHECK(negative_log2(~std::uint64_t{0}) == 0);
    for (unsigned bit = 0; bit < 64; ++bit) {
      CHECK(negative_log2((std::uint64_t{1} << bit) - 1) == std::uint64_t{64 - bit} << 57);
    }
  }
  SECTION("is off by at most what chords over 2^-10 leave") {
    // The second derivative of log2 is at most log2(e) = 1.45, so a chord of 2^-10 deviates by at
    // most 1.45 / 8 * 2^-20.
    std::uint64_t x = 88172645463325252;
    for (int i = 0; i < 100000; ++i) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      const std::uint64_t sample = x >> (i % 60);
      const long double exact = 64 - std::log2(static_cast<long double>(sample) + 1);
      const long double ours = std::ldexp(static_cast<long double>(negative_log2(sample)), -57);
      if (std::abs(ours - exact) > 0x1p-22L * 0.73L) FAIL("at " << sample);
    }
  }
  SECTION("never rises") {
    for (std::uint64_t octave = 11; octave < 64; ++octave) {
      for (std::uint64_t i = 1024; i < 2048; ++i) {
        const std::uint64_t start = (i << (octave - 10)) - 1;
        for (std::uint64_t x = start - 3; x != start + 3; ++x) {
          if (negative_log2(x + 1) > negative_log2(x)) FAIL("at " << x);
        }
      }
    }
    for (std::uint64_t x = ~std::uint64_t{0} - 1000; x != ~std::uint64_t{0}; ++x) {
      if (negative_log2(x + 1) > negative_log2(x)) FAIL("at " << x);
    }
  }
}

TEST_CASE("The weighted rank orders like the exact quotient") {
  std::uint64_t x = 1234567;
  const auto next = [&] { return x ^= x << 13, x ^= x >> 7, x ^= x << 17; };
  for (int i = 0; i < 100000; ++i) {
    const auto weight = [&] {
      return std::ldexp(1 + std::ldexp(static_cast<double>(next() >> 12), -52),
                        static_cast<int>(next() % 600) - 300);
    };
    const std::uint64_t a = next(), b = next();
    const double wa = weight(), wb = i % 2 == 0 ? wa * (0.5 + 1e-9 * (i % 7)) : weight();
    const auto quotient = [](std::uint64_t draw, double w) {
      return static_cast<long double>(clockwise::detail::negative_log2(draw)) / w;
    };
    const long double qa = quotient(a, wa), qb = quotient(b, wb);
    if (std::abs(qa - qb) < qa * 0x1p-50L) continue;  // closer than a rank can resolve
    const bool less = clockwise::detail::weighted_rank(a, clockwise::detail::reciprocal(wa)) <
                      clockwise::detail::weighted_rank(b, clockwise::detail::reciprocal(wb));
    if (less != (qa < qb)) FAIL(a << " / " << wa << " against " << b << " / " << wb);
  }
}

TEST_CASE("Arithmetic on 128 bits") {
  using namespace clockwise::detail;
  constexpr std::uint64_t most = ~std::uint64_t{0};
  static_assert(multiply_high(most, most) == most - 1);
  static_assert(multiply_high(std::uint64_t{1} << 63, 6) == 3);
  static_assert(divide(0, most, 1) == most);
  static_assert(divide(1, 0, 3) == 0x5555555555555555);
  static_assert(divide(most - 1, most, most) == most);
  static_assert(relative_weight(1, 1) == std::uint64_t{1} << 32);
  static_assert(relative_weight(1, 3) == (std::uint64_t{1} << 32) / 3 + 1);
  static_assert(relative_weight(3, 5) * 5 / 3 == std::uint64_t{1} << 32);
  static_assert(relative_weight(0x1p-32, 1) == 1);
  static_assert(relative_weight(0x1.8p-32, 1) == 2);
  static_assert(relative_weight(0x1p-33, 1) == 1);
  static_assert(relative_weight(0, 3) == 0);
  static_assert(relative_weight(5e-324, 1.7e308) == 1);
  static_assert(relative_weight(0.75, 1.5) == std::uint64_t{1} << 31);
  using Integers = std::vector<std::uint64_t>;
  CHECK(integer_weights({1, 3, 0, 5}) == Integers{1, 3, 0, 5});
  CHECK(integer_weights({0.25, 1e9}) == Integers{1, 4000000000});
  CHECK(integer_weights({0x1p-1000, 0x1.8p-1000}) == Integers{2, 3});
  CHECK(integer_weights({2, 2}) == Integers{1, 1});
  CHECK(integer_weights({4294967295.0, 1}) == Integers{4294967295, 1});
  CHECK(integer_weights({4294967297.0, 1}) ==
        Integers{std::uint64_t{1} << 32, 1});  // too far apart
  CHECK(integer_weights({0.1, 0.3})[1] == std::uint64_t{1} << 32);
  CHECK(integer_weights({0, 0}) == Integers{0, 0});
}

}  // namespace rendezvous_test
