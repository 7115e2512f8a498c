// SPDX-License-Identifier: MIT
// A user's functions never replace the library's, even with the same names: argument-dependent
// lookup would find them in the namespace of a node, a hash policy, a key, a predicate or a ring.
// node_id is the only customisation point.

#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/clockwise.hpp"
#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/envoy.hpp"
#include "clockwise/compat/haproxy.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/compat/nginx.hpp"
#include "clockwise/compat/redis_cluster.hpp"
#include "clockwise/shared.hpp"
#include "support/free_functions.hpp"
#include "support/seen.hpp"

using clockwise::Arc;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::Replication;
using clockwise::Spread;
using clockwise_test::Seen;

// The same types in two namespaces.
#define USER_TYPES                                                                              \
  struct Id {                                                                                   \
    std::string text;                                                                           \
    operator std::string_view() const { return text; }                                          \
    friend bool operator==(const Id&, const Id&) = default;                                     \
  };                                                                                            \
  struct Node {                                                                                 \
    Id name;                                                                                    \
    Node() = default;                                                                           \
    Node(std::string text) : name{std::move(text)} {}                                           \
    Node(const char* text) : name{text} {}                                                      \
  };                                                                                            \
  inline const Id& node_id(const Node& node) { return node.name; }                              \
  struct Policy {                                                                               \
    static constexpr std::string_view name = "user's";                                          \
    std::uint64_t seed = 0;                                                                     \
    std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {                 \
      return clockwise::Xxh3{seed + 1}(bytes);                                                  \
    }                                                                                           \
  };                                                                                            \
  struct TextKey {                                                                              \
    std::string text;                                                                           \
    operator std::string_view() const { return text; }                                          \
    friend bool operator<(const TextKey& a, const TextKey& b) { return a.text < b.text; }       \
  };                                                                                            \
  enum class NumberKey : int { forty_two = 42 };                                                \
  enum class ByteKey : unsigned char {};                                                        \
  struct BytesKey {                                                                             \
    std::vector<std::byte> bytes;                                                               \
    operator std::span<const std::byte>() const { return bytes; }                               \
  };                                                                                            \
  struct IsLive {                                                                               \
    bool operator()(const Node& node) const { return node.name.text != "c"; }                   \
  };                                                                                            \
  struct MemberIsLive {                                                                         \
    bool operator()(const clockwise::Member<Node>& member) const {                              \
      return member.node.name.text != "b";                                                      \
    }                                                                                           \
  };                                                                                            \
  struct NameIsLive {                                                                           \
    bool operator()(const std::string& name) const { return name != "c"; }                      \
  };                                                                                            \
  struct NodeOf {                                                                               \
    std::optional<Node> operator()(std::string_view id) const { return Node{std::string(id)}; } \
  };                                                                                            \
  struct Nodes {                                                                                \
    std::vector<Node> list;                                                                     \
    auto begin() const { return list.begin(); }                                                 \
    auto end() const { return list.end(); }                                                     \
  };                                                                                            \
  struct Names {                                                                                \
    std::vector<std::string> list;                                                              \
    auto begin() const { return list.begin(); }                                                 \
    auto end() const { return list.end(); }                                                     \
  };                                                                                            \
  struct Change {                                                                               \
    template <class Edit>                                                                       \
    void operator()(Edit& edit) const {                                                         \
      edit.add(Node{"changed"});                                                                \
      edit.set_options(Node{"d"}, {.rack = "r9"});                                              \
      edit.set_node(Node{"d"});                                                                 \
      if constexpr (requires { edit.remove(Node{"a"}); }) edit.remove(Node{"b"});               \
    }                                                                                           \
  };                                                                                            \
  struct OwnRing : clockwise::ListedRing<OwnRing> {                                             \
    static constexpr const char* engine = "own";                                                \
    static void append_points(Servers servers, std::vector<clockwise::ListedPoint>& points) {   \
      for (std::uint32_t i = 0; i < servers.size(); ++i) {                                      \
        points.push_back({clockwise::Xxh64{}(std::as_bytes(std::span(servers[i].name))), i});   \
      }                                                                                         \
    }                                                                                           \
  };                                                                                            \
  using Key = TextKey

namespace plain {
USER_TYPES;
}  // namespace plain

