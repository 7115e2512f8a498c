// SPDX-License-Identifier: MIT
// Every public type is a value: a copy shares nothing with the original, a moved-from value is
// empty and can be used again, and assigning or swapping a value with itself at most empties it.
// Also run under AddressSanitizer. A type is one line.

#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/bounded_assignment.hpp"
#include "clockwise/bounded_load.hpp"
#include "clockwise/clockwise.hpp"
#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/envoy.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/compat/nginx.hpp"
#include "clockwise/compat/redis_cluster.hpp"
#include "clockwise/shared.hpp"
#include "support/seen.hpp"

using namespace clockwise;
using clockwise_test::require_same;
using clockwise_test::Seen;
using clockwise_test::seen_of;

namespace {

using NodeRing = HashRing<>;

/// Ids too long for a string's own buffer.
std::string long_id(std::size_t number) { return "the node of number " + std::to_string(number); }

/// A scheme with racks and a drained member; the other scheme has more members.
template <class S>
S scheme(std::size_t nodes = 5) {
  S result;
  for (std::size_t i = 0; i < nodes; ++i) {
    result.add(long_id(i), NodeOptions{.rack = "a rack of a long name" + std::to_string(i % 3)});
  }
  if constexpr (requires { result.set_tokens("id", {1}); }) {
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto token = static_cast<typename S::Tokens::value_type>(i << 60);
      result.set_tokens(long_id(i), {token + 1, token + 9});
    }
  }
  if constexpr (requires { result.migrate(3u, long_id(0)); }) {
    const bool from_0 = result.owner_of(3) == long_id(0);
    result.migrate(3, long_id(from_0 ? 1 : 0));
  }
  return result;
}

NodeRing ring(std::size_t nodes = 5) { return scheme<NodeRing>(nodes); }

/// Checks the state of a moved-from value, and that it can be used again.
template <class S>
  requires Partitioner<S>
S emptied(S full) {
  full.clear();
  return full;
}
template <class T>
  requires(!Partitioner<T> && std::default_initializable<T>)
T emptied(const T&) {
  return T();
}
HeavyHitters emptied(HeavyHitters sketch) {
  sketch.clear();
  return sketch;
}
Fleet<NodeRing> emptied(const Fleet<NodeRing>& fleet) {
  return Fleet<NodeRing>({}, fleet.options(), 0, fleet.epoch());
}
Transition<NodeRing> emptied(const Transition<NodeRing>& transition) {
  return {{}, {}, transition.replication()};
}
ReplicaTable<NodeRing> emptied(const ReplicaTable<NodeRing>& table) {
  return {{}, table.replication()};
}
ReplicaList<std::string> emptied(const ReplicaList<std::string>& list) {
  return ReplicaList<std::string>(list.requested());
}
SplitCopies<std::string> emptied(const SplitCopies<std::string>&) {
  return SplitCopies<std::string>({});
}

template <class T>
void use(T& value) {
  if constexpr (requires { value.add("a new node"); }) {
    const auto size = value.size();
    value.add("a new node");
    CHECK(value.size() == size + 1);
  }
  if constexpr (requires { value.observe("key"); }) value.observe("key");
  if constexpr (requires { value.heard("a node", 7u); }) {
    value.join(value.epoch(), "a new node");
    CHECK(value.heard("a new node", 7));
    CHECK(value.check(8).empty());
  }
}

/// `make()` and `make_other()` return values of a type that can be copied.
template <class Make, class MakeOther>
void check_copies(const Make& make, const MakeOther& make_other) {
  using T = decltype(make());
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>);
  const T original = make();
  const std::string text = seen_of(original);
  const std::string other = seen_of(make_other());
  REQUIRE(text != other);

  auto source = std::make_unique<T>(original);
  T constructed(*source);
  T assigned = make_other();
  assigned = *source;
  require_same(seen_of(*source), text);
  use(*source);
  source.reset();
  require_same(seen_of(constructed), text);
  require_same(seen_of(assigned), text);
  use(constructed);
  use(assigned);
  require_same(seen_of(original), text);

  T same = original;
  T& alias = same;
  same = alias;
  require_same(seen_of(same), text);
  use(same);
}

