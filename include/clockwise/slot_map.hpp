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

#include <algorithm>         // lower_bound, make_heap, pop_heap, push_heap, sort
#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // ptrdiff_t, size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <type_traits>       // is_arithmetic_v
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// Chosen once: another number of slots changes the placement of every key.
struct SlotMapOptions {
  std::uint32_t slots = 1024;  ///< 1 to 2^20; about 100 per node, so that one more matters little.
};

/// The state of a slot at one node.
enum class SlotState : unsigned char {
  stable,     ///< Not moving, or this node is not involved.
  migrating,  ///< This node owns it, and it is moving away.
  importing,  ///< It is moving to this node, which does not own it yet.
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

/// Keys are in slots: slot floor(hash(key) * slots / 2^64), the top bits if slots is a power of
/// two. Slots are arcs of one length, so a slot map supports all queries of a ring: shares,
/// preference lists over racks and datacenters (the owners of the slots that follow, wrapping, each
/// node once), successors, movement() to another map.
///
/// A change of members gives each its quota, slots * weight / (sum of weights), rounded up or down,
/// with the fewest moves: a member's excess slots, spread over its own, go to members that lack
/// some. With equal weights, the numbers of slots differ by at most one. The new table is a
/// function of the old one and the change, the same on every platform; the table itself is state
/// that programs must share.
///
///   std::invalid_argument  slots of 0 or above 2^20, an empty id, an id that is already a member,
///                          a weight that is negative, NaN or infinite, assign_all of more or fewer
///                          owners than slots, migrate() of a slot to its owner
///   std::length_error      more members than Index can number
///   std::out_of_range      an id that is not a member, a slot that does not exist or has no owner,
///                          lookup if nothing is owned
///
/// lookup: O(1). Mutators: O(slots + N log N), all or nothing. Thread safety: that of a standard
/// container. A model of Partitioner.
template <HashFunction Hash, class Node, std::unsigned_integral Index>
class SlotMap : public detail::RingBase<SlotMap<Hash, Node, Index>, Node, Index> {
  using Base = detail::RingBase<SlotMap, Node, Index>;
  using Table = detail::RingTable<Index>;
  static_assert(std::copy_constructible<Node>, "clockwise: Node must be copyable");

 public:
  using hash_type = Hash;
  using Base::npos;
  using Base::size;

  SlotMap() = default;
  explicit SlotMap(SlotMapOptions options, Hash hash = {})
      : hash_(std::move(hash)), options_(checked(options)) {}
  SlotMap(std::initializer_list<Node> nodes, SlotMapOptions options = {}, Hash hash = {})
      : SlotMap(options, std::move(hash)) {
    add_all(nodes);
  }

  // --- Slots ------------------------------------------------------------------------------------

  std::uint32_t slot_count() const noexcept { return options_.slots; }
  template <class Key>
  std::uint32_t slot_of(const Key& key) const noexcept {
    return slot_at(position_of(key));
  }
  /// Returns the owner of a slot. The whole table is owners(): by slot, indices into members().
  const Node& owner_of(std::uint32_t slot) const {
    return this->node(owner_index(slot, "owner_of"));
  }
  /// Costs one multiplication and one read.
  Index lookup_index(Position position) const noexcept {
    return this->table_.empty() ? npos : this->table_.owners()[slot_at(position)];
  }
  /// Returns the preference list of a key in the slot.
  ReplicaList<Node> replicas_of(std::uint32_t slot, std::size_t r) const {
    check(slot);
    return this->preference_list(Position{last_position(slot)}, r);
  }

  // --- Membership -------------------------------------------------------------------------------

  void add(Node node) { add(std::move(node), NodeOptions{}); }
  template <class Weight>
    requires std::is_arithmetic_v<Weight>
  void add(Node node, Weight weight) {
    add(std::move(node), NodeOptions{static_cast<double>(weight), {}, {}});
  }
  /// Adds a node. With weight 0 it gets no slot, but slots can be assigned or migrated to it.
  void add(Node node, const NodeOptions& options) {
    const std::pair<Node, NodeOptions> one(std::move(node), options);
    add_all(std::span(&one, 1));
  }

  /// Adds nodes, or pairs of a node and its NodeOptions, in one change: fewer slots move than one
  /// by one.
  template <class Nodes>
  void add_all(const Nodes& nodes) {
    Plan plan(*this);
    for (const auto& node : nodes) {
      if constexpr (requires { plan.add(node.first, node.second); }) {
        plan.add(node.first, node.second);
      } else {
        plan.add(Node(node), NodeOptions{});
      }
    }
    apply(std::move(plan));
  }