// If argument-dependent lookup finds these, it chooses one or the call is ambiguous: the first for
// arguments that are not const, the others for const ones, with template arguments given or not.
#define GREEDY(name)                                                \
  template <class... T>                                             \
  void name(T&&...) = delete;                                       \
  template <class First, class... T>                                \
  void name(T&&...) = delete;                                       \
  template <class N>                                                \
  void name(const Ring<N>&) = delete;                               \
  template <class N, class A>                                       \
  void name(const Ring<N>&, const A&) = delete;                     \
  template <class N, class A, class B>                              \
  void name(const Ring<N>&, const A&, const B&) = delete;           \
  template <class N, class A, class B, class C>                     \
  void name(const Ring<N>&, const A&, const B&, const C&) = delete; \
  template <class First>                                            \
  void name(const Key&) = delete;                                   \
  template <class First, class A, class B>                          \
  void name(const A&, const B&, const NodeOf&) = delete;            \
  void name(const Node&) = delete;                                  \
  void name(const Node&, std::string_view) = delete;                \
  void name(const Id&) = delete;                                    \
  void name(const Policy&) = delete;                                \
  void name(const Policy&, std::string_view) = delete;              \
  void name(const Policy&, const Key&) = delete;                    \
  void name(const Policy&, const NumberKey&) = delete;              \
  void name(const Key&) = delete;                                   \
  void name(const NumberKey&) = delete;                             \
  void name(const BytesKey&) = delete;                              \
  void name(const IsLive&, const Member&) = delete;                 \
  void name(const MemberIsLive&, const Member&) = delete;

namespace greedy {
USER_TYPES;
using Member = clockwise::Member<Node>;
template <class N>
using Ring = clockwise::HashRing<Policy, N>;
CLOCKWISE_TEST_FREE_FUNCTIONS(GREEDY)
}  // namespace greedy

namespace {

/// The members of one of the namespaces.
#define TYPES_OF(space)                       \
  struct space##_types {                      \
    using Node = space::Node;                 \
    using Policy = space::Policy;             \
    using Key = space::Key;                   \
    using NumberKey = space::NumberKey;       \
    using BytesKey = space::BytesKey;         \
    using IsLive = space::IsLive;             \
    using MemberIsLive = space::MemberIsLive; \
    using NameIsLive = space::NameIsLive;     \
    using NodeOf = space::NodeOf;             \
    using Nodes = space::Nodes;               \
    using Names = space::Names;               \
    using Change = space::Change;             \
    using OwnRing = space::OwnRing;           \
  }

TYPES_OF(plain);
TYPES_OF(greedy);

template <class T, class S>
void fill(S& scheme) {
  using Node = typename T::Node;
  scheme.add(Node{"a"});
  scheme.add(Node{"b"}, NodeOptions{.rack = "r1", .datacenter = "east"});
  scheme.add(Node{"c"}, 1);
  scheme.add_all({Node{"d"}, {Node{"e"}, 1}, {Node{"f"}, {.rack = "r1", .datacenter = "east"}}});
  scheme.add_all(typename T::Nodes{{{"g"}, {"h"}}});
  scheme.set_weight(Node{"a"}, 1);
  scheme.set_options(Node{"d"}, {.rack = "r2"});
  if constexpr (requires { scheme.set_tokens(Node{"a"}, {1}); }) {
    scheme.add(Node{"i"}, {1ULL << 60, 1ULL << 63});
    for (const char* id : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
      const std::uint64_t token = clockwise::Xxh3{}(std::as_bytes(std::span(id, 1)));
      scheme.set_tokens(Node{id}, {token, ~token});
    }
  }
}

