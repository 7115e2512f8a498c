// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_WIRE_HPP
#define CLOCKWISE_WIRE_HPP

// A ring as bytes: its members and options, not its positions, which the receiver computes.
//
//   const auto bytes = clockwise::wire::encode(ring);                  // 1,000 nodes: about 16 KB
//   const auto same = clockwise::wire::decode<clockwise::HashRing<>>(bytes);
//
// wire/membership.hpp describes the format and reads it without building a ring;
// wire/difference.hpp compares what two programs have.

#include <algorithm>     // lower_bound, sort, unique
#include <charconv>      // from_chars
#include <concepts>      // constructible_from, convertible_to, integral
#include <cstddef>       // byte, size_t
#include <cstdint>       // uint32_t, uint64_t
#include <optional>      // nullopt, optional
#include <span>          // span
#include <string>        // string, to_string
#include <string_view>   // string_view
#include <system_error>  // errc
#include <utility>       // move
#include <vector>        // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/wire/membership.hpp"

namespace clockwise::wire {

/// A ring that its members and options describe in full: a HashRing or a TokenRing. All other rings
/// depend on more than a membership: a slot map on its table, an engine's ring on the engine's
/// rules.
template <class R>
concept Encodable =
    Ring<R> && HashFunction<typename R::hash_type> &&
    (requires(const R& ring) {
      { ring.options().vnodes } -> std::convertible_to<std::uint32_t>;
    } || requires(const R& ring, const typename R::node_type& node) {
      { ring.tokens_of(node) } -> std::convertible_to<std::vector<std::uint64_t>>;
    });

/// Limits on the rings that decode builds: a few bytes can request millions of vnodes, and a ring
/// stores the names of rack and datacenter with every member.
struct Limits {
  std::uint64_t positions = std::uint64_t{1} << 22;
  /// Bytes of racks and datacenters, summed over all members.
  std::uint64_t domain_bytes = std::uint64_t{1} << 26;
};

/// Makes a node from its id alone, if the node type is text, or an integer with the id as its
/// digits. Empty if no integer of that type has these digits.
template <class Node>
struct NodeFromId {
  std::optional<Node> operator()(std::string_view id) const {
    if constexpr (std::integral<Node>) {
      Node node{};
      const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), node);
      if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
      return detail::has_id(node, id) ? std::optional(node) : std::nullopt;
    } else {
      static_assert(std::constructible_from<Node, std::string_view>,
                    "clockwise: decoding a ring of this node type needs a function that makes a "
                    "node from an id");
      return Node(id);
    }
  }
};

/// A function that makes a node from its id: returns a Node, or a std::optional<Node> that is empty
/// if no node has the id.
template <class F, class Node>
concept MakesNode = requires(const F& node_of, std::string_view id) {
  { node_of(id) } -> std::convertible_to<std::optional<Node>>;
};

/// Returns the membership of a ring. O(N log N), plus O(M) with tokens.
template <Encodable R>
Membership membership_of(const R& ring) {
  Membership result;
  result.policy = R::hash_type::name;
  if constexpr (requires { ring.hash().seed; }) result.seed = ring.hash().seed;
  result.circle = ring.circle();
  if constexpr (requires { ring.options().vnodes; }) {
    result.vnodes = ring.options().vnodes;
  } else {
    result.has_tokens = true;
  }
  for (const auto& member : ring.members()) {
    result.domains.push_back({member.datacenter, member.rack});
  }
  std::sort(result.domains.begin(), result.domains.end());
  result.domains.erase(std::unique(result.domains.begin(), result.domains.end()),
                       result.domains.end());
  result.members.reserve(ring.size());
  for (const auto& member : ring.members()) {
    const auto id = detail::id_of(member.node);
    const Membership::Domain named{member.datacenter, member.rack};
    const auto at = std::lower_bound(result.domains.begin(), result.domains.end(), named);
    const auto domain = static_cast<std::size_t>(at - result.domains.begin());
    result.members.push_back({std::string(std::string_view(id)), member.weight, domain, {}});
    if (result.has_tokens) result.members.back().tokens.reserve(member.vnodes);
  }
  if (result.has_tokens) {
    for (std::size_t rank = 0; rank < ring.positions().size(); ++rank) {
      result.members[ring.owners()[rank]].tokens.push_back(ring.positions()[rank]);
    }
  }
  return result;
}

/// Encodes a ring. O(N log N), plus O(M) with tokens.
template <Encodable R>
std::vector<std::byte> encode(const R& ring) {
  return wire::encode(wire::membership_of(ring));
}