/// For a type that need not be copied: each function returns equal values at each call.
template <class Make, class MakeOther, class MakeEmpty>
void check_moves(const Make& make, const MakeOther& make_other, const MakeEmpty& make_empty) {
  using T = decltype(make());
  const std::string text = seen_of(make());
  const std::string other = seen_of(make_other());
  const std::string empty = seen_of(make_empty());
  const auto check_moved_from = [&](T& moved) {
    require_same(seen_of(moved), empty);
    use(moved);
    moved = make();
    require_same(seen_of(moved), text);
  };
  auto source = std::make_unique<T>(make());
  T constructed(std::move(*source));
  require_same(seen_of(constructed), text);
  check_moved_from(*source);
  T assigned = make_other();
  assigned = std::move(*source);
  require_same(seen_of(assigned), text);
  check_moved_from(*source);
  source.reset();
  require_same(seen_of(constructed), text);
  require_same(seen_of(assigned), text);

  T one = make();
  T two = make_other();
  using std::swap;
  swap(one, two);
  require_same(seen_of(one), other);
  require_same(seen_of(two), text);
  swap(two, two);
  require_same(seen_of(two), text);
  T& alias = two;
  two = std::move(alias);
  if (seen_of(two) != text) require_same(seen_of(two), empty);
  use(two);
  use(one);
}

template <class Make, class MakeOther, class MakeEmpty>
void check(std::string_view name, const Make& make, const MakeOther& make_other,
           const MakeEmpty& make_empty) {
  INFO(name);
  check_moves(make, make_other, make_empty);
  if constexpr (std::copyable<decltype(make())>) check_copies(make, make_other);
}
template <class Make, class MakeOther>
void check(std::string_view name, const Make& make, const MakeOther& make_other) {
  check(name, make, make_other, [&] { return emptied(make()); });
}

template <class S>
void check_scheme(std::string_view name) {
  check(name, [] { return scheme<S>(); }, [] { return scheme<S>(8); });
}

Fleet<NodeRing> fleet(std::uint64_t joiners = 1) {
  Fleet<NodeRing> result(ring(4), {.down_after = 5, .remove_after = 9}, 3);
  for (std::uint64_t i = 0; i < joiners; ++i) result.join(1 + i, long_id(9 + i));
  result.heard(long_id(0), 60);
  result.check(61);
  return result;
}

Transition<NodeRing> transition(std::size_t nodes = 6) {
  Transition<NodeRing> result(ring(), ring(nodes), 2);
  result.complete({1, 1ULL << 62});
  return result;
}

RedisSlotMap slot_map(std::string_view last = "c") {
  RedisSlotMap map({"a host of a long name:1", "b", std::string(last)});
  map.add_replica("a replica of a long name:1", "b");
  map.migrate(0, "b");
  return map;
}

HeavyHitters sketch(int keys = 3) {
  HeavyHitters result(4);
  for (int i = 0; i < keys; ++i) result.observe("a key of the number " + std::to_string(i), 3);
  return result;
}

wire::Membership membership(std::size_t nodes = 5) { return wire::membership_of(ring(nodes)); }

}  // namespace

TEST_CASE("Schemes are values") {
  check_scheme<HashRing<>>("HashRing");
  check_scheme<HashRing<Xxh64, std::string, std::uint32_t, NoIndex>>("HashRing, NoIndex");
  check_scheme<TokenRing<>>("TokenRing");
  check_scheme<ModN<>>("ModN");
  check_scheme<Rendezvous<>>("Rendezvous");
  check_scheme<JumpHash<>>("JumpHash");
  check_scheme<JumpBackHash<>>("JumpBackHash");
  check_scheme<Maglev<>>("Maglev");
  check_scheme<SlotMap<>>("SlotMap");
  check_scheme<MultiProbe<>>("MultiProbe");
  check_scheme<KetamaRing>("KetamaRing");
  check_scheme<NginxRing>("NginxRing");
  check_scheme<HaproxyRing>("HaproxyRing");
  check_scheme<EnvoyRing>("EnvoyRing");
  check_scheme<EnvoyMaglev>("EnvoyMaglev");
  check_scheme<CassandraRing>("CassandraRing");
}