/// All queries and changes of a scheme.
template <class T, class S>
void ask(Seen& seen, S scheme) {
  using Node = typename T::Node;
  const typename T::Key key{"user:42"};
  const typename T::NumberKey number = T::NumberKey::forty_two;
  const typename T::BytesKey bytes{{std::byte{1}, std::byte{2}}};
  const typename T::IsLive is_live;
  const typename T::MemberIsLive member_is_live;
  const S& view = scheme;
  fill<T>(scheme);
  see(seen, view);
  seen << view.lookup(key) << view.lookup(number) << view.lookup(bytes);
  seen << *view.try_lookup(key) << static_cast<std::uint64_t>(view.position_of(key));
  seen << static_cast<std::uint64_t>(clockwise::position_of(view.hash(), key));
  seen.all(view.preference_list(key, 3)).all(view.preference_list(key, 3, Spread::racks_only));
  seen.all(view.preference_list(key, Replication({{"east", 2}, {"", 1}})));
  seen.all(view.preference_list(key, 3, is_live));
  seen.all(view.preference_list(number, 3, Spread::nodes, member_is_live));
  seen.all(view.preference_list(bytes, Replication({{"east", 2}, {"", 1}}), is_live));
  seen << view.preference_list(key, 3).contains(Node{"a"});
  seen << view.contains(Node{"c"}) << view.index_of(Node{"c"}) << view.member(Node{"c"}).rack;
  if constexpr (requires { view.successors(key); }) {
    for (const auto& node : view.successors(key)) seen << node;
    seen << view.arc_of(view.position_of(key));
    for (const auto& [node, share] : view.load_shares(2)) seen << node << share;
    for (const auto& width : view.widths()) seen << width.fraction();
  }
  if constexpr (requires { view.bucket_of(Node{"a"}); }) seen << view.bucket_of(Node{"a"});
  if constexpr (requires { view.tokens_of(Node{"a"}); }) seen.all(view.tokens_of(Node{"a"}));
  if constexpr (requires { view.slot_of(key); }) {
    scheme.migrate(3, view.owner_of(3).name.text == "c" ? Node{"d"} : Node{"c"});
    seen << view.slot_of(key) << view.owner_of(3) << *view.migrating_to(3);
    seen << view.state(3, Node{"c"}) << view.answer(Node{"c"}, 3, {.asking = true}).kind;
    seen.all(view.replicas_of(3, 2));
    scheme.assign(4, Node{"d"});
    const S other = scheme;
    scheme.assign_all(std::vector<Node>(view.slot_count(), Node{"e"}));
    for (const auto& move : clockwise::slot_moves(other, scheme))
      seen << move.slot << move.from << move.to;
  }
  if constexpr (requires { scheme.put(20, Node{"p"}); }) scheme.put(20, Node{"p"});
  if constexpr (requires { scheme.append(Node{"q"}); }) scheme.append(Node{"q"});
  if constexpr (requires { scheme.pop(); }) scheme.pop();
  if constexpr (requires { scheme.remove(Node{"e"}); }) seen << scheme.remove(Node{"e"});
  scheme.update(typename T::Change());
  see(seen, view);
  S copy = scheme;
  seen << (copy == scheme);
  copy.clear();
  copy = std::move(scheme);
  see(seen, copy);
  seen << clockwise::balance(copy).cv;
  const auto copies = clockwise::split(copy, "key", 3);
  for (const auto& part : copies.all()) seen << part.name << part.node;
}

/// Movement, plans, transitions and tables of a ring.
template <class T, class R>
void ask_around(Seen& seen, const R& before) {
  using Node = typename T::Node;
  const typename T::Key key{"user:42"};
  const typename T::IsLive is_live;
  R after = before;
  after.add(Node{"z"}, NodeOptions{.rack = "r5"});
  if constexpr (requires { after.set_tokens(Node{"z"}, {7}); }) {
    const auto tokens = clockwise::allocate_tokens(before, {.rack = "r5"}, {.vnodes = 4});
    seen.all(tokens);
    after.set_tokens(Node{"z"}, tokens);
  }
  see(seen, clockwise::movement(before, after));
  see(seen, clockwise::movement(before, after, {2, Spread::nodes}));
  clockwise::KeyMovement counted(before, after);
  for (const char* text : {"a", "b", "c", "d"}) counted.observe(typename T::Key{text});
  see(seen, counted);
  see(seen, clockwise::plan_migration(before, after, {.replicas = 2, .bytes = 1e6}));
  const auto plan = clockwise::plan_migration(before, after, {.bytes = 1e6}, is_live);
  see(seen, plan);
  see(seen, plan.reverse());
  if constexpr (!requires { after.set_tokens(Node{"z"}, {7}); }) {
    const auto plans = clockwise::plan_one_by_one(before, after, {.bytes = 1e6});
    for (const auto& part : plans) see(seen, part);
  }
  clockwise::Transition transition(before, after, 2);
  see(seen, transition.complete({1, 1ULL << 62}, Node{"z"}));
  seen.all(transition.pending(Node{"z"})).all(transition.write_to(key));
  seen.all(transition.read_from(key));
  see(seen, transition.complete({9, 9}));
  const clockwise::ReplicaTable table(before, 3);
  seen.all(table.preference_list(key)) << table.preference_list(key).contains(Node{"a"});
  see(seen, clockwise::ReplicaList<Node>(table.preference_list(key)));
  see(seen, clockwise::replica_sets(before, 2));
  for (const auto& loss : clockwise::rack_losses(before, 2).domains) seen << loss.rack << loss.lost;
  seen << clockwise::datacenter_losses(before, 2).worst();
  seen << clockwise::balance(before, 2).cv;
  const auto available = clockwise::Quorum{2, 1, 2}.available(before, typename T::Nodes{{{"a"}}});
  seen << available.readable << available.writable;
}

