// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_REPLICA_TABLE_HPP
#define CLOCKWISE_REPLICA_TABLE_HPP

// Precomputed preference lists: getting one costs about as much as a lookup.
//
//   clockwise::HashRing ring({"a", "b", "c", "d"});
//   const clockwise::ReplicaTable table(ring, 3);
//   for (const std::string& node : table.preference_list("user:42")) …   // the ring's list, R = 3
//
// A ring walks the circle for each list. This table stores the list of every vnode, for one R and
// one Spread, and only looks up the vnode.

#include <concepts>     // unsigned_integral
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <string>       // to_string
#include <string_view>  // string_view
#include <utility>      // move
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/index_view.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/replica_sweep.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/ring/walk.hpp"
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
      const auto own = detail::id_of(node);
      if (std::string_view(own) == std::string_view(wanted)) return true;
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

/// A ring's preference_list(key, r, spread), for every key.
///
/// Holds the ring itself, copied or moved in: a snapshot. After a change, make a new table. In
/// addition to the ring, it takes list_size() * sizeof(Index) bytes per vnode: 6 for three replicas
/// and 16-bit indexes.
///
/// Copies of a table are independent. Thread safety: that of a standard container.
template <detail::Ring R>
class ReplicaTable {
 public:
  using node_type = typename R::node_type;
  using index_type = typename R::index_type;
  using Row = ReplicaRow<node_type, index_type>;

  /// Computes the lists of `r` nodes, by the ring's default spread if none is given. Throws
  /// std::length_error if they exceed the address space. O(M r) for M positions.
  ReplicaTable(R ring, std::size_t r)
      : ring_(std::move(ring)), requested_(r), spread_(ring_.default_spread()) {
    fill();
  }
  ReplicaTable(R ring, std::size_t r, Spread spread)
      : ring_(std::move(ring)), requested_(r), spread_(spread) {
    fill();
  }

  /// Returns the ring's preference_list(key, requested(), spread()); empty if the ring owns
  /// nothing. Costs a lookup that reads a list in place of an owner.
  template <class Key>
  Row preference_list(const Key& key) const noexcept {
    const auto position = static_cast<std::uint64_t>(ring_.position_of(key));
    const std::size_t rank =
        ring_.table().rank_of(position, {lists_.data(), list_size_ * sizeof(index_type)});
    return Row(ring_.members().data(), lists_.data() + rank * list_size_, list_size_, requested_);
  }

  /// Length of every list: less than requested() if nodes or racks are too few.
  std::size_t list_size() const noexcept { return list_size_; }
  std::size_t requested() const noexcept { return requested_; }
  Spread spread() const noexcept { return spread_; }
  const R& ring() const noexcept { return ring_; }
  /// Heap memory of the lists, without the ring's.
  std::size_t bytes() const noexcept { return lists_.capacity() * sizeof(index_type); }

 private:
  void fill() {
    const detail::OneGroup request{requested_, spread_};
    const std::size_t vnodes = ring_.vnode_count();
    if (vnodes == 0) return;
    list_size_ = detail::attainable(requested_, spread_, ring_.topology().whole());
    if (list_size_ > 0 && vnodes > lists_.max_size() / list_size_) {
      detail::fail_length("a replica table of " + std::to_string(vnodes) + " lists of " +
                          std::to_string(list_size_) + " nodes is too large");
    }
    lists_.resize(vnodes * list_size_);
    detail::for_each_replica_set(ring_, request, [&](std::size_t rank, const auto& nodes) {
      index_type* list = lists_.data() + rank * list_size_;
      for (const std::uint32_t node : nodes) *list++ = static_cast<index_type>(node);
    });
  }

  R ring_;
  std::size_t requested_;
  Spread spread_;
  std::size_t list_size_ = 0;
  std::vector<index_type> lists_;  // by rank; unused for a vnode whose arc is empty
};

}  // namespace clockwise

#endif  // CLOCKWISE_REPLICA_TABLE_HPP