/// Builds the ring of a membership. The error names what does not fit `R`: the hash policy, the
/// kind, a node's id or the size.
template <Encodable R, MakesNode<typename R::node_type> NodeOf = NodeFromId<typename R::node_type>>
Result<R> build(const Membership& membership, Limits limits = {}, const NodeOf& node_of = {}) {
  using Hash = typename R::hash_type;
  using Node = typename R::node_type;
  const auto error = [](std::string reason) { return Error{0, std::move(reason)}; };
  Hash hash{};
  if (membership.policy != Hash::name) {
    return error("hash policy is " + detail::quoted(membership.policy) + ", the ring's is " +
                 detail::quoted(Hash::name));
  }
  constexpr bool has_seed = requires { hash.seed = std::uint64_t{}; };
  if (membership.seed.has_value() != has_seed) {
    return error("hash policy " + detail::quoted(Hash::name) + " must have " +
                 (has_seed ? "a seed, got none" : "no seed, got one"));
  }
  if constexpr (has_seed) hash.seed = *membership.seed;
  if (detail::policy_probe(hash) != membership.circle) {
    return error("hash policy " + detail::quoted(Hash::name) + " hashes differently at the sender");
  }
  constexpr bool has_tokens = !requires(const R& ring) { ring.options().vnodes; };
  if (membership.has_tokens != has_tokens) {
    return error(has_tokens ? "the ring needs tokens; the members have no tokens"
                            : "the ring takes no tokens; the members have tokens");
  }
  if (membership.members.size() > R::npos) {
    return error("the ring's Index can number up to " + std::to_string(R::npos) + " members, got " +
                 std::to_string(membership.members.size()));
  }
  std::uint64_t positions = 0;
  std::uint64_t domain_bytes = 0;
  std::vector<Entry<Node>> entries;
  entries.reserve(membership.members.size());
  for (const auto& row : membership.members) {
    const std::uint64_t vnodes =
        has_tokens ? row.tokens.size() : clockwise::vnode_count(row.weight, membership.vnodes);
    if (vnodes > max_vnodes_per_node || vnodes > limits.positions - positions) {
      return error("the limit is " + std::to_string(limits.positions) + " positions; member " +
                   detail::quoted(row.id) + " exceeds it");
    }
    positions += vnodes;
    if (row.domain >= membership.domains.size()) {
      return error("domain of member " + detail::quoted(row.id) + " must be below " +
                   std::to_string(membership.domains.size()) + ", got " +
                   std::to_string(row.domain));
    }
    const auto& [datacenter, rack] = membership.domains[row.domain];
    domain_bytes += datacenter.size() + rack.size();
    if (domain_bytes > limits.domain_bytes) {
      return error("the limit is " + std::to_string(limits.domain_bytes) +
                   " bytes of racks and datacenters; member " + detail::quoted(row.id) +
                   " exceeds it");
    }
    std::optional<Node> node = node_of(std::string_view(row.id));
    if (!node || !detail::has_id(*node, row.id)) {
      return error("id " + detail::quoted(row.id) + " does not fit the ring's node type");
    }
    entries.emplace_back(*std::move(node), NodeOptions{row.weight, rack, datacenter});
  }
  if constexpr (has_tokens) {
    R ring(hash);
    ring.update([&](auto& edit) {
      for (std::size_t i = 0; i < entries.size(); ++i) {
        edit.add(std::move(entries[i]), membership.members[i].tokens);
      }
    });
    return Result<R>(std::move(ring));
  } else {
    R ring(RingOptions{membership.vnodes}, hash);
    ring.update([&](auto& edit) {
      for (auto& entry : entries) edit.add(std::move(entry));
    });
    return Result<R>(std::move(ring));
  }
}

/// Decodes a ring: safe for any bytes. Peak memory: the Membership and the ring, whose positions
/// `limits` bounds.
template <Encodable R, MakesNode<typename R::node_type> NodeOf = NodeFromId<typename R::node_type>>
Result<R> try_decode(std::span<const std::byte> bytes, Limits limits = {},
                     const NodeOf& node_of = {}) {
  const Result<Membership> membership = wire::parse(bytes);
  if (!membership) return membership.error();
  return wire::build<R>(*membership, limits, node_of);
}

/// As try_decode, but throws std::invalid_argument with the offset and the reason.
template <Encodable R, MakesNode<typename R::node_type> NodeOf = NodeFromId<typename R::node_type>>
R decode(std::span<const std::byte> bytes, Limits limits = {}, const NodeOf& node_of = {}) {
  Result<R> ring = wire::try_decode<R>(bytes, limits, node_of);
  if (!ring) {
    detail::fail_invalid("ring bytes, at " + std::to_string(ring.error().offset) + ": " +
                         ring.error().reason);
  }
  return *std::move(ring);
}

}  // namespace clockwise::wire

#endif  // CLOCKWISE_WIRE_HPP
