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
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <map>        // map
#include <string>     // string, to_string
#include <utility>    // move
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/reset_by_move.hpp"
#include "clockwise/detail/ring/matching.hpp"
#include "clockwise/detail/ring/ring_diff.hpp"
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
/// Quorums: of R replicas, a write of quorum W waits for W + write_to(key).size() - R
/// acknowledgements, so that W old and W new owners have it. A receiver can then be filled from the
/// node it replaces (StreamFrom::replaced), or from any holder once replicas agree.
///
/// A Transition is the state of one process. If several processes route, hold() each until all are
/// complete: see docs/migration.md.
///
/// A copy that is only dropped is not movement: its arc is read from the new owners at once,
/// because they already had it. Thread safety: that of a standard container; Shared<Transition>
/// publishes to readers.
template <Ring R>
class Transition {
 public:
  using ring_type = R;
  using node_type = typename R::node_type;

  /// A transition of the replicas of each key. Throws std::invalid_argument if `replication` has
  /// none, the hash policies differ, or `after` owns nothing (unless `before` does too). O(replicas
  /// (M + N)).
  Transition(R before, R after, Replication replication = 1)
      : before_(std::move(before)), after_(std::move(after)), replication_(std::move(replication)) {
    if (replication_.requested() == 0) detail::fail_no_replicas();
    include(changes(before_, after_), pending_, changed_, *progress_);
  }
  Transition(const Transition&) = default;
  Transition(Transition&&) noexcept = default;
  Transition& operator=(Transition&&) noexcept = default;
  /// All or nothing.
  Transition& operator=(const Transition& other) {
    *this = Transition(other);
    return *this;
  }
  ~Transition() = default;

  // --- Routing -----------------------------------------------------------------------------------

  /// Returns the nodes to read `key` from: the old ring's preference list or, once its arc is
  /// complete, the new ring's. O(log M) plus the walk.
  template <class Key>
  ReplicaList<node_type> read_from(const Key& key) const& {
    const Position position = before_.position_of(key);
    return list(aborted_ || lies_in(pending_, position) ? before_ : after_, position);
  }
  template <class Key>
  ReplicaList<node_type> read_from(const Key& key) const&& = delete;  // it would refer to nothing

