// SPDX-License-Identifier: MIT
// One interface for all schemes: the same code tests each scheme. Only the type differs.

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/envoy.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/compat/nginx.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/maglev.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/multi_probe.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/slot_map.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/keys.hpp"

using clockwise::Entry;
using clockwise::Member;
using clockwise::NodeOptions;
using clockwise::Partitioner;
using clockwise::Position;
using clockwise::RemovesAny;
using clockwise::Replication;
using clockwise::Spread;
using clockwise_test::fails_with;
using clockwise_test::numbered;
using clockwise_test::real_keys;

namespace {

// The differences between the schemes that these tests must know.

template <class S>
constexpr bool has_tokens =
    std::same_as<S, clockwise::TokenRing<>> || std::same_as<S, clockwise::CassandraRing>;

/// Takes weights other than 1.
template <class S>
constexpr bool is_weighted =
    !std::same_as<S, clockwise::ModN<>> && !std::same_as<S, clockwise::JumpHash<>> &&
    !std::same_as<S, clockwise::JumpBackHash<>> && !std::same_as<S, clockwise::MultiProbe<>> &&
    !std::same_as<S, clockwise::CassandraRing>;

/// A function of its members alone: order and history do not count.
template <class S>
constexpr bool is_pure =
    std::same_as<S, clockwise::HashRing<>> || std::same_as<S, clockwise::ModN<>> ||
    std::same_as<S, clockwise::Rendezvous<>> || std::same_as<S, clockwise::Maglev<>> ||
    std::same_as<S, clockwise::MultiProbe<>> || std::same_as<S, clockwise::EnvoyMaglev> ||
    has_tokens<S>;

/// Engines that place keys as if servers that are down were not listed.
template <class S>
constexpr bool rebuilds_without =
    std::same_as<S, clockwise::KetamaRing> || std::same_as<S, clockwise::HaproxyRing> ||
    std::same_as<S, clockwise::EnvoyRing> || std::same_as<S, clockwise::EnvoyMaglev>;

/// If tokens place the members, each gets tokens derived from its name.
template <class S>
S settled(S scheme) {
  if constexpr (has_tokens<S>) {
    scheme.update([&](auto& edit) {
      for (const auto& member : scheme.members()) {
        using Token = typename S::Tokens::value_type;
        std::vector<Token> tokens;
        for (std::uint64_t i = 0; i < 20 * std::uint64_t(member.weight); ++i) {
          const std::string label = member.node + "/" + std::to_string(i);
          tokens.push_back(static_cast<Token>(std::hash<std::string>{}(label)));
        }
        edit.set_tokens(member.node, tokens);
      }
    });
  }
  return scheme;
}

template <class S>
std::vector<std::string> ids(const S& scheme) {
  std::vector<std::string> ids;
  for (const auto& member : scheme.members()) ids.push_back(member.node);
  return ids;
}

template <class List>
std::vector<std::string> names(const List& list) {
  return {list.begin(), list.end()};
}

/// Removes one member, the last to join, by the scheme's own function.
template <class S>
void leave(S& scheme, const std::string& last) {
  if constexpr (RemovesAny<S>) {
    CHECK(scheme.remove(last));
    CHECK_FALSE(scheme.remove(last));
  } else {
    scheme.pop();
  }
}

const std::vector<std::string> keys = real_keys(300);

}  // namespace

#define EVERY_SCHEME                                                                               \
  clockwise::HashRing<>, clockwise::TokenRing<>, clockwise::ModN<>, clockwise::Rendezvous<>,       \
      clockwise::JumpHash<>, clockwise::JumpBackHash<>, clockwise::Maglev<>, clockwise::SlotMap<>, \
      clockwise::MultiProbe<>, clockwise::KetamaRing, clockwise::NginxRing,                        \
      clockwise::HaproxyRing, clockwise::EnvoyRing, clockwise::EnvoyMaglev,                        \
      clockwise::CassandraRing

