// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MOVEMENT_HPP
#define CLOCKWISE_MOVEMENT_HPP

// What a change moves: which arcs, from whom, to whom, and how much, exactly.
//
//   const auto moved = clockwise::movement(before, after);
//   moved.fraction();                                   // 0.0588 for 16 -> 17 nodes
//   for (const auto& [arc, from, to] : moved.transfers()) ...

#include <algorithm>    // any_of, copy, find, max, min, sort
#include <concepts>     // same_as
#include <cstddef>      // ptrdiff_t, size_t
#include <cstdint>      // uint32_t, uint64_t
#include <map>          // map
#include <numeric>      // gcd, lcm
#include <span>         // span
#include <string_view>  // string_view
#include <utility>      // move, pair
#include <vector>       // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/error.hpp"
#include "clockwise/detail/index_iterator.hpp"
#include "clockwise/detail/replica_sweep.hpp"
#include "clockwise/detail/ring_base.hpp"
#include "clockwise/detail/walk.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/replica_list.hpp"

namespace clockwise {

/// One arc that changes hands.
template <class Node>
struct Transfer {
  Arc arc;
  Node from;
  Node to;
};

/// What moves between two rings. A value of its own: the rings may change afterwards.
template <class Node>
class Movement {
 public:
  /// Arcs with their old and new owners, as compact as they are kept: numbers in `from_nodes` and
  /// `to_nodes`.
  struct Record {
    Arc arc;
    std::uint32_t from;
    std::uint32_t to;
  };

  Movement() = default;
  Movement(std::vector<Node> from_nodes, std::vector<Node> to_nodes, std::vector<Record> records,
           std::size_t copies = 1)
      : from_nodes_(std::move(from_nodes)),
        to_nodes_(std::move(to_nodes)),
        records_(std::move(records)),
        copies_(copies) {
    for (const Record& record : records_) width_ += record.arc.width();
  }

  /// How many positions change hands, exactly, counted once for each copy that is made.
  const Width& width() const { return width_; }
  /// The same as a share of all that is stored, which is copies() times the circle: 0 to 1.
  double fraction() const {
    return copies_ == 0 ? 0 : width_.fraction() / static_cast<double>(copies_);
  }
  /// How many copies of each key there are after the change: 1 for primary owners.
  std::size_t copies() const { return copies_; }

  /// The arcs, clockwise, each as long as its two owners allow; none overlap. Random access, each
  /// Transfer made as it is read, for as long as the Movement lives.
  class Transfers {
   public:
    using iterator = detail::IndexIterator<Movement>;
    explicit Transfers(const Movement& movement) : movement_(&movement) {}
    iterator begin() const { return iterator(*movement_, 0); }
    iterator end() const { return iterator(*movement_, size()); }
    std::size_t size() const { return movement_->records_.size(); }
    bool empty() const { return size() == 0; }
    Transfer<Node> operator[](std::size_t i) const { return (*movement_)[i]; }

   private:
    const Movement* movement_;
  };
  Transfers transfers() const& { return Transfers(*this); }
  /// Of a temporary: the transfers themselves, so that a loop over movement(a, b).transfers() is
  /// sound.
  std::vector<Transfer<Node>> transfers() && {
    const Transfers all(*this);
    return std::vector<Transfer<Node>>(all.begin(), all.end());
  }

  /// Transfer number `i`, below transfers().size().
  Transfer<Node> operator[](std::size_t i) const {
    const Record& record = records_[i];
    return {record.arc, from_nodes_[record.from], to_nodes_[record.to]};
  }

