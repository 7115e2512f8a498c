// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MOD_N_HPP
#define CLOCKWISE_MOD_N_HPP

// hash(key) mod N: the baseline that consistent hashing is measured against. Perfectly even and the
// smallest, but a change from N to N + 1 nodes moves 1 - 1/(N+1) of the keys. Use it if the number
// of nodes never changes.

#include <cstddef>           // size_t
#include <cstdint>           // uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The node numbered hash(key) mod N owns a key. Nodes are numbered in id order, so programs that
/// list them differently agree. There are no weights, because no residue is larger than another:
/// add takes only a node. A model of Partitioner.
///
/// Errors as for HashRing: std::invalid_argument for an empty or duplicate id, std::out_of_range
/// for lookup without nodes. A change invalidates references.
///
/// Thread safety: that of a standard container.
template <HashFunction Hash, class Node>
class ModN : public detail::MemberTable<ModN<Hash, Node>, Hash, UnweightedNode<Node>> {
  using Base = detail::MemberTable<ModN, Hash, UnweightedNode<Node>>;

 public:
  using Base::size;
  using typename Base::index_type;

  ModN() = default;
  explicit ModN(Hash hash) : Base(std::move(hash)) {}
  ModN(std::initializer_list<Node> nodes, Hash hash = {}) : Base(std::move(hash)) {
    for (const Node& node : nodes) add(node);
  }

  /// Adds a node. O(N).
  void add(Node node) {
    const std::size_t place = this->place_to_join(detail::id_of(node));
    this->insert(place, {std::move(node)});
  }

  /// Removes a node; returns false if absent. O(N).
  template <class Id>
  bool remove(const Id& id) {
    const std::size_t place = this->index_of(id);
    if (place == Base::npos) return false;
    this->erase(place);
    return true;
  }

  /// Returns the owner's index in members(), or npos if there are no nodes. Costs one division.
  index_type lookup_index(Position position) const noexcept {
    return this->empty() ? Base::npos
                         : static_cast<index_type>(static_cast<std::uint64_t>(position) % size());
  }

  /// Returns the owner and the r - 1 nodes numbered after it.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    ReplicaList<Node> list(r);
    std::size_t number = lookup_index(this->position_of(key));
    for (std::size_t left = r < size() ? r : size(); left > 0; --left) {
      list.push_back(this->node(number));
      if (++number == size()) number = 0;
    }
    return list;
  }

  /// In id order: 1/N each; the first 2^64 mod N have one position more.
  std::vector<std::pair<Node, double>> load_shares() const {
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      const std::uint64_t positions = (~std::uint64_t{0} - i) / size() + 1;
      shares.emplace_back(this->node(i),
                          size() == 1 ? 1.0 : static_cast<double>(positions) * 0x1p-64);
    }
    return shares;
  }
};

ModN(std::initializer_list<const char*>) -> ModN<Xxh3, std::string>;

}  // namespace clockwise

#endif  // CLOCKWISE_MOD_N_HPP
