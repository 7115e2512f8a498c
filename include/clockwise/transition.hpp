// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TRANSITION_HPP
#define CLOCKWISE_TRANSITION_HPP

// Routes reads and writes while data moves between the owners of two rings.
//
//   clockwise::Transition move(before, after, 3);
//   for (const auto& node : move.write_to(key)) ...    // the old owners and the new ones
//   for (const auto& node : move.read_from(key)) ...   // the old ones until the arc is complete
//   move.complete(arc, "cache-d");                     // cache-d has all of this arc now
//   if (move.finished()) ring = move.after();
//
// The rule, that of Apache Cassandra's pending ranges: during the change, a write goes to both old
// and new owners, and an arc is read from its old owners until each new one has a full copy. So
// under any interleaving, a node that is read has every write that all of write_to() acknowledged.
// Until the end, so do the old owners: a change can be abandoned at any point and nothing moves
// back.

#include <algorithm>  // find, max, min
#include <concepts>   // copy_constructible
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <map>        // map
#include <optional>   // nullopt, optional
#include <string>     // string, to_string
#include <utility>    // move
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/ring_diff.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The progress of a transition, counted once per copy of a position.
struct TransitionProgress {
  Width done;
  Width total;

  /// 0 to 1; 1 if nothing moves.
  double fraction() const { return total == Width() ? 1 : done.fraction() / total.fraction(); }
};

/// A pending change of owners. A value that holds both rings. Any change to the Transition
/// invalidates its lists, as does its end.
///
/// Quorums: a write of quorum W waits for W + write_to(key).size() - r acknowledgements, so that W
/// old and W new owners have it. A receiver can then be filled from the node it replaces
/// (StreamFrom::replaced), or from any holder once replicas agree.
///
/// A Transition is the state of one process. If several processes route, hold() each until all are
/// complete: see docs/migration.md.
///
/// A copy that is only dropped is not movement: its arc is read from the new owners at once, as
/// they already had it. Thread safety: that of a standard container; Shared<Transition> publishes
/// to readers.
template <class Ring>
class Transition {
  static_assert(std::copy_constructible<Ring>);

 public:
  using ring_type = Ring;
  using node_type = typename Ring::node_type;

  /// A transition of `r` replicas of each key, placed by each ring's default spread, by a spread,
  /// or per datacenter. Throws std::invalid_argument if r is 0, the hash policies differ, or
  /// `after` owns nothing (unless `before` does too). O(r (M + N)).
  Transition(Ring before, Ring after, std::size_t r = 1)
      : Transition(std::move(before), std::move(after), Rule{r, std::nullopt, std::nullopt}) {}
  Transition(Ring before, Ring after, std::size_t r, Spread spread)
      : Transition(std::move(before), std::move(after), Rule{r, spread, std::nullopt}) {}
  Transition(Ring before, Ring after, const DatacenterReplicas& wanted)
      : Transition(std::move(before), std::move(after),
                   Rule{detail::ByDatacenter{wanted}.requested(), std::nullopt, wanted}) {}

  // --- Routing ----------------------------------------------------------------------------------

  /// Returns the nodes to read `key` from: the old ring's preference list or, once its arc is
  /// complete, the new ring's. O(log M) plus the walk.
  template <class Key>
  ReplicaList<node_type> read_from(const Key& key) const {
    return read_from(key, copies());
  }
  /// Returns the first `r` of them. Throws std::invalid_argument if r is above copies(), or below
  /// it when the copies are placed per datacenter.
  template <class Key>
  ReplicaList<node_type> read_from(const Key& key, std::size_t r) const {
    if (r > copies() || (r < copies() && rule_.datacenters)) refuse("read_from", r);
    const Position position = before_.position_of(key);
    return list(aborted_ || lies_in(pending_, position) ? before_ : after_, position, r);
  }

