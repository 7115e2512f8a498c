// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_REPLICA_TABLE_HPP
#define CLOCKWISE_REPLICA_TABLE_HPP

// Preference lists worked out beforehand, so that asking for one costs about what a lookup does.
//
//   clockwise::HashRing ring({"a", "b", "c", "d"});
//   const clockwise::ReplicaTable table(ring, 3);
//   for (const std::string& node : table.preference_list("user:42")) …   // ring's own, for R = 3
//
// A ring walks the circle for each list. This table keeps the list of every vnode instead, for one
// R and one Spread, and only has to find the vnode.

#include <concepts>     // unsigned_integral
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <string>       // to_string
#include <string_view>  // string_view
#include <utility>      // move
#include <vector>       // vector

#include "clockwise/detail/error.hpp"
#include "clockwise/detail/index_iterator.hpp"
#include "clockwise/detail/node_id.hpp"
#include "clockwise/detail/replica_sweep.hpp"
#include "clockwise/detail/ring_base.hpp"
#include "clockwise/detail/walk.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replica_list.hpp"

namespace clockwise {

/// One list of a ReplicaTable: reads like a ReplicaList, and turns into one. It refers to the
/// table, whose assignment, move or end ends its validity.
template <class Node, std::unsigned_integral Index>
class ReplicaRow {
 public:
  using iterator = detail::IndexIterator<ReplicaRow>;
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
  /// `i` < size().
  const Node& operator[](std::size_t i) const { return members_[owners_[i]].node; }
  /// The list is not empty.
  const Node& front() const { return (*this)[0]; }

  /// How many nodes were asked for.
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

/// What preference_list(key, r, spread) of a ring gives, for every key.
///
/// It holds the ring itself, copied or moved in: a snapshot, which no change of another ring
/// reaches. After a change, make a new one. Beside the ring it takes list_size() times
/// sizeof(Index) bytes a vnode: 6 for three copies and 16-bit indexes.
///
/// Concurrent reads are safe. Copies are independent.
template <detail::Ring R>
class ReplicaTable {
 public:
  using node_type = typename R::node_type;
  using index_type = typename R::index_type;
  using Row = ReplicaRow<node_type, index_type>;

  /// The lists of `r` nodes, by the ring's default spread where none is given. O(M r) for M
  /// positions. Throws std::length_error where that is more than can be addressed.
  ReplicaTable(R ring, std::size_t r)
      : ring_(std::move(ring)), requested_(r), spread_(ring_.default_spread()) {
    fill();
  }
  ReplicaTable(R ring, std::size_t r, Spread spread)
      : ring_(std::move(ring)), requested_(r), spread_(spread) {
    fill();
  }

  /// The ring's preference_list(key, requested(), spread()). Costs a lookup and, where that read an
  /// owner, the read of a list. Empty on a ring that owns nothing.
  template <class Key>
  Row preference_list(const Key& key) const noexcept {
    const auto position = static_cast<std::uint64_t>(ring_.position_of(key));
    const std::size_t rank =
        ring_.table().rank_of(position, {lists_.data(), list_size_ * sizeof(index_type)});
    return Row(ring_.members().data(), lists_.data() + rank * list_size_, list_size_, requested_);
  }

  /// Length of every list: less than requested() where there are not so many nodes or racks.
  std::size_t list_size() const noexcept { return list_size_; }
  std::size_t requested() const noexcept { return requested_; }
  Spread spread() const noexcept { return spread_; }
  const R& ring() const noexcept { return ring_; }
  /// Heap memory of the lists, beside the ring's.
  std::size_t bytes() const noexcept { return lists_.capacity() * sizeof(index_type); }

 private:
  void fill() {
    const detail::OneGroup request{requested_, spread_};
    const std::size_t vnodes = ring_.vnode_count();
    if (vnodes == 0) return;
    list_size_ = detail::attainable(requested_, spread_, ring_.topology().whole());
    if (list_size_ > 0 && vnodes > lists_.max_size() / list_size_) {
      detail::fail_length("a replica table of " + std::to_string(vnodes) + " lists of " +
                          std::to_string(list_size_) + " nodes");
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
  std::vector<index_type> lists_;  // by rank; none for a vnode whose arc is empty
};

}  // namespace clockwise

#endif  // CLOCKWISE_REPLICA_TABLE_HPP
