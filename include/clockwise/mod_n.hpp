// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MOD_N_HPP
#define CLOCKWISE_MOD_N_HPP

// hash(key) mod N: the baseline that consistent hashing is measured against. Perfectly even, the
// smallest there is, and a change from N to N + 1 nodes moves 1 - 1/(N+1) of the keys. Use it where
// the number of nodes never changes.

#include <cstddef>           // ptrdiff_t, size_t
#include <cstdint>           // uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string
#include <string_view>       // string_view
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/error.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replica_list.hpp"

namespace clockwise {

/// The node numbered hash(key) mod N, nodes being numbered in the order of their ids, so that two
/// programs that list them differently agree. There are no weights: add takes a node and nothing
/// else, because a residue cannot be larger than another. A model of Partitioner.
///
/// Errors as for HashRing: std::invalid_argument for an empty or duplicate id, std::out_of_range
/// for lookup on no nodes. References end with the next change. Thread-safety: a standard
/// container's.
template <HashFunction Hash, class Node>
class ModN {
 public:
  using node_type = Node;
  using hash_type = Hash;
  using index_type = std::size_t;

  ModN() = default;
  explicit ModN(Hash hash) : hash_(std::move(hash)) {}
  ModN(std::initializer_list<Node> nodes, Hash hash = {}) : hash_(std::move(hash)) {
    for (const Node& node : nodes) add(node);
  }

  /// O(N).
  void add(Node node) {
    const auto id = detail::id_of(node);
    detail::check_id(id);
    const std::size_t place = detail::place_of(members_, id);
    if (is_at(place, id))
      detail::fail_invalid("node " + detail::quoted(id) + " is a member already");
    members_.insert(members_.begin() + static_cast<std::ptrdiff_t>(place), Row{std::move(node)});
  }

  /// False where there is no such node. O(N).
  template <class Id>
  bool remove(const Id& id) {
    const auto text = detail::id_of(id);
    const std::size_t place = detail::place_of(members_, text);
    if (!is_at(place, text)) return false;
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(place));
    return true;
  }

  /// One hash and one division. Throws std::out_of_range where there are no nodes.
  template <class Key>
  const Node& lookup(const Key& key) const {
    const Node* const owner = try_lookup(key);
    if (owner == nullptr) detail::fail_range("lookup among no nodes");
    return *owner;
  }
  template <class Key>
  const Node* try_lookup(const Key& key) const noexcept {
    return empty() ? nullptr : &members_[number_of(key)].node;
  }

  /// The owner and the r - 1 nodes numbered after it.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    ReplicaList<Node> list(r);
    if (empty()) return list;
    std::size_t number = number_of(key);
    for (std::size_t left = r < size() ? r : size(); left > 0; --left) {
      list.push_back(members_[number].node);
      if (++number == size()) number = 0;
    }
    return list;
  }

  /// In id order: 1/N each, but for the 2^64 mod N first, which have one position more.
  std::vector<std::pair<Node, double>> load_shares() const {
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const std::uint64_t positions = (~std::uint64_t{0} - i) / size() + 1;
      shares.emplace_back(members_[i].node,
                          size() == 1 ? 1.0 : static_cast<double>(positions) * 0x1p-64);
    }
    return shares;
  }

  std::size_t size() const noexcept { return members_.size(); }
  bool empty() const noexcept { return members_.empty(); }
  /// `number` < size(); nodes are numbered in id order.
  const Node& node(std::size_t number) const noexcept { return members_[number].node; }
  template <class Id>
  bool contains(const Id& id) const {
    const auto text = detail::id_of(id);
    return is_at(detail::place_of(members_, text), text);
  }

  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(hash_, key)};
  }
  /// See HashRing::circle.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

 private:
  struct Row {
    Node node;
  };

  template <class Key>
  std::size_t number_of(const Key& key) const noexcept {
    return static_cast<std::size_t>(detail::hash_key(hash_, key) % size());
  }
  bool is_at(std::size_t place, std::string_view id) const {
    if (place == size()) return false;
    const auto own = detail::id_of(members_[place].node);
    return std::string_view(own) == id;
  }

  [[no_unique_address]] Hash hash_{};
  std::vector<Row> members_;  // in id order
};

ModN(std::initializer_list<const char*>)->ModN<Xxh3, std::string>;

}  // namespace clockwise

#endif  // CLOCKWISE_MOD_N_HPP
