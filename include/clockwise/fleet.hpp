// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_FLEET_HPP
#define CLOCKWISE_FLEET_HPP

// Which nodes are members, which are up, and which change is pending: the state that decides when a
// ring changes. Dropping a node at each missed heartbeat would move its data each time.
//
//   clockwise::Fleet fleet(ring, {.down_after = 10, .up_after = 30}, now);   // seconds, say
//   fleet.heard("cache-a", now);                       // a sign of life, from any detector
//   for (const auto& event : fleet.check(now)) ...     // nodes that went down or up
//   auto epoch = fleet.join(fleet.epoch(), "cache-d"); // refused if another change came first
//   clockwise::Transition move(fleet.ring(), fleet.target(), 3);
//   epoch = fleet.commit(epoch);                       // when the move is finished
//
// Being down is not leaving. A node that is down keeps its arcs: reads and writes skip it
// (is_live), and nothing moves. Data moves only when a member leaves, which takes an operator or a
// long timeout.

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <map>          // less, map
#include <optional>     // optional
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // forward, move
#include <vector>       // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/node.hpp"

// Apple's <AssertMacros.h> has a macro `check`. It is back after this header.
#pragma push_macro("check")
#undef check

namespace clockwise {

/// A point in time, in the caller's unit and from any start: the fleet has no clock.
using FleetTime = std::uint64_t;
/// A length of time, in the same unit.
using FleetDuration = std::uint64_t;

/// When a member counts as down, as up again, and as overdue to leave.
struct FleetOptions {
  FleetDuration down_after = 10;  ///< Silence after which a member is down; above 0.
  FleetDuration up_after = 30;    ///< How long a down member must be heard without such a silence
                                  ///< to be up again: a flapping node stays down.
  std::optional<FleetDuration> remove_after = {};  ///< How long down until it is overdue().
};

enum class MemberState : unsigned char {
  up,       ///< Owns its arcs.
  down,     ///< Owns its arcs, and is skipped.
  joining,  ///< Will own arcs when the change is committed.
  leaving,  ///< Owns its arcs until the change is committed.
};

/// The members of a ring, or of any partitioner from which any member can be removed, their health,
/// and the pending change of membership.
///
/// The epoch counts changes of ownership. Each names the epoch it is based on, and throws
/// std::invalid_argument if another came first, so two operators never undo each other. Health does
/// not advance it: a flap invalidates no decision.
///
/// Every member function is all or nothing, and a change throws what the ring's change throws.
/// Thread safety: that of a standard container.
template <Partitioner P>
  requires RemovesAny<P>
class Fleet {
 public:
  using ring_type = P;
  using node_type = typename P::node_type;

  struct Event {
    node_type node;
    bool up;  ///< Otherwise it went down.
  };
  struct Row {
    node_type node;
    MemberState state;
    bool up;  ///< As is_live(): also set if joining or leaving.
  };

  /// All members count as heard at `now`. `epoch`: the stored epoch, if a fleet is restored. Throws
  /// std::invalid_argument if down_after is 0.
  explicit Fleet(P ring, FleetOptions options = {}, FleetTime now = 0, std::uint64_t epoch = 1)
      : ring_(std::move(ring)), target_(ring_), options_(options), epoch_(epoch) {
    if (options.down_after == 0) detail::fail_invalid("down_after must be above 0, got 0");
    for (const auto& member : ring_.members()) heard(member.node, now);
  }
  Fleet(const Fleet&) = default;
  Fleet(Fleet&&) noexcept = default;
  Fleet& operator=(Fleet&&) noexcept = default;
  /// All or nothing.
  Fleet& operator=(const Fleet& other) {
    *this = Fleet(other);
    return *this;
  }
  ~Fleet() = default;

  // --- Health ------------------------------------------------------------------------------------

  /// Records a sign of life of `id` at `now`; a late one, with an earlier time, is harmless.
  /// Returns false if `id` is not a member, which is not an error: it can have left. O(log N).
  template <class Id>
  bool heard(const Id& id, FleetTime now) {
    if (!ring_.contains(id) && !target_.contains(id)) return false;
    const auto [entry, is_new] =
        health_.try_emplace(std::string(std::string_view(detail::id_of(id))), Health{now, now, {}});
    Health& health = entry->second;
    if (is_new || now <= health.last) return true;
    if (now - health.last > options_.down_after) health.since = now;
    health.last = now;
    return true;
  }