/// The types that hold a scheme from which any member can be removed.
template <class T, class S>
void ask_holders(Seen& seen, const S& scheme) {
  using Node = typename T::Node;
  using Key = typename T::Key;
  clockwise::Fleet<S> fleet(scheme, {.down_after = 5, .remove_after = 9}, 1);
  seen << fleet.heard(Node{"a"}, 30) << fleet.is_live(Node{"a"}) << fleet.state(Node{"a"});
  see(seen, fleet.check(31));
  seen << fleet.join(1, Node{"x"}) << fleet.join(2, Node{"y"}, NodeOptions{.rack = "r"});
  seen << fleet.leave(3, Node{"b"}) << fleet.change(4, typename T::Change());
  seen.all(fleet.ring().preference_list(Key{"key"}, 2, fleet.live()));
  see(seen, fleet);
  seen << fleet.commit(5) << fleet.remove_overdue(6, 99);

  clockwise::BoundedLoad<S> balancer(scheme, {.node_limit = 2});
  auto token = balancer.acquire(Key{"key"});
  see(seen, token);
  see(seen, balancer.acquire(Key{"key"}, typename T::IsLive()));
  balancer.add(Node{"x"}, 1);
  balancer.update(typename T::Change());
  seen << balancer.remove(Node{"x"}) << balancer.load(Node{"a"}) << balancer.capacity(Node{"a"});

  clockwise::BoundedAssignment<S, Key> shards(scheme);
  for (const char* text : {"k1", "k2", "k3", "k4", "k5", "k6"}) see(seen, shards.insert(Key{text}));
  see(seen, shards.add(Node{"x"}));
  see(seen, shards.remove(Node{"a"}));
  see(seen, shards.update(typename T::Change()));
  see(seen, shards.erase(Key{"k1"}));
  seen << *shards.find(Key{"k2"}) << shards.load(Node{"d"}) << shards.displaced_share();

  clockwise::Shared<S> shared(scheme);
  shared.update([](S& next) { next.add(Node{"x"}); });
  see(seen, *shared.snapshot());
}

template <class T, class R>
void ask_wire(Seen& seen, const R& ring) {
  const typename T::NodeOf node_of;
  const auto bytes = clockwise::wire::encode(ring);
  see(seen, clockwise::wire::membership_of(ring));
  see(seen, clockwise::wire::decode<R>(bytes, {}, node_of));
  const auto decoded = clockwise::wire::try_decode<R>(bytes, {}, node_of);
  see(seen, *decoded);
  see(seen, *clockwise::wire::build<R>(clockwise::wire::membership_of(ring), {}, node_of));
}