  /// Returns the nodes to write `key` to: its old owners, then its new ones; only the new ones once
  /// finished, only the old ones once aborted. complete() if both lists are.
  template <class Key>
  ReplicaList<node_type> write_to(const Key& key) const {
    return write_to(key, copies());
  }
  /// The same; throws std::invalid_argument unless r is copies(), because a copy that is not
  /// written cannot be read.
  template <class Key>
  ReplicaList<node_type> write_to(const Key& key, std::size_t r) const {
    if (r != copies()) refuse("write_to", r);
    const Position position = before_.position_of(key);
    if (aborted_) return list(before_, position, r);
    const auto coming = list(after_, position, r);
    if (finished() || !lies_in(changed_, position)) return coming;
    const auto current = list(before_, position, r);
    const auto joins = [&](const node_type& node) { return !current.contains(node); };
    std::size_t extra = 0;
    for (const node_type& node : coming) {
      if (joins(node)) ++extra;
    }
    const bool complete = current.complete() && coming.complete();
    ReplicaList<node_type> both(current.size() + extra + (complete ? 0 : 1));
    for (const node_type& node : current) both.push_back(node);
    for (const node_type& node : coming) {
      if (joins(node)) both.push_back(node);
    }
    return both;
  }

  // --- Progress ---------------------------------------------------------------------------------

  /// Reports that `receiver` has every key of `arc`, which can be any part of the circle. Parts
  /// that `receiver` is not waiting for are ignored, so reports can repeat. Returns the arcs that
  /// are now read from their new owners. Throws std::out_of_range if `receiver` is not a member of
  /// `after`. O(log I) per interval met, of at most I.
  template <class Id>
  std::vector<Arc> complete(const Arc& arc, const Id& receiver) {
    const auto index = after_.index_of(receiver);
    if (index == Ring::npos) {
      detail::fail_range("complete: " + shown(receiver) + " is not a member after the change");
    }
    return complete_for(arc, static_cast<std::uint32_t>(index));
  }
  /// Reports that each new owner of `arc` has every key of it.
  std::vector<Arc> complete(const Arc& arc) { return complete_for(arc, detail::no_member); }

  /// Returns the arcs that `id` has yet to receive, neighbours joined. Throws std::out_of_range if
  /// `id` is in neither ring. O(I).
  template <class Id>
  std::vector<Arc> pending(const Id& id) const {
    const auto index = after_.index_of(id);
    if (index == Ring::npos && !before_.contains(id)) {
      detail::fail_range("pending: " + shown(id) + " is a member of neither ring");
    }
    std::vector<Arc> arcs;
    for (const auto& [last, interval] : pending_) {
      if (index != Ring::npos && waits(interval, static_cast<std::uint32_t>(index))) {
        append(arcs, {interval.first - 1, last});
      }
    }
    return closed(std::move(arcs));
  }

  /// The exact progress. O(1).
  const TransitionProgress& progress() const { return progress_; }

  /// Whether every arc is complete and the transition is neither held nor aborted: the owners are
  /// those of after().
  bool finished() const { return !aborted_ && !held_ && pending_.empty(); }

  /// A held transition keeps writing to the old owners after every arc is complete, for routers
  /// that have not yet received every report.
  void hold() { held_ = true; }
  void release() { held_ = false; }

  /// Abandons the change: reads and writes go to the old owners, which miss nothing. Later reports
  /// are ignored. Throws std::invalid_argument if the transition is finished, as the old owners
  /// then miss writes: begin another, back to before().
  void abort() {
    if (finished()) detail::fail_invalid("abort: the transition is finished");
    aborted_ = true;
  }
  bool aborted() const { return aborted_; }

  /// Adds a second change, from after() to `next`, while this one is pending: one transition of
  /// both. Throws std::invalid_argument, naming the arc, if both change the owners of an arc, which
  /// would then have three sets of owners; also if this one is finished or aborted.
  void then(Ring next) {
    if (aborted_ || finished()) {
      detail::fail_invalid(std::string("then: the transition is ") +
                           (aborted_ ? "aborted" : "finished") + "; start a new one");
    }
    const std::vector<Range> second = changes(after_, next);
    check_disjoint(second);
    const auto matches = detail::matched_members(after_, next);
    auto pending = pending_;
    for (auto& [last, interval] : pending) {
      for (std::uint32_t& receiver : interval.receivers) receiver = matches[receiver];
    }
    auto changed = changed_;
    TransitionProgress progress = progress_;
    include(second, pending, changed, progress);
    after_ = std::move(next);
    pending_ = std::move(pending);
    changed_ = std::move(changed);
    progress_ = progress;
  }