  /// Updates health from the signs of life up to `now`; returns the members that went down or up.
  /// Call it regularly: health changes only here. O(N).
  std::vector<Event> check(FleetTime now) {
    std::vector<Event> events;
    std::vector<Health*> changing;
    for (auto& [id, health] : health_) {
      const bool silent = elapsed(health.last, now) > options_.down_after;
      const bool was_up = !health.down_since;
      if (silent == was_up && (silent || health.last - health.since >= options_.up_after)) {
        changing.push_back(&health);
        events.push_back({node_of(id), !silent});
      }
    }
    // Nothing below throws, so no event is lost.
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].up) {
        changing[i]->down_since.reset();
      } else {
        changing[i]->down_since = now;
      }
    }
    return events;
  }

  /// Whether `id` is up, as check() last found; also for joining and leaving members. A joiner that
  /// was never heard from is not up.
  template <class Id>
  bool is_live(const Id& id) const {
    const auto entry = health_.find(std::string_view(detail::id_of(id)));
    return entry != health_.end() && !entry->second.down_since;
  }

  /// Returns the predicate for preference_list(key, replication, fleet.live()). Refers to the
  /// fleet.
  auto live() const& {
    return [this](const node_type& node) { return is_live(node); };
  }
  void live() const&& = delete;  // it would refer to nothing

  /// Returns the members that have been down for options().remove_after: a proposal, for leave() or
  /// remove_overdue(). Empty if no such time is set, or if half of ring()'s members or more are not
  /// up (down, or never heard from): then the observer is more likely to be cut off. O(N log N).
  std::vector<node_type> overdue(FleetTime now) const {
    std::vector<node_type> nodes;
    if (!options_.remove_after) return nodes;
    std::size_t live_members = 0;
    for (const auto& member : ring_.members()) {
      const auto entry = health_.find(std::string_view(detail::id_of(member.node)));
      if (entry == health_.end()) continue;  // never heard from
      if (!entry->second.down_since) {
        ++live_members;
      } else if (elapsed(*entry->second.down_since, now) >= *options_.remove_after &&
                 target_.contains(member.node)) {
        nodes.push_back(member.node);
      }
    }
    if (2 * live_members <= ring_.size()) nodes.clear();
    return nodes;
  }

  // --- Ownership ---------------------------------------------------------------------------------

  /// The current owners: includes down and leaving members, not joining ones.
  const P& ring() const& { return ring_; }
  const P& ring() const&& = delete;  // it would refer to nothing
  /// The owners after all pending joins and leaves. Equal to ring() if none are pending.
  const P& target() const& { return target_; }
  const P& target() const&& = delete;  // it would refer to nothing
  std::uint64_t epoch() const { return epoch_; }
  FleetOptions options() const { return options_; }

  /// Makes any change to the target, as its update does: fn(edit) with edit.add, edit.remove and so
  /// on. Returns the new epoch. Adding a leaving member keeps it.
  template <class Fn>
    requires requires(P& target, Fn&& fn) { target.update(std::forward<Fn>(fn)); }
  std::uint64_t change(std::uint64_t epoch, Fn&& fn) {
    return change_target(epoch, [&](P& target) { target.update(std::forward<Fn>(fn)); });
  }

  /// Starts a member's join: an entry, or the arguments of the ring's add. Returns the new epoch.
  /// Throws std::invalid_argument if the node is already a member of the target.
  std::uint64_t join(std::uint64_t epoch, Entry<node_type> entry) {
    return change_target(
        epoch, [&](P& target) { target.add(std::move(entry.node), std::move(entry.options)); });
  }
  template <NodeLike<node_type> N>
  std::uint64_t join(std::uint64_t epoch, N&& node, NodeOptions options) {
    return join(epoch, Entry<node_type>(std::forward<N>(node), std::move(options)));
  }
  template <class... Arguments>
    requires requires(P& target, Arguments&&... arguments) {
      target.add(std::forward<Arguments>(arguments)...);
    }
  std::uint64_t join(std::uint64_t epoch, Arguments&&... arguments) {
    return change_target(epoch,
                         [&](P& target) { target.add(std::forward<Arguments>(arguments)...); });
  }

  /// Starts a member's leave, or cancels its join. The member can be up or down. Returns the new
  /// epoch. Throws std::out_of_range if `id` is not a member or is already leaving.
  template <class Id>
  std::uint64_t leave(std::uint64_t epoch, const Id& id) {
    return change_target(epoch, [&](P& target) {
      if (!target.remove(id)) {
        detail::fail_range("leave: " + detail::quoted(detail::id_of(id)) +
                           " is not a member or is already leaving");
      }
    });
  }

  /// Starts the leave of all overdue(now) members, as one change. Returns the new epoch, or the
  /// current one if none are overdue.
  std::uint64_t remove_overdue(std::uint64_t epoch, FleetTime now) {
    check_epoch(epoch);
    const auto nodes = overdue(now);
    if (nodes.empty()) return epoch_;
    return change(epoch, [&](auto& edit) {
      for (const node_type& node : nodes) edit.remove(node);
    });
  }

  /// Makes the target the ring. Call it once the data has moved. Returns the new epoch.
  std::uint64_t commit(std::uint64_t epoch) {
    check_epoch(epoch);
    P ring = target_;
    const Forgotten forgotten = forgotten_by(ring, target_);
    ring_ = std::move(ring);
    return changed(forgotten);
  }

  /// Abandons the change: joiners are dropped and leavers stay. Returns the new epoch.
  std::uint64_t rollback(std::uint64_t epoch) {
    return change_target(epoch, [&](P& target) { target = ring_; });
  }

  // --- Members -----------------------------------------------------------------------------------

  /// Returns the state of `id`. Throws std::out_of_range if it is not a member. O(log N).
  template <class Id>
  MemberState state(const Id& id) const {
    const bool owns = ring_.contains(id);
    const bool will_own = target_.contains(id);
    if (owns && will_own) return is_live(id) ? MemberState::up : MemberState::down;
    if (!owns && !will_own) {
      detail::fail_range("state: " + detail::quoted(detail::id_of(id)) + " is not a member");
    }
    return owns ? MemberState::leaving : MemberState::joining;
  }

  /// Returns all members: those of the target in id order, then the leaving ones. O(N log N).
  std::vector<Row> members() const {
    std::vector<Row> rows;
    const auto add = [&](const node_type& node) {
      rows.push_back({node, state(node), is_live(node)});
    };
    for (const auto& member : target_.members()) add(member.node);
    for (const auto& member : ring_.members()) {
      if (!target_.contains(member.node)) add(member.node);
    }
    return rows;
  }

 private:
  struct Health {
    FleetTime last;   // the latest sign of life
    FleetTime since;  // the earliest sign with no silence above down_after between it and `last`
    std::optional<FleetTime> down_since;  // as check() found
  };
  using HealthById = std::map<std::string, Health, std::less<>>;
  using Forgotten = std::vector<typename HealthById::iterator>;

  static FleetDuration elapsed(FleetTime then, FleetTime now) {
    return now > then ? now - then : 0;
  }

  void check_epoch(std::uint64_t epoch) const {
    if (epoch != epoch_) {
      detail::fail_invalid("the change is for epoch " + std::to_string(epoch) +
                           "; the fleet is at epoch " + std::to_string(epoch_));
    }
  }

  const node_type& node_of(std::string_view id) const {
    const P& holder = target_.contains(id) ? target_ : ring_;
    return holder.members()[holder.index_of(id)].node;
  }

  /// Makes a copy of the target, changed by change(copy), the target. Returns the new epoch.
  template <class Change>
  std::uint64_t change_target(std::uint64_t epoch, Change change) {
    check_epoch(epoch);
    P target = target_;
    change(target);
    const Forgotten forgotten = forgotten_by(ring_, target);
    target_ = std::move(target);
    return changed(forgotten);
  }

  /// Returns the health of nodes that are in neither ring.
  Forgotten forgotten_by(const P& ring, const P& target) {
    Forgotten forgotten;
    for (auto entry = health_.begin(); entry != health_.end(); ++entry) {
      if (!ring.contains(entry->first) && !target.contains(entry->first)) {
        forgotten.push_back(entry);
      }
    }
    return forgotten;
  }

  /// Returns the new epoch.
  std::uint64_t changed(const Forgotten& forgotten) noexcept {
    for (const auto entry : forgotten) health_.erase(entry);
    return ++epoch_;
  }

  P ring_;
  P target_;
  FleetOptions options_;
  std::uint64_t epoch_;
  HealthById health_;
};

}  // namespace clockwise

#pragma pop_macro("check")

#endif  // CLOCKWISE_FLEET_HPP
