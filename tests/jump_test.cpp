// SPDX-License-Identifier: MIT
#include "clockwise/jump.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "clockwise/concepts.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"
#include "support/scheme_laws.hpp"

namespace jump_test {

using namespace clockwise_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::jump_back_hash;
using clockwise::jump_hash;
using clockwise::JumpBackHash;
using clockwise::JumpHash;

static_assert(clockwise::Partitioner<JumpHash<>>);
static_assert(clockwise::RemovesLast<JumpHash<>>);
static_assert(!clockwise::RemovesAny<JumpHash<>>);
static_assert(clockwise::Partitioner<JumpBackHash<>>);
static_assert(clockwise::RemovesAny<JumpBackHash<>>);
static_assert(jump_hash(42, 57) == 43);  // a constant expression

TEST_CASE("jump_hash gives the published buckets") {
  CHECK(jump_hash(42, 57) == 43);
  CHECK(jump_hash(256, 1024) == 520);
  const std::array<std::int64_t, 19> expected{0, 1, 2, 3, 3, 5, 5,  5,  5, 5,
                                              5, 5, 5, 5, 5, 5, 16, 16, 16};
  for (std::size_t n = 1; n <= expected.size(); ++n) {
    CHECK(jump_hash(0xdeadbeef, static_cast<std::int64_t>(n)) == expected[n - 1]);
  }
}

TEST_CASE("Both jump hashes take 1 to 2^31 - 1 buckets") {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31}) {
    CHECK_THROWS_MATCHES(jump_hash(1, n), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(n))));
    CHECK_THROWS_MATCHES(jump_back_hash(1, n), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(n))));
  }
  constexpr std::int64_t most = 0x7fffffff;
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t key = random();
    CHECK(jump_hash(key, 1) == 0);
    CHECK(jump_back_hash(key, 1) == 0);
    const std::int64_t jump = jump_hash(key, most), back = jump_back_hash(key, most);
    CHECK((jump >= 0 && jump < most));
    CHECK((back >= 0 && back < most));
  }
}

TEST_CASE("A jump in integers equals the jump in doubles") {
  // The double side must follow IEEE 754 for a comparison to make sense.
  if (!clockwise::detail::doubles_round_as_written) SKIP("this build's doubles are wider");
  using clockwise::detail::jump_in_double;
  using clockwise::detail::jump_in_integers;
  const auto check = [](std::int64_t b1, std::uint64_t d) {
    if (jump_in_double(b1, d) != jump_in_integers(b1, d)) FAIL(b1 << " * (2^31 / " << d << ")");
  };
  SECTION("where the product is near an integer: small b1, d") {
    for (std::int64_t b1 = 1; b1 <= 1000; ++b1) {
      for (std::uint64_t d = 1; d <= 1000; ++d) check(b1, d);
    }
    bool rounding_matters = false;
    for (std::int64_t n = 1; n <= 1000; ++n) {
      const auto d = static_cast<std::uint64_t>(n);
      if (jump_in_double(n, d) != std::int64_t{1} << 31) rounding_matters = true;
    }
    CHECK(rounding_matters);  // so the exact floor would not have passed
  }
  SECTION("at the ends and around powers of two") {
    std::vector<std::uint64_t> edges;
    for (int bit = 0; bit <= 31; ++bit) {
      for (int off = -2; off <= 2; ++off) {
        const std::int64_t value = (std::int64_t{1} << bit) + off;
        if (value >= 1 && value <= std::int64_t{1} << 31)
          edges.push_back(static_cast<std::uint64_t>(value));
      }
    }
    for (const auto b1 : edges) {
      for (const auto d : edges) check(static_cast<std::int64_t>(b1), d);
    }
  }
  SECTION("anywhere") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 1000000; ++i) {
      const std::uint64_t bits = random();
      check(static_cast<std::int64_t>((bits >> 33) >> (i % 31)) + 1, (bits & 0x7fffffff) + 1);
    }
  }
}

