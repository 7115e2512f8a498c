// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_REPLICATION_HPP
#define CLOCKWISE_REPLICATION_HPP

// The request for a preference list, and the list's type.

#include <array>             // array
#include <concepts>          // constructible_from, integral, signed_integral
#include <cstddef>           // size_t
#include <initializer_list>  // initializer_list
#include <optional>          // optional
#include <string>            // string, to_string
#include <utility>           // exchange, move, swap
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/index_view.hpp"

namespace clockwise {

/// How the replicas of a key are spread. A rack is identified by datacenter and name; a member
/// without a rack is its own failure domain.
enum class Spread : unsigned char {
  nodes,       ///< The first R distinct nodes clockwise.
  racks,       ///< R nodes over min(R, racks) racks: a rack is reused only as far as R exceeds the
               ///< number of racks. The default if any member names a rack.
  racks_only,  ///< At most one replica per rack; a shorter list if racks are too few.
};

/// The number of replicas in each datacenter: `{{"east", 3}, {"west", 2}}`. The rule of
/// Spread::racks applies inside each.
class DatacenterReplicas {
 public:
  struct Entry {
    std::string datacenter;
    std::size_t replicas = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Throws std::invalid_argument if a datacenter is listed twice.
  DatacenterReplicas(std::initializer_list<Entry> entries)
      : DatacenterReplicas(std::vector<Entry>(entries)) {}
  explicit DatacenterReplicas(std::vector<Entry> entries) : entries_(std::move(entries)) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (entries_[i].datacenter == entries_[j].datacenter) {
          detail::fail_invalid(
              {"datacenter ", detail::Part::id(entries_[i].datacenter), " is listed twice"});
        }
      }
    }
  }

  DatacenterReplicas(const DatacenterReplicas&) = default;
  DatacenterReplicas(DatacenterReplicas&&) = default;
  DatacenterReplicas& operator=(DatacenterReplicas&&) = default;
  /// All or nothing.
  DatacenterReplicas& operator=(const DatacenterReplicas& other) {
    return *this = DatacenterReplicas(other);
  }
  ~DatacenterReplicas() = default;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

  friend bool operator==(const DatacenterReplicas&, const DatacenterReplicas&) = default;

 private:
  std::vector<Entry> entries_;
};

/// A number of replicas, from an integer of any type; neither a bool nor a character is one. Throws
/// std::invalid_argument for a negative number.
class ReplicaCount {
 public:
  template <std::integral Count>
    requires(!detail::CharacterOrBool<Count>)
  constexpr ReplicaCount(Count replicas) : count_(static_cast<std::size_t>(replicas)) {
    if constexpr (std::signed_integral<Count>) {
      if (replicas < 0) [[unlikely]]
        fail_negative(replicas);
    }
  }
  constexpr operator std::size_t() const noexcept { return count_; }

 private:
  [[noreturn]] static void fail_negative(long long replicas) {
    detail::fail_invalid({"replicas must not be negative, got ", replicas});
  }

  std::size_t count_;
};

/// How many replicas of a key there are, and where: the one value that every function about
/// replicas takes.
///
///   ring.preference_list(key, 3);                            // over racks, if any are named
///   ring.preference_list(key, {3, Spread::racks_only});
///   ring.preference_list(key, {{"east", 3}, {"west", 2}});   // by datacenter
///
/// More replicas than nodes give short lists, which report it: see ReplicaList::complete().
class Replication {
 public:
  /// `replicas` nodes, by the partitioner's default spread: Spread::racks if any member names a
  /// rack, otherwise Spread::nodes. Throws as ReplicaCount.
  template <class Count>
    requires std::constructible_from<ReplicaCount, Count>
  Replication(Count replicas) : replicas_(ReplicaCount(replicas)) {}
  Replication(ReplicaCount replicas, Spread spread) : replicas_(replicas), spread_(spread) {}
  Replication(DatacenterReplicas wanted) : by_datacenter_(std::move(wanted)) {
    for (const auto& entry : *by_datacenter_) {
      replicas_ += entry.replicas < ~replicas_ ? entry.replicas : ~replicas_;
    }
  }
  Replication(std::initializer_list<DatacenterReplicas::Entry> wanted)
      : Replication(DatacenterReplicas(wanted)) {}

