// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MIGRATION_HPP
#define CLOCKWISE_MIGRATION_HPP

// The bytes and hours of a change, and its steps in order.
//
//   const auto plan = clockwise::plan_migration(
//       before, after, {.replicas = 3, .bytes = 10.88e12, .throttle = 0.25});
//   plan.seconds();              // until the last node is done
//   plan.critical()->node;       // the node that takes longest
//   for (const auto& step : plan.steps()) ...    // step.arc from step.source to step.to
//
// A plan is data, and a pure function of its arguments on every platform: after a restart, make it
// again and continue with remaining(done).

#include <algorithm>    // max, min, pop_heap, push_heap, sort
#include <cmath>        // ceil, isfinite
#include <concepts>     // predicate, same_as
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <optional>     // optional
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // move, pair, swap
#include <vector>       // vector

#include "clockwise/arc.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/reset_by_move.hpp"
#include "clockwise/detail/ring/matching.hpp"
#include "clockwise/detail/ring/ring_diff.hpp"
#include "clockwise/index_view.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// Which holder of an arc is the source of a new copy.
enum class StreamFrom : unsigned char {
  any_holder,  ///< The one that has sent the least so far: even egress. Replicas must agree.
  replaced,    ///< The one that gives up its copy, if it can send. Preserves quorums even if
               ///< replicas differ: a write that W of R nodes held is on W of R afterwards.
};

/// The data to move, and the network.
struct MigrationOptions {
  Replication replicas = 1;         ///< Replicas of each key: 1 or more, and where.
  double bytes = 0;                 ///< Bytes in one copy of all keys, spread evenly over them.
  double bytes_per_second = 125e6;  ///< Of one node's network card, each way; above 0.
  double throttle = 1;              ///< Share of that rate to use: above 0, up to 1.
  double batch_bytes = 0;           ///< Maximum bytes per step; 0: whole arcs.
  StreamFrom stream_from = StreamFrom::any_holder;
};

/// The maximum number of steps in a plan whose arcs batch_bytes cuts up. More are refused before
/// any memory is allocated.
inline constexpr std::uint64_t max_migration_batches = std::uint64_t{1} << 24;

namespace detail {
template <class Node>
class PlanBuilder;
}

/// Which arcs are streamed between which nodes, in which order, and at what cost. Independent of
/// the rings' later changes. Sums over steps are computed from exact widths.
template <class Node>
class MigrationPlan {
 public:
  struct Step {
    Arc arc;
    Node from;    ///< Gives up its copy once `to` has it; the source if no node does.
    Node source;  ///< Streams the arc, which it held before the change.
    Node to;      ///< Receives.
    double bytes;
    bool replaces;  ///< Whether `from` gives up its copy; otherwise a copy is added.
  };

  /// The load of one node.
  struct NodeLoad {
    Node node;
    double egress_bytes;
    double ingress_bytes;
    double seconds;  ///< The longer of the two: a card sends and receives at once.
  };

  MigrationPlan() = default;
  MigrationPlan(const MigrationPlan&) = default;
  MigrationPlan(MigrationPlan&&) noexcept = default;
  MigrationPlan& operator=(MigrationPlan&&) noexcept = default;
  /// All or nothing.
  MigrationPlan& operator=(const MigrationPlan& other) {
    *this = MigrationPlan(other);
    return *this;
  }
  ~MigrationPlan() = default;

  /// Returns the steps, ordered to keep network cards busy: if each step starts, in order, once its
  /// two nodes are free, the last ends nearly as early as the critical node allows. Random access;
  /// makes each Step on access; valid while the plan lives.
  using Steps = IndexView<MigrationPlan>;
  Steps steps() const& { return Steps(*this); }
  /// On a temporary, returns the steps by value, so a loop over them is safe.
  std::vector<Step> steps() && {
    const Steps all(*this);
    return {all.begin(), all.end()};
  }
  std::size_t size() const { return records_.size(); }
  Step operator[](std::size_t i) const {
    const Record& record = records_[i];
    const bool replaces = record.from != detail::no_member;
    return {
        record.arc,        nodes_[replaces ? record.from : record.source], nodes_[record.source],
        nodes_[record.to], record.arc.fraction() * bytes_per_circle_,      replaces};
  }

