// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TOKEN_RING_HPP
#define CLOCKWISE_TOKEN_RING_HPP

// A ring with explicit positions instead of hashed names: tokens, in Apache Cassandra's terms.
//
//   clockwise::TokenRing<> ring;
//   ring.add("a", {0, 40});
//   ring.add("b", {.rack = "r2"}, {10, 30});
//   ring.lookup(clockwise::Position{35});    // "a", which owns (30, 40]
//
// A HashRing is a function of its members' names; here the tokens are state that all programs must
// share. In exchange, you choose them: see token_allocator.hpp.

#include <algorithm>         // adjacent_find, sort
#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise {

/// The first token clockwise from hash(key) owns the key, by the placement contract: a token at p
/// owns (predecessor, p], and if nodes share a token, the smallest id owns it, while the others
/// wait. A node's own tokens must be distinct.
///
/// A member without tokens owns nothing. Its weight does not place it: it is the intended share of
/// the load, for balance() and the token allocator. A drained member (weight 0) has no tokens.
///
/// Every mutator is all or nothing, throws as listed, and costs O(M) for M positions plus O(A log
/// A) for the A tokens added or removed. It needs memory for a second table while it runs.
///
///   std::invalid_argument  an empty id, an id that is already a member, a token given twice for
///                          one node, tokens for weight 0, a weight that is negative, NaN or
///                          infinite
///   std::length_error      more members than Index can number, more than max_vnodes_per_node
///                          tokens of a member, more than max_positions in all
///   std::out_of_range      set_tokens or tokens_of an id that is not a member, lookup if nothing
///                          is owned
///
/// Thread safety: that of a standard container.
template <HashFunction Hash, class Node, std::unsigned_integral Index, class Lookup>
class TokenRing : public detail::EditableRing<TokenRing<Hash, Node, Index, Lookup>, Node, Index,
                                              Lookup, std::vector<std::uint64_t>> {
  using Base = detail::EditableRing<TokenRing, Node, Index, Lookup, std::vector<std::uint64_t>>;
  static_assert(std::copy_constructible<Node>, "clockwise: Node must be copyable");

 public:
  using hash_type = Hash;
  using Tokens = std::span<const std::uint64_t>;
  using TokenList = std::initializer_list<std::uint64_t>;
  using Base::update;

  TokenRing() = default;
  explicit TokenRing(Hash hash) : hash_(std::move(hash)) {}

  // --- Membership: also remove, update and clear ------------------------------------------------

  void add(Node node, Tokens tokens) { add(std::move(node), NodeOptions{}, tokens); }
  void add(Node node, TokenList tokens) { add(std::move(node), NodeOptions{}, tokens); }
  void add(Node node, const NodeOptions& options, TokenList tokens) {
    add(std::move(node), options, Tokens(tokens.begin(), tokens.size()));
  }
  void add(Node node, const NodeOptions& options, Tokens tokens) {
    update([&](Edit& edit) { edit.add(std::move(node), options, tokens); });
  }

  /// Replaces all tokens of a member.
  template <class Id>
  void set_tokens(const Id& id, TokenList tokens) {
    set_tokens(id, Tokens(tokens.begin(), tokens.size()));
  }
  template <class Id>
  void set_tokens(const Id& id, Tokens tokens) {
    update([&](Edit& edit) { edit.set_tokens(id, tokens); });
  }

  /// What update() passes to its function; also has remove and contains. An update is one merge.
  class Edit : public Base::EditBase {
   public:
    void add(Node node, Tokens tokens) { add(std::move(node), NodeOptions{}, tokens); }
    void add(Node node, const NodeOptions& options, Tokens tokens) {
      std::string id = this->joining_id(node);
      const double weight = detail::checked_weight(id, options.weight);
      put(std::move(id), {std::move(node), weight, options.rack, options.datacenter}, tokens);
    }

    template <class Id>
    void set_tokens(const Id& id, Tokens tokens) {
      std::string text(std::string_view(detail::id_of(id)));
      Member<Node> changed = this->present(text, "set_tokens");
      put(std::move(text), std::move(changed), tokens);
    }

   private:
    friend Base;
    explicit Edit(const TokenRing& ring) : Base::EditBase(ring) {}

    void put(std::string id, Member<Node> member, Tokens tokens) {
      std::vector<std::uint64_t> sorted = checked(id, member.weight, tokens);
      member.vnodes = static_cast<std::uint32_t>(sorted.size());
      Base::EditBase::put(std::move(id), {std::move(member), std::move(sorted)});
    }
  };

  /// Returns the tokens of a member, ascending. O(M).
  template <class Id>
  std::vector<std::uint64_t> tokens_of(const Id& id) const {
    const Index index = this->index_of(id);
    if (index == Base::npos) {
      detail::fail_range("tokens_of: " + detail::quoted(std::string_view(detail::id_of(id))) +
                         " is not a member");
    }
    std::vector<std::uint64_t> tokens;
    tokens.reserve(this->members()[index].vnodes);
    for (std::size_t rank = 0; rank < this->vnode_count(); ++rank) {
      if (this->owners()[rank] == index) tokens.push_back(this->positions()[rank]);
    }
    return tokens;
  }

  // --- Identity ---------------------------------------------------------------------------------

  const Hash& hash() const noexcept { return hash_; }

  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(hash_, key)};
  }

  /// Identifies the circle: rings with equal numbers put every key at the same position, so arcs
  /// can be compared, also with those of a HashRing.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

  /// 128 bits, equal if hash policy (with seed), members (id, weight, rack, datacenter) and tokens
  /// are, whatever the order or history; the same on every platform. O(M + N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise token ring, contract " +
                                   std::to_string(placement_contract));
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append_members(this->members_);
    for (std::size_t rank = 0; rank < this->vnode_count(); ++rank) {
      bytes.append(this->positions()[rank]);
      bytes.append(std::uint64_t{this->owners()[rank]});
    }
    return bytes.digest();
  }

  /// True if hash policy, ids, racks, datacenters and tokens are equal, so every key has the same
  /// owner and preference list on both. O(M + N).
  friend bool operator==(const TokenRing& a, const TokenRing& b) { return a.places_like(b); }

 private:
  friend Base;

  static std::vector<std::uint64_t> checked(std::string_view id, double weight, Tokens tokens) {
    if (tokens.size() > max_vnodes_per_node) {
      detail::fail_length("node " + detail::quoted(id) + " has " + std::to_string(tokens.size()) +
                          " tokens; the maximum is " + std::to_string(max_vnodes_per_node));
    }
    if (weight == 0 && !tokens.empty()) {
      detail::fail_invalid("node " + detail::quoted(id) +
                           " has weight 0, so it must have no tokens, got " +
                           std::to_string(tokens.size()));
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

  void append_vnodes(std::span<const typename Base::Step> steps,
                     typename Base::Change& change) const {
    std::vector<bool> goes(this->size());
    for (const auto& step : steps) {
      if (step.before != nullptr) goes[step.old_index] = true;
      if (step.after == nullptr) continue;
      for (const std::uint64_t token : step.after->placement) {
        change.added.push_back({token, step.new_index});
      }
    }
    for (std::size_t rank = 0; rank < this->vnode_count(); ++rank) {
      const Index owner = this->owners()[rank];
      if (goes[owner]) change.dropped.push_back({this->positions()[rank], owner});
    }
  }

  [[no_unique_address]] Hash hash_{};
};

}  // namespace clockwise

#endif  // CLOCKWISE_TOKEN_RING_HPP
