// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_HASH_RING_HPP
#define CLOCKWISE_HASH_RING_HPP

// The consistent-hashing ring of Karger et al. (1997), with virtual nodes (vnodes) and weights.
//
//   clockwise::HashRing ring({"cache-a", "cache-b", "cache-c"});
//   ring.lookup("user:42");                 // the node that owns the key
//   ring.preference_list("user:42", 2);     // the two nodes that hold its replicas
//   ring.add("cache-d", 2.0);               // takes 2/5 of the keys, from all three, and no more
//
// Most rings are a std::map<hash, node>. Here, the owners depend only on the members, never on the
// order of joins, a collision, the compiler or the platform; a lookup reads two arrays; and the
// ring computes each member's share, and what a change moves.

#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/plain_vector.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/scheme/vnode_label.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise {

/// Maps keys to nodes: the first vnode clockwise from hash(key) owns it. A pure function of hash
/// policy, options and members, the placement contract, version 1:
///
///   - vnode i of a node is at hash(id + "#" + decimal(i)), for each i below
///     vnode_count(weight, vnodes);
///   - a vnode at p owns (predecessor, p]; the first also owns the arc after the last;
///   - of several vnodes at one position, the vnode of the smallest id owns; the others own
///     nothing until it leaves.
///
/// `Index` numbers the members: 16 bits for up to 65,535 of them, 32 bits for more. Memory: 8 bytes
/// and one Index per position, in addition to the node table and, with BucketIndex, the lookup
/// index: at most 8 bytes per position more (12 with an Index of 32 bits), 2.6 from 2^16 positions.
///
/// Every mutator is all or nothing and costs O(M + N) for M positions, plus O(A log A) for the A
/// vnodes that are added or removed: no re-sort. It needs memory for a second table while it runs.
/// Errors:
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight that is negative,
///                          NaN or infinite, vnodes of 0 or above max_vnodes_per_node
///   std::length_error      more members than Index can number, a member of more than
///                          max_vnodes_per_node vnodes, more than max_positions in all
///   std::out_of_range      set_weight or set_options of an id that is not a member; lookup or
///                          arc_of if no member owns anything
///
/// Thread safety: that of a standard container. A model of Partitioner and Ring.
template <HashFunction Hash, class Node, std::unsigned_integral Index, class Lookup>
class HashRing : public detail::RingBase<HashRing<Hash, Node, Index, Lookup>, Node, Index, Lookup>,
                 public detail::Hashed<Hash> {
  using Base = detail::RingBase<HashRing, Node, Index, Lookup>;
  static_assert(std::copy_constructible<Node>, "clockwise: Node must be copyable");

 public:
  HashRing() = default;
  explicit HashRing(RingOptions options, Hash policy = {})
      : detail::Hashed<Hash>(std::move(policy)), options_(checked(options)) {}
  HashRing(std::initializer_list<Entry<Node>> entries, RingOptions options = {}, Hash policy = {})
      : HashRing(options, std::move(policy)) {
    add_all(entries);
  }
  /// Nodes as literals, numbers of any integer type or structures in braces.
  HashRing(std::initializer_list<Node> nodes, RingOptions options = {}, Hash policy = {})
    requires(!detail::Text<Node>)
      : HashRing(options, std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit HashRing(Entries&& entries, RingOptions options = {}, Hash policy = {})
      : HashRing(options, std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the node or nullptr, its index, many indices, its arc -------------------

  using Base::arc_of;
  using Base::lookup;
  using Base::lookup_batch;
  using Base::lookup_index;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes; every node, lazily -------

  using Base::default_spread;
  using Base::preference_list;
  using Base::successors;

  // --- Shares: of the key space, as doubles or exactly -------------------------------------------

  using Base::load_shares;
  using Base::widths;

  // --- Members and positions ---------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::owners;
  using Base::positions;
  using Base::size;
  using Base::vnode_count;

  // --- Changes: a higher weight only adds vnodes, a lower one only removes some ------------------

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, HashRing, Node> {
    using detail::Edit<Edit, HashRing, Node>::Edit;
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;
  RingOptions options() const noexcept { return options_; }

  /// Returns 128 bits that are equal if and only if hash policy (seed included), options and
  /// members (id, weight, rack, datacenter) are equal, regardless of order and history; the same on
  /// every platform. O(N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise ring, contract " +
                                   std::to_string(placement_contract));
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append(std::uint64_t{options_.vnodes});
    bytes.append_members(members());
    return bytes.digest();
  }

  /// The same placement: hash policy, ids, racks, datacenters and positions are equal, so every key
  /// has the same owner and the same preference list on both. Different weights and vnodes can give
  /// the same positions. O(M + N).
  friend bool operator==(const HashRing& a, const HashRing& b) { return a.places_like(b); }

 private:
  friend typename Base::SurfaceType;
  using Table = typename Base::Table;
  using Vnode = typename Table::Vnode;

  static RingOptions checked(RingOptions options) {
    if (options.vnodes == 0 || options.vnodes > max_vnodes_per_node) {
      detail::fail_invalid(
          {"vnodes must be between 1 and ", max_vnodes_per_node, ", got ", options.vnodes});
    }
    return options;
  }

  std::uint32_t vnodes_of(std::string_view id, double weight) const {
    const std::uint64_t count = clockwise::vnode_count(weight, options_.vnodes);
    if (count > max_vnodes_per_node) {
      detail::fail_length({"node ", detail::Part::id(id), " with weight ", weight, " needs ", count,
                           " vnodes; the maximum is ", max_vnodes_per_node});
    }
    return static_cast<std::uint32_t>(count);
  }

  detail::RingPlacement<Index, Lookup> placement_after(typename Base::Change& change) const {
    typename Table::Change vnodes = reserved(change);
    for (const auto& step : change.steps) {
      const std::uint32_t before = step.before == nullptr ? 0 : step.before->vnodes;
      const std::uint32_t after = step.after == nullptr ? 0 : step.after->member.vnodes;
      append_vnodes(vnodes.added, step.id, before, after, step.new_index);
      append_vnodes(vnodes.dropped, step.id, after, before, step.old_index);
    }
    vnodes.renumber = change.renumber;
    return {this->table().after(std::move(vnodes))};
  }

  /// Refuses vnodes that do not fit before any allocation, then makes all of them in one step.
  typename Table::Change reserved(const typename Base::Change& change) const {
    std::uint64_t added = 0;
    std::uint64_t dropped = 0;
    for (const auto& step : change.steps) {
      const std::uint64_t before = step.before == nullptr ? 0 : step.before->vnodes;
      const std::uint64_t after = step.after == nullptr ? 0 : step.after->member.vnodes;
      added += after > before ? after - before : 0;
      dropped += before > after ? before - after : 0;
    }
    const std::uint64_t total = vnode_count() + added - dropped;
    if (total > max_positions) detail::fail_too_many_positions(total);
    typename Table::Change vnodes;
    vnodes.added.reserve(static_cast<std::size_t>(added));
    vnodes.dropped.reserve(static_cast<std::size_t>(dropped));
    return vnodes;
  }

  /// Vnodes `from` to `to` - 1 of one node; none if `from` is not below `to`.
  void append_vnodes(detail::PlainVector<Vnode>& vnodes, std::string_view id, std::uint32_t from,
                     std::uint32_t to, Index owner) const {
    if (from >= to) return;
    detail::VnodeLabel label(id, from);
    for (std::uint32_t i = from; i < to; ++i, label.increment()) {
      vnodes.push_back({detail::hash_key(hash(), label.text()), owner});
    }
  }

  RingOptions options_;
};

// HashRing ring({"a", "b"}), ring({{"a", 2}, {"b", 1}}) and ring(range) are rings of text.
HashRing(std::initializer_list<const char*>, RingOptions = {}) -> HashRing<>;
template <HashFunction Hash>
HashRing(std::initializer_list<const char*>, RingOptions, Hash) -> HashRing<Hash>;
HashRing(std::initializer_list<Entry<std::string>>, RingOptions = {}) -> HashRing<>;
template <HashFunction Hash>
HashRing(std::initializer_list<Entry<std::string>>, RingOptions, Hash) -> HashRing<Hash>;
HashRing(RingOptions) -> HashRing<>;
template <HashFunction Hash>
HashRing(RingOptions, Hash) -> HashRing<Hash>;
template <class Entries>
HashRing(Entries&& entries, RingOptions = {}) -> HashRing<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
HashRing(Entries&& entries, RingOptions, Hash) -> HashRing<Hash, entry_node_t<Entries>>;

}  // namespace clockwise

#endif  // CLOCKWISE_HASH_RING_HPP