  /// Removes a node; returns false if absent. Its slots go to members that then lack some.
  template <class Id>
  bool remove(const Id& id) {
    const Index index = this->index_of(id);
    if (index == npos) return false;
    Plan plan(*this);
    plan.members.erase(plan.members.begin() + index);
    plan.former.erase(plan.former.begin() + index);
    apply(std::move(plan));
    return true;
  }

  /// Sets a member's weight; 0 drains it.
  template <class Id>
  void set_weight(const Id& id, double weight) {
    const Index index = present(id, "set_weight");
    Plan plan(*this);
    plan.members[index].weight = detail::checked_weight(detail::id_of(id), weight);
    apply(std::move(plan));
  }

  /// Makes the node the slot's owner and ends the slot's migration. The next change of members
  /// restores quotas.
  template <class Id>
  void assign(std::uint32_t slot, const Id& id) {
    const Index to = present(id, "assign");
    (void)owner_index(slot, "assign");
    std::vector<Index> owners(this->owners().begin(), this->owners().end());
    owners[slot] = to;
    adopt(Plan(*this), owners);
  }
  /// Replaces the whole table by the owner of each slot, as a node or an id.
  template <class Owners>
  void assign_all(const Owners& ids) {
    std::vector<Index> owners;
    for (const auto& id : ids) owners.push_back(present(id, "assign_all"));
    if (owners.size() != slot_count()) {
      detail::fail_invalid("assign_all: " + std::to_string(owners.size()) + " owners for " +
                           std::to_string(slot_count()) + " slots");
    }
    adopt(Plan(*this), owners);
  }

  // --- Migration, slot by slot ------------------------------------------------------------------

  /// Starts to move the slot to `to`; its owner stays until assign(slot, to). If already moving, it
  /// gets a new target.
  template <class Id>
  void migrate(std::uint32_t slot, const Id& to) {
    const Index target = present(to, "migrate");
    if (owner_index(slot, "migrate") == target) {
      detail::fail_invalid("migrate: " + detail::quoted(std::string_view(detail::id_of(to))) +
                           " already owns slot " + std::to_string(slot));
    }
    const auto at = move_of(slot);
    if (at != moves_.end() && at->slot == slot) {
      moves_[static_cast<std::size_t>(at - moves_.begin())].target = target;
    } else {
      moves_.insert(at, {slot, target});
    }
  }
  /// Cancels a migration. False if there is none.
  bool cancel(std::uint32_t slot) {
    const auto at = move_of(slot);
    if (at == moves_.end() || at->slot != slot) return false;
    moves_.erase(at);
    return true;
  }
  /// Where the slot is moving to; nullptr if it is not. O(log S) for S moving slots.
  const Node* migrating_to(std::uint32_t slot) const noexcept {
    const auto at = move_of(slot);
    return at == moves_.end() || at->slot != slot ? nullptr : &this->node(at->target);
  }
  /// The number of moving slots.
  std::size_t migrations() const noexcept { return moves_.size(); }

  /// Returns the state of the slot at a member.
  template <class Id>
  SlotState state(std::uint32_t slot, const Id& at) const {
    const Index index = present(at, "state");
    const Index owner = owner_index(slot, "state");
    const Node* const target = migrating_to(slot);
    if (target == nullptr) return SlotState::stable;
    if (owner == index) return SlotState::migrating;
    return target == &this->node(index) ? SlotState::importing : SlotState::stable;
  }

  /// Returns what a member must do with a request for a key of the slot, including new keys.
  /// `key_present`: whether it holds the key, which matters while the slot migrates. `asking`:
  /// whether the request follows an `ask`, which opens a slot that is being imported.
  ///
  ///   stable     its owner serves, every other member sends to the owner
  ///   migrating  the owner serves the keys it still has, and sends others to the target (`ask`)
  ///   importing  the target serves requests that ask, and sends others to the owner
  template <class Id>
  SlotAnswer<Node> answer(const Id& at, std::uint32_t slot, bool key_present,
                          bool asking = false) const {
    using Kind = typename SlotAnswer<Node>::Kind;
    const SlotState here = state(slot, at);
    const Node& owner = owner_of(slot);
    if (here == SlotState::importing && asking) return {Kind::serve, nullptr};
    if (&owner != &this->node(this->index_of(at))) return {Kind::moved, &owner};
    if (here == SlotState::migrating && !key_present) return {Kind::ask, migrating_to(slot)};
    return {Kind::serve, nullptr};
  }

  // --- Identity ---------------------------------------------------------------------------------