TEST_CASE("Objects made from schemes are values") {
  check("Fleet", [] { return fleet(); }, [] { return fleet(2); });
  check("Transition", [] { return transition(); }, [] { return transition(8); });
  check(
      "ReplicaTable", [] { return ReplicaTable(ring(), 3); },
      [] { return ReplicaTable(ring(9), 2); });
  const NodeRing small = ring();
  const NodeRing large = ring(20);
  check(
      "ReplicaList", [&] { return small.preference_list("key", 3); },
      [&] { return large.preference_list("key", 12); });
  check(
      "ReplicaList, long", [&] { return large.preference_list("key", 12); },
      [&] { return large.preference_list("key", 9); });
  check("Movement", [&] { return movement(small, large); }, [&] { return movement(large, small); });
  check(
      "KeyMovement",
      [&] {
        KeyMovement result(small, large);
        for (int key = 0; key < 40; ++key) result.observe(key);
        return result;
      },
      [&] {
        KeyMovement result(small, large);
        result.observe("key");
        return result;
      },
      [&] { return KeyMovement(small, large); });
  check(
      "MigrationPlan", [&] { return plan_migration(small, large, {.bytes = 1e9}); },
      [&] { return plan_migration(large, small, {.bytes = 1e9}); });
  check(
      "ReplicaSets", [&] { return replica_sets(small, 3); },
      [&] { return replica_sets(large, 2); });
  check("HeavyHitters", [] { return sketch(); }, [] { return sketch(6); });
  check("HeavyHitters, full", [] { return sketch(6); }, [] { return sketch(); });
  check(
      "SplitCopies", [&] { return split(small, "key", 3); },
      [&] { return split(large, "key", 5); });
  check("RedisSlotMap", [] { return slot_map(); }, [] { return slot_map("d"); });

  // The moved-from state of these is unspecified, as is that of the optional in the first and of
  // the numbers in the second.
  check_copies([] { return membership(); }, [] { return membership(7); });
  check_copies([] { return Replication({{"a datacenter of a long name", 3}}); },
               [] { return Replication(2, Spread::racks); });
}

TEST_CASE("Move-only objects are empty after a move") {
  BoundedLoad<NodeRing> balancer(ring(), {.node_limit = 4});
  using Token = BoundedLoad<NodeRing>::Token;
  static_assert(!std::is_copy_constructible_v<Token> && !std::is_copy_assignable_v<Token>);
  Token one = balancer.acquire("key");
  Token two(std::move(one));
  CHECK_FALSE(one);
  CHECK(balancer.load() == 1);
  one = balancer.acquire("key");
  CHECK(balancer.load() == 2);
  two = std::move(one);
  CHECK(balancer.load() == 1);
  CHECK_FALSE(one.release());
  const std::string owner = two.node();
  Token& alias = two;
  two = std::move(alias);
  REQUIRE(two);  // it still holds its load
  CHECK(two.node() == owner);
  std::swap(two, alias);
  CHECK(balancer.load() == 1);
  std::swap(one, two);
  CHECK(one.node() == owner);
  {
    std::optional<BoundedLoad<NodeRing>> other(std::in_place, ring());
    two = other->acquire("key");
    const std::string node = two.node();
    other.reset();
    CHECK(two.node() == node);  // a token outlives its balancer
  }
  CHECK(two.release());
  CHECK(one.release());
  CHECK(balancer.load() == 0);

  const NodeRing nodes = ring();
  auto successors = nodes.successors("key");
  ++successors.begin();
  auto moved = std::move(successors);
  auto& same = moved;
  moved = std::move(same);
  std::vector<std::string> rest;
  for (const auto& node : moved) rest.push_back(node);
  CHECK(rest.size() == 4);
}

TEST_CASE("Readers are copied, even by a move") {
  Shared<NodeRing> shared(ring());
  auto reader = shared.reader();
  auto copy = reader;
  auto moved = std::move(reader);
  CHECK(reader->size() == 5);
  shared.publish(ring(7));
  CHECK(copy->size() == 7);
  CHECK(moved->size() == 7);
  CHECK(reader->size() == 7);
  copy = std::move(reader);
  shared.publish(ring(8));
  CHECK(reader->size() == 8);
  auto& alias = copy;
  copy = std::move(alias);
  CHECK(copy->size() == 8);
}