  /// The bytes that all steps move.
  double bytes() const { return width_->fraction() * bytes_per_circle_; }
  Width width() const { return *width_; }
  /// The bytes that no holder can send and no step moves: lost, unless restored from elsewhere.
  double lost_bytes() const { return lost_->fraction() * bytes_per_circle_; }

  /// Returns the load of every node of either ring, in id order. O(steps + N).
  std::vector<NodeLoad> nodes() const {
    std::vector<Width> out(nodes_.size());
    std::vector<Width> in(nodes_.size());
    for (const Record& record : records_) {
      out[record.source] += record.arc.width();
      in[record.to] += record.arc.width();
    }
    std::vector<NodeLoad> loads;
    loads.reserve(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const double longer = (out[i] < in[i] ? in[i] : out[i]).fraction();
      loads.push_back({nodes_[i], out[i].fraction() * bytes_per_circle_,
                       in[i].fraction() * bytes_per_circle_,
                       longer * bytes_per_circle_ / bytes_per_second_});
    }
    return loads;
  }

  /// Returns the node that takes longest; empty if nothing moves. O(steps + N).
  std::optional<NodeLoad> critical() const {
    std::optional<NodeLoad> result;
    for (NodeLoad& load : nodes()) {
      if (load.seconds > (result ? result->seconds : 0)) result.emplace(std::move(load));
    }
    return result;
  }

  /// The plan's duration if the critical node's card never waits.
  double seconds() const {
    const auto node = critical();
    return node ? node->seconds : 0;
  }

  /// Returns the plan without the steps numbered `done`, in the same order. `done` can be in any
  /// order. Throws std::out_of_range for a number that no step has. O(steps).
  MigrationPlan remaining(std::span<const std::size_t> done) const {
    std::vector<bool> is_done(size());
    for (const std::size_t number : done) {
      if (number >= size()) {
        detail::fail_range("step must be below " + std::to_string(size()) + ", got " +
                           std::to_string(number));
      }
      is_done[number] = true;
    }
    MigrationPlan plan = *this;
    plan.records_.clear();
    *plan.width_ = {};
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_done[i]) plan.append(records_[i]);
    }
    return plan;
  }

  /// Returns the plan that undoes this whole plan: its arcs, owners and lost bytes are those of the
  /// plan from `after` to `before`, with the steps in the opposite order. The reverse of the
  /// reverse has this plan's steps, but can order them differently: a copy that one of the two
  /// plans only drops is a step only of the other, at its end. O(steps).
  MigrationPlan reverse() const {
    MigrationPlan plan = *this;
    plan.records_.clear();
    plan.idle_.clear();
    *plan.width_ = {};
    *plan.lost_ = {};
    for (std::size_t i = size(); i-- > 0;) plan.append(records_[i].reverse());
    for (std::size_t i = idle_.size(); i-- > 0;) plan.append(idle_[i].reverse());
    return plan;
  }

 private:
  friend detail::PlanBuilder<Node>;

  /// One copy of an arc; members are indices into nodes_.
  struct Record {
    Arc arc;
    std::uint32_t from;         // no_member: a copy is added
    std::uint32_t to;           // no_member: a copy is dropped, which moves nothing
    std::uint32_t source;       // of the new copy; no_member: no holder can send it
    std::uint32_t back_source;  // of the new copy if the change is reversed

    bool is_step() const { return to != detail::no_member && source != detail::no_member; }
    Record reverse() const { return {arc, to, from, back_source, source}; }
  };

  void append(const Record& record) {
    (record.is_step() ? records_ : idle_).push_back(record);
    if (record.to == detail::no_member) return;
    *(record.is_step() ? width_ : lost_) += record.arc.width();
  }

  std::vector<Node> nodes_;  // of both rings, in id order
  std::vector<Record> records_;
  std::vector<Record> idle_;  // copies that are only dropped, or lost: kept for reverse()
  detail::ResetByMove<Width> width_;
  detail::ResetByMove<Width> lost_;
  double bytes_per_circle_ = 0;
  double bytes_per_second_ = 1;
};