TEST_CASE("One more bucket: keys move only to it, a share of 1 / (n + 1)") {
  std::mt19937_64 random(3);
  const auto check = [&](auto range_hash) {
    constexpr std::size_t keys = 20000;
    std::vector<std::uint64_t> sample(keys);
    for (auto& key : sample) key = random();
    for (std::int64_t n = 1; n < 70; ++n) {
      std::size_t moved = 0;
      std::vector<std::size_t> counts(static_cast<std::size_t>(n) + 1);
      for (const std::uint64_t key : sample) {
        const std::int64_t before = range_hash(key, n), after = range_hash(key, n + 1);
        ++counts[static_cast<std::size_t>(after)];
        if (before == after) continue;
        ++moved;
        if (after != n) FAIL("from " << before << " to " << after << " of " << n + 1);
      }
      INFO(n);
      CHECK(plausible(moved, keys, 1.0 / static_cast<double>(n + 1)));
      for (const std::size_t count : counts) {
        CHECK(plausible(count, keys, 1.0 / static_cast<double>(n + 1)));
      }
    }
  };
  SECTION("jump_hash") {
    check([](std::uint64_t key, std::int64_t n) { return jump_hash(key, n); });
  }
  SECTION("jump_back_hash") {
    check([](std::uint64_t key, std::int64_t n) { return jump_back_hash(key, n); });
  }
}

TEST_CASE("JumpHash: append and pop are inverse, and node n is number n") {
  const auto keys = real_keys(50000);
  JumpHash<> before;
  for (const auto& name : numbered("node", 16)) before.add(name);
  for (const auto& key : keys) {
    const auto position = static_cast<std::uint64_t>(before.position_of(key));
    if (before.lookup(key) != "node" + std::to_string(jump_hash(position, 16))) FAIL(key);
  }
  auto after = before;
  after.append("extra");
  CHECK(plausible(keys_moved_to("extra", before, after, keys), keys.size(), 1.0 / 17));
  CHECK(after.bucket_of("extra") == 16);
  after.pop();
  check_same_owners(before, after, keys);
}

TEST_CASE("Preference lists of jump hashes") {
  const auto keys = real_keys(2000);
  JumpHash<> jump;
  JumpBackHash<> back;
  for (const auto& name : numbered("node", 12)) {
    jump.add(name);
    back.add(name);
  }
  check_preference_lists(jump, 12, keys);
  check_preference_lists(back, 12, keys);
  SECTION("a shorter list begins a longer one") {
    for (const auto& key : keys) {
      const auto all = back.preference_list(key, 12);
      const auto some = back.preference_list(key, 4);
      for (std::size_t i = 0; i < 4; ++i) {
        if (all[i] != some[i]) FAIL(key);
      }
    }
  }
  SECTION("JumpBackHash's says who inherits") {
    for (const std::string key : {"a", "user:42", "x"}) {
      auto left = back;
      for (const std::string& node : back.preference_list(key, 12)) {
        CHECK(left.lookup(key) == node);
        CHECK(left.remove(node));
      }
      CHECK(left.try_lookup(key) == nullptr);
    }
  }
}