  /// How many circles' worth each member gives up, or takes over: in id order, members that do
  /// neither included. They sum to copies() * fraction().
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
  std::size_t copies_ = 1;
  Width width_;
};

namespace detail {

inline constexpr std::uint32_t no_member = 0xffffffff;

/// For each member of `before` its number among those of `after`, no_member where it is gone. Both
/// number their members in id order. O(N).
template <class Before, class After>
std::vector<std::uint32_t> matched_members(const Before& before, const After& after) {
  std::vector<std::uint32_t> matches(before.size(), no_member);
  std::size_t j = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto id = id_of(before.node(static_cast<typename Before::index_type>(i)));
    for (; j < after.size(); ++j) {
      const auto other = id_of(after.node(static_cast<typename After::index_type>(j)));
      if (std::string_view(other) < std::string_view(id)) continue;
      if (std::string_view(other) == std::string_view(id)) {
        matches[i] = static_cast<std::uint32_t>(j);
      }
      break;
    }
  }
  return matches;
}

template <class Before, class After>
void check_same_circle(const Before& before, const After& after) {
  if (before.circle() != after.circle()) {
    fail_invalid(
        "movement between two hash policies: a key has a position on each, so arcs do not compare; "
        "count keys with KeyMovement instead");
  }
}

template <class Ring>
std::vector<typename Ring::node_type> nodes_of(const Ring& ring) {
  std::vector<typename Ring::node_type> nodes;
  nodes.reserve(ring.size());
  for (const auto& member : ring.members()) nodes.push_back(member.node);
  return nodes;
}

/// Calls visit(Arc, before rank, after rank) for the arcs between neighbouring positions of either
/// table, each rank that of the arc's owner. Together they are the circle. Neither table is empty.
/// Linear in both.
template <class BeforeTable, class AfterTable, class Visit>
void for_each_common_arc(const BeforeTable& before, const AfterTable& after, Visit visit) {
  const auto a = before.positions();
  const auto b = after.positions();
  std::uint64_t last = (std::max)(a.back(), b.back());
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const std::uint64_t next = i == a.size() ? b[j] : j == b.size() ? a[i] : (std::min)(a[i], b[j]);
    visit(Arc{last, next}, i == a.size() ? 0 : i, j == b.size() ? 0 : j);
    last = next;
    while (i < a.size() && a[i] == next) ++i;
    while (j < b.size() && b[j] == next) ++j;
  }
}

/// Collects what changes hands, arc after arc clockwise, and joins neighbours.
template <class Node>
class MovementBuilder {
  using Record = typename Movement<Node>::Record;

 public:
  explicit MovementBuilder(std::size_t receivers) : latest_(receivers, none) {}

  /// In one arc a receiver comes up once.
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
    // The arcs that came first may go on from those that came last, across 2^64.
    std::vector<Record> records;
    std::vector<bool> joined(records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) {
      Record& record = records_[i];
      const std::size_t last = latest_[record.to];
      if (record.arc.after != records_.front().arc.after) break;
      if (last == i || joined[last] || records_[last].from != record.from ||
          records_[last].arc.last != record.arc.after) {
        continue;
      }
      record.arc.after = records_[last].arc.after;
      joined[last] = true;
    }
    records.reserve(records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!joined[i]) records.push_back(records_[i]);
    }
    return records;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  std::vector<Record> records_;
  std::vector<std::size_t> latest_;  // by receiver: its latest record
};

/// The replica sets of all arcs, in ascending order of node: `size` numbers a rank.
struct ReplicaSetTable {
  std::size_t size = 0;
  std::vector<std::uint32_t> nodes;

  template <class Ring, class Request>
  ReplicaSetTable(const Ring& ring, const Request& request) {
    for_each_replica_set(ring, request, [&](std::size_t rank, std::span<const std::uint32_t> set) {
      if (nodes.empty()) {
        size = set.size();
        nodes.resize(size * ring.vnode_count());
      }
      const auto place = nodes.begin() + static_cast<std::ptrdiff_t>(rank * size);
      std::sort(place, std::copy(set.begin(), set.end(), place));
    });
  }
  std::span<const std::uint32_t> at(std::size_t rank) const {
    return std::span(nodes).subspan(rank * size, size);
  }
};

