// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_CASSANDRA_HPP
#define CLOCKWISE_COMPAT_CASSANDRA_HPP

// Apache Cassandra and ScyllaDB: tokens of the Murmur3Partitioner, and which nodes hold a range.
//
//   clockwise::CassandraRing ring;
//   ring.add("10.0.0.1", {.rack = "r1", .datacenter = "dc1"}, {-9223372036854775807, 42});
//   ring.network_topology_strategy("user:42", {{"dc1", 3}, {"dc2", 2}});
//
// ScyllaDB places data by tokens only in keyspaces without tablets. No rule gives a tablet's
// replicas: they are rows of system.tablets, which balancing changes. Only the token of a key, and
// so its tablet, can be computed here.
//
// Source: Apache Cassandra's documentation of partitioners and replication.

#include <algorithm>         // sort
#include <concepts>          // same_as
#include <cstddef>           // nullptr_t, size_t
#include <cstdint>           // int64_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <limits>            // numeric_limits
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/arc.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/digest/murmur3.hpp"
#include "clockwise/detail/scheme/adds_tokens.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/listed_ring.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// Returns the token of a serialised partition key. Only an empty key has the smallest token.
/// O(length).
constexpr std::int64_t cassandra_token(std::string_view key) noexcept {
  constexpr auto least = (std::numeric_limits<std::int64_t>::min)();
  if (key.empty()) return least;
  const auto token = static_cast<std::int64_t>(detail::cassandra_murmur3(key));
  return token == least ? (std::numeric_limits<std::int64_t>::max)() : token;
}
std::int64_t cassandra_token(std::nullptr_t) = delete;
template <class Key>
  requires(detail::Bytes<Key> && !detail::Text<Key>)
