// SPDX-License-Identifier: MIT
// Every mutator of every public type is all or nothing: if any allocation fails, or any copy, move
// or call of the user's code throws, the subject is unchanged, and a second try has the result of
// an undisturbed call.
//
// A mutator of the schemes is one line of check_scheme, a scheme one type of a list below, any
// other subject a test case.

#include <array>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/bounded_assignment.hpp"
#include "clockwise/bounded_load.hpp"
#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/envoy.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/compat/nginx.hpp"
#include "clockwise/compat/redis_slot_map.hpp"
#include "clockwise/fleet.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/hot_key.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/listed_ring.hpp"
#include "clockwise/maglev.hpp"
#include "clockwise/migration.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/multi_probe.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/replica_sets.hpp"
#include "clockwise/replica_table.hpp"
#include "clockwise/shared.hpp"
#include "clockwise/slot_map.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/transition.hpp"
#include "support/failing_memory.hpp"
#include "support/seen.hpp"

using clockwise::Arc;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::Xxh3;
using clockwise_test::require_same;
using clockwise_test::Seen;
using clockwise_test::seen_of;
using clockwise_test::some_positions;

namespace {

// --- What fails ----------------------------------------------------------------------------------

/// The exception that a user's code throws.
struct Broken {};

/// How many more copies, moves and calls of the user's code succeed; negative: any number.
long user_code_left = -1;
bool user_code_broke = false;

void use_user_code() {
  if (user_code_left == 0) {
    user_code_broke = true;
    throw Broken();
  }
  if (user_code_left > 0) --user_code_left;
}

/// Ids too long for a string's own buffer, so that a copy allocates.
std::string long_id(std::string_view name) { return "the node of the name " + std::string(name); }

/// A node whose copies and moves can throw, and which cannot be assigned.
struct FragileNode {
  std::string id;

  explicit FragileNode(std::string i) : id(std::move(i)) {}
  FragileNode(const FragileNode& other) : id((use_user_code(), other.id)) {}
  FragileNode(FragileNode&& other) noexcept(false) : id((use_user_code(), other.id)) {}
  FragileNode& operator=(const FragileNode&) = delete;
  FragileNode& operator=(FragileNode&&) = delete;
};

/// A hash policy whose copies and moves can throw. Its assignments must not.
struct FragileHash {
  static constexpr std::string_view name = "fragile";
  std::uint64_t seed = 0;

  FragileHash() = default;
  FragileHash(const FragileHash& other) : seed((use_user_code(), other.seed)) {}
  FragileHash(FragileHash&& other) noexcept(false) : seed((use_user_code(), other.seed)) {}
  FragileHash& operator=(const FragileHash&) = default;
  FragileHash& operator=(FragileHash&&) = default;
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
    return Xxh3{seed}(bytes);
  }
};

/// A stored key whose copies and moves can throw.
struct FragileKey {
  std::string text;

  explicit FragileKey(std::string t) : text(std::move(t)) {}
  FragileKey(const FragileKey& other) : text((use_user_code(), other.text)) {}
  FragileKey(FragileKey&& other) noexcept(false) : text((use_user_code(), other.text)) {}
  FragileKey& operator=(const FragileKey&) = delete;
  operator std::string_view() const { return text; }
  friend bool operator<(const FragileKey& a, const FragileKey& b) { return a.text < b.text; }
};

// --- The check -----------------------------------------------------------------------------------

/// The result of a change that returns nothing is an empty text.
template <class Change, class Subject>
std::string result_of(const Change& change, Subject& subject) {
  if constexpr (std::is_void_v<decltype(change(subject))>) {
    change(subject);
    return {};
  } else {
    auto result = change(subject);
    clockwise_test::allocations_left = -1;  // the change is over
    user_code_left = -1;
    Seen seen;
    if constexpr (requires { see(seen, result); }) {
      see(seen, result);
    } else {
      seen << result;
    }
    return seen.text();
  }
}