  const SlotMapOptions& options() const noexcept { return options_; }
  const Hash& hash() const noexcept { return hash_; }
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(hash_, key)};
  }
  /// See HashRing::circle: slots are arcs of that circle.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

  /// 128 bits, equal if hash policy (with seed), slots, members (id, weight, rack, datacenter) and
  /// the table are; migrations do not count. The same on every platform. O(slots + N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise slot map, version 1");
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append(std::uint64_t{slot_count()});
    bytes.append_members(this->members_);
    for (const Index owner : this->owners()) bytes.append(std::uint64_t{owner});
    return bytes.digest();
  }

 private:
  struct Move {
    std::uint32_t slot;
    Index target;
  };

  /// The members after the change, and the index each had before: npos for a new one.
  struct Plan {
    explicit Plan(const SlotMap& map) : members(map.members_) {
      former.reserve(members.size());
      for (std::size_t i = 0; i < members.size(); ++i) former.push_back(static_cast<Index>(i));
    }
    void add(Node node, const NodeOptions& options) {
      const std::string id(std::string_view(detail::id_of(node)));
      detail::check_id(id);
      const std::size_t place = detail::place_of(members, id);
      if (place < members.size() &&
          std::string_view(detail::id_of(members[place].node)) == std::string_view(id)) {
        detail::fail_invalid("node " + detail::quoted(id) + " is already a member");
      }
      const double weight = detail::checked_weight(id, options.weight);
      const auto at = static_cast<std::ptrdiff_t>(place);
      members.insert(members.begin() + at,
                     {std::move(node), weight, options.rack, options.datacenter, 0});
      former.insert(former.begin() + at, npos);
    }

    std::vector<Member<Node>> members;
    std::vector<Index> former;
  };

  static SlotMapOptions checked(SlotMapOptions options) {
    if (options.slots == 0 || options.slots > std::uint32_t{1} << 20) {
      detail::fail_invalid("slots must be between 1 and 1048576, got " +
                           std::to_string(options.slots));
    }
    return options;
  }
  void check(std::uint32_t slot) const {
    if (slot >= slot_count()) {
      detail::fail_range("slot must be at most " + std::to_string(slot_count() - 1) + ", got " +
                         std::to_string(slot));
    }
  }
  Index owner_index(std::uint32_t slot, std::string_view what) const {
    check(slot);
    if (this->table_.empty()) {
      detail::fail_range(std::string(what) + ": slot " + std::to_string(slot) + " has no owner");
    }
    return this->table_.owners()[slot];
  }
  template <class Id>
  Index present(const Id& id, std::string_view what) const {
    const Index index = this->index_of(id);
    if (index == npos) {
      detail::fail_range(std::string(what) + ": " +
                         detail::quoted(std::string_view(detail::id_of(id))) + " is not a member");
    }
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
  auto move_of(std::uint32_t slot) const noexcept {
    return std::lower_bound(moves_.begin(), moves_.end(), slot,
                            [](const Move& move, std::uint32_t s) { return move.slot < s; });
  }

  // --- A change of members ----------------------------------------------------------------------

  void apply(Plan plan) {
    if (plan.members.size() > npos) {
      detail::fail_length("the slot map's Index can number up to " + std::to_string(npos) +
                          " members, got " + std::to_string(plan.members.size()));
    }
    std::vector<Index> owners = owners_after(plan);
    adopt(std::move(plan), owners);
  }

  /// Returns the present table in the plan's indices; npos if the owner leaves.
  std::vector<Index> renumbered_owners(const Plan& plan) const {
    std::vector<Index> number(size(), npos);
    for (std::size_t i = 0; i < plan.former.size(); ++i) {
      if (plan.former[i] != npos) number[plan.former[i]] = static_cast<Index>(i);
    }
    std::vector<Index> owners(slot_count(), npos);
    for (std::size_t slot = 0; slot < this->owners().size(); ++slot) {
      owners[slot] = number[this->owners()[slot]];
    }
    return owners;
  }

  /// Returns how many slots each member must own: its quota rounded down, and one more for as many
  /// members as needed. First come members that already hold that one, then those whose quotas lose
  /// most by rounding.
  std::vector<std::uint32_t> targets(const Plan& plan,
                                     const std::vector<std::uint32_t>& held) const {
    std::vector<double> real_weights;
    for (const auto& member : plan.members) real_weights.push_back(member.weight);
    const std::vector<std::uint64_t> weights = detail::integer_weights(real_weights);
    std::uint64_t total = 0;
    for (const std::uint64_t weight : weights) total += weight;
    std::vector<std::uint32_t> target(plan.members.size());
    if (total == 0) return target;

    struct Rounding {
      bool holds_more;
      std::uint64_t rest;
      std::size_t member;
    };
    std::vector<Rounding> roundings;
    std::uint64_t left = slot_count();
    for (std::size_t i = 0; i < target.size(); ++i) {
      const std::uint64_t product = slot_count() * weights[i];
      target[i] = static_cast<std::uint32_t>(product / total);
      left -= target[i];
      if (product % total != 0) roundings.push_back({held[i] > target[i], product % total, i});
    }
    std::sort(roundings.begin(), roundings.end(), [](const Rounding& a, const Rounding& b) {
      if (a.holds_more != b.holds_more) return a.holds_more;
      return a.rest != b.rest ? a.rest > b.rest : a.member < b.member;
    });
    for (std::size_t i = 0; i < left; ++i) ++target[roundings[i].member];
    return target;
  }

  std::vector<Index> owners_after(const Plan& plan) const {
    std::vector<Index> owners = renumbered_owners(plan);
    std::vector<std::uint32_t> held(plan.members.size());
    for (const Index owner : owners) {
      if (owner != npos) ++held[owner];
    }
    const std::vector<std::uint32_t> target = targets(plan, held);

    // Of h slots a member gives away e, evenly: those where (number among them) * e / h steps up.
    std::vector<std::uint64_t> met(plan.members.size());
    for (Index& owner : owners) {
      if (owner == npos) continue;
      const std::uint64_t h = held[owner];
      const std::uint64_t e = h > target[owner] ? h - target[owner] : 0;
      const std::uint64_t number = met[owner]++;
      if ((number + 1) * e / h > number * e / h) owner = npos;
    }
    deal(owners, held, target);
    return owners;
  }

  /// Deals slots without an owner to members that lack some, as evenly spread as possible: a taker
  /// that lacks d is due its k-th at (2k + 1) / 2d of the way.
  static void deal(std::vector<Index>& owners, const std::vector<std::uint32_t>& held,
                   const std::vector<std::uint32_t>& target) {
    struct Taker {
      std::uint64_t due;
      std::uint64_t lacks;
      std::size_t member;
    };
    const auto later = [](const Taker& a, const Taker& b) {
      const std::uint64_t left = a.due * b.lacks;
      const std::uint64_t right = b.due * a.lacks;
      return left != right ? left > right : a.member > b.member;
    };
    std::vector<Taker> takers;
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] > held[i]) takers.push_back({1, target[i] - held[i], i});
    }
    std::make_heap(takers.begin(), takers.end(), later);
    for (Index& owner : owners) {
      if (owner != npos || takers.empty()) continue;
      std::pop_heap(takers.begin(), takers.end(), later);
      Taker& taker = takers.back();
      owner = static_cast<Index>(taker.member);
      taker.due += 2;
      if (taker.due > 2 * taker.lacks) {
        takers.pop_back();
      } else {
        std::push_heap(takers.begin(), takers.end(), later);
      }
    }
  }

  /// Everything that can fail works on copies; the map itself changes in the last lines.
  void adopt(Plan plan, const std::vector<Index>& owners) {
    const std::vector<Index> before = renumbered_owners(plan);
    typename Table::Change change;
    change.renumber.assign(size(), npos);
    for (std::size_t i = 0; i < plan.former.size(); ++i) {
      if (plan.former[i] != npos) change.renumber[plan.former[i]] = static_cast<Index>(i);
    }
    for (auto& member : plan.members) member.vnodes = 0;
    const bool had_owners = !this->table_.empty();
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
      const Index owner = owners[slot];
      if (owner != npos) ++plan.members[owner].vnodes;
      if (had_owners && before[slot] == owner && owner != npos) continue;
      const std::uint64_t position = last_position(slot);
      if (had_owners) change.dropped.push_back({position, this->owners()[slot]});
      if (owner != npos) change.added.push_back({position, owner});
    }
    Table table = this->table_.after(change);
    std::vector<const Member<Node>*> rows;
    for (const auto& member : plan.members) rows.push_back(&member);
    detail::Topology topology(rows);
    std::vector<Move> moves;
    for (const Move& move : moves_) {
      const Index target = change.renumber[move.target];
      if (target != npos && before[move.slot] == owners[move.slot] && owners[move.slot] != target) {
        moves.push_back({move.slot, target});
      }
    }

    this->members_ = std::move(plan.members);
    this->table_ = std::move(table);
    this->topology_ = std::move(topology);
    moves_ = std::move(moves);
  }

  [[no_unique_address]] Hash hash_{};
  SlotMapOptions options_;
  std::vector<Move> moves_;  // by slot
};

SlotMap(std::initializer_list<const char*>, SlotMapOptions = {})
    -> SlotMap<Xxh3, std::string, std::uint16_t>;
SlotMap(SlotMapOptions) -> SlotMap<Xxh3, std::string, std::uint16_t>;

/// Returns the slots whose owners differ, ascending: what a control plane migrates one by one from
/// `before` to `after`. Throws std::invalid_argument if the slot counts differ.
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
    const auto from_id = detail::id_of(from);
    const auto to_id = detail::id_of(to);
    if (std::string_view(from_id) != std::string_view(to_id)) moves.push_back({slot, from, to});
  }
  return moves;
}

}  // namespace clockwise

#endif  // CLOCKWISE_SLOT_MAP_HPP