/// Calls visit(Arc, from, to, holders) for each node that comes to hold a copy of an arc: `to`
/// numbers it after the change; `holders` are those who have the arc before it, `from` the one of
/// them whose copy goes, or, where the arc gets more copies than it had, its owner. A copy for
/// which nobody comes is dropped and not visited. Linear in the positions of both.
template <class Before, class After, class Request, class Visit>
void for_each_gain(const Before& before, const After& after, const Request& before_request,
                   const Request& after_request, Visit visit) {
  const ReplicaSetTable old_sets(before, before_request);
  const ReplicaSetTable new_sets(after, after_request);
  if (old_sets.size == 0 || new_sets.size == 0) return;
  const auto matches = matched_members(before, after);
  const auto stays = [&](std::uint32_t old_node, std::span<const std::uint32_t> set) {
    return std::find(set.begin(), set.end(), matches[old_node]) != set.end();
  };
  const auto was = [&](std::uint32_t new_node, std::span<const std::uint32_t> set) {
    return std::any_of(set.begin(), set.end(),
                       [&](std::uint32_t old_node) { return matches[old_node] == new_node; });
  };
  for_each_common_arc(before.table(), after.table(),
                      [&](const Arc& arc, std::size_t old_rank, std::size_t new_rank) {
                        const auto holders = old_sets.at(old_rank);
                        const auto takers = new_sets.at(new_rank);
                        std::size_t giver = 0;
                        for (const std::uint32_t taker : takers) {
                          if (was(taker, holders)) continue;
                          while (giver < holders.size() && stays(holders[giver], takers)) ++giver;
                          const std::uint32_t from =
                              giver < holders.size() ? holders[giver++] : before.owners()[old_rank];
                          visit(arc, from, taker, holders);
                        }
                      });
}

template <class Before, class After, class Request>
Movement<typename Before::node_type> replica_movement(const Before& before, const After& after,
                                                      const Request& before_request,
                                                      const Request& after_request) {
  check_same_circle(before, after);
  MovementBuilder<typename Before::node_type> builder(after.size());
  for_each_gain(before, after, before_request, after_request,
                [&](const Arc& arc, std::uint32_t from, std::uint32_t to,
                    std::span<const std::uint32_t>) { builder.add(arc, from, to); });
  std::size_t copies = 0;
  for (std::size_t group = 0; group < after_request.groups(); ++group) {
    copies += attainable(after_request.requested(group), after_request.spread,
                         after_request.extent(after.topology(), group));
  }
  return {nodes_of(before), nodes_of(after), builder.finish(), copies};
}

template <class Before, class After>
concept ComparableRings = Ring<Before> && Ring<After> &&
                          std::same_as<typename Before::node_type, typename After::node_type>;

}  // namespace detail

/// The exact difference of two rings on one circle: primary owners. A join moves arcs only onto the
/// joiner, for its vnodes cut arcs in two and their other halves stay. A ring that owns nothing
/// gives and takes nothing. Throws std::invalid_argument where the hash policies differ. O(M + N)
/// of both.
template <class Before, class After>
  requires detail::ComparableRings<Before, After>
Movement<typename Before::node_type> movement(const Before& before, const After& after) {
  using Node = typename Before::node_type;
  detail::check_same_circle(before, after);
  detail::MovementBuilder<Node> builder(after.size());
  if (before.vnode_count() > 0 && after.vnode_count() > 0) {
    const auto matches = detail::matched_members(before, after);
    detail::for_each_common_arc(before.table(), after.table(),
                                [&](const Arc& arc, std::size_t old_rank, std::size_t new_rank) {
                                  const std::uint32_t from = before.owners()[old_rank];
                                  const std::uint32_t to = after.owners()[new_rank];
                                  if (matches[from] != to) builder.add(arc, from, to);
                                });
  }
  return {detail::nodes_of(before), detail::nodes_of(after), builder.finish()};
}

/// The same for each of `r` replicas, as preference_list(key, r) names them on either ring: which
/// node comes to hold a copy of which arc. Order within a list is no movement. O(r (M + N)).
template <class Before, class After>
  requires detail::ComparableRings<Before, After>