TEST_CASE("Results are copied and moved as optional values are") {
  const auto bytes = wire::encode(ring());
  auto result = wire::try_decode<NodeRing>(bytes);
  auto copy = result;
  auto moved = std::move(result);
  CHECK(*copy == ring());
  CHECK(*moved == ring());
  CHECK(*std::move(moved) == ring());
  result = wire::try_decode<NodeRing>(std::span(bytes).first(9));
  CHECK_FALSE(result);
  const wire::Error error = wire::try_decode<NodeRing>(std::span(bytes).first(9)).error();
  CHECK(error.reason == result.error().reason);
}

// --- What refers to a temporary does not compile -------------------------------------------------

namespace {

/// A call of a member, with the subject's value category.
#define CALL(name, ...)                                                     \
  constexpr auto name = [](auto&& value)                                    \
    requires requires { std::forward<decltype(value)>(value).__VA_ARGS__; } \
  {}

template <class T, class... Calls>
constexpr bool of_lvalues_only(Calls... calls) {
  return (... && (std::invocable<Calls, T&> && !std::invocable<Calls, T> &&
                  !std::invocable<Calls, const T>)) &&
         (... && (static_cast<void>(calls), true));
}
template <class T, class... Calls>
constexpr bool of_temporaries_too(Calls... calls) {
  return (... && (std::invocable<Calls, T&> && std::invocable<Calls, T>)) &&
         (... && (static_cast<void>(calls), true));
}

using LiveText = bool (*)(const std::string&);

CALL(lookup, lookup("key"));
CALL(try_lookup, try_lookup("key"));
CALL(node, node(0));
CALL(member, member("a"));
CALL(members, members());
CALL(positions, positions());
CALL(owners, owners());
CALL(successors, successors("key"));
CALL(table, table());
CALL(servers, servers());
CALL(list, preference_list("key", 3));
CALL(list_of_replication, preference_list("key", {3, Spread::racks}));
CALL(list_by_datacenter, preference_list("key", {{"east", 3}}));
CALL(list_of_spread, preference_list("key", 3, Spread::racks));
CALL(live_list, preference_list("key", 3, LiveText()));
CALL(live_list_of_spread, preference_list("key", 3, Spread::racks, LiveText()));
CALL(owner_of, owner_of(3));
CALL(replicas_of, replicas_of(3, 2));
CALL(migrating_to, migrating_to(3));
CALL(answer, answer("a", 3, {}));
CALL(nodes, nodes());
CALL(live, live());
CALL(ring_of, ring());
CALL(target, target());
CALL(scheme_of, scheme());
CALL(find, find("key"));
CALL(token_node, node());
CALL(row, preference_list("key"));
CALL(read_from, read_from("key"));
CALL(write_to, write_to("key"));
CALL(one_copy, one(3));
CALL(dereferenced, operator*());
CALL(arrow, operator->());
CALL(by_datacenter, by_datacenter());

CALL(lookup_index, lookup_index(Position{1}));
CALL(index_of, index_of("a"));
CALL(contains, contains("a"));
CALL(size, size());
CALL(shares, load_shares());
CALL(fingerprint, fingerprint());
CALL(position_of_key, position_of("key"));
CALL(options, options());
CALL(hash, hash());
CALL(transfers, transfers());
CALL(steps, steps());
CALL(before, before());
CALL(all_copies, all());
CALL(epoch, epoch());
CALL(error, error());

template <class S>
constexpr bool is_safe =
    of_lvalues_only<S>(lookup, try_lookup, node, member, members, list, list_of_replication,
                       list_by_datacenter, list_of_spread) &&
    of_temporaries_too<S>(lookup_index, index_of, contains, size, shares, fingerprint,
                          position_of_key);
template <class S>
constexpr bool is_safe_with_liveness =
    is_safe<S> && of_lvalues_only<S>(live_list, live_list_of_spread);
template <class S>
constexpr bool is_safe_ring = is_safe<S> && of_lvalues_only<S>(positions, owners, successors);

static_assert(is_safe_ring<HashRing<>> && is_safe_with_liveness<HashRing<>>);
static_assert(is_safe_ring<TokenRing<>> && is_safe_with_liveness<TokenRing<>>);
static_assert(is_safe_with_liveness<ModN<>>);
static_assert(is_safe_with_liveness<Rendezvous<>>);
static_assert(is_safe_with_liveness<JumpHash<>>);
static_assert(is_safe_with_liveness<JumpBackHash<>>);
static_assert(is_safe_with_liveness<Maglev<>> && of_lvalues_only<Maglev<>>(table));
static_assert(is_safe_ring<SlotMap<>> && is_safe_with_liveness<SlotMap<>>);
static_assert(of_lvalues_only<SlotMap<>>(owner_of, replicas_of, migrating_to, answer));
static_assert(is_safe_with_liveness<MultiProbe<>>);
static_assert(is_safe_ring<KetamaRing> && of_lvalues_only<KetamaRing>(servers));
static_assert(is_safe_ring<NginxRing> && is_safe_with_liveness<NginxRing>);
static_assert(is_safe_ring<HaproxyRing> && is_safe_ring<EnvoyRing>);
static_assert(is_safe<EnvoyMaglev> && of_lvalues_only<EnvoyMaglev>(table));
static_assert(is_safe_ring<CassandraRing> && is_safe_with_liveness<CassandraRing>);
static_assert(of_lvalues_only<RedisSlotMap>(lookup, try_lookup, list, owner_of, nodes, migrating_to,
                                            answer));
static_assert(of_lvalues_only<Fleet<NodeRing>>(ring_of, target, live));
static_assert(of_lvalues_only<Transition<NodeRing>>(read_from, write_to));
static_assert(of_lvalues_only<ReplicaTable<NodeRing>>(row));
static_assert(of_lvalues_only<BoundedLoad<NodeRing>>(scheme_of));
static_assert(of_lvalues_only<BoundedLoad<NodeRing>::Token>(token_node));
static_assert(of_lvalues_only<BoundedAssignment<NodeRing>>(scheme_of, find));
static_assert(of_lvalues_only<SplitCopies<std::string>>(one_copy));
static_assert(of_lvalues_only<Replication>(by_datacenter));
static_assert(std::invocable<decltype(dereferenced), Shared<NodeRing>::Reader&>);
static_assert(!std::invocable<decltype(dereferenced), Shared<NodeRing>::Reader>);
static_assert(!std::invocable<decltype(arrow), Shared<NodeRing>::Reader>);

// Copies, and moves out of a temporary.
static_assert(of_temporaries_too<HashRing<>>(options, hash));
static_assert(of_temporaries_too<Movement<std::string>>(transfers));
static_assert(of_temporaries_too<MigrationPlan<std::string>>(steps));
static_assert(of_temporaries_too<Transition<NodeRing>>(before));
static_assert(of_temporaries_too<ReplicaTable<NodeRing>>(ring_of));
static_assert(of_temporaries_too<SplitCopies<std::string>>(all_copies));
static_assert(of_temporaries_too<Fleet<NodeRing>>(epoch, options));
static_assert(of_temporaries_too<wire::Result<wire::Membership>>(error));

}  // namespace

