// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_SURFACE_HPP
#define CLOCKWISE_DETAIL_SCHEME_SURFACE_HPP

// The interface of every partitioner, implemented once: its members, the owner of a key, preference
// lists and shares, and every change of members. A scheme defines a key's owner and its own tables
// after a change of members, and gets the rest.

#include <array>        // array
#include <concepts>     // predicate, same_as, unsigned_integral
#include <cstddef>      // ptrdiff_t, size_t
#include <cstdint>      // uint32_t, uint64_t
#include <iterator>     // forward_iterator_tag
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <type_traits>  // conditional_t, is_nothrow_move_assignable_v, ...
#include <utility>      // forward, move, pair
#include <vector>       // vector

#include "clockwise/config.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/id_tree.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/plain_vector.hpp"
#include "clockwise/detail/base/small_set.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// Everything that a change of members replaces, at once.
template <class Node, class Placement>
struct SchemeState {
  Placement placement;                ///< The scheme's own tables.
  Topology topology;                  ///< Of `members`.
  std::vector<Member<Node>> members;  ///< In id order.
};

template <class Scheme, class Node, std::unsigned_integral Index, class Placement, class Extra>
class Surface;

/// A scheme that is a function of its members alone and keeps no tables.
struct NoPlacement {
  static constexpr std::size_t bytes() noexcept { return 0; }
};

/// Lets the library walk a scheme's own order of preference, for uses without replicas.
struct SchemeAccess {
  /// Surface describes `visit_preferred`.
  template <class Scheme, class Node, std::unsigned_integral Index, class Placement, class Extra,
            class Visit>
  static void visit_preferred(const Surface<Scheme, Node, Index, Placement, Extra>& scheme,
                              Position position, std::size_t expected, Visit visit) {
    scheme.visit_members(position, expected, visit);
  }
};

/// The weight of a member of a scheme without weights.
inline double weightless(const char* scheme, std::string_view id, double weight) {
  if (detail::checked_weight(id, weight) != 1) {
    detail::fail_invalid({scheme, " has no weights, so the weight of node ", Part::id(id),
                          " must be 1, got ", weight});
  }
  return 1;
}

/// A scheme derives from Surface<Scheme, …> and offers, in private if Surface is its friend:
///
///   Position position_of(key) const noexcept
///   Index lookup_index(Position) const noexcept           npos if no member owns anything
///   void visit_preferred(Position, expected, visit) const calls visit(index) for the members that
///                                                         own something, in order of preference,
///                                                         until it returns false; a member can
///                                                         come twice, and about `expected` are
///                                                         read
///   std::vector<double> shares() const                    of the key space, by member
///   class Edit                                            derived from detail::Edit
///   Placement placement_after(MembershipChange&) const    its tables after the change; they have
///                                                         bytes(), their heap memory
///
/// and, unless the defaults below suffice, accepted_weight(id, weight) and vnodes_of(id, weight).
///
/// Any number of threads can call const members at once, while none changes the scheme. A change
/// invalidates every reference, list, span and index obtained from it.
template <class Scheme, class Node, std::unsigned_integral Index, class Placement,
          class Extra = NoExtra>
class Surface : public AddsEntries<Surface<Scheme, Node, Index, Placement, Extra>, Node> {
  using Adds = AddsEntries<Surface, Node>;
  static_assert(!std::same_as<Index, bool>, "clockwise: an Index counts nodes, so it is not bool");

 public:
  using node_type = Node;
  using index_type = Index;

  /// The result of lookup_index if no member owns anything.
  static constexpr Index npos = static_cast<Index>(~Index{0});

  // --- Owners ------------------------------------------------------------------------------------

  /// Returns the owner of `key`. Throws std::out_of_range if no member owns anything: the scheme
  /// has no members, or all are drained.
  ///
  /// A call whose result would refer to a temporary scheme does not compile.
  template <class Key>
  const Node& lookup(const Key& key) const& {
    const Node* const owner = try_lookup(key);
    if (owner == nullptr) detail::fail_nothing_owned("lookup", size());
    return *owner;
  }
  template <class Key>
  const Node& lookup(const Key& key) const&& = delete;  // it would refer to nothing