TEMPLATE_TEST_CASE("A scheme is made from entries in any form", "", EVERY_SCHEME) {
  using S = TestType;
  static_assert(Partitioner<S>);

  const S listed({"a", "b", "c"});
  const std::vector<std::string> nodes{"a", "b", "c"};
  const S ranged(nodes);
  const S viewed(std::vector<std::string_view>{"a", "b", "c"});
  const S paired(std::map<std::string, NodeOptions>{{"a", {}}, {"b", {}}, {"c", {}}});
  const S weighed(std::vector<std::pair<const char*, int>>{{"a", 1}, {"b", 1}, {"c", 1}});
  const S copied(ranged.members());
  S added;
  added.update([](auto& edit) {
    edit.add("a");
    edit.add("b", 1);
    edit.add("c", NodeOptions{});
  });
  S joined;
  joined.add("a");
  joined.add("b", 1);
  joined.add("c", NodeOptions{});
  CHECK(ids(joined) == nodes);
  // A slot map's table depends on the steps.
  if constexpr (!std::same_as<S, clockwise::SlotMap<>>) CHECK(joined == listed);
  S entered;
  entered.add_all({"a", {"b", 1.0}, {"c", NodeOptions{}}});
  S edited;
  edited.update([](auto& edit) {
    edit.add("a");
    edit.add_all({{"b", 1}, "c"});
  });
  for (const S* scheme : std::vector<const S*>{&ranged, &viewed, &paired, &weighed, &copied, &added,
                                               &entered, &edited}) {
    CHECK(ids(*scheme) == nodes);
    CHECK(*scheme == listed);
    CHECK(scheme->fingerprint() == listed.fingerprint());
  }

  // Two texts in braces are two members, never std::string's pair of iterators.
  const S braces({{"a", "b"}});
  CHECK(ids(braces) == std::vector<std::string>{"a", "b"});

  const S racked({{"a", {.rack = "r1"}}, {"b", {.rack = "r2", .datacenter = "east"}}});
  CHECK(racked.members()[0].rack == "r1");
  CHECK(racked.members()[1].datacenter == "east");
  const S racked_again(racked.members());
  CHECK(racked_again.members()[0].rack == "r1");
  CHECK(racked_again.members()[1].datacenter == "east");
}

TEMPLATE_TEST_CASE("All lookups return the same owners", "", EVERY_SCHEME) {
  using S = TestType;
  const S scheme = settled(S(numbered("node-", 9)));
  std::vector<Position> positions;
  for (const auto& key : keys) positions.push_back(scheme.position_of(key));
  std::vector<typename S::index_type> owners(positions.size());
  scheme.lookup_batch(positions, owners);
  std::set<std::string> met;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& owner = scheme.lookup(keys[i]);
    met.insert(owner);
    CHECK(scheme.try_lookup(keys[i]) == &owner);
    CHECK(&scheme.lookup(positions[i]) == &owner);
    CHECK(scheme.lookup_index(positions[i]) == owners[i]);
    CHECK(&scheme.node(owners[i]) == &owner);
    CHECK(scheme.index_of(owner) == owners[i]);
    CHECK(&scheme.members()[owners[i]].node == &owner);
    CHECK(&scheme.member(owner).node == &owner);
    CHECK(scheme.preference_list(keys[i], 1).front() == owner);
  }
  CHECK(met.size() == 9);
  std::vector<typename S::index_type> too_few(2);
  CHECK(fails_with<std::invalid_argument>("300 positions but 2 owners",
                                          [&] { scheme.lookup_batch(positions, too_few); }));
}

