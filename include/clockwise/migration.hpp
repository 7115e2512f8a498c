// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MIGRATION_HPP
#define CLOCKWISE_MIGRATION_HPP

// What a change costs in bytes and hours, and the streams that make it.
//
//   const auto plan = clockwise::plan_migration(
//       before, after, {.replicas = 3, .bytes = 10.88e12, .throttle = 0.25});
//   plan.seconds();              // until the last machine is done
//   plan.critical()->node;       // which one that is
//   for (const auto& step : plan.steps()) ...    // step.arc from step.source to step.to
//
// A plan is data and a pure function of its arguments: the same on every machine, so that a program
// that starts again makes it anew and goes on with remaining(done).

#include <algorithm>    // max, min, pop_heap, push_heap, sort
#include <cmath>        // ceil, isfinite
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <optional>     // optional
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // move, pair, swap
#include <vector>       // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/error.hpp"
#include "clockwise/detail/index_iterator.hpp"
#include "clockwise/detail/node_id.hpp"
#include "clockwise/detail/ring_diff.hpp"
#include "clockwise/detail/walk.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replica_list.hpp"

namespace clockwise {

/// Which holder of an arc a new copy is made from.
enum class StreamFrom : unsigned char {
  any_holder,  ///< The one that has sent the least so far: egress is even. For replicas that agree.
  replaced,    ///< The one whose copy goes, if it can send. Quorums stay whole although replicas
               ///< differ: whatever W of R nodes held, W of R hold afterwards.
};

/// What is moved, over which network.
struct MigrationOptions {
  std::size_t replicas = 1;         ///< Copies of each key, 1 or more.
  double bytes = 0;                 ///< Stored in one copy of everything, spread evenly over keys.
  double bytes_per_second = 125e6;  ///< Of one machine's card, in each direction; above 0.
  double throttle = 1;              ///< The share of that which may be used: above 0, up to 1.
  double batch_bytes = 0;           ///< The most that one step moves; 0: a step may be a whole arc.
  StreamFrom stream_from = StreamFrom::any_holder;
  std::optional<Spread> spread = {};                   ///< Empty: the default spread of each ring.
  std::optional<DatacenterReplicas> datacenters = {};  ///< Where given, in place of `replicas`.
};

/// A plan has at most this many steps where batch_bytes cuts arcs up; more are refused before any
/// memory is taken.
inline constexpr std::uint64_t max_migration_batches = std::uint64_t{1} << 24;

namespace detail {
class PlanBuilder;
}

/// Which arc is streamed from whom to whom, in which order, and what that costs. A value of its
/// own: the rings may change afterwards. Figures that sum over steps come from exact widths.
template <class Node>
class MigrationPlan {
 public:
  struct Step {
    Arc arc;
    Node from;    ///< Gives its copy up, once `to` has it; where none does, the source.
    Node source;  ///< Streams: held the arc before the change.
    Node to;      ///< Receives.
    double bytes;
    bool replaces;  ///< Whether `from` gives up its copy; else there is one more than before.
  };

  /// What one machine has to do.
  struct NodeLoad {
    Node node;
    double egress_bytes;
    double ingress_bytes;
    double seconds;  ///< Of its card, which sends and receives at once: the longer of the two.
  };

  MigrationPlan() = default;

  /// In an order that keeps cards busy: taken one after the other, each step as soon as its two
  /// machines are free, they end nearly as early as the critical machine allows. Random access,
  /// each Step made as it is read, for as long as the plan lives.
  using Steps = detail::IndexView<MigrationPlan>;
  Steps steps() const& { return Steps(*this); }
  /// Of a temporary: the steps themselves, so that a loop over them is sound.
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

  /// What all steps move.
  double bytes() const { return width_.fraction() * bytes_per_circle_; }
  const Width& width() const { return width_; }
  /// What no holder is able to send and no step moves: lost, unless it comes from elsewhere.
  double lost_bytes() const { return lost_.fraction() * bytes_per_circle_; }

  /// Every machine of either ring, in id order. O(steps + N).
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

  /// The machine that takes longest; empty where nothing moves. O(steps + N).
  std::optional<NodeLoad> critical() const {
    std::optional<NodeLoad> result;
    for (NodeLoad& load : nodes()) {
      if (load.seconds > (result ? result->seconds : 0)) result.emplace(std::move(load));
    }
    return result;
  }

  /// How long it takes while the critical machine's card never waits.
  double seconds() const {
    const auto node = critical();
    return node ? node->seconds : 0;
  }

