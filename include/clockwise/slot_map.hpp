// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_SLOT_MAP_HPP
#define CLOCKWISE_SLOT_MAP_HPP

// Fixed logical shards: a key's slot never changes, and a table says which node owns each slot.
//
//   clockwise::SlotMap map({"a", "b", "c"}, {.slots = 1024});   // 342, 341 and 341 slots
//   map.add("d");                                               // takes 256; no others move
//   map.lookup("user:42");
//
// Compared with a ring: as even as possible, and one slot can be moved, watched and held back; but
// the table depends on its history, so it must be stored and distributed. It needs a control plane.

#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <numeric>           // iota
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/moving_slots.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/scheme/slot_dealing.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

// Qt has a macro `slots`. It is back after this header.
#pragma push_macro("slots")
#undef slots

namespace clockwise {

/// Chosen once: another number of slots changes the placement of every key.
struct SlotMapOptions {
  std::uint32_t slots = 1024;  ///< 1 to 2^20; about 100 per node, so one more matters little.
};

/// The state of a slot at one node.
enum class SlotState : unsigned char {
  stable,     ///< Not moving, or this node is not involved.
  migrating,  ///< This node owns it, and it is moving away.
  importing,  ///< It is moving to this node, which does not own it yet.
};

/// A request for a key of a slot, as seen by the node that receives it.
struct SlotRequest {
  bool key_present = true;  ///< The node holds the key, which matters while the slot migrates.
  bool asking = false;      ///< It follows an `ask`, which opens a slot that is being imported.
};

/// What a node must do with a request.
template <class Node>
struct SlotAnswer {
  enum class Kind : unsigned char {
    serve,  ///< Serve it here.
    ask,    ///< The key has moved before its slot: send this request to `node`, as asking.
    moved,  ///< Send this and all further requests for the slot to `node`, its owner.
  };
  Kind kind = Kind::serve;
  const Node* node = nullptr;
};

/// A slot that changes its owner.
template <class Node>
struct SlotMove {
  std::uint32_t slot;
  Node from;
  Node to;
};

namespace detail {

/// The tables of a slot map.
template <std::unsigned_integral Index>
struct SlotPlacement {
  RingTable<Index> table;     ///< Owners by slot. Empty if no member owns anything.
  MovingSlots<Index> moving;  ///< Their targets are indices in members().