namespace detail {

inline void check_option(bool good, std::string_view name, double value, std::string_view rule) {
  if (!good) {
    fail_invalid(std::string(name) + " must be " + std::string(rule) + ", got " +
                 std::to_string(value));
  }
}

inline void check_options(const MigrationOptions& options) {
  if (options.replicas.requested() == 0) fail_no_replicas();
  const auto amount = [](double x) { return std::isfinite(x) && x >= 0; };
  check_option(amount(options.bytes), "bytes", options.bytes, "finite and not negative");
  check_option(amount(options.bytes_per_second) && options.bytes_per_second > 0, "bytes_per_second",
               options.bytes_per_second, "finite and above 0");
  check_option(options.throttle > 0 && options.throttle <= 1, "throttle", options.throttle,
               "above 0 and at most 1");
  check_option(amount(options.batch_bytes), "batch_bytes", options.batch_bytes,
               "finite and not negative");
}

/// Makes plans.
template <class Node>
class PlanBuilder {
  using Record = typename MigrationPlan<Node>::Record;

 public:
  template <class Before, class After, class CanSend>
  static MigrationPlan<Node> plan(const Before& before, const After& after,
                                  const MigrationOptions& options, const CanSend& can_send) {
    check_options(options);
    detail::check_same_circle(before, after);
    MigrationPlan<Node> plan;
    plan.bytes_per_circle_ = options.bytes;
    plan.bytes_per_second_ = options.bytes_per_second * options.throttle;
    Numbers old_numbers;
    Numbers new_numbers;
    merge_nodes(before, after, plan.nodes_, old_numbers, new_numbers);

    std::vector<bool> sends(plan.nodes_.size());
    for (std::size_t i = 0; i < sends.size(); ++i) sends[i] = can_send(plan.nodes_[i]);
    std::vector<Width> sent(plan.nodes_.size());
    std::vector<Width> sent_back(plan.nodes_.size());
    // The holder that has sent the least, or `replaced`; no_member if none can send.
    const auto source = [&](std::span<const std::uint32_t> holders, std::uint32_t replaced,
                            const std::vector<std::uint32_t>& numbers, std::vector<Width>& loads,
                            const Arc& arc) {
      std::uint32_t best = no_member;
      if (options.stream_from == StreamFrom::replaced && replaced != no_member && sends[replaced]) {
        best = replaced;
      } else {
        for (const std::uint32_t holder : holders) {
          const std::uint32_t node = numbers[holder];
          if (sends[node] && (best == no_member || loads[node] < loads[best])) best = node;
        }
      }
      if (best != no_member) loads[best] += arc.width();
      return best;
    };

    std::vector<Record> records;
    detail::for_each_copy_change(before, after, options.replicas, [&](const CopyChange& change) {
      Record record{change.arc, no_member, no_member, no_member, no_member};
      if (change.from != no_member) {
        record.from = old_numbers[change.from];
        const std::uint32_t to = change.to == no_member ? no_member : new_numbers[change.to];
        record.back_source = source(change.takers, to, new_numbers, sent_back, change.arc);
      }
      if (change.to != no_member) {
        record.to = new_numbers[change.to];
        record.source = source(change.holders, record.from, old_numbers, sent, change.arc);
      }
      records.push_back(record);
    });
    records = in_batches(joined(std::move(records)), options);
    order(records, plan.nodes_.size(), [&](const Record& record) { plan.append(record); });
    return plan;
  }

 private:
  using Numbers = std::vector<std::uint32_t>;

  /// Merges the members of both rings in id order, and records the index there of each ring's
  /// members. A node in both is taken from `after`.
  template <class Before, class After>
  static void merge_nodes(const Before& before, const After& after, std::vector<Node>& nodes,
                          Numbers& old_numbers, Numbers& new_numbers) {
    const auto old_members = before.members();
    const auto new_members = after.members();
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < old_members.size() || j < new_members.size()) {
      int order = i == old_members.size() ? 1 : -1;
      if (i < old_members.size() && j < new_members.size()) {
        const auto old_id = detail::id_of(old_members[i].node);
        const auto new_id = detail::id_of(new_members[j].node);
        order = std::string_view(old_id).compare(std::string_view(new_id));
      }
      const auto number = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(order < 0 ? old_members[i].node : new_members[j].node);
      if (order <= 0) {
        old_numbers.push_back(number);
        ++i;
      }
      if (order >= 0) {
        new_numbers.push_back(number);
        ++j;
      }
    }
  }