  /// What is left when the steps numbered `done`, in any order, are: in the same order as here.
  /// Throws std::out_of_range for a number that no step has. O(steps).
  MigrationPlan remaining(std::span<const std::size_t> done) const {
    std::vector<bool> is_done(size());
    for (const std::size_t number : done) {
      if (number >= size()) {
        detail::fail_range("step " + std::to_string(number) + " of a plan of " +
                           std::to_string(size()) + " steps");
      }
      is_done[number] = true;
    }
    MigrationPlan plan = *this;
    plan.records_.clear();
    plan.width_ = {};
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_done[i]) plan.append(records_[i]);
    }
    return plan;
  }

  /// The way back, after the whole plan: arcs and owners are those of the plan from `after` to
  /// `before`, the steps in the opposite order. The reverse of that is this plan again.
  MigrationPlan reverse() const {
    MigrationPlan plan = *this;
    plan.records_.clear();
    plan.dropped_.clear();
    plan.width_ = {};
    for (std::size_t i = size(); i-- > 0;) plan.append(records_[i].reverse());
    for (std::size_t i = dropped_.size(); i-- > 0;) plan.append(dropped_[i].reverse());
    return plan;
  }

 private:
  friend detail::PlanBuilder;

  /// One copy of an arc, members numbered in nodes_.
  struct Record {
    Arc arc;
    std::uint32_t from;         // no_member: there is one copy more
    std::uint32_t to;           // no_member: one less, which moves nothing
    std::uint32_t source;       // of the copy that comes,
    std::uint32_t back_source;  // and of the one that comes if the change is reversed

    Record reverse() const { return {arc, to, from, back_source, source}; }
  };

  void append(const Record& record) {
    if (record.to == detail::no_member) {
      dropped_.push_back(record);
      return;
    }
    records_.push_back(record);
    width_ += record.arc.width();
  }

  std::vector<Node> nodes_;  // of both rings, in id order
  std::vector<Record> records_;
  std::vector<Record> dropped_;  // copies that go without another: kept for reverse()
  Width width_;
  Width lost_;
  double bytes_per_circle_ = 0;
  double bytes_per_second_ = 1;
};