  /// Returns the nodes to write `key` to: its old owners, then its new ones; only the new ones once
  /// finished, only the old ones once aborted. complete() if both lists are.
  template <class Key>
  ReplicaList<node_type> write_to(const Key& key) const& {
    const Position position = before_.position_of(key);
    if (aborted_) return list(before_, position);
    const auto coming = list(after_, position);
    if (finished() || !lies_in(changed_, position)) return coming;
    const auto current = list(before_, position);
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
  template <class Key>
  ReplicaList<node_type> write_to(const Key& key) const&& = delete;

  // --- Progress ----------------------------------------------------------------------------------

  /// Reports that `receiver` has every key of `arc`, which can be any part of the circle. Parts
  /// that `receiver` is not waiting for are ignored, so reports can repeat. Returns the arcs that
  /// are now read from their new owners. Throws std::out_of_range if `receiver` is not a member of
  /// `after`; if it throws, nothing is reported. O(log I) per interval met, of at most I.
  template <class Id>
  std::vector<Arc> complete(const Arc& arc, const Id& receiver) {
    const auto index = after_.index_of(receiver);
    if (index == none) {
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
    if (index == none && before_.index_of(id) == none) {
      detail::fail_range("pending: " + shown(id) + " is a member of neither ring");
    }
    std::vector<Arc> arcs;
    for (const auto& [last, interval] : pending_) {
      if (index != none && waits(interval, static_cast<std::uint32_t>(index))) {
        append(arcs, {interval.first - 1, last});
      }
    }
    return closed(std::move(arcs));
  }

  /// The exact progress. O(1).
  TransitionProgress progress() const { return *progress_; }

  /// Whether every arc is complete and the transition is neither held nor aborted: the owners are
  /// those of after().
  bool finished() const { return !aborted_ && !held_ && pending_.empty(); }

  /// Keeps the transition from finishing: writes go to the old owners too after every arc is
  /// complete, for routers that have not yet received every report.
  void hold() { held_ = true; }
  /// Ends the hold: the transition finishes once every arc is complete.
  void let_finish() { held_ = false; }

  /// Abandons the change: reads and writes go to the old owners, which miss nothing. Later reports
  /// are ignored. Throws std::invalid_argument if the transition is finished, because the old
  /// owners then miss writes: start another transition, back to before().
  void abort() {
    if (finished()) detail::fail_invalid("abort: the transition is finished");
    aborted_ = true;
  }
  bool aborted() const { return aborted_; }

  /// Adds a second change, from after() to `next`, while this one is pending: one transition of
  /// both. Throws std::invalid_argument, naming the arc, if both change the owners of an arc, which
  /// would then have three sets of owners; also if this one is finished or aborted.
  void then(R next) {
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
    TransitionProgress progress = *progress_;
    include(second, pending, changed, progress);
    after_ = std::move(next);
    pending_ = std::move(pending);
    changed_ = std::move(changed);
    *progress_ = progress;
  }

  const R& before() const& { return before_; }
  const R& after() const& { return after_; }
  /// On a temporary, the rings are moved out of it.
  R before() && { return std::move(before_); }
  R after() && { return std::move(after_); }

  /// The replicas of each key.
  const Replication& replication() const& { return replication_; }
  const Replication& replication() const&& = delete;  // it would refer to nothing

 private:
  /// The result of index_of if a node is not a member.
  static constexpr auto none = static_cast<typename R::index_type>(~typename R::index_type{0});

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

  ReplicaList<node_type> list(const R& ring, Position position) const {
    return ring.preference_list(position, replication_);
  }

  /// Returns everything that changes between two rings, in ascending order.
  std::vector<Range> changes(const R& from, const R& to) const {
    detail::check_same_circle(from, to);
    if (to.positions().empty() && !from.positions().empty()) {
      detail::fail_invalid("the ring after the change owns nothing");
    }
    std::vector<Range> ranges;
    const auto add = [&](std::uint64_t first, std::uint64_t last, std::uint32_t receiver) {
      // The copies of one arc are consecutive.
      if (ranges.empty() || ranges.back().last != last) ranges.push_back({first, last, {}});
      if (receiver != detail::no_member) ranges.back().receivers.push_back(receiver);
    };
    std::vector<Range> high;  // the part of the first arc that lies before 2^64
    detail::for_each_copy_change(from, to, replication_, [&](const detail::CopyChange& change) {
      for_each_piece(change.arc, [&](std::uint64_t first, std::uint64_t last) {
        if (first > change.arc.last) ranges.swap(high);
        add(first, last, change.to);
        if (first > change.arc.last) ranges.swap(high);
      });
    });
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

  /// Works in two steps. Only the first can throw: it cuts the intervals at the ends of `arc`,
  /// which changes no answer, and builds the result.
  std::vector<Arc> complete_for(const Arc& arc, std::uint32_t receiver) {
    std::vector<Arc> readable;
    if (aborted_) return readable;
    std::vector<typename Intervals::iterator> met;
    for_each_piece(arc, [&](std::uint64_t first, std::uint64_t last) {
      auto it = pending_.lower_bound(first);
      for (; it != pending_.end() && it->second.first <= last; ++it) {
        if (receiver != detail::no_member && !waits(it->second, receiver)) continue;
        it = cut(it, first, last);
        met.push_back(it);
        if (receiver == detail::no_member || it->second.receivers.size() == 1) {
          append(readable, {it->second.first - 1, it->first});
        }
      }
    });
    for (const auto it : met) {
      auto& receivers = it->second.receivers;
      const Width width = Arc{it->second.first - 1, it->first}.width();
      if (receiver == detail::no_member) {
        for (std::size_t i = 0; i < receivers.size(); ++i) progress_->done += width;
        receivers.clear();
      } else {
        progress_->done += width;
        receivers.erase(std::find(receivers.begin(), receivers.end(), receiver));
      }
      if (receivers.empty()) pending_.erase(it);
    }
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

  R before_;
  R after_;
  Replication replication_;
  Intervals pending_;  // an arc in none of them is read from its new owners
  Changed changed_;    // whether complete or not
  detail::ResetByMove<TransitionProgress> progress_;
  bool aborted_ = false;
  bool held_ = false;
};

}  // namespace clockwise

#endif  // CLOCKWISE_TRANSITION_HPP