TEMPLATE_TEST_CASE("Preference lists are distinct, and spread as requested", "", EVERY_SCHEME) {
  using S = TestType;
  std::vector<std::pair<std::string, NodeOptions>> fleet;
  for (const std::string& name : numbered("node-", 12)) {
    const std::size_t i = fleet.size();
    fleet.push_back(
        {name, {.rack = "r" + std::to_string(i % 4), .datacenter = i % 4 < 2 ? "east" : "west"}});
  }
  const S scheme = settled(S(fleet));
  CHECK(scheme.default_spread() == Spread::racks);
  const auto rack_of = [&](const std::string& node) {
    return scheme.members()[scheme.index_of(node)].rack;
  };
  const auto racks = [&](const auto& list) {
    std::set<std::string> met;
    for (const std::string& node : list) met.insert(rack_of(node));
    return met.size();
  };
  for (const auto& key : keys) {
    const auto all = names(scheme.preference_list(key, {12, Spread::nodes}));
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == 12);

    const auto over_nodes = names(scheme.preference_list(key, 5, Spread::nodes));
    CHECK(over_nodes == std::vector<std::string>(all.begin(), all.begin() + 5));

    const auto over_racks = scheme.preference_list(key, 3);
    CHECK(racks(over_racks) == 3);
    CHECK(names(over_racks) == names(scheme.preference_list(key, Replication(3, Spread::racks))));
    // The first of each rack, in the order of all: the rule as written.
    std::vector<std::string> expected;
    std::set<std::string> used;
    for (const std::string& node : all) {
      if (expected.size() < 3 && used.insert(rack_of(node)).second) expected.push_back(node);
    }
    CHECK(names(over_racks) == expected);

    const auto short_list = scheme.preference_list(key, {5, Spread::racks_only});
    CHECK(short_list.size() == 4);
    CHECK_FALSE(short_list.complete());

    const auto by_datacenter = scheme.preference_list(key, {{"east", 2}, {"west", 1}});
    CHECK(by_datacenter.size() == 3);
    CHECK(racks(by_datacenter) == 3);
    CHECK(by_datacenter.contains(over_racks.front()));

    const std::string owner = over_racks.front();
    const auto is_up = [&](const std::string& node) { return node != owner; };
    if constexpr (rebuilds_without<S>) {
      // If the engine leaves out servers that are down, so does its ring, and a predicate does not
      // compile.
      static_assert(!requires { scheme.preference_list(key, 3, is_up); });
      static_assert(!requires { scheme.preference_list(key, 3, Spread::nodes, is_up); });
    } else {
      const auto without = scheme.preference_list(key, 3, is_up);
      CHECK_FALSE(without.contains(owner));
      // In Cassandra, a node that is down has no substitute.
      CHECK(without.size() == (std::same_as<S, clockwise::CassandraRing> ? 2 : 3));
      CHECK(without.first_substitute() == 2);
      CHECK(without[0] == over_racks[1]);
      CHECK(without[1] == over_racks[2]);
      const auto by_member = scheme.preference_list(
          key, 3, [&](const Member<std::string>& member) { return member.node != owner; });
      CHECK(names(by_member) == names(without));
      const auto none =
          scheme.preference_list(key, 3, Spread::nodes, [](const std::string&) { return false; });
      CHECK(none.empty());
    }
  }
  if constexpr (rebuilds_without<S>) {
    const std::vector<std::string> down{fleet[2].first, fleet[9].first};
    const S without = scheme.without(down);
    for (const auto& key : keys) {
      CHECK_FALSE(without.preference_list(key, 12).contains(down[0]));
      CHECK_FALSE(without.preference_list(key, 12).contains(down[1]));
      CHECK(without.preference_list(key, {12, Spread::nodes}).size() == 10);
    }
    CHECK(without == scheme.without({fleet[9].first, fleet[2].first}));
    CHECK(without == scheme.without({down[0]}).without({down[1]}));
    CHECK_FALSE(without == scheme);
    CHECK(scheme.without(std::vector<std::string>()) == scheme);
    // Two texts in braces are not one, as std::string_view would have it.
    static_assert(!requires { scheme.without({{"node-1", "node-2"}}); });
    static_assert(!requires { scheme.without("node-1"); });
    CHECK(fails_with<std::out_of_range>("without: \"stranger\" is not a member",
                                        [&] { (void)scheme.without({"stranger"}); }));
  }
  CHECK(fails_with<std::invalid_argument>("replicas must not be negative, got -1",
                                          [&] { scheme.preference_list("key", -1); }));
  CHECK(fails_with<std::invalid_argument>("replicas must not be negative, got -1", [&] {
    scheme.preference_list("key", -1, Spread::nodes);
  }));
  static_assert(!requires { scheme.preference_list("key", true, Spread::nodes); });
  static_assert(!requires { scheme.preference_list("key", '3', Spread::nodes); });
  static_assert(!requires { scheme.preference_list("key", 2.5, Spread::nodes); });
  CHECK(scheme.preference_list("key", 0).complete());
}

