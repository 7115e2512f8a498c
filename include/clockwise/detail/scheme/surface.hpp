// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_SURFACE_HPP
#define CLOCKWISE_DETAIL_SCHEME_SURFACE_HPP

// What partitioners other than rings share: members sorted by id, and the keys' hash.

#include <cstddef>      // ptrdiff_t, size_t
#include <cstdint>      // uint64_t
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <type_traits>  // is_nothrow_move_assignable_v, is_nothrow_move_constructible_v
#include <utility>      // move
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// Rows of the node tables of partitioners other than rings.
template <class Node>
struct WeightedNode {
  Node node;
  double weight = 1.0;
};
template <class Node>
struct UnweightedNode {
  Node node;
};

namespace detail {

/// A scheme derives from MemberTable<Scheme, Hash, Row>, where a Row has a member `node`, and
/// offers `lookup_index(Position)`. A change invalidates every reference, list and span. Thread
/// safety: any number of threads can call const members at once while none changes the scheme.
template <class Scheme, HashFunction Hash, class Row>
class MemberTable {
 public:
  using node_type = decltype(Row::node);
  using hash_type = Hash;
  using index_type = std::size_t;

  /// What lookup_index returns if nothing is owned.
  static constexpr index_type npos = ~index_type{0};

  /// Returns the owner of `key`. Throws std::out_of_range if nothing is owned: no members, or all
  /// of them drained.
  template <class Key>
  const node_type& lookup(const Key& key) const {
    const node_type* const owner = try_lookup(key);
    if (owner == nullptr) {
      fail_range("lookup: none of the " + std::to_string(size()) + " members owns anything");
    }
    return *owner;
  }
  /// The same, but returns nullptr if nothing is owned.
  template <class Key>
  const node_type* try_lookup(const Key& key) const noexcept {
    const index_type owner = static_cast<const Scheme&>(*this).lookup_index(position_of(key));
    return owner == npos ? nullptr : &members_[owner].node;
  }

  std::size_t size() const noexcept { return members_.size(); }
  bool empty() const noexcept { return members_.empty(); }
  /// In id order, drained members included.
  std::span<const Row> members() const noexcept { return members_; }
  /// `index` must be below size().
  const node_type& node(index_type index) const noexcept { return members_[index].node; }
  /// The index of `id` in members(), or npos. `id` is a node or an id. O(log N).
  template <class Id>
  index_type index_of(const Id& id) const {
    const auto text = id_of(id);
    const std::size_t place = place_of(members_, text);
    return is_at(place, text) ? place : npos;
  }
  template <class Id>
  bool contains(const Id& id) const {
    return index_of(id) != npos;
  }

  const Hash& hash() const noexcept { return hash_; }
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{hash_key(hash_, key)};
  }
  /// See HashRing::circle.
  std::uint64_t circle() const noexcept { return policy_probe(hash_); }

 protected:
  MemberTable() = default;
  explicit MemberTable(Hash hash) : hash_(std::move(hash)) {}

  /// Returns the index that a node with this id will have. Throws std::invalid_argument if the id
  /// is empty or a member's.
  std::size_t place_to_join(std::string_view id) const {
    check_id(id);
    const std::size_t place = place_of(members_, id);
    if (is_at(place, id)) fail_invalid("node " + quoted(id) + " is already a member");
    return place;
  }
  /// Returns a member's index. Throws std::out_of_range if it is not one; `what` names the caller.
  template <class Id>
  std::size_t place_of_present(const Id& id, std::string_view what) const {
    const std::size_t place = index_of(id);
    if (place == npos) {
      fail_range(std::string(what) + ": " + quoted(std::string_view(id_of(id))) +
                 " is not a member");
    }
    return place;
  }

  /// All or nothing, even if Node's moves throw.
  void insert(std::size_t place, Row row) {
    if constexpr (moves_cannot_fail) {
      members_.insert(members_.begin() + static_cast<std::ptrdiff_t>(place), std::move(row));
    } else {
      std::vector<Row> members = members_;
      members.insert(members.begin() + static_cast<std::ptrdiff_t>(place), std::move(row));
      members_.swap(members);
    }
  }
  void erase(std::size_t place) {
    if constexpr (moves_cannot_fail) {
      members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(place));
    } else {
      std::vector<Row> members = members_;
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(place));
      members_.swap(members);
    }
  }

  std::vector<Row> members_;  // in id order

 private:
  static constexpr bool moves_cannot_fail =
      std::is_nothrow_move_constructible_v<Row> && std::is_nothrow_move_assignable_v<Row>;

  bool is_at(std::size_t place, std::string_view id) const {
    if (place == size()) return false;
    const auto own = id_of(members_[place].node);
    return std::string_view(own) == id;
  }

  [[no_unique_address]] Hash hash_{};
};

}  // namespace detail
}  // namespace clockwise

#endif  // CLOCKWISE_DETAIL_SCHEME_SURFACE_HPP