  const Ring& before() const { return before_; }
  const Ring& after() const { return after_; }
  /// The number of replicas of each key.
  std::size_t copies() const { return rule_.copies; }

 private:
  struct Rule {
    std::size_t copies;
    std::optional<Spread> spread;
    std::optional<DatacenterReplicas> datacenters;
  };

  /// The positions from `first` to `last`, both included and never across 2^64, and the nodes that
  /// have yet to receive them.
  struct Range {
    std::uint64_t first;
    std::uint64_t last;
    std::vector<std::uint32_t> receivers;  // indices into after_
  };
  struct Interval {
    std::uint64_t first;
    std::vector<std::uint32_t> receivers;
  };
  using Intervals = std::map<std::uint64_t, Interval>;     // by last position; disjoint
  using Changed = std::map<std::uint64_t, std::uint64_t>;  // last position to first; disjoint

  Transition(Ring before, Ring after, Rule rule)
      : before_(std::move(before)), after_(std::move(after)), rule_(std::move(rule)) {
    if (copies() == 0) detail::fail_invalid("replicas must be at least 1, got 0");
    include(changes(before_, after_), pending_, changed_, progress_);
  }

  ReplicaList<node_type> list(const Ring& ring, Position position, std::size_t r) const {
    if (rule_.datacenters) return ring.preference_list(position, *rule_.datacenters);
    return ring.preference_list(position, r, spread_on(ring));
  }
  Spread spread_on(const Ring& ring) const { return rule_.spread.value_or(ring.default_spread()); }

  /// Returns everything that changes between two rings, in ascending order.
  std::vector<Range> changes(const Ring& from, const Ring& to) const {
    detail::check_same_circle(from, to);
    if (to.vnode_count() == 0 && from.vnode_count() != 0) {
      detail::fail_invalid("the ring after the change owns nothing");
    }
    std::vector<Range> ranges;
    const auto add = [&](std::uint64_t first, std::uint64_t last, std::uint32_t receiver) {
      // The copies of one arc are consecutive.
      if (ranges.empty() || ranges.back().last != last) ranges.push_back({first, last, {}});
      if (receiver != detail::no_member) ranges.back().receivers.push_back(receiver);
    };
    std::vector<Range> high;  // the part of the first arc that lies before 2^64
    const auto visit = [&](const detail::CopyChange& change) {
      for_each_piece(change.arc, [&](std::uint64_t first, std::uint64_t last) {
        if (first > change.arc.last) ranges.swap(high);
        add(first, last, change.to);
        if (first > change.arc.last) ranges.swap(high);
      });
    };
    if (rule_.datacenters) {
      const detail::ByDatacenter request{*rule_.datacenters};
      detail::for_each_copy_change(from, to, request, request, visit);
    } else {
      detail::for_each_copy_change(from, to, detail::OneGroup{copies(), spread_on(from)},
                                   detail::OneGroup{copies(), spread_on(to)}, visit);
    }
    ranges.insert(ranges.end(), high.begin(), high.end());
    return ranges;
  }

  static void include(const std::vector<Range>& ranges, Intervals& pending, Changed& changed,
                      TransitionProgress& progress) {
    for (const Range& range : ranges) {
      changed.emplace(range.last, range.first);
      if (range.receivers.empty()) continue;
      pending.emplace(range.last, Interval{range.first, range.receivers});
      const Width width = Arc{range.first - 1, range.last}.width();
      for (std::size_t i = 0; i < range.receivers.size(); ++i) progress.total += width;
    }
  }

  void check_disjoint(const std::vector<Range>& second) const {
    for (const Range& range : second) {
      const auto met = changed_.lower_bound(range.first);
      if (met == changed_.end() || met->second > range.last) continue;
      const std::uint64_t first = (std::max)(range.first, met->second);
      const std::uint64_t last = (std::min)(range.last, met->first);
      detail::fail_invalid("then: the arc (" + std::to_string(first - 1) + ", " +
                           std::to_string(last) + "] is already changing");
    }
  }

