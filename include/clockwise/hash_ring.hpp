// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_HASH_RING_HPP
#define CLOCKWISE_HASH_RING_HPP

// The consistent-hashing ring of Karger et al. (1997), with virtual nodes (vnodes) and weights.
//
//   clockwise::HashRing ring({"cache-a", "cache-b", "cache-c"});
//   ring.lookup("user:42");                 // the node that owns the key
//   ring.preference_list("user:42", 2);     // its replicas: two distinct nodes
//   ring.add("cache-d", 2.0);               // takes 2/5 of the keys; no others move
//
// Unlike the usual std::map<hash, node>: owners depend only on the members, never on the order of
// joins, collisions, the compiler or the platform; a lookup reads two arrays; and the ring knows
// each member's share, and what a change will move.

#include <charconv>          // to_chars
#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <type_traits>       // is_arithmetic_v, remove_cvref_t
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise {

/// Maps keys to nodes: the first vnode clockwise from hash(key) owns it. A pure function of hash
/// policy, options and members, the placement contract, version 1:
///
///   - vnode i of a node is at hash(id + "#" + decimal(i)), 0 <= i < vnode_count(weight, vnodes);
///   - a vnode at p owns (predecessor, p]; the circle wraps past the last vnode;
///   - if vnodes share a position, the smallest id owns it; the others wait.
///
/// `Index` numbers the members: 16 bits for up to 65,535 members, 32 bits for more. Memory: 8 bytes
/// and one Index per position, the node table and, with BucketIndex, a lookup index of at most 8
/// bytes per position (12 with a 32-bit Index), 2.6 from 2^16 positions on.
///
/// Every mutator is all or nothing, throws as listed, and costs O(M) for M positions plus O(A log
/// A) for the A vnodes added or removed. It needs memory for a second table while it runs.
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight that is negative,
///                          NaN or infinite, vnodes of 0 or above max_vnodes_per_node
///   std::length_error      more members than Index can number, more than max_vnodes_per_node
///                          vnodes of a member, more than max_positions in all
///   std::out_of_range      set_weight of an id that is not a member, lookup if nothing is owned
///
/// Thread safety: that of a standard container.
template <HashFunction Hash, class Node, std::unsigned_integral Index, class Lookup>
class HashRing
    : public detail::EditableRing<HashRing<Hash, Node, Index, Lookup>, Node, Index, Lookup> {
  using Base = detail::EditableRing<HashRing, Node, Index, Lookup>;
  using Vnode = typename detail::RingTable<Index, Lookup>::Vnode;
  static_assert(std::copy_constructible<Node>, "clockwise: Node must be copyable");

 public:
  using hash_type = Hash;
  using Base::update;

  HashRing() = default;
  explicit HashRing(RingOptions options, Hash hash = {})
      : hash_(std::move(hash)), options_(checked(options)) {}
  HashRing(std::initializer_list<Node> nodes, RingOptions options = {}, Hash hash = {})
      : HashRing(options, std::move(hash)) {
    add_all(nodes);
  }
  /// Adds any range of nodes, or of pairs of a node and its NodeOptions.
  template <class Nodes>
    requires requires(Nodes& nodes) { std::begin(nodes) != std::end(nodes); }
  explicit HashRing(Nodes&& nodes, RingOptions options = {}, Hash hash = {})
      : HashRing(options, std::move(hash)) {
    add_all(nodes);
  }

  // --- Membership: also remove, update and clear ------------------------------------------------

  void add(Node node) { add(std::move(node), NodeOptions{}); }
  template <class Weight>
    requires std::is_arithmetic_v<Weight>
  void add(Node node, Weight weight) {
    add(std::move(node), NodeOptions{static_cast<double>(weight), {}, {}});
  }
  void add(Node node, const NodeOptions& options) {
    update([&](Edit& edit) { edit.add(std::move(node), options); });
  }

  /// Adds nodes, or pairs of a node and its NodeOptions, in one change: one sort, one merge.
  template <class Nodes>
  void add_all(Nodes&& nodes) {  // not const: reading a single-pass range can change it
    update([&](Edit& edit) {
      for (const auto& node : nodes) {
        if constexpr (requires { edit.add(node.first, node.second); }) {
          edit.add(node.first, node.second);
        } else {
          edit.add(Node(node));
        }
      }
    });
  }

  void add_all(std::initializer_list<Node> nodes) {
    add_all<const std::initializer_list<Node>&>(nodes);
  }
  void add_all(std::initializer_list<std::pair<Node, NodeOptions>> nodes) {
    add_all<const std::initializer_list<std::pair<Node, NodeOptions>>&>(nodes);
  }

  /// Sets a member's weight. A higher weight only adds vnodes, so keys move only to this node; a
  /// lower one only removes some, so keys move only away from it. 0 drains it.
  template <class Id>
  void set_weight(const Id& id, double weight) {
    update([&](Edit& edit) { edit.set_weight(id, weight); });
  }

  /// What update() passes to its function: also has remove and contains.
  class Edit : public Base::EditBase {
   public:
    void add(Node node) { add(std::move(node), NodeOptions{}); }
    template <class Weight>
      requires std::is_arithmetic_v<Weight>
    void add(Node node, Weight weight) {
      add(std::move(node), NodeOptions{static_cast<double>(weight), {}, {}});
    }
    void add(Node node, const NodeOptions& options) {
      std::string id = this->joining_id(node);
      const double weight = detail::checked_weight(id, options.weight);
      const std::uint32_t vnodes = vnodes_of(id, weight);
      this->put(std::move(id),
                {Member<Node>{std::move(node), weight, options.rack, options.datacenter, vnodes}});
    }

    template <class Id>
    void set_weight(const Id& id, double weight) {
      std::string text(std::string_view(detail::id_of(id)));
      Member<Node> changed = this->present(text, "set_weight");
      changed.weight = detail::checked_weight(text, weight);
      changed.vnodes = vnodes_of(text, changed.weight);
      this->put(std::move(text), {std::move(changed)});
    }

   private:
    friend Base;
    explicit Edit(const HashRing& ring) : Base::EditBase(ring), options_(ring.options_) {}

    std::uint32_t vnodes_of(std::string_view id, double weight) const {
      const std::uint64_t count = clockwise::vnode_count(weight, options_.vnodes);
      if (count > max_vnodes_per_node) {
        detail::fail_length("node " + detail::quoted(id) + " with weight " +
                            std::to_string(weight) + " needs " + std::to_string(count) +
                            " vnodes; the maximum is " + std::to_string(max_vnodes_per_node));
      }
      return static_cast<std::uint32_t>(count);
    }

    const RingOptions& options_;
  };

  // --- Identity ---------------------------------------------------------------------------------

  const RingOptions& options() const noexcept { return options_; }
  const Hash& hash() const noexcept { return hash_; }

  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(hash_, key)};
  }

  /// Identifies the circle: rings with equal numbers put every key at the same position, so arcs
  /// can be compared.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

  /// 128 bits, equal if hash policy (with seed), options and members (id, weight, rack, datacenter)
  /// are, whatever the order or history; the same on every platform. O(N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise ring, contract " +
                                   std::to_string(placement_contract));
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append(std::uint64_t{options_.vnodes});
    bytes.append_members(this->members_);
    return bytes.digest();
  }

  /// True if hash policy, ids, racks, datacenters and positions are equal, so every key has the
  /// same owner and preference list on both. Weights and vnodes can differ if they give the same
  /// positions. O(M + N).
  friend bool operator==(const HashRing& a, const HashRing& b) { return a.places_like(b); }

 private:
  friend Base;

  static RingOptions checked(RingOptions options) {
    if (options.vnodes == 0 || options.vnodes > max_vnodes_per_node) {
      detail::fail_invalid("vnodes must be between 1 and " + std::to_string(max_vnodes_per_node) +
                           ", got " + std::to_string(options.vnodes));
    }
    return options;
  }

  void append_vnodes(std::span<const typename Base::Step> steps,
                     typename Base::Change& change) const {
    for (const auto& step : steps) {
      const std::uint32_t before = step.before == nullptr ? 0 : step.before->vnodes;
      const std::uint32_t after = step.after == nullptr ? 0 : step.after->member.vnodes;
      append_vnodes(change.added, step.id, before, after, step.new_index);
      append_vnodes(change.dropped, step.id, after, before, step.old_index);
    }
  }

  /// Appends vnodes `from` to `to` - 1 of one node; none if `from` is not below `to`.
  void append_vnodes(std::vector<Vnode>& vnodes, std::string_view id, std::uint32_t from,
                     std::uint32_t to, Index owner) const {
    std::string label = std::string(id) + "#4294967295";
    char* const number = label.data() + id.size() + 1;
    for (std::uint32_t i = from; i < to; ++i) {
      const char* const end = std::to_chars(number, label.data() + label.size(), i).ptr;
      const std::string_view text(label.data(), static_cast<std::size_t>(end - label.data()));
      vnodes.push_back({detail::hash_key(hash_, text), owner});
    }
  }

  [[no_unique_address]] Hash hash_{};
  RingOptions options_;
};

// HashRing ring({"a", "b"}) is a ring of strings.
HashRing(std::initializer_list<const char*>, RingOptions = {})
    -> HashRing<Xxh3, std::string, std::uint16_t>;
template <HashFunction Hash>
HashRing(std::initializer_list<const char*>, RingOptions, Hash)
    -> HashRing<Hash, std::string, std::uint16_t>;
HashRing(RingOptions) -> HashRing<Xxh3, std::string, std::uint16_t>;
// HashRing ring(range) is a ring of the range's elements.
template <class Nodes>
HashRing(Nodes&& nodes, RingOptions = {})
    -> HashRing<Xxh3, std::remove_cvref_t<decltype(*std::begin(nodes))>, std::uint16_t>;
template <class Nodes, HashFunction Hash>
HashRing(Nodes&& nodes, RingOptions, Hash)
    -> HashRing<Hash, std::remove_cvref_t<decltype(*std::begin(nodes))>, std::uint16_t>;

}  // namespace clockwise

#endif  // CLOCKWISE_HASH_RING_HPP