std::int64_t cassandra_token(const Key& key) noexcept {
  const auto bytes = detail::bytes_of(key);
  return clockwise::cassandra_token({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Returns the partition key of several serialised columns: for each, its length as 16 bits,
/// big-endian, its bytes and a zero byte. A single column is its bytes alone. Throws
/// std::length_error for a component of more than 65,535 bytes.
inline std::string cassandra_partition_key(std::span<const std::string_view> components) {
  if (components.size() == 1) return std::string(components.front());
  std::string key;
  for (const std::string_view component : components) {
    if (component.size() > 0xffff) {
      detail::fail_length("a partition key component can have up to 65535 bytes, got " +
                          std::to_string(component.size()));
    }
    key += static_cast<char>(component.size() >> 8);
    key += static_cast<char>(component.size() & 0xff);
    key += component;
    key += '\0';
  }
  return key;
}
inline std::string cassandra_partition_key(std::initializer_list<detail::ListedText> components) {
  return cassandra_partition_key(
      std::vector<std::string_view>(components.begin(), components.end()));
}

/// The tokens (left, right], clockwise; equal ends mean all of them.
struct CassandraRange {
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::string node;

  friend bool operator==(const CassandraRange&, const CassandraRange&) = default;
};

/// A node's tokens. Only they place it.
struct CassandraTokens {
  std::vector<std::int64_t> tokens;
};

/// Cassandra's ring. A node owns (predecessor, token] for each of its tokens. Keys are text or
/// bytes, serialised as Cassandra does: an int is four bytes, big-endian, which the caller writes.
///
/// A node that is down keeps its tokens and its replicas, without a substitute: lists with a
/// liveness predicate have none.
///
/// ListedRing documents everything else: owners, replicas, shares, members, changes.
///
/// Errors, in addition to those of every ring: std::invalid_argument for a duplicate token, and for
/// a weight other than 1: only tokens decide a node's share.
class CassandraRing : public ListedRing<CassandraRing, CassandraTokens>,
                      public detail::AddsTokens<CassandraRing, std::string, std::int64_t> {
  using Base = ListedRing<CassandraRing, CassandraTokens>;
  using WithTokens = detail::AddsTokens<CassandraRing, std::string, std::int64_t>;

 public:
  static constexpr std::string_view engine = "Cassandra";

  CassandraRing() = default;
  /// Nodes without tokens; set_tokens gives them tokens.
  CassandraRing(std::initializer_list<Entry<std::string>> nodes) { add_all(nodes); }
  template <EntryRange<std::string> Entries>
  explicit CassandraRing(Entries&& nodes) {
    add_all(nodes);
  }

  using Base::add;  // a node without tokens owns nothing
  using WithTokens::add;
  using WithTokens::set_tokens;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, CassandraRing, std::string, CassandraTokens>,
               public detail::AddsTokens<Edit, std::string, std::int64_t> {
    using EditBase = detail::Edit<Edit, CassandraRing, std::string, CassandraTokens>;
    using EditWithTokens = detail::AddsTokens<Edit, std::string, std::int64_t>;

   public:
    using EditBase::add;
    using EditBase::EditBase;
    using EditWithTokens::add;

   private:
    friend EditWithTokens;

    void add_tokens(Entry<std::string> entry, Tokens tokens) {
      join(std::move(entry)).extra = CassandraTokens{{tokens.begin(), tokens.end()}};
    }
    template <class Id>
    void put_tokens(const Id& id, Tokens tokens) {
      changed(detail::id_of(id), "set_tokens").extra =
          CassandraTokens{{tokens.begin(), tokens.end()}};
    }
  };

  // --- Tokens ------------------------------------------------------------------------------------

  /// Tokens are signed; the smallest comes first on the circle.
  static constexpr Position position_of_token(std::int64_t token) noexcept {
    return Position{static_cast<std::uint64_t>(token) ^ sign};
  }
  static constexpr std::int64_t token_at(Position position) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(position) ^ sign);
  }
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    if constexpr (std::same_as<Key, Position>) {
      return key;
    } else if constexpr (detail::Text<Key>) {
      return position_of_token(clockwise::cassandra_token(detail::characters_of<char>(key)));
    } else {
      static_assert(detail::Bytes<Key>,
                    "clockwise: a Cassandra key must be text or contiguous bytes, serialised");
      return position_of_token(clockwise::cassandra_token(key));
    }
  }
  std::uint64_t circle() const noexcept {
    return static_cast<std::uint64_t>(position_of("clockwise policy probe"));
  }

  // --- Replicas ----------------------------------------------------------------------------------

  using Base::preference_list;
  /// Returns the replicas for which `is_live(node)` or `is_live(member)` holds, in their usual
  /// order. The list is short while other replicas are down, and complete() reports it: Cassandra
  /// counts the live replicas for its consistency level, and the node that received the request
  /// keeps hints for the rest.
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  ReplicaList<std::string> preference_list(const Key& key, const Replication& replication,
                                           const IsLive& is_live) const& {
    return live_of(preference_list(key, replication), is_live);
  }
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  ReplicaList<std::string> preference_list(const Key& key, ReplicaCount r, Spread spread,
                                           const IsLive& is_live) const& {
    return live_of(preference_list(key, r, spread), is_live);
  }

  /// SimpleStrategy: the first `replicas` nodes clockwise, in any rack.
  template <class Key>
  ReplicaList<std::string> simple_strategy(const Key& key, ReplicaCount replicas) const& {
    return preference_list(key, replicas, Spread::nodes);
  }
  template <class Key>
  void simple_strategy(const Key&, ReplicaCount) const&& = delete;  // it would refer to nothing
  /// NetworkTopologyStrategy: `replicas` per datacenter, over as many racks as possible.
  template <class Key>
  ReplicaList<std::string> network_topology_strategy(const Key& key,
                                                     const DatacenterReplicas& replicas) const& {
    return preference_list(key, replicas);
  }
  template <class Key>
  void network_topology_strategy(  // it would refer to nothing
      const Key&, const DatacenterReplicas&) const&& = delete;

  /// Returns all primary ranges, by their right ends. The first wraps unless the last token is the
  /// largest. O(M).
  std::vector<CassandraRange> ranges() const {
    std::vector<CassandraRange> ranges;
    ranges.reserve(vnode_count());
    detail::for_each_arc(positions(), owners(), [&](const Arc& arc, index_type owner) {
      ranges.push_back(
          {token_at(Position{arc.after}), token_at(Position{arc.last}), this->node(owner)});
    });
    return ranges;
  }

 private:
  friend Base;
  friend WithTokens;

  void add_tokens(Entry<std::string> entry, Tokens tokens) {
    update([&](Edit& edit) { edit.add(std::move(entry), tokens); });
  }
  template <class Id>
  void put_tokens(const Id& id, Tokens tokens) {
    update([&](Edit& edit) { edit.set_tokens(id, tokens); });
  }

  template <class IsLive>
  ReplicaList<std::string> live_of(const ReplicaList<std::string>& replicas,
                                   const IsLive& is_live) const {
    ReplicaList<std::string> live(replicas.requested());
    for (const std::string& node : replicas) {
      if (detail::is_live(is_live, members()[index_of(node)])) live.push_back(node);
    }
    return live;
  }

  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;

  static std::uint64_t points_at_most(Servers nodes) {
    std::uint64_t tokens = 0;
    for (const Server& node : nodes) tokens += node.trait.tokens.size();
    return tokens;
  }

  static void append_points(Servers nodes, std::vector<ListedPoint>& points) {
    std::vector<std::pair<std::int64_t, std::size_t>> tokens;
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      for (const std::int64_t token : nodes[place].trait.tokens) tokens.emplace_back(token, place);
    }
    std::sort(tokens.begin(), tokens.end());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto [token, place] = tokens[i];
      if (i > 0 && token == tokens[i - 1].first) {
        detail::fail_invalid("token " + std::to_string(token) + " is listed twice, for " +
                             detail::quoted(nodes[tokens[i - 1].second].name) + " and " +
                             detail::quoted(nodes[place].name));
      }
      points.push_back({static_cast<std::uint64_t>(position_of_token(token)),
                        static_cast<std::uint32_t>(place)});
    }
  }
};

}  // namespace clockwise

#endif  // CLOCKWISE_COMPAT_CASSANDRA_HPP