  std::vector<Arc> complete_for(const Arc& arc, std::uint32_t receiver) {
    std::vector<Arc> readable;
    if (aborted_) return readable;
    for_each_piece(arc, [&](std::uint64_t first, std::uint64_t last) {
      auto it = pending_.lower_bound(first);
      while (it != pending_.end() && it->second.first <= last) {
        if (receiver != detail::no_member && !waits(it->second, receiver)) {
          ++it;
          continue;
        }
        it = cut(it, first, last);
        auto& receivers = it->second.receivers;
        const Width width = Arc{it->second.first - 1, it->first}.width();
        if (receiver == detail::no_member) {
          for (std::size_t i = 0; i < receivers.size(); ++i) progress_.done += width;
          receivers.clear();
        } else {
          progress_.done += width;
          receivers.erase(std::find(receivers.begin(), receivers.end(), receiver));
        }
        if (receivers.empty()) {
          append(readable, {it->second.first - 1, it->first});
          it = pending_.erase(it);
        } else {
          ++it;
        }
      }
    });
    return closed(std::move(readable));
  }

  /// Cuts off the parts outside [first, last]; returns the part inside.
  typename Intervals::iterator cut(typename Intervals::iterator it, std::uint64_t first,
                                   std::uint64_t last) {
    if (it->second.first < first) {
      pending_.emplace_hint(it, first - 1, Interval{it->second.first, it->second.receivers});
      it->second.first = first;
    }
    if (it->first > last) {
      const auto inside =
          pending_.emplace_hint(it, last, Interval{it->second.first, it->second.receivers});
      it->second.first = last + 1;
      it = inside;
    }
    return it;
  }

  /// Whether a range of a map by last position contains `position`.
  template <class Ranges>
  static bool lies_in(const Ranges& ranges, Position position) {
    const auto at = static_cast<std::uint64_t>(position);
    const auto it = ranges.lower_bound(at);
    return it != ranges.end() && first_of(it->second) <= at;
  }
  static std::uint64_t first_of(const Interval& interval) { return interval.first; }
  static std::uint64_t first_of(std::uint64_t first) { return first; }

  static bool waits(const Interval& interval, std::uint32_t receiver) {
    return std::find(interval.receivers.begin(), interval.receivers.end(), receiver) !=
           interval.receivers.end();
  }

  template <class Visit>
  static void for_each_piece(const Arc& arc, Visit visit) {
    const std::uint64_t first = arc.after + 1;
    if (first <= arc.last) {
      visit(first, arc.last);
    } else {
      visit(first, ~std::uint64_t{0});
      visit(std::uint64_t{0}, arc.last);
    }
  }

  static void append(std::vector<Arc>& arcs, const Arc& arc) {
    if (!arcs.empty() && arcs.back().last == arc.after) {
      arcs.back().last = arc.last;
    } else {
      arcs.push_back(arc);
    }
  }
  /// Joins the last arc and the first if they meet at 2^64.
  static std::vector<Arc> closed(std::vector<Arc> arcs) {
    if (arcs.size() > 1 && arcs.back().last == arcs.front().after) {
      arcs.front().after = arcs.back().after;
      arcs.pop_back();
    }
    return arcs;
  }

  template <class Id>
  static std::string shown(const Id& id) {
    return detail::quoted(detail::id_of(id));
  }
  [[noreturn]] void refuse(const char* what, std::size_t r) const {
    detail::fail_invalid(std::string(what) + ": r is " + std::to_string(r) + ", but there are " +
                         std::to_string(copies()) + " replicas");
  }

  Ring before_;
  Ring after_;
  Rule rule_;
  Intervals pending_;  // an arc in none of them is read from its new owners
  Changed changed_;    // whether complete or not
  TransitionProgress progress_;
  bool aborted_ = false;
  bool held_ = false;
};

}  // namespace clockwise

#endif  // CLOCKWISE_TRANSITION_HPP