Movement<typename Before::node_type> movement(const Before& before, const After& after,
                                              std::size_t r) {
  return detail::replica_movement(before, after, detail::OneGroup{r, before.default_spread()},
                                  detail::OneGroup{r, after.default_spread()});
}
template <class Before, class After>
  requires detail::ComparableRings<Before, After>
Movement<typename Before::node_type> movement(const Before& before, const After& after,
                                              std::size_t r, Spread spread) {
  return detail::replica_movement(before, after, detail::OneGroup{r, spread},
                                  detail::OneGroup{r, spread});
}
template <class Before, class After>
  requires detail::ComparableRings<Before, After>
Movement<typename Before::node_type> movement(const Before& before, const After& after,
                                              const DatacenterReplicas& wanted) {
  return detail::replica_movement(before, after, detail::ByDatacenter{wanted},
                                  detail::ByDatacenter{wanted});
}

/// What moves between two counts of nodes under mod N: residues of the least common multiple.
struct ResidueMovement {
  std::uint64_t residues = 0;  ///< lcm(N, M): keys fall into that many equal classes.
  std::uint64_t moved = 0;     ///< Classes whose node changes.

  double fraction() const {
    return residues == 0 ? 0 : static_cast<double>(moved) / static_cast<double>(residues);
  }
};

/// Exact but for the 2^64 mod lcm(N, M) positions that do not fill a round of residues. Nobody on
/// either side: nothing moves. Throws std::invalid_argument where the hash policies differ. O(N).
template <HashFunction Hash, class Node>
ResidueMovement movement(const ModN<Hash, Node>& before, const ModN<Hash, Node>& after) {
  detail::check_same_circle(before, after);
  ResidueMovement result;
  if (before.empty() || after.empty()) return result;
  const std::uint64_t common = std::gcd(before.size(), after.size());
  result.residues = std::lcm(std::uint64_t{before.size()}, std::uint64_t{after.size()});
  result.moved = result.residues;
  const auto matches = detail::matched_members(before, after);
  for (std::size_t number = 0; number < matches.size(); ++number) {
    // By the Chinese remainder theorem one class in lcm has residue `number` before and
    // matches[number] after, if the two agree modulo the common divisor; else none has.
    const bool kept =
        matches[number] != detail::no_member && number % common == matches[number] % common;
    result.moved -= kept ? 1 : 0;
  }
  return result;
}

/// Movement counted over keys: for any two partitioners, of one scheme or of two.
template <class Before, class After>
class KeyMovement {
  using Node = typename Before::node_type;
  static_assert(std::same_as<Node, typename After::node_type>,
                "clockwise: movement is between partitioners of one node type");

 public:
  struct Flow {
    Node from;
    Node to;
    std::uint64_t keys;
  };

  /// Both are referred to and must stay, unchanged.
  KeyMovement(const Before& before, const After& after) : before_(&before), after_(&after) {}

  /// Two lookups. Throws std::out_of_range where either side owns nothing.
  template <class Key>
  void observe(const Key& key) {
    const Node& from = before_->lookup(key);
    const Node& to = after_->lookup(key);
    ++keys_;
    const auto from_id = detail::id_of(from);
    const auto to_id = detail::id_of(to);
    if (std::string_view(from_id) == std::string_view(to_id)) return;
    ++moved_;
    ++flows_[{&from, &to}];
  }

  std::uint64_t keys() const { return keys_; }
  std::uint64_t moved() const { return moved_; }
  /// moved() / keys(); 0 before the first key.
  double fraction() const {
    return keys_ == 0 ? 0 : static_cast<double>(moved_) / static_cast<double>(keys_);
  }
  /// Who sends how many keys to whom.
  std::vector<Flow> flows() const {
    std::vector<Flow> flows;
    flows.reserve(flows_.size());
    for (const auto& [nodes, keys] : flows_) flows.push_back({*nodes.first, *nodes.second, keys});
    return flows;
  }

 private:
  const Before* before_;
  const After* after_;
  std::uint64_t keys_ = 0;
  std::uint64_t moved_ = 0;
  std::map<std::pair<const Node*, const Node*>, std::uint64_t> flows_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_MOVEMENT_HPP