  /// Joins neighbours that agree in all but the arc.
  static std::vector<Record> joined(std::vector<Record> records) {
    // Sorted by nodes, then clockwise. The first arc can cross 2^64, which leaves one pair not
    // joined.
    const auto key = [](const Record& record) {
      return std::pair(std::uint64_t{record.to} << 32 | record.source,
                       std::uint64_t{record.from} << 32 | record.back_source);
    };
    std::sort(records.begin(), records.end(), [&](const Record& a, const Record& b) {
      return std::pair(key(a), a.arc.last) < std::pair(key(b), b.arc.last);
    });
    std::size_t kept = 0;
    for (const Record& record : records) {
      if (kept > 0 && key(records[kept - 1]) == key(record) &&
          records[kept - 1].arc.last == record.arc.after) {
        records[kept - 1].arc.last = record.arc.last;
      } else {
        records[kept++] = record;
      }
    }
    records.resize(kept);
    return records;
  }

  /// Cuts arcs into parts of at most options.batch_bytes, equal to within one position.
  static std::vector<Record> in_batches(std::vector<Record> records,
                                        const MigrationOptions& options) {
    if (options.batch_bytes == 0) return records;
    const auto parts_of = [&](const Record& record) {
      if (!record.is_step()) return std::uint64_t{1};
      const double positions = record.arc.fraction() * 0x1p64;  // a part has at least one
      const double parts = std::ceil(record.arc.fraction() * options.bytes / options.batch_bytes);
      const double most = static_cast<double>(max_migration_batches + 1);
      return static_cast<std::uint64_t>((std::max)(1.0, (std::min)({parts, positions, most})));
    };
    double total = 0;
    for (const Record& record : records) total += static_cast<double>(parts_of(record));
    if (total > static_cast<double>(max_migration_batches)) {
      fail_length("batch_bytes " + std::to_string(options.batch_bytes) + " gives " +
                  std::to_string(total) + " steps; the maximum is " +
                  std::to_string(max_migration_batches));
    }
    std::vector<Record> batches;
    batches.reserve(static_cast<std::size_t>(total));
    for (const Record& record : records) {
      const std::uint64_t parts = parts_of(record);
      const std::uint64_t less_one = record.arc.last - record.arc.after - 1;
      Record batch = record;
      for (std::uint64_t i = 0; i < parts; ++i) {
        batch.arc.last = i + 1 == parts
                             ? record.arc.last
                             : batch.arc.after + less_one / parts + (i <= less_one % parts ? 1 : 0);
        batches.push_back(batch);
        batch.arc.after = batch.arc.last;
      }
    }
    return batches;
  }

