// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MOVEMENT_HPP
#define CLOCKWISE_MOVEMENT_HPP

// The exact movement of a change: which arcs move, between which nodes, and how much.
//
//   const auto moved = clockwise::movement(before, after);
//   moved.fraction();                                   // 0.0588 for 16 -> 17 nodes
//   for (const auto& [arc, from, to] : moved.transfers()) ...

#include <algorithm>  // sort
#include <concepts>   // same_as
#include <cstddef>    // ptrdiff_t, size_t
#include <cstdint>    // uint32_t, uint64_t
#include <map>        // map
#include <utility>    // move, pair
#include <vector>     // vector

#include "clockwise/arc.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/reset_by_move.hpp"
#include "clockwise/detail/ring/matching.hpp"
#include "clockwise/detail/ring/ring_diff.hpp"
#include "clockwise/index_view.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// An arc that moves between two nodes.
template <class Node>
struct Transfer {
  Arc arc;
  Node from;
  Node to;
};

/// The movement between two rings. Independent of the rings' later changes.
template <class Node>
class Movement {
 public:
  /// An arc with its old and new owner, as stored: indices into `from_nodes` and `to_nodes`.
  struct Record {
    Arc arc;
    std::uint32_t from;
    std::uint32_t to;
  };

  Movement() = default;
  Movement(std::vector<Node> from_nodes, std::vector<Node> to_nodes, std::vector<Record> records,
           std::size_t replicas = 1)
      : from_nodes_(std::move(from_nodes)),
        to_nodes_(std::move(to_nodes)),
        records_(std::move(records)),
        replicas_(replicas) {
    for (const Record& record : records_) *width_ += record.arc.width();
  }
  Movement(const Movement&) = default;
  Movement(Movement&&) noexcept = default;
  Movement& operator=(Movement&&) noexcept = default;
  /// All or nothing.
  Movement& operator=(const Movement& other) {
    *this = Movement(other);
    return *this;
  }
  ~Movement() = default;

  /// The exact number of positions that move, counted once per copy made.
  Width width() const { return *width_; }
  /// width() as a share of all stored data, which is replicas() times the circle: 0 to 1.
  double fraction() const {
    return replicas_ == 0 ? 0 : width_->fraction() / static_cast<double>(replicas_);
  }
  /// Replicas of each key after the change: as many as the ring can provide.
  std::size_t replicas() const { return replicas_; }

  /// Returns the arcs, clockwise, each as long as its two nodes allow; if one replica moves, they
  /// do not overlap. Random access; makes each Transfer on access; valid while the Movement lives.
  using Transfers = IndexView<Movement>;
  Transfers transfers() const& { return Transfers(*this); }
  /// On a temporary, returns them by value, so a loop over movement(a, b).transfers() is safe.
  std::vector<Transfer<Node>> transfers() && {
    const Transfers all(*this);
    return {all.begin(), all.end()};
  }

  /// The number of transfers, and transfer `i`.
  std::size_t size() const { return records_.size(); }
  Transfer<Node> operator[](std::size_t i) const {
    const Record& record = records_[i];
    return {record.arc, from_nodes_[record.from], to_nodes_[record.to]};
  }

  /// How much each member gives up or takes over, in circles; in id order, unchanged members
  /// included. They sum to replicas() * fraction().
  std::vector<std::pair<Node, double>> outgoing() const {
    return by_node(from_nodes_, [](const Record& record) { return record.from; });
  }
  std::vector<std::pair<Node, double>> incoming() const {
    return by_node(to_nodes_, [](const Record& record) { return record.to; });
  }

 private:
  template <class NumberOf>
  std::vector<std::pair<Node, double>> by_node(const std::vector<Node>& nodes,
                                               NumberOf number_of) const {
    std::vector<Width> widths(nodes.size());
    for (const Record& record : records_) widths[number_of(record)] += record.arc.width();
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      shares.emplace_back(nodes[i], widths[i].fraction());
    }
    return shares;
  }

  std::vector<Node> from_nodes_;
  std::vector<Node> to_nodes_;
  std::vector<Record> records_;
  std::size_t replicas_ = 1;
  detail::ResetByMove<Width> width_;
};

namespace detail {

template <class Ring>
std::vector<typename Ring::node_type> nodes_of(const Ring& ring) {
  std::vector<typename Ring::node_type> nodes;
  nodes.reserve(ring.members().size());
  for (const auto& member : ring.members()) nodes.push_back(member.node);
  return nodes;
}

/// Collects the moved arcs, clockwise, and joins neighbours.
template <class Node>
class MovementBuilder {
  using Record = typename Movement<Node>::Record;

 public:
  explicit MovementBuilder(std::size_t receivers) : latest_(receivers, none) {}

  /// Each receiver occurs once per arc.
  void add(const Arc& arc, std::uint32_t from, std::uint32_t to) {
    std::size_t& latest = latest_[to];
    if (latest != none && records_[latest].from == from && records_[latest].arc.last == arc.after) {
      records_[latest].arc.last = arc.last;
      return;
    }
    latest = records_.size();
    records_.push_back({arc, from, to});
  }