namespace detail {

inline void check_option(bool good, std::string_view name, double value, std::string_view rule) {
  if (!good) {
    fail_invalid("a migration's " + std::string(name) + " is " + std::to_string(value) +
                 "; it is " + std::string(rule));
  }
}

inline void check_options(const MigrationOptions& options) {
  if (options.replicas == 0) fail_invalid("a migration's replicas is 0; it is 1 or more");
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
class PlanBuilder {
  template <class Node>
  using Record = typename MigrationPlan<Node>::Record;

 public:
  template <class Before, class After, class CanSend>
  static auto plan(const Before& before, const After& after, const MigrationOptions& options,
                   const CanSend& can_send) {
    using Node = typename Before::node_type;
    check_options(options);
    check_same_circle(before, after);
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
    // The one of `holders` that has sent the least, or `replaced`; no_member where none can send.
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

    std::vector<Record<Node>> records;
    const auto visit = [&](const CopyChange& change) {
      Record<Node> record{change.arc, no_member, no_member, no_member, no_member};
      if (change.from != no_member) {
        record.from = old_numbers[change.from];
        const std::uint32_t to = change.to == no_member ? no_member : new_numbers[change.to];
        record.back_source = source(change.takers, to, new_numbers, sent_back, change.arc);
      }
      if (change.to != no_member) {
        record.to = new_numbers[change.to];
        record.source = source(change.holders, record.from, old_numbers, sent, change.arc);
        if (record.source == no_member) {
          plan.lost_ += change.arc.width();
          return;
        }
      }
      records.push_back(record);
    };
    if (options.datacenters) {
      const ByDatacenter request{*options.datacenters};
      for_each_copy_change(before, after, request, request, visit);
    } else {
      const auto request = [&](const auto& ring) {
        return OneGroup{options.replicas, options.spread.value_or(ring.default_spread())};
      };
      for_each_copy_change(before, after, request(before), request(after), visit);
    }
    records = in_batches(joined(std::move(records)), options);
    order(records, plan.nodes_.size(), [&](const Record<Node>& record) { plan.append(record); });
    return plan;
  }

 private:
  using Numbers = std::vector<std::uint32_t>;

  /// All members of both rings in id order, and the places there of each ring's own. A node that is
  /// in both is taken from `after`.
  template <class Before, class After, class Node>
  static void merge_nodes(const Before& before, const After& after, std::vector<Node>& nodes,
                          Numbers& old_numbers, Numbers& new_numbers) {
    const auto old_members = before.members();
    const auto new_members = after.members();
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < old_members.size() || j < new_members.size()) {
      int order = i == old_members.size() ? 1 : -1;
      if (i < old_members.size() && j < new_members.size()) {
        const auto old_id = id_of(old_members[i].node);
        const auto new_id = id_of(new_members[j].node);
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

  /// Neighbours that agree in all but the arc, as one.
  template <class Step>
  static std::vector<Step> joined(std::vector<Step> records) {
    // By who is concerned, and then clockwise; the first arc of all may lie across 2^64, which
    // leaves one join undone.
    const auto key = [](const Step& record) {
      return std::pair(std::uint64_t{record.to} << 32 | record.source,
                       std::uint64_t{record.from} << 32 | record.back_source);
    };
    std::sort(records.begin(), records.end(), [&](const Step& a, const Step& b) {
      return std::pair(key(a), a.arc.last) < std::pair(key(b), b.arc.last);
    });
    std::size_t kept = 0;
    for (const Step& record : records) {
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

  /// Cuts steps into equal parts of at most options.batch_bytes, but for the last position.
  template <class Step>
  static std::vector<Step> in_batches(std::vector<Step> records, const MigrationOptions& options) {
    if (options.batch_bytes == 0) return records;
    const auto parts_of = [&](const Step& record) {
      if (record.to == no_member) return std::uint64_t{1};
      const double positions = record.arc.fraction() * 0x1p64;  // no part is less than one
      const double parts = std::ceil(record.arc.fraction() * options.bytes / options.batch_bytes);
      const double most = static_cast<double>(max_migration_batches + 1);
      return static_cast<std::uint64_t>((std::max)(1.0, (std::min)({parts, positions, most})));
    };
    double total = 0;
    for (const Step& record : records) total += static_cast<double>(parts_of(record));
    if (total > static_cast<double>(max_migration_batches)) {
      fail_length("batch_bytes of " + std::to_string(options.batch_bytes) + " comes to " +
                  std::to_string(total) + " steps; at most " +
                  std::to_string(max_migration_batches) + " are served");
    }
    std::vector<Step> batches;
    batches.reserve(static_cast<std::size_t>(total));
    for (const Step& record : records) {
      const std::uint64_t parts = parts_of(record);
      const std::uint64_t less_one = record.arc.last - record.arc.after - 1;
      Step batch = record;
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

  /// Emits the records as a machine room would begin them if each card carried one stream at a
  /// time: the receiver that is free first takes its next arc from whichever of its sources is free
  /// first. Whole numbers decide, so that every machine has one order. O(n log n).
  template <class Step, class Emit>
  static void order(const std::vector<Step>& records, std::size_t nodes, Emit emit) {
    struct Queue {  // what one source sends to one receiver
      Width free;   // when the source is, as far as was known
      std::size_t next;
      std::size_t end;
    };
    const auto later = [](const auto& a, const auto& b) {
      return std::pair(b.free, b.next) < std::pair(a.free, a.next);
    };
    std::vector<std::vector<Queue>> queues(nodes);
    for (std::size_t i = 0; i < records.size();) {
      const Step& record = records[i];
      std::size_t end = i + 1;
      while (end < records.size() && records[end].to == record.to &&
             records[end].source == record.source) {
        ++end;
      }
      if (record.to == no_member) {
        for (; i < end; ++i) emit(records[i]);
      } else {
        queues[record.to].push_back({Width(), i, end});
      }
      i = end;
    }
    struct Receiver {
      Width free;
      std::size_t next;  // its number
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
      const Step& record = records[queue.next];
      receiver.free =
          (receiver.free < queue.free ? queue.free : receiver.free) + record.arc.width();
      source_free[record.source] = receiver.free;
      emit(record);
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

/// The plan of the change from `before` to `after`. `can_send(node)` says who is able to stream:
/// not the machine that died. O(replicas (M + N)) and a sort of the steps.
///
///   std::invalid_argument  an option out of its range, rings of two hash policies
///   std::length_error      more than max_migration_batches steps for want of larger batches
template <class Before, class After, class CanSend = detail::EveryNodeSends>
  requires detail::ComparableRings<Before, After>
MigrationPlan<typename Before::node_type> plan_migration(const Before& before, const After& after,
                                                         const MigrationOptions& options,
                                                         const CanSend& can_send = {}) {
  return detail::PlanBuilder::plan(before, after, options, can_send);
}

/// The same change made one member at a time: joins, then weights, then leaves, each in id order; a
/// plan for each. Compare their bytes and seconds() with those of plan_migration, which makes all
/// of it at once: data that moves onto one joiner now moves on to the next. For rings whose members
/// are placed by name and weight. O(changes * replicas (M + N)).
template <class Ring>
  requires requires(Ring& ring, const typename Ring::node_type& node) {
    ring.add(node, NodeOptions{});
    ring.set_weight(node, 1.0);
  }
std::vector<MigrationPlan<typename Ring::node_type>> plan_one_by_one(
    const Ring& before, const Ring& after, const MigrationOptions& options) {
  std::vector<MigrationPlan<typename Ring::node_type>> plans;
  Ring current = before;
  const auto step = [&](auto change) {
    Ring next = current;
    change(next);
    plans.push_back(plan_migration(current, next, options));
    current = std::move(next);
  };
  for (const auto& member : after.members()) {
    if (before.contains(member.node)) continue;
    step([&](Ring& ring) {
      ring.add(member.node, NodeOptions{member.weight, member.rack, member.datacenter});
    });
  }
  for (const auto& member : after.members()) {
    const auto index = before.index_of(member.node);
    if (index == Ring::npos || before.members()[index].weight == member.weight) continue;
    step([&](Ring& ring) { ring.set_weight(member.node, member.weight); });
  }
  for (const auto& member : before.members()) {
    if (!after.contains(member.node)) step([&](Ring& ring) { ring.remove(member.node); });
  }
  // Other vnodes for all, or another rack: no member makes that change alone.
  if (!(current == after)) step([&](Ring& ring) { ring = after; });
  return plans;
}

}  // namespace clockwise

#endif  // CLOCKWISE_MIGRATION_HPP