  std::size_t bytes() const noexcept { return table.bytes() + moving.bytes(); }
};

}  // namespace detail

/// Keys are in slots: slot floor(hash(key) * slots / 2^64), the top bits if slots is a power of
/// two. Slots are arcs of one length, so a slot map supports all queries of a ring: shares,
/// preference lists over racks and datacenters (the owners of the next slots, wrapping, each node
/// once), successors, movement() to another map.
///
/// A change of members gives each its quota, slots * weight / (sum of weights), rounded up or down,
/// with the fewest moves: a member's excess slots, spread over its slots, go to members that lack
/// some. With equal weights, the numbers of slots differ by at most one. The new table is a
/// function of the old one and the change, the same on every platform; the table itself is state
/// that programs must share.
///
///   std::invalid_argument  slots of 0 or above 2^20, an empty id, an id that is already a member,
///                          a weight that is negative, NaN or infinite, assign_all of more or fewer
///                          owners than slots, migrate() of a slot to its owner
///   std::length_error      more members than Index can number
///   std::out_of_range      an id that is not a member, a slot that does not exist or has no owner,
///                          lookup or arc_of if nothing is owned
///
/// lookup: O(1). Mutators: O(slots + N log N), all or nothing. Thread safety: that of a standard
/// container. A model of Partitioner and Ring.
template <HashFunction Hash, class Node, std::unsigned_integral Index>
class SlotMap : public detail::RingBase<SlotMap<Hash, Node, Index>, Node, Index, BucketIndex,
                                        detail::NoExtra, detail::SlotPlacement<Index>>,
                public detail::Hashed<Hash> {
  using Base = detail::RingBase<SlotMap, Node, Index, BucketIndex, detail::NoExtra,
                                detail::SlotPlacement<Index>>;
  static_assert(std::copy_constructible<Node>, "clockwise: Node must be copyable");

 public:
  SlotMap() = default;
  explicit SlotMap(SlotMapOptions options, Hash policy = {})
      : detail::Hashed<Hash>(std::move(policy)), options_(checked(options)) {}
  SlotMap(std::initializer_list<Entry<Node>> entries, SlotMapOptions options = {}, Hash policy = {})
      : SlotMap(options, std::move(policy)) {
    add_all(entries);
  }
  /// Nodes as literals, numbers of any integer type or structures in braces.
  SlotMap(std::initializer_list<Node> nodes, SlotMapOptions options = {}, Hash policy = {})
    requires(!detail::Text<Node>)
      : SlotMap(options, std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit SlotMap(Entries&& entries, SlotMapOptions options = {}, Hash policy = {})
      : SlotMap(options, std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes, its arc -------------------

  using Base::arc_of;
  using Base::lookup;
  using Base::npos;
  using Base::try_lookup;
  using Base::SurfaceType::lookup_batch;
  using detail::Hashed<Hash>::position_of;

  /// Returns the owner's index in members(), npos if no member owns anything. Costs one
  /// multiplication and one read.
  Index lookup_index(Position position) const noexcept {
    return owners().empty() ? npos : owners()[slot_at(position)];
  }

  // --- Slots: of a key, and the owner and replicas of each ---------------------------------------

  std::uint32_t slot_count() const noexcept { return options_.slots; }
  template <class Key>
  std::uint32_t slot_of(const Key& key) const noexcept {
    return slot_at(position_of(key));
  }
  /// Returns the owner of a slot. The whole table is owners(): by slot, indices into members().
  const Node& owner_of(std::uint32_t slot) const& { return node(owner_index(slot, "owner_of")); }
  const Node& owner_of(std::uint32_t slot) const&& = delete;  // it would refer to nothing
  /// Returns the preference list of a key in the slot.
  ReplicaList<Node> replicas_of(std::uint32_t slot, const Replication& replication) const& {
    check_slot(slot);
    return preference_list(Position{last_position(slot)}, replication);
  }
  void replicas_of(std::uint32_t,  // it would refer to nothing
                   const Replication&) const&& = delete;

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes; every node, lazily -------

  using Base::default_spread;
  using Base::preference_list;
  using Base::successors;

  // --- Shares: of the key space, as doubles or exactly -------------------------------------------

  using Base::load_shares;
  using Base::widths;

  // --- Members and positions: vnodes are slots, each at its last position ------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::owners;
  using Base::positions;
  using Base::size;
  using Base::vnode_count;

  // --- Changes of members: quotas are restored with the fewest moves -----------------------------
  //
  // Fewer slots move in one update() than one by one, and a member that is removed and added again
  // in one keeps its slots. With weight 0 a member gets no slot, but slots can be assigned or
  // migrated to it.

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, SlotMap, Node> {
    using detail::Edit<Edit, SlotMap, Node>::Edit;
  };

  // --- Changes of owners, which last until a member joins, leaves or gets another weight ---------

  /// Makes the node the slot's owner and ends the slot's migration.
  template <class Id>
  void assign(std::uint32_t slot, const Id& id) {
    const Index to = present(id, "assign");
    (void)owner_index(slot, "assign");
    std::vector<Index> next(owners().begin(), owners().end());
    next[slot] = to;
    adopt_owners(next);
  }
  /// Replaces the whole table by the owner of each slot, as a node or an id.
  template <IdRange Owners>
  void assign_all(Owners&& ids) {  // not const: reading a single-pass range can change it
    std::vector<Index> next;
    for (const auto& id : ids) next.push_back(present(id, "assign_all"));
    if (next.size() != slot_count()) {
      detail::fail_invalid("assign_all: " + std::to_string(next.size()) + " owners for " +
                           std::to_string(slot_count()) + " slots");
    }
    adopt_owners(next);
  }

  // --- Migration, slot by slot -------------------------------------------------------------------

  /// Starts to move the slot to `to`; its owner stays until assign(slot, to). If the slot is
  /// already moving, it gets a new target.
  template <class Id>
  void migrate(std::uint32_t slot, const Id& to) {
    const Index target = present(to, "migrate");
    if (owner_index(slot, "migrate") == target) {
      detail::fail_invalid("migrate: " + detail::quoted(std::string_view(detail::id_of(to))) +
                           " already owns slot " + std::to_string(slot));
    }
    this->placement_in_place().moving.start(slot, target);
  }
  /// Cancels a migration; returns false if the slot is not moving.
  bool cancel(std::uint32_t slot) noexcept {
    return slot < slot_count() && this->placement_in_place().moving.stop(slot, slot) > 0;
  }
  /// Returns the node that the slot is moving to; nullptr if it is not moving. O(log S) for S
  /// moving slots.
  const Node* migrating_to(std::uint32_t slot) const& noexcept {
    const Index* const target = this->placement().moving.target_of(slot);
    return target == nullptr ? nullptr : &node(*target);
  }
  const Node* migrating_to(std::uint32_t slot) const&& = delete;  // it would refer to nothing
  /// Returns the number of moving slots.
  std::size_t migrations() const noexcept { return this->placement().moving.size(); }

  /// Returns the state of the slot at a member.
  template <class Id>
  SlotState state(std::uint32_t slot, const Id& at) const {
    return state_at(slot, present(at, "state"), owner_index(slot, "state"));
  }

  /// Returns what a member must do with a request for a key of the slot, including new keys.
  ///
  ///   stable     its owner serves, every other member sends to the owner
  ///   migrating  the owner serves the keys it still has, and sends others to the target (`ask`)
  ///   importing  the target serves requests that ask, and sends others to the owner
  template <class Id>
  SlotAnswer<Node> answer(const Id& at, std::uint32_t slot, SlotRequest request) const& {
    using Kind = typename SlotAnswer<Node>::Kind;
    const Index here = present(at, "answer");
    const Index owner = owner_index(slot, "answer");
    const SlotState state = state_at(slot, here, owner);
    if (state == SlotState::importing && request.asking) return {Kind::serve, nullptr};
    if (owner != here) return {Kind::moved, &node(owner)};
    if (state == SlotState::migrating && !request.key_present) {
      return {Kind::ask, migrating_to(slot)};
    }
    return {Kind::serve, nullptr};
  }
  template <class Id>
  void answer(const Id&, std::uint32_t,  // it would refer to nothing
              SlotRequest) const&& = delete;

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;
  SlotMapOptions options() const noexcept { return options_; }

  /// Returns 128 bits that are equal if and only if hash policy (seed included), slots, members
  /// (id, weight, rack, datacenter) and the table are equal; migrations do not count. The same on
  /// every platform. O(slots + N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise slot map, version 1");
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append(std::uint64_t{slot_count()});
    bytes.append_members(members());
    for (const Index owner : owners()) bytes.append(std::uint64_t{owner});
    return bytes.digest();
  }

  /// The same placement: hash policy, slots, ids, racks, datacenters and the table are equal, so
  /// every key has the same owner and the same preference list on both. Weights and migrations do
  /// not count. O(slots + N).
  friend bool operator==(const SlotMap& a, const SlotMap& b) {
    return a.slot_count() == b.slot_count() && a.places_like(b);
  }

 private:
  friend typename Base::SurfaceType;
  using Table = typename Base::Table;

  static SlotMapOptions checked(SlotMapOptions options) {
    if (options.slots == 0 || options.slots > std::uint32_t{1} << 20) {
      detail::fail_invalid("slots must be between 1 and 1048576, got " +
                           std::to_string(options.slots));
    }
    return options;
  }
  void check_slot(std::uint32_t slot) const {
    if (slot >= slot_count()) {
      detail::fail_range("slot must be at most " + std::to_string(slot_count() - 1) + ", got " +
                         std::to_string(slot));
    }
  }
  Index owner_index(std::uint32_t slot, const char* caller) const {
    check_slot(slot);
    if (owners().empty()) {
      detail::fail_range(std::string(caller) + ": slot " + std::to_string(slot) + " has no owner");
    }
    return owners()[slot];
  }
  template <class Id>
  Index present(const Id& id, const char* caller) const {
    const Index index = index_of(id);
    if (index == npos) detail::fail_not_a_member(caller, detail::id_of(id));
    return index;
  }

  std::uint32_t slot_at(Position position) const noexcept {
    return static_cast<std::uint32_t>(
        detail::multiply_high(static_cast<std::uint64_t>(position), slot_count()));
  }
  /// Returns floor(((slot + 1) * 2^64 - 1) / slots), where 2^64 = quotient * slots + rest.
  std::uint64_t last_position(std::uint32_t slot) const noexcept {
    const std::uint64_t slots = slot_count();
    const std::uint64_t quotient = ~std::uint64_t{0} / slots;
    const std::uint64_t rest = ~std::uint64_t{0} % slots + 1;
    const std::uint64_t end = std::uint64_t{slot} + 1;
    return end * quotient + (end * rest - 1) / slots;
  }

  SlotState state_at(std::uint32_t slot, Index here, Index owner) const noexcept {
    const Node* const target = migrating_to(slot);
    if (target == nullptr) return SlotState::stable;
    if (owner == here) return SlotState::migrating;
    return target == &node(here) ? SlotState::importing : SlotState::stable;
  }

  // --- A change of owners ------------------------------------------------------------------------

  detail::SlotPlacement<Index> placement_after(typename Base::Change& change) const {
    const std::vector<Index> before = renumbered_owners(change.renumber);
    std::vector<Index> after = before;
    if (changes_quotas(change)) {
      std::vector<double> weights;
      weights.reserve(change.members.size());
      for (const auto* row : change.members) weights.push_back(row->weight);
      detail::deal_slots(after, weights);
    }
    change.vnodes = detail::slots_held(after, change.members.size());
    return placement_of(before, after, change.renumber);
  }

  /// Whether a member joins, leaves or has another weight. Other changes of a member move no slot.
  static bool changes_quotas(const typename Base::Change& change) {
    for (const auto& step : change.steps) {
      if ((step.before == nullptr) != (step.after == nullptr)) return true;
      if (step.before != nullptr && step.before->weight != step.after->member.weight) return true;
    }
    return false;
  }

  void adopt_owners(const std::vector<Index>& after) {
    detail::PlainVector<Index> renumber(size());
    std::iota(renumber.begin(), renumber.end(), Index{0});
    this->adopt(placement_of(renumbered_owners(renumber), after, renumber),
                detail::slots_held(after, size()));
  }

  /// Returns the current table in new indices; npos if a slot has no owner, or its owner leaves.
  std::vector<Index> renumbered_owners(const detail::PlainVector<Index>& renumber) const {
    std::vector<Index> result(slot_count(), npos);
    for (std::size_t slot = 0; slot < owners().size(); ++slot) {
      result[slot] = renumber[owners()[slot]];
    }
    return result;
  }

  /// Returns the table in which `after` follows `before`, and the slots that are still moving.
  detail::SlotPlacement<Index> placement_of(const std::vector<Index>& before,
                                            const std::vector<Index>& after,
                                            const detail::PlainVector<Index>& renumber) const {
    typename Table::Change slots;
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
      if (before[slot] == after[slot] && after[slot] != npos) continue;
      const std::uint64_t position = last_position(slot);
      if (!owners().empty()) slots.dropped.push_back({position, owners()[slot]});
      if (after[slot] != npos) slots.added.push_back({position, after[slot]});
    }
    slots.renumber = renumber;
    detail::SlotPlacement<Index> result{this->table().after(std::move(slots)), {}};
    for (const auto& move : this->placement().moving) {
      const Index target = renumber[move.target];
      const Index owner = after[move.slot];
      if (target != npos && target != owner && owner != npos && before[move.slot] == owner) {
        result.moving.start(move.slot, target);
      }
    }
    return result;
  }

  SlotMapOptions options_;
};

// SlotMap map({"a", "b"}), map({{"a", 2}, {"b", 1}}) and map(range) are maps of text.
SlotMap(std::initializer_list<const char*>, SlotMapOptions = {}) -> SlotMap<>;
template <HashFunction Hash>
SlotMap(std::initializer_list<const char*>, SlotMapOptions, Hash) -> SlotMap<Hash>;
SlotMap(std::initializer_list<Entry<std::string>>, SlotMapOptions = {}) -> SlotMap<>;
template <HashFunction Hash>
SlotMap(std::initializer_list<Entry<std::string>>, SlotMapOptions, Hash) -> SlotMap<Hash>;
SlotMap(SlotMapOptions) -> SlotMap<>;
template <HashFunction Hash>
SlotMap(SlotMapOptions, Hash) -> SlotMap<Hash>;
template <class Entries>
SlotMap(Entries&& entries, SlotMapOptions = {}) -> SlotMap<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
SlotMap(Entries&& entries, SlotMapOptions, Hash) -> SlotMap<Hash, entry_node_t<Entries>>;

/// Returns the slots whose owners differ, ascending: the slots that a control plane migrates one by
/// one from `before` to `after`. Throws std::invalid_argument if the slot counts differ.
template <HashFunction Hash, class Node, std::unsigned_integral Index>
std::vector<SlotMove<Node>> slot_moves(const SlotMap<Hash, Node, Index>& before,
                                       const SlotMap<Hash, Node, Index>& after) {
  if (before.slot_count() != after.slot_count()) {
    detail::fail_invalid("slot_moves: slot counts differ, " + std::to_string(before.slot_count()) +
                         " and " + std::to_string(after.slot_count()));
  }
  std::vector<SlotMove<Node>> moves;
  if (before.owners().empty() || after.owners().empty()) return moves;
  for (std::uint32_t slot = 0; slot < before.slot_count(); ++slot) {
    const Node& from = before.owner_of(slot);
    const Node& to = after.owner_of(slot);
    if (!detail::same_id(from, to)) moves.push_back({slot, from, to});
  }
  return moves;
}

}  // namespace clockwise

#pragma pop_macro("slots")

#endif  // CLOCKWISE_SLOT_MAP_HPP