  std::vector<Record> finish() {
    // The first arcs can continue the last ones, across 2^64.
    const std::uint64_t first = records_.empty() ? 0 : records_.front().arc.after;
    std::vector<std::size_t> joined;
    for (std::size_t i = 0; i < records_.size() && records_[i].arc.after == first; ++i) {
      const std::size_t last = latest_[records_[i].to];
      if (last != i && records_[last].from == records_[i].from &&
          records_[last].arc.last == first) {
        joined.push_back(last);
        records_[i].arc.after = records_[last].arc.after;
      }
    }
    std::sort(joined.begin(), joined.end());
    while (!joined.empty()) {  // from the back, near which they all are
      records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(joined.back()));
      joined.pop_back();
    }
    return std::move(records_);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  std::vector<Record> records_;
  std::vector<std::size_t> latest_;  // by receiver: index of its latest record
};

/// The movement of the owners alone. Returns the number of replicas of each key after the change: 0
/// if `after` owns nothing.
template <class Before, class After, class Builder>
std::size_t collect_owner_changes(const Before& before, const After& after, Builder& builder) {
  if (after.positions().empty()) return 0;
  if (before.positions().empty()) return 1;
  const auto old_owners = before.owners();
  const auto new_owners = after.owners();
  const auto matches = detail::matched_members(before, after);
  const auto visit = [&](const Arc& arc, std::size_t old_rank, std::size_t new_rank) {
    const auto from = static_cast<std::uint32_t>(old_owners[old_rank]);
    const auto to = static_cast<std::uint32_t>(new_owners[new_rank]);
    if (matches[from] != to) builder.add(arc, from, to);
  };
  detail::for_each_common_arc(before.positions(), after.positions(), visit);
  return 1;
}

/// As above, for all replicas.
template <class Before, class After, class Builder>
std::size_t collect_copy_changes(const Before& before, const After& after,
                                 const Replication& replication, Builder& builder) {
  return detail::for_each_copy_change(before, after, replication, [&](const CopyChange& change) {
    if (change.to == no_member) return;
    builder.add(change.arc, change.from == no_member ? change.holders[0] : change.from, change.to);
  });
}

}  // namespace detail

/// Returns the exact difference of two rings on one circle: by default in owners, otherwise in all
/// replicas, as preference_list(key, replication) returns them on either ring. That is, which node
/// gains a copy of which arc, and which node it replaces; if copies are added, `from` is any node
/// that holds one. A change of order in a list is not movement.
///
/// A join moves arcs only to the joiner: its vnodes split arcs, and the other parts stay. A ring
/// that owns nothing gives and takes nothing. Throws std::invalid_argument if the hash policies
/// differ. O(R (M + N)) over both rings, for R replicas.
template <Ring Before, Ring After>
  requires std::same_as<typename Before::node_type, typename After::node_type>
Movement<typename Before::node_type> movement(const Before& before, const After& after,
                                              const Replication& replication = 1) {
  detail::check_same_circle(before, after);
  detail::MovementBuilder<typename Before::node_type> builder(after.members().size());
  const bool owners_only = replication.requested() == 1 && replication.by_datacenter() == nullptr;
  const std::size_t replicas =
      owners_only ? detail::collect_owner_changes(before, after, builder)
                  : detail::collect_copy_changes(before, after, replication, builder);
  return {detail::nodes_of(before), detail::nodes_of(after), builder.finish(), replicas};
}

/// Movement counted over keys, for any two placements of one node type, of one scheme or of two.
template <Placement Before, Placement After>
  requires std::same_as<typename Before::node_type, typename After::node_type>
class KeyMovement {
  using Node = typename Before::node_type;

 public:
  struct Flow {
    Node from;
    Node to;
    std::uint64_t keys;
  };

  /// Refers to both: keep them alive and unchanged.
  KeyMovement(const Before& before, const After& after) : before_(&before), after_(&after) {}
  KeyMovement(const Before&&, const After&) = delete;
  KeyMovement(const Before&, const After&&) = delete;
  KeyMovement(const Before&&, const After&&) = delete;

  /// Counts one key. Throws std::out_of_range if either side owns nothing. Two lookups.
  template <class Key>
  void observe(const Key& key) {
    const Node& from = before_->lookup(key);
    const Node& to = after_->lookup(key);
    if (!detail::same_id(from, to)) {
      ++flows_[{&from, &to}];  // first, because it can throw
      ++*moved_;
    }
    ++*keys_;
  }

  std::uint64_t keys() const { return *keys_; }
  std::uint64_t moved() const { return *moved_; }
  /// moved() / keys(); 0 before the first key.
  double fraction() const {
    return keys() == 0 ? 0 : static_cast<double>(moved()) / static_cast<double>(keys());
  }
  /// Keys moved, by sender and receiver.
  std::vector<Flow> flows() const {
    std::vector<Flow> flows;
    flows.reserve(flows_.size());
    for (const auto& [nodes, keys] : flows_) flows.push_back({*nodes.first, *nodes.second, keys});
    return flows;
  }

 private:
  const Before* before_;
  const After* after_;
  detail::ResetByMove<std::uint64_t> keys_;
  detail::ResetByMove<std::uint64_t> moved_;
  std::map<std::pair<const Node*, const Node*>, std::uint64_t> flows_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_MOVEMENT_HPP