TEMPLATE_TEST_CASE("Shares sum to 1, are in id order, and match counted keys", "", EVERY_SCHEME) {
  using S = TestType;
  const S scheme = settled(S(numbered("node-", 7)));
  const auto shares = scheme.load_shares();
  REQUIRE(shares.size() == 7);
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    CHECK(shares[i].first == scheme.members()[i].node);
    sum += shares[i].second;
  }
  static_assert(requires { scheme.load_shares(3); } == clockwise::Ring<S>);
  CHECK(std::abs(sum - 1) < 1e-9);

  const auto many = real_keys(20000);
  std::map<std::string, double> counts;
  for (const auto& key : many) counts[scheme.lookup(key)] += 1;
  for (const auto& [node, share] : shares) {
    const double expected = share * static_cast<double>(many.size());
    // Four standard deviations of the number of keys, and 1% for shares from a formula, which are
    // not exact.
    CHECK(std::abs(counts[node] - expected) < 4 * std::sqrt(expected) + 0.01 * expected);
  }
}

TEMPLATE_TEST_CASE("Changes are all or nothing, and one update equals its changes one by one", "",
                   EVERY_SCHEME) {
  using S = TestType;
  const S before = settled(S(numbered("node-", 5)));
  S scheme = before;

  const auto refuses = [&]<class Error>(Error*, std::string_view text, auto change) {
    CHECK(fails_with<Error>(text, [&] { change(scheme); }));
    CHECK(scheme == before);
    CHECK(scheme.fingerprint() == before.fingerprint());
    CHECK(ids(scheme) == ids(before));
  };
  std::invalid_argument* const invalid = nullptr;
  std::out_of_range* const range = nullptr;
  refuses(invalid, "\"node-1\" is already a member", [](S& s) { s.add("node-1"); });
  refuses(invalid, "must not be empty", [](S& s) { s.add(""); });
  refuses(invalid, "\"node-9\"", [](S& s) { s.add("node-9", -1.0); });
  refuses(invalid, "\"node-9\"",
          [](S& s) { s.add("node-9", std::numeric_limits<double>::quiet_NaN()); });
  refuses(invalid, "\"node-9\"",
          [](S& s) { s.add("node-9", std::numeric_limits<double>::infinity()); });
  refuses(invalid, "\"x\" is already a member", [](S& s) { s.add_all({"x", "y", "x"}); });
  refuses(invalid, "\"node-1\" is already a member", [](S& s) {
    s.update([](auto& edit) {
      edit.add("node-8");
      edit.set_options("node-2", {.rack = "r2"});
      edit.add("node-1");
    });
  });
  refuses(range, "set_weight: \"stranger\" is not a member",
          [](S& s) { s.set_weight("stranger", 1); });
  refuses(range, "set_options: \"stranger\" is not a member",
          [](S& s) { s.set_options("stranger", {}); });
  refuses(range, "set_node: \"stranger\" is not a member", [](S& s) { s.set_node("stranger"); });
  refuses(range, "member: \"stranger\" is not a member", [](S& s) { s.member("stranger"); });
  static_assert(!requires { scheme.set_weight("node-1", false); });  // would drain it
  static_assert(!requires { scheme.set_weight("node-1", '2'); });    // would weigh 50
  if constexpr (!is_weighted<S>) {
    refuses(invalid, "\"node-2\" must be 1", [](S& s) { s.set_weight("node-2", 2); });
    refuses(invalid, "\"node-9\" must be 1", [](S& s) { s.add("node-9", 2); });
    refuses(invalid, "\"node-2\" must be 1", [](S& s) { s.set_options("node-2", {.weight = 0}); });
  }

  // A change without effect, and an empty change.
  scheme.update([](auto&) {});
  CHECK(scheme == before);
  scheme.set_node("node-3");
  CHECK(scheme == before);
  CHECK(scheme.fingerprint() == before.fingerprint());
  static_assert(!requires { scheme.update([] {}); });
  static_assert(!requires { scheme.update(5); });

  S at_once = before;
  at_once.update([](auto& edit) {
    edit.add("node-5");
    CHECK(edit.contains("node-5"));
    edit.add({"node-6", {.rack = "r6"}});
    edit.set_options("node-2", {.rack = "r2", .datacenter = "east"});
    CHECK_FALSE(edit.contains("node-7"));
  });
  S in_turn = before;
  in_turn.add("node-5");
  in_turn.add("node-6", NodeOptions{.rack = "r6"});
  in_turn.set_options("node-2", {.rack = "r2", .datacenter = "east"});
  if constexpr (!std::same_as<S, clockwise::SlotMap<>>) {  // its table depends on the steps
    CHECK(at_once == in_turn);
    CHECK(at_once.fingerprint() == in_turn.fingerprint());
  }
  CHECK(at_once.fingerprint() != before.fingerprint());
  CHECK(at_once.members()[2].rack == "r2");
  CHECK(at_once.members()[2].datacenter == "east");
  CHECK(at_once.members()[6].rack == "r6");

  leave(at_once, "node-6");
  CHECK_FALSE(at_once.contains("node-6"));
  CHECK(at_once.index_of("node-6") == S::npos);
  CHECK(at_once.size() == 6);
}