/// Lets each allocation and each use of the user's code fail in turn, in a change of make()'s
/// result. Returns the number of failures.
template <class Make, class Change>
std::size_t fail_each(const Make& make, const Change& change) {
  auto undisturbed = make();
  const std::string before = seen_of(undisturbed);
  const std::string result = result_of(change, undisturbed);
  const std::string after = seen_of(undisturbed);
  std::size_t failures = 0;
  const auto fail_in_turn = [&](long& left, bool& failed) {
    for (long successes = 0;; ++successes) {
      auto subject = make();
      bool threw = false;
      std::string first_try;
      failed = false;
      left = successes;
      try {
        first_try = result_of(change, subject);
      } catch (const std::bad_alloc&) {
        threw = true;
      } catch (const Broken&) {
        threw = true;
      }
      left = -1;
      if (threw) {
        ++failures;
        INFO("after success number " << successes);
        require_same(seen_of(subject), before);
        first_try = result_of(change, subject);
      }
      require_same(seen_of(subject), after);
      require_same(first_try, result);
      if (!failed) break;
    }
  };
  fail_in_turn(clockwise_test::allocations_left, clockwise_test::allocation_failed);
  fail_in_turn(user_code_left, user_code_broke);
  return failures;
}

}  // namespace

// --- Schemes -------------------------------------------------------------------------------------

