// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_FLEET_HPP
#define CLOCKWISE_FLEET_HPP

// Who is in the fleet, who is up, and which change is under way: the state that decides when a ring
// changes. A ring that drops a node whenever it misses a heartbeat moves its data twice an hour.
//
//   clockwise::Fleet fleet(ring, {.down_after = 10, .up_after = 30}, now);   // seconds, say
//   fleet.heard("cache-a", now);                       // a sign of life, from any detector
//   for (const auto& event : fleet.check(now)) ...     // who went down, or came up again
//   auto epoch = fleet.join(fleet.epoch(), "cache-d"); // refused where another change came first
//   clockwise::Transition move(fleet.ring(), fleet.target(), 3);
//   epoch = fleet.commit(epoch);                       // when the move is finished
//
// Being down and having left are two things. A node that is down keeps its arcs: reads and writes
// pass it over (is_live) and nothing moves. Data moves only when a member leaves, and that takes an
// operator or a long timeout.

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <functional>   // less
#include <map>          // erase_if, map
#include <optional>     // optional
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // forward, move
#include <vector>       // vector

#include "clockwise/detail/error.hpp"
#include "clockwise/detail/node_id.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// A point in time, or a length of it, in a unit of the caller's: the fleet has no clock.
using FleetTime = std::uint64_t;

/// When a member counts as down, as up again, and as gone. One unit of time throughout.
struct FleetOptions {
  FleetTime down_after = 10;  ///< Silence after which a member is down; above 0.
  FleetTime up_after = 30;    ///< How long one that was down is heard without such a silence before
                              ///< it is up again, so that a flapping node stays down.
  std::optional<FleetTime> remove_after = {};  ///< How long one is down before it is overdue().
};

enum class MemberState : unsigned char {
  up,       ///< Owns its arcs.
  down,     ///< Owns its arcs, and is passed over.
  joining,  ///< Will own arcs when the change is committed.
  leaving,  ///< Owns its arcs until then.
};

/// The members of a ring, their health, and a change of them that is under way.
///
/// The epoch counts changes of ownership: each says upon which epoch it was decided, and is refused
/// with std::invalid_argument where another came first, so that two operators never undo each
/// other. Health is no part of it: a flap does not invalidate a decision.
///
/// Every change is all or nothing, and throws what the ring's own change does. Thread-safety: that
/// of a standard container.
template <class Ring>
class Fleet {
 public:
  using ring_type = Ring;
  using node_type = typename Ring::node_type;

  struct Event {
    node_type node;
    bool up;  ///< Else down.
  };
  struct Row {
    node_type node;
    MemberState state;
    bool live;  ///< Also of those that join or leave.
  };

  /// All members count as heard at `now`. `epoch`: where a fleet is restored from what was stored.
  /// Throws std::invalid_argument for a down_after of 0.
  explicit Fleet(Ring ring, FleetOptions options = {}, FleetTime now = 0, std::uint64_t epoch = 1)
      : ring_(std::move(ring)), target_(ring_), options_(options), epoch_(epoch) {
    if (options.down_after == 0) detail::fail_invalid("a fleet's down_after is 0");
    for (const auto& member : ring_.members()) heard(member.node, now);
  }

  // --- Health -----------------------------------------------------------------------------------

  /// A sign of life of `id` at `now`; one that comes late, with an earlier time, does no harm.
  /// False for one that is no member, which is not an error: it may have left since. O(log N).
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

  /// Judges everyone by what was heard up to `now`: who is down now and was not, and the reverse.
  /// Call it from time to time: nobody's state changes between. O(N).
  std::vector<Event> check(FleetTime now) {
    std::vector<Event> events;
    for (auto& [id, health] : health_) {
      const bool silent = elapsed(health.last, now) > options_.down_after;
      const bool was_up = !health.down_since;
      if (silent == was_up && (silent || health.last - health.since >= options_.up_after)) {
        if (silent) {
          health.down_since = now;
        } else {
          health.down_since.reset();
        }
        events.push_back({node_of(id), !silent});
      }
    }
    return events;
  }

  /// Whether `id` is up, as check() last found: also of members that join or leave. A joiner that
  /// was never heard of is not.
  template <class Id>
  bool is_live(const Id& id) const {
    const auto entry = health_.find(std::string_view(detail::id_of(id)));
    return entry != health_.end() && !entry->second.down_since;
  }

  /// The predicate for preference_list(key, r, spread, fleet.live()). Refers to the fleet.
  auto live() const {
    return [this](const node_type& node) { return is_live(node); };
  }