TEMPLATE_TEST_CASE("A weight moves shares, or is refused", "", EVERY_SCHEME) {
  using S = TestType;
  if constexpr (is_weighted<S>) {
    S scheme = settled(S(numbered("node-", 6)));
    const double before = scheme.load_shares()[3].second;
    scheme.set_weight("node-3", 4);
    scheme = settled(scheme);
    CHECK(scheme.members()[3].weight == 4);
    CHECK(scheme.load_shares()[3].second > 1.5 * before);
    const S fresh = settled(S({{"node-0", 1},
                               {"node-1", 1},
                               {"node-2", 1},
                               {"node-3", 4},
                               {"node-4", 1},
                               {"node-5", 1}}));
    if constexpr (is_pure<S>) CHECK(fresh == scheme);
  }
}

TEMPLATE_TEST_CASE("Fingerprints are order-free if placement is", "", EVERY_SCHEME) {
  using S = TestType;
  const S one = settled(S({"a", "b", "c", "d"}));
  const S two = settled(S({"d", "b", "a", "c"}));
  if constexpr (is_pure<S>) {
    CHECK(one == two);
    CHECK(one.fingerprint() == two.fingerprint());
  }
  // Equal fingerprints promise equal owners.
  if (one.fingerprint() == two.fingerprint()) {
    for (const auto& key : keys) CHECK(one.lookup(key) == two.lookup(key));
  } else if constexpr (std::same_as<S, clockwise::JumpHash<>>) {
    CHECK_FALSE(one == two);
  }
  const S other = settled(S({"a", "b", "c", "e"}));
  CHECK_FALSE(one == other);
  CHECK(one.fingerprint() != other.fingerprint());
  S racked = one;
  racked.set_options("a", {.rack = "r"});
  CHECK_FALSE(racked == one);
  CHECK(racked.fingerprint() != one.fingerprint());
  racked.set_options("a", {});
  CHECK(racked == one);
  CHECK(racked.fingerprint() == one.fingerprint());
}

TEMPLATE_TEST_CASE("A scheme owns nothing without members, after the last leaves, and moved from",
                   "", EVERY_SCHEME) {
  using S = TestType;
  S cleared = settled(S(numbered("node-", 5)));
  const std::size_t bytes = cleared.memory_bytes();
  CHECK(bytes >= 5 * sizeof(Member<std::string>));
  CHECK(settled(S(numbered("node-", 50))).memory_bytes() > bytes);
  S moved_from = cleared;
  const S moved_to = std::move(moved_from);
  CHECK(moved_to == cleared);
  cleared.clear();
  CHECK(cleared == S());
  for (S* scheme : {&cleared, &moved_from}) {
    CHECK(scheme->empty());
    CHECK(scheme->size() == 0);
    CHECK(scheme->try_lookup("key") == nullptr);
    CHECK(scheme->lookup_index(Position{5}) == S::npos);
    CHECK(fails_with<std::out_of_range>("none of the 0 members owns anything",
                                        [&] { scheme->lookup("key"); }));
    CHECK(scheme->preference_list("key", 3).empty());
    CHECK(scheme->preference_list("key", 3).requested() == 3);
    CHECK(scheme->load_shares().empty());
    CHECK_FALSE(scheme->contains("node-1"));
    scheme->add("a");  // and it can be used again
    const S lone = settled(*scheme);
    CHECK(lone.lookup("key") == "a");
  }
}