// --- Arguments that are part of the subject itself -----------------------------------------------

namespace {

template <class S>
void check_own_arguments(std::string_view name) {
  INFO(name);
  S own = scheme<S>();
  S other = own;
  const auto id = [&](std::size_t i) { return std::string(other.members()[i].node); };
  const auto check_same = [&] { require_same(seen_of(own), seen_of(other)); };

  other.set_weight(id(1), 1);
  own.set_weight(own.members()[1].node, own.members()[1].weight);
  check_same();
  const std::string rack = other.members()[2].rack;
  other.set_options(id(0), {.rack = rack});
  own.set_options(own.members()[0].node, {.rack = own.members()[2].rack});
  check_same();
  CHECK_THROWS_AS(own.add(own.members()[0].node), std::invalid_argument);
  CHECK_THROWS_AS(own.add_all(own.members()), std::invalid_argument);
  check_same();
  if constexpr (RemovesAny<S>) {
    other.remove(id(1));
    CHECK(own.remove(own.members()[1].node));
    check_same();
    const std::string first = id(0);
    other.update([&](auto& edit) {
      edit.remove(first);
      edit.add(first, NodeOptions{.rack = rack});
    });
    own.update([&](auto& edit) {
      edit.remove(own.members()[0].node);
      edit.add(own.members()[0].node, NodeOptions{.rack = own.members()[0].rack});
    });
    check_same();
  }
  if constexpr (requires { own.put(9, own.members()[0].node); }) {
    CHECK_THROWS_AS(own.put(9, own.members()[0].node), std::invalid_argument);
  }
  if constexpr (std::same_as<S, TokenRing<>>) {
    const std::vector<std::uint64_t> tokens(own.positions().begin(), own.positions().end());
    other.set_tokens(id(0), tokens);
    own.set_tokens(own.node(0), own.positions());
    check_same();
  }
  if constexpr (std::same_as<S, SlotMap<>>) {
    const std::string owner = own.owner_of(4);
    other.assign(3, owner);
    own.assign(3, own.owner_of(4));
    check_same();
    std::vector<std::string> names;
    std::vector<std::string_view> views;
    for (std::uint32_t slot = 0; slot < own.slot_count(); ++slot) {
      names.push_back(own.owner_of(slot / 2));
      views.push_back(own.owner_of(slot / 2));
    }
    other.assign_all(names);
    own.assign_all(views);
    check_same();
    const std::string last = own.owner_of(own.slot_count() - 1);
    other.migrate(0, last);
    own.migrate(0, own.owner_of(own.slot_count() - 1));
    check_same();
  }
}

}  // namespace