namespace {

template <class S>
typename S::node_type node_named(std::string_view name) {
  return typename S::node_type(long_id(name));
}

/// An empty scheme with small tables; if `other`, with other options.
template <class S>
S small(bool other = false) {
  const clockwise::MaglevOptions maglev{.table_size = other ? 37u : 31u};
  const clockwise::SlotMapOptions slots{.slots = other ? 18u : 16u};
  const clockwise::RingOptions ring{.vnodes = other ? 6u : 5u};
  const clockwise::EnvoyRingOptions envoy{.minimum_ring_size = other ? 9u : 8u,
                                          .maximum_ring_size = 9};
  FragileHash hash;
  hash.seed = other ? 1 : 0;
  if constexpr (std::constructible_from<S, decltype(maglev), FragileHash>) {
    return S(maglev, hash);
  } else if constexpr (std::constructible_from<S, decltype(slots), FragileHash>) {
    return S(slots, hash);
  } else if constexpr (std::constructible_from<S, decltype(ring), FragileHash>) {
    return S(ring, hash);
  } else if constexpr (std::constructible_from<S, FragileHash>) {
    return S(hash);
  } else if constexpr (std::constructible_from<S, decltype(maglev)>) {
    return S(maglev);
  } else if constexpr (std::constructible_from<S, decltype(slots)>) {
    return S(slots);
  } else if constexpr (std::constructible_from<S, decltype(ring)>) {
    return S(ring);
  } else if constexpr (std::constructible_from<S, decltype(envoy)>) {
    return S(envoy);
  } else if constexpr (std::same_as<S, clockwise::EnvoyMaglev>) {
    return S(maglev.table_size);
  } else {
    return S();
  }
}

/// 2, or 1 if the scheme has no weights.
template <class S>
double another_weight() {
  S scheme = small<S>();
  try {
    scheme.add(node_named<S>("a"), 2);
  } catch (const std::invalid_argument&) {
    return 1;
  }
  return 2;
}

/// Members a to d, of which b has a rack. A gap if the scheme has gaps; a migrating slot if it has
/// slots.
template <class S>
S made(bool other = false) {
  S scheme = small<S>(other);
  scheme.update([](auto& edit) {
    edit.add(node_named<S>("a"));
    edit.add(node_named<S>("c"));
    edit.add(node_named<S>("b"), NodeOptions{.rack = "a rack of a name that is long"});
    edit.add(node_named<S>("d"), NodeOptions{.datacenter = "a datacenter of a long name"});
    if constexpr (requires { edit.set_tokens(long_id("a"), {1, 2}); }) {
      edit.set_tokens(long_id("a"), {1, 1LL << 62});
      edit.set_tokens(long_id("b"), {2, 1LL << 61, 3LL << 61});
      edit.set_tokens(long_id("c"), {3, 1LL << 60});
    }
  });
  if constexpr (requires { scheme.put(6, node_named<S>("e")); }) {
    scheme.put(6, node_named<S>("e"));
    scheme.remove(long_id("c"));
  }
  if constexpr (requires { scheme.migrate(3u, long_id("a")); }) {
    const bool from_a = clockwise::detail::has_id(scheme.owner_of(3), long_id("a"));
    scheme.migrate(3, long_id(from_a ? "b" : "a"));
  }
  return scheme;
}

/// A range of entries, each made when it is read.
template <class S>
struct Joiners {
  struct iterator {
    int number;
    clockwise::Entry<typename S::node_type> operator*() const {
      return {node_named<S>("joiner " + std::to_string(number)), NodeOptions{.rack = "r1"}};
    }
    iterator& operator++() {
      ++number;
      return *this;
    }
    friend bool operator==(const iterator&, const iterator&) = default;
  };
  iterator begin() const { return {0}; }
  iterator end() const { return {5}; }
};

std::size_t total_failures = 0;

/// A mutator that a scheme can lack.
template <class S, class Change>
void check(std::string_view mutator, const Change& change) {
  if constexpr (std::invocable<const Change&, S&>) {
    INFO(mutator);
    const S prototype = made<S>();
    total_failures += fail_each([&] { return S(prototype); }, change);
  }
}

/// A mutator of an edit, whose failure the function given to update() catches: it has changed
/// nothing and can be called again.
template <class S, class Change>
void check_edit(std::string_view mutator, const Change& change) {
  if constexpr (std::invocable<const Change&, typename S::Edit&>) {
    INFO("in update: " << mutator);
    const auto updated = [&](const auto& rest) {
      S scheme = made<S>();
      scheme.update([&](auto& edit) {
        edit.add(node_named<S>("earlier"), NodeOptions{.rack = "r1"});
        edit.set_options(long_id("a"), NodeOptions{.rack = "r1"});
        if constexpr (requires { edit.remove(long_id("b")); }) edit.remove(long_id("b"));
        rest(edit);
        edit.add(node_named<S>("later"));
      });
      return seen_of(scheme);
    };
    const std::string before = updated([](auto&) {});
    const std::string after = updated(change);
    const auto fail_in_turn = [&](long& left, bool& failed, bool again) {
      for (long successes = 0;; ++successes) {
        INFO("after success number " << successes << (again ? ", again" : ""));
        failed = false;
        bool threw = false;
        const std::string text = updated([&](auto& edit) {
          left = successes;
          try {
            change(edit);
          } catch (const std::bad_alloc&) {
            threw = true;
          } catch (const Broken&) {
            threw = true;
          }
          left = -1;
          if (threw && again) change(edit);
        });
        require_same(text, threw && !again ? before : after);
        if (!failed) break;
        ++total_failures;
      }
    };
    for (const bool again : {false, true}) {
      fail_in_turn(clockwise_test::allocations_left, clockwise_test::allocation_failed, again);
      fail_in_turn(user_code_left, user_code_broke, again);
    }
  }
}

template <class S>
void check_scheme() {
  total_failures = 0;
  const double weight = another_weight<S>();
  const auto node = [](const char* name) { return node_named<S>(name); };
  const NodeOptions options{.weight = weight, .rack = "another rack of a long name"};
  const S other = [&] {
    S scheme = made<S>(true);
    scheme.update([&](auto& edit) {
      for (int i = 0; i < 4; ++i) edit.add(node_named<S>("other " + std::to_string(i)));
      edit.set_options(long_id("a"), options);
    });
    return scheme;
  }();

  check<S>("add", [&](S& s) { s.add(node("x")); });
  check<S>("add, weighted", [&](S& s) { s.add(node("x"), weight); });
  check<S>("add, options", [&](S& s) { s.add(node("x"), options); });
  check<S>("add_all", [&](S& s) { s.add_all(other.members().subspan(0, 0)); });
  check<S>("add_all, a range", [&](S& s) { s.add_all(Joiners<S>()); });
  check<S>("add_all, a list",
           [&](S& s) { s.add_all({{node("x"), weight}, {node("y"), options}}); });
  check<S>(
      "remove", [](auto& s)
        requires requires { s.remove(long_id("b")); }
      { return s.remove(long_id("b")); });
  check<S>("set_weight", [&](S& s) { s.set_weight(long_id("a"), weight); });
  check<S>("set_options", [&](S& s) { s.set_options(long_id("d"), options); });
  check<S>("set_node", [&](S& s) { s.set_node(node("b")); });
  check<S>("clear", [](S& s) { s.clear(); });
  check<S>("update", [&](S& s) {
    s.update([&](auto& edit) {
      edit.add(node("x"));
      edit.set_weight(long_id("a"), weight);
      edit.set_options(long_id("x"), options);
      if constexpr (requires { edit.remove(long_id("b")); }) edit.remove(long_id("b"));
      use_user_code();
      edit.add_all({{node("y"), weight}, {node("z"), options}});
    });
  });
  check<S>("copy assignment", [&](S& s) { s = other; });
  check<S>(
      "pop", [](auto& s)
        requires requires { s.pop(); }
      { s.pop(); });
  check<S>(
      "append", [&](auto& s)
        requires requires { s.append(node_named<S>("x")); }
      { s.append(node("x")); });
  check<S>(
      "put", [&](auto& s)
        requires requires { s.put(1, node_named<S>("x")); }
      { s.put(9, {node("x"), options}); });
  check<S>(
      "add, tokens", [&](auto& s)
        requires requires { s.set_tokens(long_id("a"), {1}); }
      { s.add({node("x"), options}, {5, 7LL << 58}); });
  check<S>(
      "set_tokens", [&](auto& s)
        requires requires { s.set_tokens(long_id("a"), {1}); }
      { s.set_tokens(long_id("b"), {5, 6}); });
  check<S>(
      "assign", [](auto& s)
        requires requires { s.assign(3u, long_id("a")); }
      { s.assign(3, long_id("d")); });
  check<S>(
      "assign_all", [](auto& s)
        requires requires { s.assign(3u, long_id("a")); }
      { s.assign_all(std::vector<std::string>(s.slot_count(), long_id("d"))); });
  check<S>(
      "migrate", [](auto& s)
        requires requires { s.migrate(0u, long_id("d")); }
      { s.migrate(0, long_id("d")); });
  check<S>(
      "cancel", [](auto& s)
        requires requires { s.cancel(3u); }
      { return s.cancel(3); });
  check<S>(
      "add, an id", [](auto& s)
        requires requires { s.add("x", 2.0, 7u); }
      { s.add(long_id("x"), 2.0, 7u); });

  check_edit<S>("add", [&](auto& e) { e.add(node("x"), weight); });
  check_edit<S>(
      "add again", [&](auto& e)
        requires requires { e.remove(long_id("b")); }
      { e.add(node("b"), options); });
  check_edit<S>(
      "remove", [](auto& e)
        requires requires { e.remove(long_id("b")); }
      { e.remove(long_id("d")); });
  check_edit<S>(
      "remove a joiner", [](auto& e)
        requires requires { e.remove(long_id("b")); }
      { e.remove(long_id("earlier")); });
  check_edit<S>("set_weight", [&](auto& e) { e.set_weight(long_id("d"), weight); });
  check_edit<S>("set_options", [&](auto& e) { e.set_options(long_id("a"), options); });
  check_edit<S>("set_node", [&](auto& e) { e.set_node(node("a")); });
  check_edit<S>(
      "pop", [](auto& e)
        requires requires { e.pop(); }
      { e.pop(); });
  check_edit<S>(
      "put", [&](auto& e)
        requires requires { e.put(1, node_named<S>("x")); }
      { e.put(200, {node("x"), options}); });
  check_edit<S>(
      "add, tokens", [&](auto& e)
        requires requires { e.set_tokens(long_id("a"), {1}); }
      { e.add({node("x"), options}, {5, 7LL << 58}); });
  check_edit<S>(
      "set_tokens", [](auto& e)
        requires requires { e.set_tokens(long_id("a"), {1}); }
      { e.set_tokens(long_id("earlier"), {8, 9}); });
  check_edit<S>(
      "set_tokens", [](auto& e)
        requires requires { e.set_tokens(long_id("a"), {1}); }
      { e.set_tokens(long_id("a"), {8, 9}); });
  CHECK(total_failures > 100);
}

using StringSchemes =
    std::tuple<clockwise::HashRing<>, clockwise::TokenRing<>, clockwise::ModN<>,
               clockwise::Rendezvous<>, clockwise::JumpHash<>, clockwise::JumpBackHash<>,
               clockwise::Maglev<>, clockwise::SlotMap<>, clockwise::MultiProbe<>,
               clockwise::KetamaRing, clockwise::NginxRing, clockwise::HaproxyRing,
               clockwise::EnvoyRing, clockwise::EnvoyMaglev, clockwise::CassandraRing>;
template <template <class, class> class... Scheme>
using FragileSchemesOf = std::tuple<Scheme<FragileHash, FragileNode>...>;
template <class Hash, class Node>
using HashRingOf = clockwise::HashRing<Hash, Node>;
template <class Hash, class Node>
using TokenRingOf = clockwise::TokenRing<Hash, Node>;
template <class Hash, class Node>
using SlotMapOf = clockwise::SlotMap<Hash, Node>;
using FragileSchemes =
    FragileSchemesOf<HashRingOf, TokenRingOf, clockwise::ModN, clockwise::Rendezvous,
                     clockwise::JumpHash, clockwise::JumpBackHash, clockwise::Maglev, SlotMapOf,
                     clockwise::MultiProbe>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("A scheme of strings is unchanged if a change fails", "", StringSchemes) {
  check_scheme<TestType>();
}

TEMPLATE_LIST_TEST_CASE("A scheme of nodes that throw is unchanged if a change fails", "",
                        FragileSchemes) {
  check_scheme<TestType>();
}

// --- What is built from schemes ------------------------------------------------------------------

namespace {

using FragileRing = clockwise::HashRing<FragileHash, FragileNode>;
using FragileTokenRing = clockwise::TokenRing<FragileHash, FragileNode>;

/// Checks `change` on make()'s result under failures, of which there must be one.
template <class Make, class Change>
void check_change(std::string_view mutator, const Make& make, const Change& change) {
  INFO(mutator);
  CHECK(fail_each(make, change) > 0);
}

FragileRing fragile_ring(std::size_t nodes, std::uint32_t vnodes = 4) {
  FragileRing ring({.vnodes = vnodes});
  ring.update([&](auto& edit) {
    for (std::size_t i = 0; i < nodes; ++i) edit.add(FragileNode(long_id(std::to_string(i))));
  });
  return ring;
}

}  // namespace

// --- Fleet ---------------------------------------------------------------------------------------

namespace {

using Fleet = clockwise::Fleet<FragileRing>;

/// One member leaves, one joins and was never heard from, one is down, and one was heard from
/// again.
Fleet made_fleet() {
  Fleet fleet(fragile_ring(6), {.down_after = 10, .up_after = 5, .remove_after = 20}, 50);
  for (const char* name : {"0", "1", "2", "3"}) fleet.heard(long_id(name), 60);
  fleet.check(61);
  fleet.heard(long_id("5"), 62);
  fleet.heard(long_id("5"), 69);
  fleet.join(1, FragileNode(long_id("joiner")));
  fleet.leave(2, long_id("1"));
  return fleet;
}

}  // namespace

TEST_CASE("A fleet is unchanged if a call fails") {
  const auto check = [](std::string_view mutator, const auto& change) {
    check_change(mutator, made_fleet, change);
  };
  const FragileNode node(long_id("x"));
  check("heard", [](Fleet& f) { return f.heard(long_id("joiner"), 70); });
  check("check", [](Fleet& f) { return f.check(72); });
  check("join", [&](Fleet& f) { return f.join(3, node); });
  check("join, weighted", [&](Fleet& f) { return f.join(3, node, 2.0); });
  check("join, options", [&](Fleet& f) { return f.join(3, node, NodeOptions{.rack = "r"}); });
  check("leave", [](Fleet& f) { return f.leave(3, long_id("2")); });
  check("leave, a joiner", [](Fleet& f) { return f.leave(3, long_id("joiner")); });
  check("change", [&](Fleet& f) {
    return f.change(3, [&](auto& edit) {
      edit.add(node);
      use_user_code();
      edit.remove(long_id("joiner"));
    });
  });
  check("commit", [](Fleet& f) { return f.commit(3); });
  check("rollback", [](Fleet& f) { return f.rollback(3); });
  check("remove_overdue", [](Fleet& f) { return f.remove_overdue(3, 100); });
  const Fleet other(fragile_ring(2), {}, 5);
  check("copy assignment", [&](Fleet& f) { f = other; });
}

// --- Transition ----------------------------------------------------------------------------------

namespace {

using Transition = clockwise::Transition<FragileTokenRing>;

FragileTokenRing token_ring(bool joined) {
  FragileTokenRing ring;
  ring.update([&](auto& edit) {
    edit.add(FragileNode(long_id("a")), {1ULL << 60, 1ULL << 62});
    edit.add(FragileNode(long_id("b")), {1ULL << 61, 3ULL << 61});
    edit.add(FragileNode(long_id("c")), {1ULL << 63});
    if (joined) edit.add(FragileNode(long_id("d")), {3ULL << 59, 7ULL << 60});
  });
  return ring;
}

Transition made_transition() { return {token_ring(false), token_ring(true), 2}; }

}  // namespace

TEST_CASE("A transition is unchanged if a call fails") {
  const auto check = [](std::string_view mutator, const auto& change) {
    check_change(mutator, made_transition, change);
  };
  const Arc part{1ULL << 58, 3ULL << 59};
  check("complete", [&](Transition& t) { return t.complete(part); });
  check("complete, a node", [&](Transition& t) { return t.complete(part, long_id("d")); });
  check("complete, all", [](Transition& t) { return t.complete(Arc{7, 7}); });
  check("hold, abort", [](Transition& t) {
    t.hold();
    std::vector<Arc> readable = t.complete(Arc{7, 7});
    t.let_finish();
    if (!t.finished()) t.abort();
    return readable;
  });
  const FragileTokenRing next = [] {
    FragileTokenRing ring = token_ring(true);
    ring.add(FragileNode(long_id("e")), {(1ULL << 63) - 7});
    return ring;
  }();
  const auto make_single = [] { return Transition(token_ring(false), token_ring(true)); };
  check_change("then", make_single, [&](Transition& t) { t.then(next); });
  const Transition other(token_ring(true), next, 3);
  check("copy assignment", [&](Transition& t) { t = other; });
}

// --- Bounded loads -------------------------------------------------------------------------------

namespace {

/// A balancer and the tokens that hold its loads.
template <class Scheme>
struct Balanced {
  clockwise::BoundedLoad<Scheme> balancer;
  std::vector<typename clockwise::BoundedLoad<Scheme>::Token> tokens;

