// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_REPLICA_TABLE_HPP
#define CLOCKWISE_REPLICA_TABLE_HPP

// Precomputed preference lists: getting one costs about as much as a lookup.
//
//   clockwise::HashRing ring({"a", "b", "c", "d"});
//   const clockwise::ReplicaTable table(ring, 3);
//   for (const std::string& node : table.preference_list("user:42")) …   // the ring's list, R = 3
//
// A ring walks the circle for each list. This table stores the list of every vnode, for one
// Replication, and only looks up the vnode.

#include <algorithm>  // lower_bound
#include <concepts>   // unsigned_integral
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <span>       // span
#include <string>     // to_string
#include <utility>    // move
#include <vector>     // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/reset_by_move.hpp"
#include "clockwise/detail/ring/lookup_index.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/index_view.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// One list of a ReplicaTable: reads like a ReplicaList, and converts to one. Assigning, moving or
/// destroying the table invalidates it.
template <class Node, std::unsigned_integral Index>
class ReplicaRow {
 public:
  using iterator = IndexIterator<ReplicaRow>;
  using const_iterator = iterator;
  using value_type = Node;

  ReplicaRow() = default;
  ReplicaRow(const Member<Node>* members, const Index* owners, std::size_t size,
             std::size_t requested)
      : members_(members), owners_(owners), size_(size), requested_(requested) {}

  iterator begin() const { return iterator(*this, 0); }
  iterator end() const { return iterator(*this, size_); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// `i` must be below size().
  const Node& operator[](std::size_t i) const { return members_[owners_[i]].node; }
  /// The list must not be empty.
  const Node& front() const { return (*this)[0]; }

  /// The number of nodes requested.
  std::size_t requested() const { return requested_; }
  bool complete() const { return size_ == requested_; }

  template <class Id>
  bool contains(const Id& id) const {
    const auto wanted = detail::id_of(id);
    for (const Node& node : *this) {
      if (detail::has_id(node, wanted)) return true;
    }
    return false;
  }

  operator ReplicaList<Node>() const {
    ReplicaList<Node> list(requested_);
    for (const Node& node : *this) list.push_back(node);
    return list;
  }

 private:
  const Member<Node>* members_ = nullptr;
  const Index* owners_ = nullptr;
  std::size_t size_ = 0;
  std::size_t requested_ = 0;
};

namespace detail {

/// Whether the ring has a table with a lookup index, which your own rings need not have.
template <class R>
concept HasRingTable =
    requires(const R& ring) { []<class... Parts>(const RingBase<Parts...>&) {}(ring); };

/// Returns the rank of the vnode that owns `position`, for callers that read `rows` next.
template <class R>
std::size_t rank_of(const R& ring, std::uint64_t position, [[maybe_unused]] Rows rows) noexcept {
  if constexpr (HasRingTable<R>) {
    return RingAccess::table(ring).rank_of(position, rows);
  } else {
    const std::span<const std::uint64_t> positions = ring.positions();
    const auto found = std::lower_bound(positions.begin(), positions.end(), position);
    return found == positions.end() ? 0 : static_cast<std::size_t>(found - positions.begin());
  }
}

}  // namespace detail

/// A ring's preference_list(key, replication), for every key.
///
/// Holds the ring itself, copied or moved in: a snapshot. After a change, make a new table. In
/// addition to the ring, it takes list_size() * sizeof(Index) bytes per vnode: 6 for three replicas
/// and 16-bit indexes.
///
/// Copies of a table are independent. Thread safety: that of a standard container.
template <Ring R>
class ReplicaTable {
 public:
  using node_type = typename R::node_type;
  using index_type = typename R::index_type;
  using Row = ReplicaRow<node_type, index_type>;

  /// Computes the lists. Throws std::length_error if they exceed the address space. O(M r) for M
  /// positions and r replicas.
  ReplicaTable(R ring, Replication replication)
      : ring_(std::move(ring)), replication_(std::move(replication)) {
    const std::size_t vnodes = ring_.positions().size();
    if (vnodes == 0) return;
    const detail::Topology topology = detail::Topology::of(ring_.members());
    *list_size_ = detail::list_size(ring_, topology, replication_);
    if (list_size() > 0 && vnodes > lists_.max_size() / list_size()) {
      detail::fail_length("a replica table of " + std::to_string(vnodes) + " lists of " +
                          std::to_string(list_size()) + " nodes is too large");
    }
    lists_.resize(vnodes * list_size());
    const auto store = [&](std::size_t rank, const auto& nodes) {
      index_type* list = lists_.data() + rank * list_size();
      for (const std::uint32_t node : nodes) *list++ = static_cast<index_type>(node);
    };
    detail::for_each_replica_list(ring_, topology, replication_, store);
  }
  ReplicaTable(const ReplicaTable&) = default;
  ReplicaTable(ReplicaTable&&) noexcept = default;
  ReplicaTable& operator=(ReplicaTable&&) noexcept = default;
  /// All or nothing.
  ReplicaTable& operator=(const ReplicaTable& other) {
    *this = ReplicaTable(other);
    return *this;
  }
  ~ReplicaTable() = default;

  /// Returns the ring's preference_list(key, replication()); empty if the ring owns nothing. Costs
  /// a lookup that reads a list in place of an owner.
  template <class Key>
  Row preference_list(const Key& key) const& noexcept {
    const auto position = static_cast<std::uint64_t>(ring_.position_of(key));
    const std::size_t rank = detail::rank_of(
        ring_, position, detail::Rows{lists_.data(), list_size() * sizeof(index_type)});
    return Row(ring_.members().data(), lists_.data() + rank * list_size(), list_size(),
               replication_.requested());
  }
  template <class Key>
  Row preference_list(const Key& key) const&& = delete;  // it would refer to nothing

  const Replication& replication() const& noexcept { return replication_; }
  const Replication& replication() const&& = delete;  // it would refer to nothing
  std::size_t requested() const noexcept { return replication_.requested(); }
  /// Length of every list: less than requested() if nodes or racks are too few.
  std::size_t list_size() const noexcept { return *list_size_; }
  const R& ring() const& noexcept { return ring_; }
  /// On a temporary, the ring is moved out of it.
  R ring() && { return std::move(ring_); }
  /// Heap memory of the lists, without the ring's.
  std::size_t memory_bytes() const noexcept { return lists_.capacity() * sizeof(index_type); }

 private:
  R ring_;
  Replication replication_;
  detail::ResetByMove<std::size_t> list_size_;
  std::vector<index_type> lists_;  // by rank; unused for a vnode whose arc is empty
};

}  // namespace clockwise

#endif  // CLOCKWISE_REPLICA_TABLE_HPP