TEST_CASE("A mutator's argument can be part of the scheme") {
  check_own_arguments<HashRing<>>("HashRing");
  check_own_arguments<TokenRing<>>("TokenRing");
  check_own_arguments<ModN<>>("ModN");
  check_own_arguments<Rendezvous<>>("Rendezvous");
  check_own_arguments<JumpHash<>>("JumpHash");
  check_own_arguments<JumpBackHash<>>("JumpBackHash");
  check_own_arguments<Maglev<>>("Maglev");
  check_own_arguments<SlotMap<>>("SlotMap");
  check_own_arguments<MultiProbe<>>("MultiProbe");
  check_own_arguments<KetamaRing>("KetamaRing");
  check_own_arguments<NginxRing>("NginxRing");
  check_own_arguments<HaproxyRing>("HaproxyRing");
  check_own_arguments<EnvoyRing>("EnvoyRing");
  check_own_arguments<EnvoyMaglev>("EnvoyMaglev");
  check_own_arguments<CassandraRing>("CassandraRing");
}

TEST_CASE("A mutator's argument can be part of any object that it changes") {
  Fleet<NodeRing> own = fleet();
  CHECK(own.heard(own.target().node(0), 70));
  CHECK(own.leave(2, own.ring().node(1)) == 3);
  CHECK(own.leave(3, own.target().node(2)) == 4);
  CHECK(own.commit(4) == 5);
  CHECK(own.ring().size() == 3);

  BoundedLoad<NodeRing> balancer(ring());
  const auto token = balancer.acquire("key");
  CHECK(balancer.remove(token.node()));
  CHECK(balancer.remove(balancer.scheme().node(0)));
  CHECK(balancer.load() == 0);
  balancer.replace(balancer.scheme());
  CHECK(balancer.scheme().size() == 3);

  BoundedAssignment<NodeRing> shards(ring());
  for (int key = 0; key < 20; ++key) shards.insert("a key of the number " + std::to_string(key));
  const auto moved = shards.remove(*shards.find("a key of the number 7"));
  CHECK(shards.scheme().size() == 4);
  shards.erase(moved.front().key);
  shards.replace(shards.scheme());
  CHECK(shards.size() == 19);

  Transition<NodeRing> moving = transition();
  moving.complete(Arc{0, 0}, moving.after().node(5));
  CHECK(moving.finished());

  RedisSlotMap map = slot_map();
  map.add_replica("another replica of a long name:7", *map.owner_of(0));
  map.assign({1, 9}, *map.migrating_to(0));
  CHECK(*map.owner_of(9) == "b");
  map.promote(map.nodes()[1].name);
  map.migrate(3, *map.owner_of(16383));
  CHECK(map.remove(map.nodes()[1].replicas.front()));
}