  /// Like lookup, but returns nullptr if no member owns anything.
  template <class Key>
  const Node* try_lookup(const Key& key) const& noexcept {
    const Index owner = self().lookup_index(self().position_of(key));
    return owner == npos ? nullptr : &node(owner);
  }
  template <class Key>
  const Node* try_lookup(const Key& key) const&& = delete;  // it would refer to nothing

  /// Sets owners[i] = lookup_index(positions[i]). Throws std::invalid_argument if the lengths
  /// differ.
  void lookup_batch(std::span<const Position> positions, std::span<Index> owners) const {
    check_batch(positions.size(), owners.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      owners[i] = self().lookup_index(positions[i]);
    }
  }

  // --- Replicas ----------------------------------------------------------------------------------

  /// Returns the nodes that hold the replicas of `key`, the owner first. By default they are spread
  /// by Spread::racks if any member names a rack, otherwise by Spread::nodes. The list is short if
  /// the members have fewer nodes, or racks, than the rule needs.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, const Replication& replication) const& {
    const Position position = self().position_of(key);
    if (const DatacenterReplicas* const wanted = replication.by_datacenter()) [[unlikely]]
      return replicas_by_datacenter(position, *wanted);
    return replicas(position, OneGroup{replication.requested(),
                                       replication.spread().value_or(default_spread())});
  }
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, ReplicaCount r, Spread spread) const& {
    return replicas(self().position_of(key), OneGroup{r, spread});
  }
  template <class Key>
  void preference_list(const Key&,  // it would refer to nothing
                       const Replication&) const&& = delete;
  template <class Key>
  void preference_list(const Key&, ReplicaCount,  // it would refer to nothing
                       Spread) const&& = delete;

  /// As above, among the members for which `is_live(node)` or `is_live(member)` holds. Ownership
  /// does not change: the live nodes of the list without a predicate come first, in the same order;
  /// then come substitutes (ReplicaList::first_substitute), so that the whole list is as spread out
  /// as the rule demands of the live members. `is_live` must return the same for a node during the
  /// call. While no replica is down it is called once per replica; otherwise also for up to N other
  /// members, and again whenever the walk meets a member that is down.
  template <class Key, class IsLive>
    requires Liveness<IsLive, Node>
  ReplicaList<Node> preference_list(const Key& key, const Replication& replication,
                                    const IsLive& is_live) const& {
    return detail::for_request(replication, default_spread(), topology(), [&](const auto& request) {
      return live_replicas(self().position_of(key), request, is_live);
    });
  }
  template <class Key, class IsLive>
    requires Liveness<IsLive, Node>
  ReplicaList<Node> preference_list(const Key& key, ReplicaCount r, Spread spread,
                                    const IsLive& is_live) const& {
    return live_replicas(self().position_of(key), OneGroup{r, spread}, is_live);
  }
  template <class Key, class IsLive>
    requires Liveness<IsLive, Node>
  void preference_list(const Key&, const Replication&,  // it would refer to nothing
                       const IsLive&) const&& = delete;
  template <class Key, class IsLive>
    requires Liveness<IsLive, Node>
  void preference_list(const Key&, ReplicaCount, Spread,  // it would refer to nothing
                       const IsLive&) const&& = delete;

  /// Returns the spread that preference_list uses if none is given.
  Spread default_spread() const noexcept {
    return topology().has_racks() ? Spread::racks : Spread::nodes;
  }

  // --- Shares ------------------------------------------------------------------------------------

  /// Returns each member and its share of the key space, in id order. The shares sum to 1, or to 0
  /// if no member owns anything. O(N), and one pass over the scheme's tables.
  std::vector<std::pair<Node, double>> load_shares() const {
    const std::vector<double> by_member = self().shares();
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      shares.emplace_back(members()[i].node, by_member[i]);
    }
    return shares;
  }
  /// Only rings have this overload: see RingBase.
  void load_shares(  // only a Ring has shares of replicas in closed form: count lists of keys
      const Replication&) const = delete;

  // --- Members -----------------------------------------------------------------------------------

  std::size_t size() const noexcept { return state_.members.size(); }
  bool empty() const noexcept { return state_.members.empty(); }
  /// Returns the members in id order, including drained ones.
  std::span<const Member<Node>> members() const& noexcept { return state_.members; }
  std::span<const Member<Node>> members() const&& = delete;  // it would refer to nothing
  /// Returns members()[index].node. `index` < size().
  const Node& node(Index index) const& noexcept { return state_.members[index].node; }
  const Node& node(Index index) const&& = delete;  // it would refer to nothing

  /// Returns the index of `id`, an id or a node, in members(); npos if it is not a member. O(log
  /// N).
  template <class Id>
  Index index_of(const Id& id) const {
    const auto text = detail::id_of(id);
    const std::size_t index = detail::index_in(state_.members, text);
    return index == size() || !detail::has_id(state_.members[index].node, text)
               ? npos
               : static_cast<Index>(index);
  }
  template <class Id>
  bool contains(const Id& id) const {
    return index_of(id) != npos;
  }

  /// Returns the row of `id`, an id or a node, in members(). Throws std::out_of_range if it is not
  /// a member. O(log N).
  template <class Id>
  const Member<Node>& member(const Id& id) const& {
    const Index index = index_of(id);
    if (index == npos) {
      const auto text = detail::id_of(id);
      detail::fail_not_a_member("member", text);
    }
    return state_.members[index];
  }
  template <class Id>
  const Member<Node>& member(const Id& id) const&& = delete;  // it would refer to nothing

  /// Returns the heap memory of the members and tables, without that of the texts of nodes, racks
  /// and datacenters. O(1).
  std::size_t memory_bytes() const noexcept {
    return state_.members.capacity() * sizeof(Member<Node>) + topology().bytes() +
           placement().bytes();
  }

  // --- Changes -----------------------------------------------------------------------------------

  using Adds::add;
  using Adds::add_all;

  /// Removes a member; returns false if absent. `id` is an id or a node.
  template <class Id>
  bool remove(const Id& id) {
    bool removed = false;
    update([&](auto& edit) { removed = edit.remove(id); });
    return removed;
  }

  /// Sets the weight of a member. Throws std::out_of_range if `id` is not a member.
  template <class Id, Weight W>
  void set_weight(const Id& id, W weight) {
    update([&](auto& edit) { edit.set_weight(id, weight); });
  }

  /// Sets weight, rack and datacenter at once. Throws std::out_of_range if `id` is not a member.
  template <class Id>
  void set_options(const Id& id, const NodeOptions& options) {
    update([&](auto& edit) { edit.set_options(id, options); });
  }

  /// Replaces the node that has the id of `node`: a new address, for example. Moves no key, because
  /// weight, rack, datacenter and everything else that places the member stay. Throws
  /// std::out_of_range if the id is not a member.
  void set_node(Node node) {
    update([&](auto& edit) { edit.set_node(std::move(node)); });
  }

  /// Makes several changes as one: fn(edit) calls the scheme's mutators on `edit`, each of which
  /// sees the effects of the previous ones. If fn or the change throws, the scheme is unchanged.
  template <class Fn>
    requires EditFunction<Fn, Scheme>
  void update(Fn&& fn) {
    typename Scheme::Edit edit(self());
    std::forward<Fn>(fn)(edit);
    apply(edit.changes_);
  }

  void clear() noexcept { adopt({}); }

 protected:
  using State = SchemeState<Node, Placement>;
  using Change = MembershipChange<Node, Index, Extra>;

  Surface() = default;
  ~Surface() = default;
  Surface(const Surface&) = default;
  Surface(Surface&&) noexcept = default;
  Surface& operator=(Surface&&) noexcept = default;
  /// All or nothing, as every change is. A node need not be assignable.
  Surface& operator=(const Surface& other) {
    adopt(State(other.state_));
    return *this;
  }

  const Topology& topology() const noexcept { return state_.topology; }
  const Placement& placement() const noexcept { return state_.placement; }
  /// For changes that cannot fail and affect no owner.
  Placement& placement_in_place() noexcept { return state_.placement; }

  /// The only step in which a scheme changes: members, topology and tables together.
  void adopt(State&& next) noexcept {
    static_assert(std::is_nothrow_move_assignable_v<State>);
    state_ = std::move(next);
  }

  /// Replaces the scheme's tables; each member then owns `vnodes`.
  void adopt(Placement&& placement, std::span<const std::uint32_t> vnodes) {
    PlainVector<Member<Node>*> rows;
    rows.reserve(size());
    for (Member<Node>& member : state_.members) rows.push_back(&member);
    Topology topology(rows, vnodes.data());
    // Nothing below throws.
    State next{std::move(placement), std::move(topology), std::move(state_.members)};
    for (std::size_t i = 0; i < vnodes.size(); ++i) next.members[i].vnodes = vnodes[i];
    adopt(std::move(next));
  }

  /// Whether both have the same nodes in the same racks and datacenters.
  bool has_members_of(const Surface& other) const {
    if (size() != other.size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      const Member<Node>& one = members()[i];
      const Member<Node>& two = other.members()[i];
      if (!detail::same_id(one.node, two.node) || one.rack != two.rack ||
          one.datacenter != two.datacenter) {
        return false;
      }
    }
    return true;
  }

  bool has_weights_of(const Surface& other) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (members()[i].weight != other.members()[i].weight) return false;
    }
    return true;
  }

  static void check_batch(std::size_t positions, std::size_t owners) {
    if (positions != owners) detail::fail_batch(positions, owners);
  }

  // The defaults of a scheme: any weight, and one vnode for weights above 0.
  static double accepted_weight(std::string_view id, double weight) {
    return detail::checked_weight(id, weight);
  }
  static std::uint32_t vnodes_of(std::string_view, double weight) { return weight > 0 ? 1 : 0; }

 private:
  friend Adds;
  friend SchemeAccess;
  template <class, class, class, class>
  friend class Edit;

  static constexpr std::size_t most_few = 8;

  const Scheme& self() const noexcept { return static_cast<const Scheme&>(*this); }

  template <class Visit>
  void visit_members(Position position, std::size_t expected, Visit& visit) const {
    self().visit_preferred(position, expected, visit);
  }

  double weight_taken(std::string_view id, double weight) const {
    return self().accepted_weight(id, weight);
  }
  std::uint32_t vnodes_for(std::string_view id, double weight) const {
    return self().vnodes_of(id, weight);
  }

  void add_entry(Entry<Node> entry) {
    typename Scheme::Edit edit(self());
    edit.add(std::move(entry));
    apply(edit.changes_);
  }
  template <class Entries>
  void add_entries(Entries& entries) {
    typename Scheme::Edit edit(self());
    edit.add_entries(entries);
    apply(edit.changes_);
  }

  /// Everything that can fail happens before adopt().
  CLOCKWISE_NOINLINE void apply(const IdTree& changes) {
    if (changes.empty()) return;
    Change change = planned(changes);
    // In this order: the members are moved from the current table, after which nothing can fail.
    adopt({self().placement_after(change), Topology(change.members, change.vnodes.data()),
           taken(change)});
  }

  /// The members after the change, and the changes.
  CLOCKWISE_NOINLINE Change planned(const IdTree& changes) {
    Change change;
    const std::size_t most = size() + changes.size();
    change.members = PlainVector<Member<Node>*>::unset(most);
    change.vnodes = PlainVector<std::uint32_t>::unset(most);
    change.renumber = PlainVector<Index>(size(), npos);
    change.steps = PlainVector<typename Change::Step>::unset(changes.size());

    std::size_t old = 0;
    std::size_t count = 0;
    const auto put = [&](Member<Node>& member) {
      change.members[count] = &member;
      change.vnodes[count++] = member.vnodes;
    };
    const auto keep_until = [&](std::size_t end) {
      for (; old < end; ++old) {
        change.renumber[old] = static_cast<Index>(count);
        put(state_.members[old]);
      }
    };
    auto* step = change.steps.begin();
    for (IdNode* const node : changes.in_order()) {
      auto* const pending = Scheme::Edit::as_member(node);
      const std::size_t index = detail::index_in(state_.members, node->id);
      keep_until(index);
      const bool was_member =
          index < size() && detail::has_id(state_.members[index].node, node->id);
      *step++ = {node->id, was_member ? &state_.members[index] : nullptr, pending,
                 static_cast<Index>(index), static_cast<Index>(count)};
      if (was_member) {
        ++old;
        if (pending != nullptr) change.renumber[index] = static_cast<Index>(count);
      }
      if (pending != nullptr) put(pending->member);
    }
    keep_until(size());
    if (count > npos) detail::fail_too_many_members(count, npos);
    change.members.truncate(count);
    change.vnodes.truncate(count);
    return change;
  }

  /// Iterates over the rows that pointers point to, as values to take: moved, or copied if a move
  /// can throw.
  struct Taken {
    using iterator_category = std::forward_iterator_tag;
    using value_type = Member<Node>;
    using difference_type = std::ptrdiff_t;
    using pointer = Member<Node>*;
    using reference = std::conditional_t<std::is_nothrow_move_constructible_v<Member<Node>>,
                                         Member<Node>&&, const Member<Node>&>;

    reference operator*() const { return static_cast<reference>(**row); }
    Taken& operator++() {
      ++row;
      return *this;
    }
    Taken operator++(int) { return Taken{row++}; }
    friend bool operator==(const Taken&, const Taken&) = default;

    Member<Node>* const* row;
  };

  static std::vector<Member<Node>> taken(const Change& change) {
    std::vector<Member<Node>> members(Taken{change.members.begin()}, Taken{change.members.end()});
    for (std::size_t i = 0; i < members.size(); ++i) members[i].vnodes = change.vnodes[i];
    return members;
  }

  // --- Preference lists --------------------------------------------------------------------------

  CLOCKWISE_NOINLINE ReplicaList<Node> replicas_by_datacenter(
      Position position, const DatacenterReplicas& wanted) const {
    return replicas(position, ByDatacenter(wanted, topology()));
  }

  template <class Request>
  ReplicaList<Node> replicas(Position position, const Request& request) const {
    if constexpr (std::same_as<Request, OneGroup>) {
      const auto extent = request.extent(topology(), 0);
      const bool apart = request.spread != Spread::nodes && topology().has_racks();
      const std::size_t wanted = detail::attainable(request.replicas, request.spread, extent);
      if (wanted <= most_few && (!apart || wanted <= extent.domains)) {
        return few_replicas(position, request.replicas, wanted, apart);
      }
    }
    return with_quotas(
        request, [&](std::size_t group) { return request.extent(topology(), group); },
        [&](std::span<Quota> quotas) {
          ReplicaList<Node> list(request.requested());
          fill(position, request, quotas, [&](Index owner) { list.push_back(node(owner)); });
          return list;
        });
  }

  /// The common case: up to `most_few` nodes, all in different failure domains. It takes no quota.
  ReplicaList<Node> few_replicas(Position position, std::size_t requested, std::size_t wanted,
                                 bool apart) const {
    std::array<Index, most_few> owners;
    std::array<std::uint32_t, most_few> domains{};  // or GCC 12 warns of a use before it is set
    std::size_t taken = 0;
    const std::uint32_t* const domain_of = apart ? topology().domains().data() : nullptr;
    if (wanted > 0) {
      self().visit_preferred(position, apart ? size() : wanted, [&](Index owner) {
        const std::uint32_t domain =
            domain_of == nullptr ? static_cast<std::uint32_t>(owner) : domain_of[owner];
        for (std::size_t i = 0; i < taken; ++i) {
          if (domains[i] == domain) return true;
        }
        owners[taken] = owner;
        domains[taken] = domain;
        return ++taken < wanted;
      });
    }
    return ReplicaList<Node>(requested, taken,
                             [&](std::size_t i) -> const Node& { return node(owners[i]); });
  }

  template <class Request, class IsLive>
  ReplicaList<Node> live_replicas(Position position, const Request& request,
                                  const IsLive& is_live) const {
    const ReplicaList<Node> natural = replicas(position, request);
    const auto lives = [&](Index index) { return detail::is_live(is_live, members()[index]); };
    ReplicaList<Node> list(request.requested());
    for (const Node& replica : natural) {
      if constexpr (std::predicate<const IsLive&, const Node&>) {  // without a search for its row
        if (is_live(replica)) list.push_back(replica);
      } else {
        if (lives(index_of(replica))) list.push_back(replica);
      }
    }
    if (list.size() == natural.size()) return natural;

    // Walked again among the live alone, the rule takes every natural replica that is live: before
    // each of them the walk has fewer nodes to take than it had at first. The other nodes that it
    // takes are the substitutes. A long list is kept by number: reading it for each node would take
    // quadratic time.
    const bool is_long = list.size() > most_few;
    SmallSet numbers(is_long ? list.size() : 0, size());
    if (is_long) {
      for (const Node& replica : list)
        numbers.insert(static_cast<std::uint32_t>(index_of(replica)));
    }
    const auto is_natural = [&](Index owner) {
      if (is_long) return numbers.contains(static_cast<std::uint32_t>(owner));
      for (const Node& replica : natural) {
        if (&replica == &node(owner)) return true;
      }
      return false;
    };
    return with_quotas(
        request, [&](std::size_t group) { return live_extent(request, group, lives); },
        [&](std::span<Quota> quotas) {
          fill(
              position, request, quotas,
              [&](Index owner) {
                if (!is_natural(owner)) list.push_back_substitute(node(owner));
              },
              lives);
          return list;
        });
  }

  /// Hands use(quotas) one quota per group, without heap memory for up to 8.
  template <class Request, class ExtentOf, class Use>
  ReplicaList<Node> with_quotas(const Request& request, ExtentOf extent_of, Use use) const {
    const auto quota = [&](std::size_t group) {
      return Quota(request.requested(group), request.spread, extent_of(group),
                   topology().domain_limit());
    };
    if constexpr (std::same_as<Request, OneGroup>) {
      std::array quotas{quota(0)};
      return use(std::span<Quota>(quotas));
    } else {
      std::array<decltype(quota(0)), 8> few;
      std::vector<decltype(quota(0))> many(request.groups() > few.size() ? request.groups() : 0);
      const std::span quotas =
          many.empty() ? std::span(few).first(request.groups()) : std::span<Quota>(many);
      for (std::size_t group = 0; group < quotas.size(); ++group) quotas[group] = quota(group);
      return use(quotas);
    }
  }

  struct EveryMember {
    bool operator()(Index) const { return true; }
  };

  /// The walk itself: calls take(owner) for each owner that the quotas take.
  template <class Request, class Take, class Lives = EveryMember>
  void fill(Position position, const Request& request, std::span<Quota> quotas, Take take,
            const Lives& lives = {}) const {
    std::size_t wanted = 0;
    for (const Quota& quota : quotas) wanted += quota.left();
    if (wanted == 0) return;
    const bool apart = request.spread != Spread::nodes;
    self().visit_preferred(position, size(), [&](Index owner) {
      const std::size_t group = request.group_of(topology(), owner);
      const auto number = static_cast<std::uint32_t>(owner);
      if (group == quotas.size() ||
          !quotas[group].take(number, apart ? topology().domain(owner) : number,
                              [&] { return lives(owner); })) {
        return true;
      }
      take(owner);
      return --wanted > 0;
    });
  }

  /// How many live nodes and domains the group has, counted only up to the number that it can use.
  template <class Request, class Lives>
  Topology::Extent live_extent(const Request& request, std::size_t group,
                               const Lives& lives) const {
    const auto total = request.extent(topology(), group);
    const std::size_t enough = (std::min)(request.requested(group), total.nodes);
    SmallSet domains(enough, topology().domain_limit());
    Topology::Extent live;
    for (std::size_t i = 0; i < size(); ++i) {
      if (live.nodes >= enough && live.domains >= (std::min)(enough, total.domains)) break;
      if (members()[i].vnodes == 0 || request.group_of(topology(), i) != group ||
          !lives(static_cast<Index>(i))) {
        continue;
      }
      ++live.nodes;
      const std::uint32_t domain = topology().domain(i);
      if (live.domains < enough && !domains.contains(domain)) {
        domains.insert(domain);
        ++live.domains;
      }
    }
    return live;
  }

  State state_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_SURFACE_HPP