  explicit Balanced(Scheme scheme) : balancer(std::move(scheme), {.node_limit = 1}) {
    tokens.reserve(20);
    for (int i = 0; i < 10; ++i) tokens.push_back(balancer.acquire("key"));
  }
};

template <class Scheme>
void see(Seen& seen, const Balanced<Scheme>& balanced) {
  const auto& balancer = balanced.balancer;
  see(seen, balancer.scheme());
  seen << balancer.load() << balanced.tokens.size();
  for (const auto& member : balancer.scheme().members()) {
    seen << balancer.load(member.node) << balancer.capacity(member.node);
  }
  for (const auto& token : balanced.tokens) {
    if (token) seen << token.node();
    seen << token.probes();
  }
}

using FragileRendezvous = clockwise::Rendezvous<FragileHash, FragileNode>;

FragileRendezvous fragile_rendezvous(std::size_t nodes) {
  FragileRendezvous scheme;
  for (std::size_t i = 0; i < nodes; ++i) scheme.add(FragileNode(long_id(std::to_string(i))));
  return scheme;
}

}  // namespace

TEMPLATE_TEST_CASE("A balancer is unchanged if a call fails", "", FragileRing, FragileRendezvous) {
  using Subject = Balanced<TestType>;
  const TestType scheme = [] {
    if constexpr (std::same_as<TestType, FragileRing>) {
      return fragile_ring(12);
    } else {
      return fragile_rendezvous(12);
    }
  }();
  const auto make = [&] { return Subject(scheme); };
  const auto check = [&](std::string_view mutator, const auto& change) {
    check_change(mutator, make, change);
  };
  const FragileNode node(long_id("x"));
  check("acquire", [](Subject& s) { s.tokens.push_back(s.balancer.acquire("key")); });
  check("acquire, available", [](Subject& s) {
    s.tokens.push_back(s.balancer.acquire("key", [](const FragileNode& n) {
      use_user_code();
      return n.id != long_id("7");
    }));
  });
  check("acquire, saturated", [](Subject& s) {
    s.tokens.push_back(s.balancer.acquire("key", [](const FragileNode&) {
      use_user_code();
      return false;
    }));
  });
  check("add", [&](Subject& s) { s.balancer.add(node); });
  check("add, weighted", [&](Subject& s) { s.balancer.add(node, 2.0); });
  check("add, options", [&](Subject& s) { s.balancer.add(node, NodeOptions{.rack = "r"}); });
  check("add_all", [](Subject& s) { s.balancer.add_all(Joiners<TestType>()); });
  check("remove", [](Subject& s) { return s.balancer.remove(long_id("3")); });
  check("update", [&](Subject& s) {
    s.balancer.update([&](auto& edit) {
      edit.remove(long_id("4"));
      use_user_code();
      edit.add(node);
    });
  });
  check("replace", [&](Subject& s) {
    TestType next = s.balancer.scheme();
    next.remove(long_id("5"));
    next.add(node);
    s.balancer.replace(std::move(next));
  });
}

// --- Stored keys ---------------------------------------------------------------------------------

namespace {

using Assignment = clockwise::BoundedAssignment<FragileRing, FragileKey>;

FragileKey stored_key(int number) { return FragileKey(long_id(std::to_string(number))); }

/// Neither copied nor moved.
struct Stored {
  Assignment shards{fragile_ring(4, 2), {.c = 1.05}};
  Stored() {
    for (int i = 0; i < 24; ++i) shards.insert(stored_key(i));
  }
};

void see(Seen& seen, const Stored& stored) {
  see(seen, stored.shards.scheme());
  seen << stored.shards.size() << stored.shards.displaced_share();
  for (int i = 0; i < 30; ++i) {
    const FragileNode* const node = stored.shards.find(stored_key(i));
    if (node != nullptr) seen << i << *node;
  }
  for (const auto& member : stored.shards.scheme().members()) {
    seen << stored.shards.load(member.node) << stored.shards.capacity(member.node);
  }
}
}  // namespace

TEST_CASE("An assignment of stored keys is unchanged if a call fails") {
  const auto check = [](std::string_view mutator, const auto& change) {
    check_change(mutator, [] { return Stored(); }, change);
  };
  const FragileNode node(long_id("x"));
  check("insert", [](Stored& s) { return s.shards.insert(stored_key(24)); });
  check("insert, present", [](Stored& s) { return s.shards.insert(stored_key(3)); });
  check("erase", [](Stored& s) { return s.shards.erase(stored_key(7)); });
  check("add", [&](Stored& s) { return s.shards.add(node); });
  check("add, weighted", [&](Stored& s) { return s.shards.add(node, 2.0); });
  check("add, options", [&](Stored& s) { return s.shards.add(node, NodeOptions{.rack = "r"}); });
  check("add_all", [](Stored& s) { return s.shards.add_all(Joiners<FragileRing>()); });
  check("remove", [](Stored& s) { return s.shards.remove(long_id("2")); });
  check("update", [&](Stored& s) {
    return s.shards.update([&](auto& edit) {
      edit.set_weight(long_id("1"), 2);
      use_user_code();
      edit.add(node);
    });
  });
  check("replace", [](Stored& s) { return s.shards.replace(fragile_ring(5, 3)); });
}

// --- Tables and reports --------------------------------------------------------------------------

namespace {

using Table = clockwise::ReplicaTable<FragileRing>;

using List = clockwise::ReplicaList<FragileNode>;

using KeyMovement = clockwise::KeyMovement<FragileRing, FragileRing>;

}  // namespace

TEST_CASE("Tables and reports are unchanged if a call fails") {
  const FragileRing few = fragile_ring(3);
  const FragileRing many = fragile_ring(12);
  check_change(
      "ReplicaTable, copy assignment", [&] { return Table(few, 2); },
      [other = Table(many, 10)](Table& t) { t = other; });
  check_change(
      "ReplicaTable, copy assignment", [&] { return Table(many, 10); },
      [other = Table(few, 2)](Table& t) { t = other; });
  check_change(
      "Movement, copy assignment", [&] { return clockwise::movement(few, many); },
      [other = clockwise::movement(few, few, 3)](auto& m) { m = other; });
  check_change(
      "MigrationPlan, copy assignment",
      [&] { return clockwise::plan_migration(few, many, {.bytes = 1e9}); },
      [other = clockwise::plan_migration(few, fragile_ring(4), {})](auto& p) { p = other; });
  check_change(
      "ReplicaSets, copy assignment", [&] { return clockwise::replica_sets(many, 3); },
      [other = clockwise::replica_sets(few, 2)](auto& s) { s = other; });
  check_change(
      "ReplicaSets, copy assignment", [&] { return clockwise::replica_sets(few, 2); },
      [other = clockwise::replica_sets(many, 3)](auto& s) { s = other; });
  const clockwise::Replication by_name({{long_id("east"), 3}, {long_id("north"), 2}});
  const clockwise::Replication by_other(
      {{long_id("southern part"), 1}, {long_id("western part"), 1}});
  check_change(
      "Replication, copy assignment", [&] { return clockwise::Replication(by_name); },
      [&](clockwise::Replication& r) { r = by_other; });
  check_change(
      "Replication, copy assignment", [] { return clockwise::Replication(3); },
      [&](clockwise::Replication& r) { r = by_other; });
  const List long_list = many.preference_list("key", 12);
  check_change(
      "ReplicaList, copy assignment", [&] { return few.preference_list("key", 3); },
      [&](List& l) { l = long_list; });
  check_change(
      "ReplicaList, copy assignment", [&] { return many.preference_list("other", 9); },
      [&](List& l) { l = long_list; });
  check_change(
      "ReplicaList, push_back", [&] { return many.preference_list("key", 8); },
      [&](List& l) { l.push_back(long_list[9]); });
  check_change(
      "ReplicaList, push_back_substitute", [&] { return many.preference_list("key", 8); },
      [&](List& l) { l.push_back_substitute(long_list[9]); });
  const auto moved = [&](Position p) { return few.lookup(p).id != many.lookup(p).id; };
  const std::vector<Position> positions = some_positions();
  const Position position = *std::find_if(positions.begin(), positions.end(), moved);
  check_change(
      "KeyMovement, observe", [&] { return KeyMovement(few, many); },
      [&](KeyMovement& m) { m.observe(position); });
}

// --- Hot keys ------------------------------------------------------------------------------------

namespace {

using clockwise::HeavyHitters;

HeavyHitters made_sketch() {
  HeavyHitters sketch(4);
  for (int i = 0; i < 3; ++i)
    sketch.observe(long_id(std::to_string(i)), 5 - static_cast<unsigned>(i));
  return sketch;
}
HeavyHitters full_sketch() {
  HeavyHitters sketch = made_sketch();
  sketch.observe(long_id("full"));
  return sketch;
}

}  // namespace

TEST_CASE("Counts of keys are unchanged if a call fails") {
  const auto observe = [](HeavyHitters& s) { return s.observe(long_id("x"), 2); };
  check_change("observe", made_sketch, observe);
  check_change("observe, all counters in use", full_sketch, observe);
  check_change("copy assignment", full_sketch,
               [other = made_sketch()](HeavyHitters& s) { s = other; });
}

// --- Redis ---------------------------------------------------------------------------------------

namespace {

using clockwise::RedisSlotMap;

RedisSlotMap made_map() {
  RedisSlotMap map({long_id("a"), long_id("b"), long_id("c")});
  for (const char* name : {"r", "s", "t"}) map.add_replica(long_id(name), long_id("b"));
  map.migrate(0, long_id("c"));
  return map;
}

}  // namespace

TEST_CASE("A map of a Redis cluster is unchanged if a call fails") {
  using Map = RedisSlotMap;
  using Redirect = clockwise::RedisRedirect;
  const auto check = [](std::string_view mutator, const auto& change) {
    check_change(mutator, made_map, change);
  };
  check("add", [](Map& m) { m.add(long_id("x")); });
  check("add_replica", [](Map& m) { m.add_replica(long_id("x"), long_id("b")); });
  check("add_replica, the first", [](Map& m) { m.add_replica(long_id("x"), long_id("a")); });
  check("remove", [](Map& m) { return m.remove(long_id("s")); });
  check("assign", [](Map& m) { m.assign({0, 99}, long_id("b")); });
  check("promote", [](Map& m) { m.promote(long_id("s")); });
  check("apply, to a new node",
        [](Map& m) { m.apply(Redirect{Redirect::Kind::moved, 7, long_id("x")}); });
  check("apply, to a replica",
        [](Map& m) { m.apply(Redirect{Redirect::Kind::moved, 7, long_id("t")}); });
  check("migrate", [](Map& m) { m.migrate(3, long_id("c")); });
  const Map other({long_id("x"), long_id("y")});
  check("assignment", [&](Map& m) { m = other; });
}

// --- A shared ring -------------------------------------------------------------------------------

namespace {

struct Published {
  clockwise::Shared<FragileRing> shared{fragile_ring(3)};
  clockwise::Shared<FragileRing>::Reader reader = shared.reader();
  Published() { shared.publish(fragile_ring(4)); }
};

void see(Seen& seen, const Published& published) {
  see(seen, *published.shared.snapshot());
  seen << published.shared.version();
  auto reader = published.reader;
  see(seen, *reader);
  seen << reader.version();
}

}  // namespace

TEST_CASE("A shared ring is unchanged if a call fails") {
  const auto make = [] { return Published(); };
  check_change("publish", make, [](Published& p) { p.shared.publish(fragile_ring(5)); });
  check_change("update", make, [](Published& p) {
    p.shared.update([](FragileRing& ring) {
      ring.add(FragileNode(long_id("x")));
      use_user_code();
    });
  });
}