  /// Members that have been down for options().remove_after, a proposal: give them to leave(), or
  /// call remove_overdue(). Nobody is where no such time is set, or where half of the members or
  /// more are down: then it is more likely the observer who is cut off. O(N log N).
  std::vector<node_type> overdue(FleetTime now) const {
    std::vector<node_type> nodes;
    if (!options_.remove_after) return nodes;
    std::size_t live_members = 0;
    for (const auto& member : ring_.members()) {
      const auto entry = health_.find(std::string_view(detail::id_of(member.node)));
      if (entry == health_.end()) continue;  // never heard of
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

  // --- Ownership --------------------------------------------------------------------------------

  /// The owners there are: members that are down or leaving included, joiners not.
  const Ring& ring() const { return ring_; }
  /// The owners there will be, after all joins and leaves under way. Equal to ring() where there
  /// are none.
  const Ring& target() const { return target_; }
  std::uint64_t epoch() const { return epoch_; }
  const FleetOptions& options() const { return options_; }

  /// Any change of the target, as Ring::update: fn(edit) with edit.add, edit.remove and so on.
  /// Gives the new epoch. Adding a member that leaves keeps it.
  template <class Fn>
  std::uint64_t change(std::uint64_t epoch, Fn&& fn) {
    check_epoch(epoch);
    target_.update(std::forward<Fn>(fn));
    return changed();
  }

  /// `args` as the ring's add takes them, the node first. Throws std::invalid_argument for one that
  /// is a member already.
  template <class... Args>
  std::uint64_t join(std::uint64_t epoch, Args&&... args) {
    check_epoch(epoch);
    target_.add(std::forward<Args>(args)...);
    return changed();
  }

  /// Lets a member go, up or down; a joiner does not join after all. Throws std::out_of_range for
  /// one that is no member, or leaves already.
  template <class Id>
  std::uint64_t leave(std::uint64_t epoch, const Id& id) {
    check_epoch(epoch);
    if (!target_.remove(id)) {
      detail::fail_range("leave of " + detail::quoted(detail::id_of(id)) +
                         ", which is no member or leaves already");
    }
    return changed();
  }

  /// leave() of all that are overdue(now), as one change; the same epoch where nobody is.
  std::uint64_t remove_overdue(std::uint64_t epoch, FleetTime now) {
    check_epoch(epoch);
    const auto nodes = overdue(now);
    if (nodes.empty()) return epoch_;
    return change(epoch, [&](auto& edit) {
      for (const node_type& node : nodes) edit.remove(node);
    });
  }

  /// The change is made: the target is the ring. Call it when the data is where the target says.
  std::uint64_t commit(std::uint64_t epoch) {
    check_epoch(epoch);
    Ring ring = target_;
    ring_ = std::move(ring);
    return changed();
  }

  /// The change is given up: the ring is the target, joiners go and leavers stay.
  std::uint64_t rollback(std::uint64_t epoch) {
    check_epoch(epoch);
    Ring target = ring_;
    target_ = std::move(target);
    return changed();
  }

  // --- Members ----------------------------------------------------------------------------------

  /// Throws std::out_of_range for one that is no member. O(log N).
  template <class Id>
  MemberState state(const Id& id) const {
    const bool owns = ring_.contains(id);
    const bool will_own = target_.contains(id);
    if (owns && will_own) return is_live(id) ? MemberState::up : MemberState::down;
    if (!owns && !will_own) {
      detail::fail_range("state of " + detail::quoted(detail::id_of(id)) + ", which is no member");
    }
    return owns ? MemberState::leaving : MemberState::joining;
  }

  /// All of them: those of the target in id order, then those that leave. O(N log N).
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
    FleetTime last;   // the latest sign of life,
    FleetTime since;  // and the first of those that came without too long a silence before it
    std::optional<FleetTime> down_since;  // as check() found
  };
  using HealthById = std::map<std::string, Health, std::less<>>;

  static FleetTime elapsed(FleetTime then, FleetTime now) { return now > then ? now - then : 0; }

  void check_epoch(std::uint64_t epoch) const {
    if (epoch != epoch_) {
      detail::fail_invalid("a change decided upon epoch " + std::to_string(epoch) +
                           "; the fleet is at epoch " + std::to_string(epoch_));
    }
  }

  const node_type& node_of(std::string_view id) const {
    const auto index = target_.index_of(id);
    return index != Ring::npos ? target_.node(index) : ring_.node(ring_.index_of(id));
  }

  /// Forgets who is a member no more, neither now nor later. Gives the new epoch.
  std::uint64_t changed() {
    std::erase_if(health_, [&](const auto& entry) {
      return !ring_.contains(entry.first) && !target_.contains(entry.first);
    });
    return ++epoch_;
  }

  Ring ring_;
  Ring target_;
  FleetOptions options_;
  std::uint64_t epoch_;
  HealthById health_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_FLEET_HPP