TEST_CASE("JumpBackHash: any node can leave, in any order") {
  JumpBackHash<> three({"a", "b", "c"});
  three.update([](auto& edit) {
    edit.add("d");
    edit.remove("b");
    edit.add("e");
    edit.add("f");
  });
  CHECK(three.bucket_of("e") == 1);  // below the bucket of d
  CHECK(three.bucket_of("f") == 4);

  const auto keys = real_keys(60000);
  JumpBackHash<> full;
  for (const auto& name : numbered("node", 12)) full.add(name);

  SECTION("a leave moves only the leaver's keys, evenly, and its return takes them back") {
    auto without = full;
    CHECK(without.remove("node5"));
    CHECK(plausible(keys_moved_to("node5", without, full, keys), keys.size(), 1.0 / 12));
    for (const auto& [id, count] : loads(without, keys)) {
      INFO(id);
      CHECK(plausible(count, keys.size(), 1.0 / 11));
    }
    without.add("node5");  // takes the lowest gap, its own
    check_same_owners(full, without, keys);
  }
  SECTION("the order of leaving does not matter") {
    std::vector<std::string> leavers{"node0", "node4", "node11", "node7"};
    JumpBackHash<> first = full;
    for (const auto& id : leavers) CHECK(first.remove(id));
    std::reverse(leavers.begin(), leavers.end());
    JumpBackHash<> second = full;
    for (const auto& id : leavers) CHECK(second.remove(id));
    check_same_owners(first, second, keys);

    JumpBackHash<> rebuilt;  // from the numbered list, in reverse
    for (std::size_t bucket = 12; bucket-- > 0;) {
      const std::string id = "node" + std::to_string(bucket);
      if (std::find(leavers.begin(), leavers.end(), id) == leavers.end()) rebuilt.put(bucket, id);
    }
    CHECK(rebuilt.capacity() == 11);  // the last bucket is a gap, which the list must state
    rebuilt.put(11, "placeholder");
    CHECK(rebuilt.remove("placeholder"));
    CHECK(rebuilt.capacity() == 12);
    check_same_owners(first, rebuilt, keys);
  }
  SECTION("a new bucket next to gaps takes keys from all, and no others move") {
    auto gapped = full;
    CHECK(gapped.remove("node3"));
    CHECK(gapped.remove("node8"));
    auto grown = gapped;
    grown.put(12, "extra");
    CHECK(plausible(keys_moved_to("extra", gapped, grown, keys), keys.size(), 1.0 / 11));
  }
  SECTION("few nodes among many gaps still share evenly and follow the law") {
    JumpBackHash<> sparse;
    for (const std::size_t bucket : {std::size_t{3}, std::size_t{50000}, std::size_t{99999}}) {
      sparse.put(bucket, "bucket" + std::to_string(bucket));
    }
    const std::vector<std::string> some(keys.begin(), keys.begin() + 600);
    for (const auto& [id, count] : loads(sparse, some)) {
      INFO(id);
      CHECK(plausible(count, some.size(), 1.0 / 3));
    }
    check_preference_lists(sparse, 3, {"a", "b", "c"});
    auto without = sparse;
    CHECK(without.remove("bucket50000"));
    CHECK(keys_moved_to("bucket50000", without, sparse, some) > 0);
  }
}

TEST_CASE("A constant hash loses no node and does not loop") {
  JumpBackHash<ConstantHash> nodes({"a", "b", "c"});
  const std::string owner = nodes.lookup("key");
  CHECK(nodes.remove(owner));
  CHECK(nodes.lookup("key") != owner);
  CHECK(nodes.preference_list("key", 3).size() == 2);
}

TEST_CASE("Bad input to jump hashes is named and changes nothing") {
  JumpHash<> jump({"a", "b"});
  CHECK_THROWS_MATCHES(jump.add("a"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("\"a\" is already a member")));
  CHECK_THROWS_AS(jump.add(""), std::invalid_argument);
  CHECK(jump.size() == 2);
  jump.pop();
  jump.pop();
  CHECK_THROWS_AS(jump.pop(), std::out_of_range);
  CHECK_THROWS_AS(jump.lookup("key"), std::out_of_range);

  JumpBackHash<> back({"a", "b"});
  CHECK_THROWS_MATCHES(back.put(1, "c"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("bucket 1 is taken by \"b\"")));
  CHECK_THROWS_MATCHES(back.put(std::size_t{1} << 20, "c"), std::length_error,
                       MessageMatches(ContainsSubstring("got 1048576")));
  CHECK_THROWS_AS(back.put(5, "a"), std::invalid_argument);
  CHECK(back.capacity() == 2);
  CHECK_FALSE(back.remove("c"));
  CHECK(back.remove("a"));
  CHECK(back.remove("b"));
  CHECK_THROWS_AS(back.lookup("key"), std::out_of_range);
}

}  // namespace jump_test
