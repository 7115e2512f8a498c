// SPDX-License-Identifier: MIT
// Members join, leave and change weight: each change is all or nothing.

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <limits>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

namespace ring_membership_test {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Xxh3;
using clockwise_test::fails_with;
using clockwise_test::numbered;

namespace {

using Edit = HashRing<>::Edit;

HashRing<> three() {
  HashRing<> ring(RingOptions{8});
  ring.add("a", NodeOptions{1, "r1", "east"});
  ring.add("b", 2);
  ring.add("c", 0.5);
  return ring;
}

// A range that can be read once, and not if const, like generators and some views.
struct ReadOnce {
  std::istream& stream;
  std::istream_iterator<std::string> begin() { return std::istream_iterator<std::string>(stream); }
  std::istream_iterator<std::string> end() { return {}; }
};

// The state that a failed change must not change.
bool unchanged(const HashRing<>& ring, const HashRing<>& before) {
  return ring == before && ring.fingerprint() == before.fingerprint() &&
         ring.vnode_count() == before.vnode_count() && ring.lookup("key") == before.lookup("key") &&
         ring.preference_list("key", 9).size() == before.preference_list("key", 9).size();
}

}  // namespace

TEST_CASE("add, in all its forms, fills the node table") {
  HashRing<> ring(RingOptions{10});
  ring.add("plain");
  ring.add("double", 2);
  ring.add("half", 0.5f);
  ring.add("full", {1.5, "r1", "east"});
  REQUIRE(ring.size() == 4);
  CHECK(ring.members()[0].node == "double");
  CHECK(ring.members()[0].vnodes == 20);
  CHECK(ring.members()[1].node == "full");
  CHECK(ring.members()[1].weight == 1.5);
  CHECK(ring.members()[1].rack == "r1");
  CHECK(ring.members()[1].datacenter == "east");
  CHECK(ring.members()[1].vnodes == 15);
  CHECK(ring.members()[2].node == "half");
  CHECK(ring.members()[2].vnodes == 5);
  CHECK(ring.members()[3].node == "plain");
  CHECK(ring.members()[3].weight == 1);
  CHECK(ring.vnode_count() == 50);
  CHECK(ring.contains("full"));
  CHECK_FALSE(ring.contains("ful"));
  CHECK(ring.index_of("half") == 2);
  CHECK(ring.index_of("nobody") == HashRing<>::npos);
}

TEST_CASE("a ring is built from any range of nodes, or of nodes and options") {
  const HashRing<> expected({"a", "b", "c"});
  const std::vector<std::string> strings{"c", "a", "b"};
  const std::vector<std::string_view> views{"b", "c", "a"};
  const std::forward_list<std::string> list{"a", "b", "c"};
  const char* const array[] = {"a", "b", "c"};
  std::istringstream stream("a b c");
  CHECK(HashRing<>(strings) == expected);
  CHECK(HashRing<>(views) == expected);
  CHECK(HashRing<>(list) == expected);
  CHECK(HashRing<>(array) == expected);
  CHECK(HashRing(strings) == expected);
  CHECK(HashRing<>(ReadOnce{stream}) == expected);
  std::istringstream again("b a");
  HashRing<> joined({"c"});
  joined.add_all(ReadOnce{again});
  CHECK(joined == expected);
  HashRing<> braced;
  braced.add_all({"c", "b", "a"});
  CHECK(braced == expected);

  const std::vector<std::pair<std::string, NodeOptions>> pairs{{"b", {2, "r", ""}}, {"a", {}}};
  const std::map<std::string, NodeOptions> map(pairs.begin(), pairs.end());
  HashRing<> by_hand;
  by_hand.add("a");
  by_hand.add("b", {2, "r", ""});
  CHECK(HashRing<>(pairs).fingerprint() == by_hand.fingerprint());
  CHECK(HashRing<>(map).fingerprint() == by_hand.fingerprint());
  HashRing<> later;
  later.add_all(pairs);
  CHECK(later.fingerprint() == by_hand.fingerprint());
}

TEST_CASE("remove takes a member away, once") {
  HashRing<> ring = three();
  CHECK(ring.remove("b"));
  CHECK_FALSE(ring.contains("b"));
  CHECK(ring.vnode_count() == 12);
  CHECK_FALSE(ring.remove("b"));
  CHECK_FALSE(ring.remove(""));
  CHECK_FALSE(ring.remove(std::string("a\0", 2)));
  CHECK(ring.size() == 2);
}

TEST_CASE("the last member can leave, and another can join") {
  HashRing<> ring({"a"});
  CHECK(ring.remove("a"));
  CHECK(ring.empty());
  CHECK(ring.vnode_count() == 0);
  CHECK(ring == HashRing<>());
  CHECK(ring.try_lookup("key") == nullptr);
  ring.add("b");
  CHECK(ring == HashRing<>({"b"}));
}

TEST_CASE("a reference into the ring can name the member to change") {
  HashRing<> ring = three();
  ring.set_weight(ring.lookup("key"), 3);
  CHECK(ring.remove(ring.lookup("key")));
  CHECK(ring.size() == 2);
  ring.add_all(std::vector<std::string>{"d", ring.node(0) + "2"});
  CHECK(ring.size() == 4);
}

TEST_CASE("clear empties a ring and keeps options and policy") {
  HashRing<> ring({"a", "b"}, RingOptions{7}, Xxh3{5});
  ring.add("c", {1, "r1", "east"});
  ring.clear();
  CHECK(ring.empty());
  CHECK(ring.vnode_count() == 0);
  CHECK(ring.options().vnodes == 7);
  CHECK(ring.hash().seed == 5);
  CHECK(ring.default_spread() == clockwise::Spread::nodes);
  ring.add("a");
  CHECK(ring == HashRing<>({"a"}, RingOptions{7}, Xxh3{5}));
}

TEST_CASE("set_weight only adds vnodes, or only removes some") {
  HashRing<> ring({"a", "b", "c"}, RingOptions{50});
  const HashRing<> before = ring;
  ring.set_weight("b", 2.5);
  CHECK(ring.members()[1].weight == 2.5);
  CHECK(ring.members()[1].vnodes == 125);
  std::size_t wrong = 0;
  std::size_t moved = 0;
  const auto keys = clockwise_test::real_keys(5000);
  for (const std::string& key : keys) {
    const bool same = before.lookup(key) == ring.lookup(key);
    moved += same ? 0u : 1u;
    wrong += same || ring.lookup(key) == "b" ? 0u : 1u;
  }
  CHECK(wrong == 0);
  CHECK(moved > 0);
  ring.set_weight("b", 1);
  CHECK(ring == before);
  CHECK(ring.fingerprint() == before.fingerprint());
  ring.set_weight("b", 0.1);
  CHECK(ring.members()[1].vnodes == 5);
  for (const std::string& key : keys) {
    wrong += before.lookup(key) == ring.lookup(key) || before.lookup(key) == "b" ? 0u : 1u;
  }
  CHECK(wrong == 0);
}

TEST_CASE("weight 0 drains: a member that owns nothing and can come back") {
  HashRing<> ring({"a", "b", "c"});
  const HashRing<> before = ring;
  ring.set_weight("b", 0);
  CHECK(ring.size() == 3);
  CHECK(ring.contains("b"));
  CHECK(ring.vnode_count() == 400);
  CHECK(ring.load_shares()[1].second == 0);
  CHECK_FALSE(ring.preference_list("key", 3).contains("b"));
  CHECK_FALSE(ring == before);

  const HashRing<> without({"a", "c"});
  CHECK(std::vector(ring.positions().begin(), ring.positions().end()) ==
        std::vector(without.positions().begin(), without.positions().end()));
  ring.set_weight("b", 1);
  CHECK(ring == before);
}

TEST_CASE("update applies many changes as one, and each sees the previous ones") {
  HashRing<> ring = three();
  const HashRing<> before = ring;
  ring.update([&](Edit& edit) {
    edit.add("d");
    CHECK(edit.contains("d"));
    CHECK_FALSE(ring.contains("d"));
    CHECK(edit.remove("a"));
    CHECK_FALSE(edit.contains("a"));
    CHECK_FALSE(edit.remove("a"));
    edit.set_weight("b", 1);
    edit.set_weight("b", 4);
    edit.set_weight("d", 3);
    CHECK(ring == before);
  });
  HashRing<> expected(RingOptions{8});
  expected.add("b", 4);
  expected.add("c", 0.5);
  expected.add("d", 3);
  CHECK(ring == expected);
  CHECK(ring.fingerprint() == expected.fingerprint());
}

TEST_CASE("a member can be replaced, or added and removed, in one update") {
  HashRing<> ring = three();
  const HashRing<> before = ring;
  ring.update([](Edit& edit) {
    edit.remove("b");
    edit.add("b", 2);
    edit.add("x");
    edit.remove("x");
    edit.remove("a");
    edit.add("a", NodeOptions{1, "r1", "east"});
  });
  CHECK(unchanged(ring, before));

  ring.update([](Edit& edit) {
    edit.remove("b");
    edit.add("b", NodeOptions{1, "r9", "west"});
  });
  CHECK(ring.members()[1].rack == "r9");
  CHECK(ring.members()[1].datacenter == "west");
  CHECK(ring.members()[1].vnodes == 8);
  CHECK(ring.vnode_count() == 20);
}

TEST_CASE("an update can empty the ring and refill it") {
  HashRing<> ring = three();
  ring.update([](Edit& edit) {
    for (const char* id : {"a", "b", "c"}) edit.remove(id);
  });
  CHECK(ring.empty());
  CHECK(ring.vnode_count() == 0);
  ring.update([](Edit&) {});
  CHECK(ring.empty());
  ring.update([](Edit& edit) {
    edit.add("c", 0.5);
    edit.add("a", NodeOptions{1, "r1", "east"});
    edit.add("b", 2);
  });
  CHECK(unchanged(ring, three()));
}

TEST_CASE("every refusal names the value and changes nothing") {
  HashRing<> ring = three();
  const HashRing<> before = ring;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();

  CHECK(fails_with<std::invalid_argument>("\"b\" is already a member", [&] { ring.add("b"); }));
  CHECK(fails_with<std::invalid_argument>("id must not be empty", [&] { ring.add(""); }));
  CHECK(fails_with<std::invalid_argument>("\"n\" must be finite and not negative, got -1",
                                          [&] { ring.add("n", -1); }));
  CHECK(fails_with<std::invalid_argument>("\"n\" must be finite and not negative, got nan",
                                          [&] { ring.add("n", nan); }));
  CHECK(fails_with<std::invalid_argument>("\"n\" must be finite and not negative, got inf",
                                          [&] { ring.add("n", infinity); }));
  CHECK(fails_with<std::invalid_argument>("inf", [&] { ring.add("n", {-infinity, "r", ""}); }));
  CHECK(fails_with<std::invalid_argument>("\"a\" must be finite and not negative, got -1",
                                          [&] { ring.set_weight("a", -1); }));
  CHECK(fails_with<std::invalid_argument>("nan", [&] { ring.set_weight("a", nan); }));
  CHECK(fails_with<std::out_of_range>("\"n\"", [&] { ring.set_weight("n", 1); }));
  CHECK(fails_with<std::out_of_range>("\"\"", [&] { ring.set_weight("", 1); }));
  CHECK(fails_with<std::length_error>("\"a\"", [&] { ring.set_weight("a", 1e18); }));
  CHECK(fails_with<std::length_error>("\"n\"", [&] { ring.add("n", 1e300); }));
  CHECK(unchanged(ring, before));

  CHECK(fails_with<std::invalid_argument>("vnodes must be between 1 and 16777216, got 0",
                                          [] { HashRing<>(RingOptions{0}); }));
  CHECK(
      fails_with<std::invalid_argument>("4294967295", [] { HashRing<>(RingOptions{0xffffffff}); }));
  CHECK(fails_with<std::invalid_argument>("\"a\"", [] { HashRing<>({"a", "b", "a"}); }));
}

TEST_CASE("an id in a message is printable and of bounded length") {
  HashRing<> ring;
  const std::string binary("a\0\n\xff\"b", 6);
  ring.add(binary);
  CHECK(fails_with<std::invalid_argument>(R"("a\x00\x0a\xff\x22b")", [&] { ring.add(binary); }));
  const std::string huge(1'000'000, 'x');
  ring.add(huge);
  CHECK(fails_with<std::invalid_argument>("\"xxxx", [&] { ring.add(huge); }));
  try {
    ring.add(huge);
  } catch (const std::invalid_argument& error) {
    CHECK(std::string_view(error.what()).size() < 200);
  }
}

TEST_CASE("one invalid node in add_all refuses all of them") {
  HashRing<> ring = three();
  const HashRing<> before = ring;
  CHECK(fails_with<std::invalid_argument>(
      "\"y\"", [&] { ring.add_all(std::vector<std::string>{"x", "y", "z", "y"}); }));
  CHECK(fails_with<std::invalid_argument>(
      "\"b\"", [&] { ring.add_all(std::vector<std::string>{"x", "b"}); }));
  const std::vector<std::pair<std::string, NodeOptions>> pairs{{"x", {}}, {"y", {-2, "", ""}}};
  CHECK(fails_with<std::invalid_argument>("-2", [&] { ring.add_all(pairs); }));
  CHECK(unchanged(ring, before));
}

TEST_CASE("an update that throws changes nothing, for any source of the exception") {
  HashRing<> ring = three();
  const HashRing<> before = ring;
  CHECK(fails_with<std::runtime_error>("mine", [&] {
    ring.update([](Edit& edit) {
      edit.add("d");
      edit.remove("a");
      throw std::runtime_error("mine");
    });
  }));
  CHECK(fails_with<std::out_of_range>("\"a\"", [&] {
    ring.update([](Edit& edit) {
      edit.add("d");
      edit.remove("a");
      edit.set_weight("a", 2);
    });
  }));
  CHECK(unchanged(ring, before));
}

TEST_CASE("an update continues after an error that its function catches") {
  HashRing<> ring = three();
  ring.update([](Edit& edit) {
    edit.add("d");
    CHECK_THROWS_AS(edit.add("d", 7), std::invalid_argument);
    CHECK_THROWS_AS(edit.add("e", -1), std::invalid_argument);
    CHECK_THROWS_AS(edit.set_weight("a", -1), std::invalid_argument);
    CHECK_THROWS_AS(edit.set_weight("nobody", 1), std::out_of_range);
  });
  HashRing<> expected = three();
  expected.add("d");
  CHECK(ring == expected);
  CHECK(ring.fingerprint() == expected.fingerprint());
}

namespace {

// Copies and moves throw when the countdown ends; -1: never.
int countdown = -1;
int alive = 0;

void maybe_throw() {
  if (countdown >= 0 && countdown-- == 0) throw std::bad_alloc();
}

struct Fragile {
  std::string id;
  Fragile(std::string name) : id(std::move(name)) { ++alive; }
  Fragile(const Fragile& other) : id((maybe_throw(), other.id)) { ++alive; }
  Fragile(Fragile&& other) : id((maybe_throw(), std::move(other.id))) { ++alive; }
  Fragile& operator=(const Fragile& other) {
    maybe_throw();
    id = other.id;
    return *this;
  }
  ~Fragile() { --alive; }
};

using FragileRing = HashRing<Xxh3, Fragile>;

}  // namespace

TEST_CASE("a node whose copy or move throws leaves the ring unchanged, at any point") {
  countdown = -1;
  {
    FragileRing ring(RingOptions{4});
    for (const std::string& id : numbered("n", 5)) ring.add(Fragile(id));
    const FragileRing before = ring;
    const auto attempt = [&](auto change, bool may_do_nothing = false) {
      int failures = 0;
      for (int steps = 0;; ++steps) {
        FragileRing copy = ring;
        countdown = steps;
        try {
          change(copy);
          countdown = -1;
          CHECK((may_do_nothing || !(copy == before)));
          break;
        } catch (const std::bad_alloc&) {
          countdown = -1;
          ++failures;
          REQUIRE(copy == before);
          REQUIRE(copy.fingerprint() == before.fingerprint());
          for (std::size_t i = 0; i < 5; ++i) {
            REQUIRE(copy.members()[i].node.id == before.members()[i].node.id);
          }
        }
      }
      CHECK(failures > 0);
    };
    const Fragile joiner("joiner");
    attempt([&](FragileRing& copy) { copy.add(joiner, 2); });
    attempt([&](FragileRing& copy) { copy.remove("n2"); });
    attempt([&](FragileRing& copy) { copy.set_weight("n3", 3); });
    attempt([&](FragileRing& copy) {
      copy.update([&](FragileRing::Edit& edit) {
        edit.remove("n0");
        edit.add(joiner);
        edit.set_weight("n4", 0);
      });
    });
    attempt([&](FragileRing& copy) { copy.add_all(std::vector<Fragile>{joiner}); });
    attempt([&](FragileRing& copy) {
      const FragileRing other({Fragile("only")});
      copy = other;
    });
  }
  CHECK(alive == 0);
}

TEST_CASE("nodes that cannot be assigned can still be members") {
  struct Fixed {
    const std::string id;
    const int port;
  };
  HashRing<Xxh3, Fixed> ring(RingOptions{8});
  ring.add(Fixed{"a", 1});
  ring.add(Fixed{"b", 2});
  ring.update([](auto& edit) {
    edit.remove("a");
    edit.add(Fixed{"a", 3});
    edit.set_weight("a", 2);
  });
  CHECK(ring.members()[0].node.port == 3);
  CHECK(ring.members()[0].vnodes == 16);
  CHECK(ring.remove("b"));
  CHECK(ring.size() == 1);
}

TEST_CASE("a moved-from ring is empty and can be refilled") {
  HashRing<> ring = three();
  const HashRing<> taken = std::move(ring);
  CHECK(unchanged(taken, three()));
  // NOLINTBEGIN(bugprone-use-after-move): moved-from rings are the subject.
  CHECK(ring.empty());
  CHECK(ring.vnode_count() == 0);
  CHECK(ring.try_lookup("key") == nullptr);
  CHECK(ring.preference_list("key", 3).empty());
  CHECK(ring.preference_list("key", 30).empty());
  CHECK(ring.preference_list("key", {{"east", 2}}).empty());
  CHECK(ring.default_spread() == clockwise::Spread::nodes);
  std::size_t met = 0;
  for ([[maybe_unused]] const std::string& node : ring.successors("key")) ++met;
  CHECK(met == 0);
  ring.add("x");
  CHECK(ring == HashRing<>({"x"}, RingOptions{8}));
  // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("a copy is independent, and a ring can be assigned to itself") {
  HashRing<> ring = three();
  HashRing<> copy = ring;
  copy.remove("a");
  copy.add("z");
  CHECK(unchanged(ring, three()));
  const HashRing<>& alias = ring;
  ring = alias;
  CHECK(unchanged(ring, three()));
  copy = ring;
  CHECK(unchanged(copy, three()));
  std::swap(ring, copy);
  CHECK(unchanged(ring, three()));
}

TEST_CASE("an index of 8 bits holds 255 members and no more") {
  using Small = HashRing<Xxh3, std::string, std::uint8_t>;
  Small ring(RingOptions{3});
  ring.add_all(numbered("n", 255));
  CHECK(ring.size() == 255);
  const Small before = ring;
  CHECK(fails_with<std::length_error>("got 256", [&] { ring.add("one-more"); }));
  CHECK(ring == before);
  CHECK_FALSE(ring.contains("one-more"));

  const HashRing<Xxh3, std::string, std::uint32_t> wide(numbered("n", 255), RingOptions{3});
  std::size_t wrong = 0;
  for (const std::string& key : clockwise_test::real_keys(2000)) {
    wrong += ring.lookup(key) == wide.lookup(key) ? 0u : 1u;
  }
  CHECK(wrong == 0);

  // A full table can change members, if no more join than leave.
  ring.update([](Small::Edit& edit) {
    edit.add("one-more");
    edit.remove("n7");
  });
  CHECK(ring.size() == 255);
  CHECK(ring.contains("one-more"));
  // Drained members count: they also have a number.
  ring.set_weight("one-more", 0);
  CHECK(fails_with<std::length_error>("got 256", [&] { ring.add("drained", 0); }));
}

TEST_CASE("an index of 16 bits holds 65,535 members and no more") {
  HashRing<> ring(RingOptions{1});
  auto ids = numbered("n", 65536);
  CHECK(fails_with<std::length_error>("can number up to 65535 members, got 65536",
                                      [&] { ring.add_all(ids); }));
  CHECK(ring.empty());
  ids.pop_back();
  ring.add_all(ids);
  CHECK(ring.size() == 65535);
  CHECK(ring.contains("n65534"));
  CHECK(ring.lookup_index(Position{0}) != HashRing<>::npos);
  CHECK(fails_with<std::length_error>("65536", [&] { ring.add("n65535"); }));
  CHECK(ring.size() == 65535);
}

TEST_CASE("more positions than the maximum are refused at once") {
  // 256 nodes of 2^24 vnodes are 2^32 positions: 40 GB, if made before being counted.
  HashRing<> ring(RingOptions{std::uint32_t{1} << 24});
  CHECK(fails_with<std::length_error>("got 4294967296", [&] { ring.add_all(numbered("n", 256)); }));
  CHECK(ring.empty());
  CHECK(fails_with<std::length_error>("33554432 vnodes", [&] { ring.add("a", 2); }));
  CHECK(ring.empty());
}

}  // namespace ring_membership_test