template <class T>
void ask_engines(Seen& seen) {
  const typename T::Key key{"user:42"};
  const typename T::NameIsLive is_live;
  const typename T::Names names{{"a", "b", "c", "d"}};
  const auto ask_engine = [&](auto ring) {
    ring.add_all(names);
    see(seen, ring);
    seen << ring.lookup(key);
    if constexpr (requires { ring.preference_list(key, 2, is_live); }) {
      seen.all(ring.preference_list(key, 2, is_live));
      seen.all(ring.preference_list(key, 2, Spread::nodes, is_live));
    }
    if constexpr (requires { ring.without(typename T::Names{{"c"}}); }) {
      see(seen, ring.without(typename T::Names{{"c"}}));
    }
  };
  ask_engine(typename T::OwnRing());
  ask_engine(clockwise::KetamaRing());
  ask_engine(clockwise::NginxRing());
  ask_engine(clockwise::HaproxyRing());
  ask_engine(clockwise::EnvoyRing());
  ask_engine(clockwise::EnvoyMaglev());
  typename T::OwnRing before;
  before.add_all(names);
  typename T::OwnRing after = before;
  after.add("e");
  see(seen, clockwise::movement(before, after));
  see(seen, clockwise::plan_migration(before, after, {.replicas = 2}, is_live));
  see(seen, clockwise::replica_sets(after, 2));
  see(seen, clockwise::Transition(before, after, 2));
  see(seen, clockwise::ReplicaTable(after, 2));
  seen << clockwise::balance(after, 2).cv;

  clockwise::CassandraRing cassandra(names);
  cassandra.set_tokens("a", {1, 2});
  cassandra.set_tokens("b", {-5});
  seen << cassandra.lookup(key) << clockwise::cassandra_token(typename T::BytesKey{});
  seen.all(cassandra.simple_strategy(key, 2)).all(cassandra.preference_list(key, 2, is_live));
  seen.all(cassandra.network_topology_strategy(key, {{"", 2}}));
  const clockwise::RedisSlotMap map({"a", "b", "c"});
  seen << map.lookup(key) << map.slot_of(typename T::BytesKey{});
  seen.all(map.preference_list(key, 2));
}

template <class T>
std::string answers() {
  using Node = typename T::Node;
  using Policy = typename T::Policy;
  Seen seen;
  clockwise::HashRing<Policy, Node> ring({.vnodes = 9}, Policy{3});
  clockwise::TokenRing<Policy, Node> tokens(Policy{3});
  clockwise::SlotMap<Policy, Node> slots({.slots = 32});
  clockwise::Rendezvous<Policy, Node> rendezvous;
  ask<T>(seen, ring);
  ask<T>(seen, tokens);
  ask<T>(seen, slots);
  ask<T>(seen, rendezvous);
  ask<T>(seen, clockwise::ModN<Policy, Node>());
  ask<T>(seen, clockwise::JumpHash<Policy, Node>());
  ask<T>(seen, clockwise::JumpBackHash<Policy, Node>());
  ask<T>(seen, clockwise::Maglev<Policy, Node>({.table_size = 53}));
  ask<T>(seen, clockwise::MultiProbe<Policy, Node>());
  ask<T>(seen, clockwise::HashRing<Policy, Node, std::uint32_t, clockwise::NoIndex>());
  fill<T>(ring);
  fill<T>(tokens);
  fill<T>(slots);
  fill<T>(rendezvous);
  ask_around<T>(seen, ring);
  ask_around<T>(seen, tokens);
  ask_around<T>(seen, slots);
  ask_holders<T>(seen, ring);
  ask_holders<T>(seen, rendezvous);
  ask_wire<T>(seen, ring);
  ask_wire<T>(seen, tokens);
  ask_engines<T>(seen);

  // Deduced, from ranges and lists.
  const typename T::Nodes nodes{{{"a"}, {"b"}}};
  see(seen, clockwise::HashRing(nodes, {}, Policy{}));
  see(seen, clockwise::Rendezvous(nodes, Policy{}));
  see(seen, clockwise::HashRing<Policy, Node>({{{"a"}, 2}, {{"b"}, 1}}));
  const std::vector<std::pair<Node, double>> disks{{{"a"}, 4000}, {{"b"}, 22000}};
  seen << clockwise::mean_weight(disks);
  for (const auto& entry : clockwise::relative_weights(disks)) {
    seen << entry.node << entry.options.weight;
  }
  const clockwise::ModN<Policy, Node> before(nodes);
  seen << clockwise::movement(before, before).fraction();
  return seen.text();
}

}  // namespace

TEST_CASE("A user's functions with names of the library are never called") {
  const std::string expected = answers<plain_types>();
  CHECK_FALSE(expected.empty());
  clockwise_test::require_same(answers<greedy_types>(), expected);
}