  /// Returns the number of replicas of a key, over all datacenters.
  std::size_t requested() const noexcept { return replicas_; }
  /// Returns the spread, or nothing for the partitioner's default.
  std::optional<Spread> spread() const noexcept { return spread_; }
  /// Returns the replicas of each datacenter; nullptr if none is named.
  const DatacenterReplicas* by_datacenter() const& noexcept {
    return by_datacenter_ ? &*by_datacenter_ : nullptr;
  }
  const DatacenterReplicas* by_datacenter() const&& = delete;  // it would refer to nothing

  friend bool operator==(const Replication&, const Replication&) = default;

 private:
  std::optional<DatacenterReplicas> by_datacenter_;  // first, because assigning it can throw
  std::size_t replicas_ = 0;
  std::optional<Spread> spread_;
};

/// An ordered list of distinct nodes, the owner first, then in order of preference. With a liveness
/// predicate, live replicas come first, in their usual order, then the substitutes for the replicas
/// that are down.
///
/// Refers to nodes of its partitioner; any change to the partitioner invalidates it. No heap memory
/// for up to 8 nodes.
template <class Node>
class ReplicaList {
 public:
  using iterator = IndexIterator<ReplicaList>;
  using const_iterator = iterator;
  using value_type = Node;

  ReplicaList() = default;
  /// An empty list, for `requested` nodes.
  explicit ReplicaList(std::size_t requested) : requested_(requested) {}
  ReplicaList(const ReplicaList&) = default;
  /// Leaves `other` without nodes.
  ReplicaList(ReplicaList&& other) noexcept
      : inline_(other.inline_),
        overflow_(std::move(other.overflow_)),
        size_(std::exchange(other.size_, 0)),
        requested_(other.requested_),
        substitutes_(std::exchange(other.substitutes_, 0)) {}
  ReplicaList& operator=(ReplicaList other) noexcept {
    std::swap(inline_, other.inline_);
    overflow_.swap(other.overflow_);
    size_ = other.size_;
    requested_ = other.requested_;
    substitutes_ = other.substitutes_;
    return *this;
  }
  ~ReplicaList() = default;

  /// A list of up to 8 nodes: node_at(i) for each i < `size`.
  template <class NodeAt>
  ReplicaList(std::size_t requested, std::size_t size, NodeAt node_at)
      : size_(size), requested_(requested) {
    for (std::size_t i = 0; i < size; ++i) inline_[i] = &node_at(i);
  }

  iterator begin() const { return iterator(*this, 0); }
  iterator end() const { return iterator(*this, size_); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// `i` must be below size().
  const Node& operator[](std::size_t i) const { return *data()[i]; }
  /// The list must not be empty.
  const Node& front() const { return *data()[0]; }

  /// The number of nodes requested.
  std::size_t requested() const { return requested_; }
  bool complete() const { return size_ == requested_; }

  /// Index of the first substitute for a down replica; size() if it has none.
  std::size_t first_substitute() const { return size_ - substitutes_; }
  bool is_substitute(std::size_t i) const { return i >= first_substitute(); }

  template <class Id>
  bool contains(const Id& id) const {
    const auto wanted = detail::id_of(id);
    for (const Node& node : *this) {
      if (detail::has_id(node, wanted)) return true;
    }
    return false;
  }

  /// For partitioners, which build the lists. Substitutes must come after all others.
  void push_back(const Node& node) {
    if (size_ < inline_.size()) {
      inline_[size_] = &node;
    } else {
      if (overflow_.empty()) overflow_.assign(inline_.begin(), inline_.end());
      overflow_.push_back(&node);
    }
    ++size_;
  }
  void push_back_substitute(const Node& node) {
    push_back(node);
    ++substitutes_;
  }

 private:
  const Node* const* data() const {
    return size_ <= inline_.size() ? inline_.data() : overflow_.data();
  }

  std::array<const Node*, 8> inline_{};
  std::vector<const Node*> overflow_;  // all nodes, if they do not fit above
  std::size_t size_ = 0;
  std::size_t requested_ = 0;
  std::size_t substitutes_ = 0;
};

}  // namespace clockwise

#endif  // CLOCKWISE_REPLICATION_HPP
