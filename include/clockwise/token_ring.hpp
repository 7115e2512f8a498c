// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TOKEN_RING_HPP
#define CLOCKWISE_TOKEN_RING_HPP

// A ring whose positions are given instead of hashed from names: tokens, as Apache Cassandra calls
// them.
//
//   clockwise::TokenRing<> ring;
//   ring.add("a", {0, 40});
//   ring.add("b", {.rack = "r2"}, {10, 30});
//   ring.lookup(clockwise::Position{35});    // "a", which owns (30, 40]
//
// A HashRing is a function of its members' names; here the tokens are state that all programs must
// share. In return, they can be chosen: see token_allocator.hpp.

#include <algorithm>         // adjacent_find, sort
#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <type_traits>       // remove_cvref_t
#include <utility>           // move
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/adds_tokens.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise {

/// The first token clockwise from hash(key) owns the key, by the placement contract: a token at p
/// owns (predecessor, p]. Of several nodes on one token, the node with the smallest id owns; the
/// others own nothing until it leaves. A node's own tokens are distinct.
///
/// A member without tokens owns nothing. A weight does not place a member: it is the intended share
/// of its tokens, for balance() and the token allocator. A member of weight 0 is drained and has no
/// tokens.
///
/// Every mutator is all or nothing and costs O(M + N) for M positions, plus O(A log A) for the A
/// tokens that are added or removed. It needs memory for a second table while it runs. Errors:
///
///   std::invalid_argument  an empty id, an id that is already a member, a token given twice for
///                          one node, tokens for weight 0, a weight that is negative, NaN or
///                          infinite
///   std::length_error      more members than Index can number, a member of more than
///                          max_vnodes_per_node tokens, more than max_positions in all
///   std::out_of_range      set_tokens, set_weight, set_options or tokens_of an id that is not a
///                          member, lookup or arc_of if no member owns anything
///
/// Thread safety: that of a standard container. A model of Partitioner and Ring.
template <HashFunction Hash, class Node, std::unsigned_integral Index, class Lookup>
class TokenRing
    : public detail::RingBase<TokenRing<Hash, Node, Index, Lookup>, Node, Index, Lookup,
                              std::vector<std::uint64_t>>,
      public detail::Hashed<Hash>,
      public detail::AddsTokens<TokenRing<Hash, Node, Index, Lookup>, Node, std::uint64_t> {
  using Base = detail::RingBase<TokenRing, Node, Index, Lookup, std::vector<std::uint64_t>>;
  using WithTokens = detail::AddsTokens<TokenRing, Node, std::uint64_t>;
  static_assert(std::copy_constructible<Node>, "clockwise: Node must be copyable");

 public:
  using typename WithTokens::TokenList;
  using typename WithTokens::Tokens;

  TokenRing() = default;
  explicit TokenRing(Hash policy) : detail::Hashed<Hash>(std::move(policy)) {}
  /// Members without tokens; set_tokens gives them tokens.
  TokenRing(std::initializer_list<Entry<Node>> entries, Hash policy = {})
      : TokenRing(std::move(policy)) {
    add_all(entries);
  }
  TokenRing(std::initializer_list<Node> nodes, Hash policy = {})
    requires(!detail::Text<Node>)
      : TokenRing(std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit TokenRing(Entries&& entries, Hash policy = {}) : TokenRing(std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes, its arc -------------------

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

  /// Returns the tokens of a member, ascending. Throws std::out_of_range if `id` is not a member.
  /// O(M).
  template <class Id>
  std::vector<std::uint64_t> tokens_of(const Id& id) const {
    const Index index = index_of(id);
    if (index == npos) {
      const auto text = detail::id_of(id);
      detail::fail_not_a_member("tokens_of", text);
    }
    std::vector<std::uint64_t> tokens;
    tokens.reserve(members()[index].vnodes);
    for (std::size_t rank = 0; rank < vnode_count(); ++rank) {
      if (owners()[rank] == index) tokens.push_back(positions()[rank]);
    }
    return tokens;
  }

  // --- Changes: an entry with its tokens; without tokens it owns nothing -------------------------

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;
  using WithTokens::add;
  using WithTokens::set_tokens;

  /// The argument of update()'s function. Many changes cost one merge.
  class Edit : public detail::Edit<Edit, TokenRing, Node, std::vector<std::uint64_t>>,
               public detail::AddsTokens<Edit, Node, std::uint64_t> {
    using EditBase = detail::Edit<Edit, TokenRing, Node, std::vector<std::uint64_t>>;
    using EditWithTokens = detail::AddsTokens<Edit, Node, std::uint64_t>;

   public:
    using EditBase::add;
    using EditBase::EditBase;
    using EditWithTokens::add;

   private:
    friend EditWithTokens;

    void add_tokens(Entry<Node> entry, Tokens tokens) {
      auto own = sorted(detail::id_of(entry.node), tokens);
      this->join(std::move(entry)).extra = std::move(own);
    }
    template <class Id>
    void put_tokens(const Id& id, Tokens tokens) {
      const auto text = detail::id_of(id);
      auto own = sorted(text, tokens);
      this->changed(text, "set_tokens").extra = std::move(own);
    }
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;

  /// Returns 128 bits that are equal if and only if hash policy (seed included), members (id,
  /// weight, rack, datacenter) and tokens are equal, regardless of order and history; the same on
  /// every platform. O(M + N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise token ring, contract " +
                                   std::to_string(placement_contract));
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append_members(members());
    bytes.append_vnodes(positions(), owners());
    return bytes.digest();
  }

  /// The same placement: hash policy, ids, racks, datacenters and tokens are equal, so every key
  /// has the same owner and the same preference list on both. O(M + N).
  friend bool operator==(const TokenRing& a, const TokenRing& b) { return a.places_like(b); }

 private:
  friend typename Base::SurfaceType;
  friend WithTokens;
  using Table = typename Base::Table;

  void add_tokens(Entry<Node> entry, Tokens tokens) {
    update([&](Edit& edit) { edit.add(std::move(entry), tokens); });
  }
  template <class Id>
  void put_tokens(const Id& id, Tokens tokens) {
    update([&](Edit& edit) { edit.set_tokens(id, tokens); });
  }

  static std::vector<std::uint64_t> sorted(std::string_view id, Tokens tokens) {
    if (tokens.size() > max_vnodes_per_node) {
      detail::fail_length("node " + detail::quoted(id) + " has " + std::to_string(tokens.size()) +
                          " tokens; the maximum is " + std::to_string(max_vnodes_per_node));
    }
    std::vector<std::uint64_t> sorted(tokens.begin(), tokens.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
    if (twin != sorted.end()) {
      detail::fail_invalid("node " + detail::quoted(id) + " has token " + std::to_string(*twin) +
                           " twice");
    }
    return sorted;
  }

  detail::RingPlacement<Index, Lookup> placement_after(typename Base::Change& change) const {
    typename Table::Change vnodes;
    std::vector<bool> goes(size());
    std::uint64_t count = vnode_count();
    for (const auto& step : change.steps) {
      const std::uint32_t before = step.before == nullptr ? 0 : step.before->vnodes;
      const bool keeps = step.before != nullptr && step.after != nullptr && step.after->turn == 0 &&
                         !step.after->extra;
      std::size_t after = keeps ? before : 0;
      if (!keeps && step.before != nullptr) {
        goes[step.old_index] = true;
        count -= before;
      }
      if (!keeps && step.after != nullptr && step.after->extra) {
        after = step.after->extra->size();
        count += after;
      }
      if (step.after == nullptr) continue;
      if (after > 0 && step.after->member.weight == 0) {
        detail::fail_invalid("node " + detail::quoted(step.id) +
                             " has weight 0, so it must have no tokens, got " +
                             std::to_string(after));
      }
      change.vnodes[step.new_index] = static_cast<std::uint32_t>(after);
    }
    if (count > max_positions) detail::fail_too_many_positions(count);
    for (const auto& step : change.steps) {
      if (step.after == nullptr || !step.after->extra) continue;
      for (const std::uint64_t token : *step.after->extra) {
        vnodes.added.push_back({token, step.new_index});
      }
    }
    for (std::size_t rank = 0; rank < vnode_count(); ++rank) {
      const Index owner = owners()[rank];
      if (goes[owner]) vnodes.dropped.push_back({positions()[rank], owner});
    }
    vnodes.renumber = change.renumber;
    return {this->table().after(std::move(vnodes))};
  }
};

// TokenRing ring({"a", "b"}), ring({{"a", 2}, {"b", 1}}) and ring(range) are rings of text.
TokenRing(std::initializer_list<const char*>) -> TokenRing<>;
template <HashFunction Hash>
TokenRing(std::initializer_list<const char*>, Hash) -> TokenRing<Hash>;
TokenRing(std::initializer_list<Entry<std::string>>) -> TokenRing<>;
template <HashFunction Hash>
TokenRing(std::initializer_list<Entry<std::string>>, Hash) -> TokenRing<Hash>;
template <HashFunction Hash>
TokenRing(Hash) -> TokenRing<Hash>;
template <class Entries>
  requires(!HashFunction<std::remove_cvref_t<Entries>>)
TokenRing(Entries&& entries) -> TokenRing<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
TokenRing(Entries&& entries, Hash) -> TokenRing<Hash, entry_node_t<Entries>>;

}  // namespace clockwise

#endif  // CLOCKWISE_TOKEN_RING_HPP