  /// Calls take(record) in the order they would start if each card carried one stream at a time:
  /// the receiver free first takes its next arc from its source free first. Computed in integers,
  /// so the order is the same on every platform. O(n log n).
  template <class Take>
  static void order(const std::vector<Record>& records, std::size_t nodes, Take take) {
    struct Queue {  // what one source sends to one receiver
      Width free;   // when the source is free, as last known
      std::size_t next;
      std::size_t end;
    };
    const auto later = [](const auto& a, const auto& b) {
      return std::pair(b.free, b.next) < std::pair(a.free, a.next);
    };
    std::vector<std::vector<Queue>> queues(nodes);
    for (std::size_t i = 0; i < records.size();) {
      const Record& record = records[i];
      std::size_t end = i + 1;
      while (end < records.size() && records[end].to == record.to &&
             records[end].source == record.source) {
        ++end;
      }
      if (!record.is_step()) {
        for (; i < end; ++i) take(records[i]);
      } else {
        queues[record.to].push_back({Width(), i, end});
      }
      i = end;
    }
    struct Receiver {
      Width free;
      std::size_t next;  // the receiver's index
    };
    std::vector<Receiver> receivers;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!queues[i].empty()) receivers.push_back({Width(), i});
    }
    std::vector<Width> source_free(nodes);
    const auto push = [&](auto& heap, auto entry) {
      heap.push_back(entry);
      std::push_heap(heap.begin(), heap.end(), later);
    };
    const auto pop = [&](auto& heap) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const auto entry = heap.back();
      heap.pop_back();
      return entry;
    };
    while (!receivers.empty()) {
      Receiver receiver = pop(receivers);
      auto& own = queues[receiver.next];
      Queue queue = pop(own);
      for (const Width* free = &source_free[records[queue.next].source]; queue.free < *free;
           free = &source_free[records[queue.next].source]) {
        push(own, Queue{*free, queue.next, queue.end});
        queue = pop(own);
      }
      const Record& record = records[queue.next];
      receiver.free =
          (receiver.free < queue.free ? queue.free : receiver.free) + record.arc.width();
      source_free[record.source] = receiver.free;
      take(record);
      if (++queue.next < queue.end) push(own, Queue{receiver.free, queue.next, queue.end});
      if (!own.empty()) push(receivers, receiver);
    }
  }
};

struct EveryNodeSends {
  template <class Node>
  bool operator()(const Node&) const {
    return true;
  }
};

}  // namespace detail

/// Returns the plan of the change from `before` to `after`. `can_send(node)` says whether a node
/// can stream: a failed one cannot. O(replicas (M + N)) plus a sort of the steps.
///
///   std::invalid_argument  an option out of its range, or rings of two hash policies
///   std::length_error      batches so small that there are more than max_migration_batches steps
template <Ring Before, Ring After, class CanSend = detail::EveryNodeSends>
  requires std::same_as<typename Before::node_type, typename After::node_type> &&
           std::predicate<const CanSend&, const typename Before::node_type&>
MigrationPlan<typename Before::node_type> plan_migration(const Before& before, const After& after,
                                                         const MigrationOptions& options,
                                                         const CanSend& can_send = {}) {
  return detail::PlanBuilder<typename Before::node_type>::plan(before, after, options, can_send);
}

/// Returns a plan per changed member, for the same change made one member at a time: joins, then
/// new weights, racks and datacenters, then leaves, each in id order. Compare their bytes and
/// seconds() with plan_migration's, which makes the whole change at once: one by one, data that
/// moves to one joiner can move again to the next. For rings that place members by their names: a
/// token ring's tokens are chosen for the whole. O(changes * replicas (M + N)).
template <Ring R>
  requires Partitioner<R> && RemovesAny<R> &&
           (!requires(R& ring, const typename R::node_type& node) { ring.set_tokens(node, {}); })
std::vector<MigrationPlan<typename R::node_type>> plan_one_by_one(const R& before, const R& after,
                                                                  const MigrationOptions& options) {
  std::vector<MigrationPlan<typename R::node_type>> plans;
  R current = before;
  const auto make = [&](auto change) {
    R next = current;
    change(next);
    plans.push_back(clockwise::plan_migration(current, next, options));
    current = std::move(next);
  };
  const auto options_of = [](const auto& member) {
    return Entry<typename R::node_type>(member).options;
  };
  for (const auto& member : after.members()) {
    if (before.contains(member.node)) continue;
    make([&](R& ring) { ring.add(member.node, options_of(member)); });
  }
  for (const auto& member : after.members()) {
    if (!before.contains(member.node)) continue;
    const auto& old = before.members()[before.index_of(member.node)];
    if (old.weight == member.weight && old.rack == member.rack &&
        old.datacenter == member.datacenter) {
      continue;
    }
    make([&](R& ring) { ring.set_options(member.node, options_of(member)); });
  }
  for (const auto& member : before.members()) {
    if (!after.contains(member.node)) make([&](R& ring) { ring.remove(member.node); });
  }
  // Other vnodes for all members: no change of one member does that.
  if (!(current == after)) make([&](R& ring) { ring = after; });
  return plans;
}

}  // namespace clockwise

#endif  // CLOCKWISE_MIGRATION_HPP
