// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TOKEN_RING_HPP
#define CLOCKWISE_TOKEN_RING_HPP

// A ring whose positions are given instead of hashed from names: tokens, as Apache Cassandra calls
// them.
//
//   clockwise::TokenRing<> ring;
//   ring.add("a", {0, 40});
//   ring.add("b", {.rack = "r2"}, {10, 30});
//   ring.lookup(clockwise::Position{35});    // "a", whose arc (30, 40] is
//
// A HashRing is a function of its members' names; here the tokens are state that all programs have
// to share. What is gained is a say in where they are: see token_allocator.hpp.

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

#include "clockwise/detail/error.hpp"
#include "clockwise/detail/node_id.hpp"
#include "clockwise/detail/ring_edit.hpp"
#include "clockwise/detail/ring_table.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise {

/// The first token clockwise from hash(key) owns the key, by the placement contract: a token at p
/// owns (predecessor, p], and of several nodes on one token the one with the smallest id owns,
/// while the others wait. A node's own tokens are distinct.
///
/// A member without tokens owns nothing. Its weight does not place it: it says which share of the
/// load its tokens are meant to come to, for balance() and the token allocator. Weight 0 is a
/// drained member, which has no tokens.
///
/// Every mutator is all or nothing, throws as listed, and costs O(M) for M positions, plus O(A log
/// A) for the A tokens that come or go. It needs memory for a second table while it runs.
///
///   std::invalid_argument  an empty id, an id that is a member already, a token given twice for
///                          one node, tokens for weight 0, a weight that is negative, NaN or
///                          infinite
///   std::length_error      more members than Index holds, more than max_vnodes_per_node tokens for
///                          one, more than max_positions in all
///   std::out_of_range      set_tokens or tokens_of an id that is no member, lookup where nothing
///                          is owned
///
/// Thread-safety: that of a standard container.
template <HashFunction Hash, class Node, std::unsigned_integral Index, class Lookup>
class TokenRing : public detail::EditableRing<TokenRing<Hash, Node, Index, Lookup>, Node, Index,
                                              Lookup, std::vector<std::uint64_t>> {
  using Base = detail::EditableRing<TokenRing, Node, Index, Lookup, std::vector<std::uint64_t>>;
  static_assert(std::copy_constructible<Node>, "clockwise: a node can be copied");

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

  /// Other tokens for a member, in place of all it has.
  template <class Id>
  void set_tokens(const Id& id, TokenList tokens) {
    set_tokens(id, Tokens(tokens.begin(), tokens.size()));
  }
  template <class Id>
  void set_tokens(const Id& id, Tokens tokens) {
    update([&](Edit& edit) { edit.set_tokens(id, tokens); });
  }

  /// What update() hands out: also remove and contains. Many changes cost one merge.
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

  /// The tokens of a member, ascending. O(M).
  template <class Id>
  std::vector<std::uint64_t> tokens_of(const Id& id) const {
    const Index index = this->index_of(id);
    if (index == Base::npos) {
      detail::fail_range("tokens_of " + detail::quoted(std::string_view(detail::id_of(id))) +
                         ", which is not a member");
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

  /// Tells circles apart: rings with the same number put every key at the same position, so their
  /// arcs can be compared, with those of a HashRing too.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

  /// 128 bits, equal where hash policy (seed included), members (id, weight, rack, datacenter) and
  /// tokens are, whatever the order or the history; the same on every platform. O(M + N).
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

  /// The same placement: hash policy, ids, racks, datacenters and tokens agree, so every key has
  /// the same owner and the same preference list on both. O(M + N).
  friend bool operator==(const TokenRing& a, const TokenRing& b) { return a.places_like(b); }

 private:
  friend Base;

  static std::vector<std::uint64_t> checked(std::string_view id, double weight, Tokens tokens) {
    if (tokens.size() > max_vnodes_per_node) {
      detail::fail_length("node " + detail::quoted(id) + " has " + std::to_string(tokens.size()) +
                          " tokens; at most " + std::to_string(max_vnodes_per_node) +
                          " are served");
    }
    if (weight == 0 && !tokens.empty()) {
      detail::fail_invalid("node " + detail::quoted(id) + " has weight 0 and " +
                           std::to_string(tokens.size()) + " tokens; a drained member has none");
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
