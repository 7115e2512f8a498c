// SPDX-License-Identifier: MIT
// Only a node's id counts.

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/slot_map.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

namespace identity_test {

using clockwise::HashRing;
using clockwise::RingOptions;
using clockwise::Xxh3;
using clockwise_test::fails_with;

namespace fleet {

struct WithMember {
  std::string id;
  std::string address;
};

class WithFunction {
 public:
  explicit WithFunction(std::string name) : name_(std::move(name)) {}
  const std::string& id() const { return name_; }

 private:
  std::string name_;
};

struct WithMadeUpId {
  int shelf;
  std::string id() const { return "node-" + std::to_string(shelf); }
};

struct WithFreeFunction {
  std::string name;
  int id = 0;  // not the id: node_id comes first
};
std::string_view node_id(const WithFreeFunction& node) { return node.name; }

struct WithNumber {
  std::uint32_t id;
};

struct WithArray {
  char id[8];
};

enum class Shard : std::uint8_t { last = 255 };

}  // namespace fleet

namespace {

// Whether a ring of these nodes places keys as a ring of their ids does.
template <class Node, class IdOf>
bool places_like_ids(const std::vector<Node>& nodes, const std::vector<std::string>& ids,
                     IdOf id_of) {
  const HashRing<Xxh3, Node> ring(nodes, RingOptions{20});
  const HashRing<> plain(ids, RingOptions{20});
  for (const std::string& key : clockwise_test::real_keys(500)) {
    if (id_of(ring.lookup(key)) != plain.lookup(key)) return false;
  }
  return ring.fingerprint() == plain.fingerprint();
}

// The same on the scheme that compiles fastest.
template <class Node>
bool has_id(const Node& node, std::string_view id) {
  clockwise::ModN<Xxh3, std::decay_t<const Node&>> nodes;
  nodes.add(node);
  return nodes.contains(id) && nodes.contains(node) && !nodes.contains(std::string(id) + "0");
}

}  // namespace

TEST_CASE("every kind of node is placed by its id") {
  const std::vector<std::string> ids{"node-1", "node-2", "node-3"};
  CHECK(places_like_ids<fleet::WithMember>({{"node-1", "x"}, {"node-2", "x"}, {"node-3", "x"}}, ids,
                                           [](const auto& node) { return node.id; }));
  CHECK(places_like_ids<fleet::WithFunction>(
      {fleet::WithFunction("node-1"), fleet::WithFunction("node-2"), fleet::WithFunction("node-3")},
      ids, [](const auto& node) { return node.id(); }));
  CHECK(places_like_ids<fleet::WithMadeUpId>({{1}, {2}, {3}}, ids,
                                             [](const auto& node) { return node.id(); }));
  CHECK(places_like_ids<fleet::WithFreeFunction>({{"node-1"}, {"node-2"}, {"node-3"}}, ids,
                                                 [](const auto& node) { return node.name; }));
  CHECK(has_id(fleet::WithArray{"node-1"}, "node-1"));
  CHECK(has_id(std::string_view("node-1"), "node-1"));
  CHECK(has_id("node-1", "node-1"));
}

TEST_CASE("an integer is its decimal digits") {
  CHECK(places_like_ids<int>({1, 22, -3}, {"1", "22", "-3"},
                             [](int node) { return std::to_string(node); }));
  CHECK(has_id(std::uint8_t{255}, "255"));
  CHECK(has_id(std::int8_t{-128}, "-128"));
  CHECK(has_id(std::uint64_t{0}, "0"));
  CHECK(has_id(~std::uint64_t{0}, "18446744073709551615"));
  CHECK(has_id((std::numeric_limits<std::int64_t>::min)(), "-9223372036854775808"));
  CHECK(has_id(fleet::WithNumber{10}, "10"));
  CHECK(has_id(fleet::Shard::last, "255"));
}

TEST_CASE("two objects with one id are one node") {
  const auto one = std::make_unique<fleet::WithMember>(fleet::WithMember{"a", "10.0.0.1"});
  const auto other = std::make_unique<fleet::WithMember>(fleet::WithMember{"a", "10.0.0.2"});
  HashRing<Xxh3, fleet::WithMember> ring;
  ring.add(*one);
  CHECK(ring.contains(*other));
  CHECK(ring.contains("a"));
  CHECK(fails_with<std::invalid_argument>("\"a\" is already a member", [&] { ring.add(*other); }));
  CHECK(ring.preference_list("key", 1).contains(*other));
  CHECK(ring.remove(*other));
  CHECK(ring.empty());
}

TEST_CASE("all bytes of an id count, zeros included") {
  const std::string b("a\0b", 3);
  const std::string c("a\0c", 3);
  HashRing<> ring;
  ring.add(b);
  ring.add(c);
  ring.add("a");
  CHECK(ring.size() == 3);
  CHECK(ring.vnode_count() == 600);
  CHECK(ring.contains(b));
  CHECK(ring.remove(b));
  CHECK_FALSE(ring.contains(b));
  CHECK(ring.contains(c));
  CHECK(ring.contains("a"));
}

TEMPLATE_TEST_CASE("a changed address moves nothing", "", (HashRing<Xxh3, fleet::WithMember>),
                   (clockwise::TokenRing<Xxh3, fleet::WithMember>),
                   (clockwise::SlotMap<Xxh3, fleet::WithMember>),
                   (clockwise::JumpHash<Xxh3, fleet::WithMember>),
                   (clockwise::JumpBackHash<Xxh3, fleet::WithMember>)) {
  using Fleet = TestType;
  Fleet before({{"a", "10.0.0.1"}, {"b", "10.0.0.2"}, {"c", "10.0.0.3"}, {"d", "10.0.0.4"}});
  before.set_options("b", {.rack = "r1", .datacenter = "east"});
  // State that does not follow from the members.
  if constexpr (requires { before.set_tokens("b", {7}); }) {
    for (const char* id : {"a", "b", "c", "d"}) {
      const std::uint64_t token = Xxh3{}(std::as_bytes(std::span(id, 1)));
      before.set_tokens(id, {token, ~token});
    }
  }
  if constexpr (requires { before.put(9, {"e", ""}); }) {
    before.put(9, {"e", "10.0.0.5"});
    before.remove("a");  // a gap that is lower
  }
  if constexpr (requires { before.assign(3u, "b"); }) {
    before.assign_all(std::vector<std::string>(before.slot_count(), "b"));
    before.migrate(7, "c");
  }
  Fleet after = before;
  after.set_node({"b", "192.168.7.7"});
  after.update([](auto& edit) {
    edit.set_options("c", {.rack = "r2"});
    edit.set_node({"c", "192.168.7.8"});
    edit.set_options("c", {});
  });
  CHECK(after.member("b").node.address == "192.168.7.7");
  CHECK(after.member("b").rack == "r1");
  CHECK(after.member("b").datacenter == "east");
  CHECK(after.member("b").vnodes == before.member("b").vnodes);
  CHECK(after.member("c").node.address == "192.168.7.8");
  CHECK(before.member("b").node.address == "10.0.0.2");
  CHECK(after == before);
  CHECK(after.fingerprint() == before.fingerprint());
  if constexpr (requires { after.migrating_to(7u); }) CHECK(after.migrating_to(7)->id == "c");
  std::size_t moved = 0;
  for (const std::string& key : clockwise_test::real_keys(2000)) {
    moved += before.lookup(key).id == after.lookup(key).id ? 0u : 1u;
  }
  CHECK(moved == 0);
  CHECK(fails_with<std::out_of_range>("set_node: \"stranger\" is not a member",
                                      [&] { after.set_node({"stranger", "10.0.0.8"}); }));
  CHECK(after == before);

  after.update([](auto& edit) {
    edit.add({"joiner", "10.0.0.6"});
    edit.set_node({"joiner", "10.0.0.7"});
  });
  CHECK(after.member("joiner").node.address == "10.0.0.7");
}

TEST_CASE("an id can be passed for its node, as text or as a number") {
  HashRing<Xxh3, int> numbers({1, 2, 3});
  CHECK(numbers.contains(2));
  CHECK(numbers.contains(2u));
  CHECK(numbers.contains("2"));
  CHECK(numbers.contains(std::string("2")));
  CHECK_FALSE(numbers.contains("02"));
  numbers.set_weight("2", 2);
  CHECK(numbers.members()[1].vnodes == 400);
  CHECK(numbers.remove("2"));
  CHECK_FALSE(numbers.contains(2));

  HashRing<> texts({"1", "2"});
  CHECK(texts.remove(1));
  CHECK(texts.size() == 1);

  clockwise::ModN<Xxh3, fleet::WithFreeFunction> plain;
  plain.add({"a"});
  CHECK(plain.contains("a"));
  CHECK(plain.remove(fleet::WithFreeFunction{"a", 3}));
  CHECK(plain.empty());
}

TEST_CASE("An integer is a node only if it fits") {
  using Ring = HashRing<Xxh3, std::uint16_t>;
  Ring ring;
  ring.add(7);
  ring.add(65535L, 2);
  ring.add(9LL, {.rack = "r1"});
  ring.add_all({{11, 2}, {12, {.rack = "r1"}}});
  CHECK(ring.size() == 5);
  CHECK(ring.contains(65535));
  const auto fingerprint = ring.fingerprint();
  const auto check_refused = [&](auto number) {
    using Bad = std::invalid_argument;
    const std::string message = "a node must be between 0 and 65535, got " + std::to_string(number);
    CHECK(fails_with<Bad>(message, [&] { ring.add(number); }));
    CHECK(fails_with<Bad>(message, [&] { ring.add(number, 2); }));
    CHECK(fails_with<Bad>(message, [&] { ring.add(number, {.rack = "r1"}); }));
    CHECK(fails_with<Bad>(message, [&] { ring.update([&](auto& edit) { edit.add(number); }); }));
    CHECK(ring.fingerprint() == fingerprint);
  };
  check_refused(70000);  // not node 4464
  check_refused(-1);
  check_refused((std::numeric_limits<std::uint64_t>::max)());
  HashRing<Xxh3, std::uint64_t> wide;
  for (int i = 0; i < 3; ++i) wide.add(i);
  CHECK(wide.size() == 3);
  CHECK_THROWS_AS(wide.add(-1), std::invalid_argument);

  // Arguments that are not integers, and ranges whose values need not fit, do not compile.
  const auto adds = [](auto value) { return requires(Ring& r) { r.add(value); }; };
  const auto adds_weighted = [](auto value) { return requires(Ring& r) { r.add(value, 2); }; };
  static_assert(adds(7) && adds(std::uint16_t{7}) && !adds(7.0) && !adds(true) && !adds('7'));
  static_assert(adds_weighted(7) && !adds_weighted(7.0) && !adds_weighted(true));
  const auto adds_all = [](auto values) { return requires(Ring& r) { r.add_all(values); }; };
  CHECK(adds_all(std::vector<std::uint8_t>{}));
  CHECK(adds_all(std::vector<std::pair<std::uint8_t, double>>{}));
  CHECK_FALSE(adds_all(std::vector<int>{}));
  CHECK_FALSE(adds_all(std::vector<std::pair<int, double>>{}));
  CHECK_FALSE(adds_all(std::vector<std::pair<int, clockwise::NodeOptions>>{}));
  CHECK_FALSE(adds_all(std::vector<clockwise::Member<int>>{}));
}

}  // namespace identity_test
