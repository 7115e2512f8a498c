// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MAGLEV_HPP
#define CLOCKWISE_MAGLEV_HPP

// Maglev hashing (Eisenbud et al. 2016): the nodes take turns to fill a table of prime size, each
// in its own order. A lookup is one read.
//
//   clockwise::Maglev backends({"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"});
//   backends.lookup("10.9.8.7:51234");
//
// For load balancers: one read per lookup, and shares within a percent or two. In exchange, a
// change of members refills the table and moves some keys between survivors. If moving a key is
// expensive, use a ring or rendezvous hashing.

#include <algorithm>         // max, min, pop_heap, push_heap
#include <cstddef>           // size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <string>            // string
#include <string_view>       // string_view
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/maglev_base.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// Part of the placement: every program must agree.
struct MaglevOptions {
  /// Entries: a prime up to 5,000,011, best at 100 times the nodes or more.
  std::uint32_t table_size = 65537;
};

/// Entry hash(key) mod table_size names the owner. A node's order of entries starts at hash(id) mod
/// table_size and continues in steps of hash2(id) mod (table_size - 1) + 1. Here hash2 is the hash
/// policy with its seed plus one, or a mix of hash(id) if the policy has no seed. Nodes take turns
/// in id order. With Xxh64 this is the table that Envoy builds. A pure function of hash policy,
/// table size, ids and weights.
///
/// A node of weight w takes a turn in round k = 1, 2, ... if k * w >= its turns so far * the
/// largest weight; if w > 0, it gets at least one entry. Weights count exactly if all are multiples
/// of a power of two (as whole numbers and quarters are) and below 2^32 times it, otherwise to
/// 2^-32 of the largest.
///
///   std::invalid_argument  a table size that is not a prime up to 5,000,011, an empty id, an id
///                          that is already a member, a weight that is negative, NaN or infinite
///   std::length_error      more members with a weight above 0 than entries, or more than 65,535
///                          members in all
///   std::out_of_range      set_weight or set_options of an id that is not a member; lookup if
///                          no member owns anything
///
/// Mutators refill the table in O(table_size * log(table_size)), so add many nodes with add_all.
/// All or nothing. Memory: 2 bytes per entry, and 2 for each of the first 2^64 mod table_size,
/// which are stored twice: one for 65,537, up to all but one for other sizes. Thread safety: that
/// of a standard container. A model of Partitioner.
template <HashFunction Hash, class Node>
class Maglev : public detail::MaglevBase<Maglev<Hash, Node>, Hash, Node> {
  using Base = detail::MaglevBase<Maglev, Hash, Node>;

 public:
  Maglev() : Maglev(MaglevOptions{}) {}
  explicit Maglev(MaglevOptions options, Hash policy = {})
      : Base(options.table_size, std::move(policy)) {}
  Maglev(std::initializer_list<Entry<Node>> entries, MaglevOptions options = {}, Hash policy = {})
      : Maglev(options, std::move(policy)) {
    add_all(entries);
  }
  Maglev(std::initializer_list<Node> nodes, MaglevOptions options = {}, Hash policy = {})
    requires(!detail::Text<Node>)
      : Maglev(options, std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit Maglev(Entries&& entries, MaglevOptions options = {}, Hash policy = {})
      : Maglev(options, std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  using Base::lookup_index;

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes ---------------------------

  using Base::default_spread;
  using Base::preference_list;

  // --- Members and shares ------------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::load_shares;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::size;

  using Base::table;  // the owner of each entry
  using Base::table_size;

  // --- Changes -----------------------------------------------------------------------------------

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, Maglev, Node> {
    using detail::Edit<Edit, Maglev, Node>::Edit;
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;
  MaglevOptions options() const noexcept {
    return {static_cast<std::uint32_t>(this->table_size())};
  }

  /// Returns 128 bits that are equal if and only if hash policy (seed included), table size and
  /// members (id, weight, rack, datacenter) are equal, regardless of order; the same on every
  /// platform. O(N).
  Fingerprint fingerprint() const { return this->fingerprint_of("clockwise Maglev, version 1"); }

  /// The same placement: hash policy, ids, racks, datacenters and tables are equal. O(table_size).
  friend bool operator==(const Maglev& a, const Maglev& b) { return a.places_like(b); }

 private:
  friend Base;
  using Table = typename Base::Table;
  using Cursor = typename Table::Cursor;

  struct Turn {
    Cursor cursor;
    std::uint64_t weight;
    std::uint16_t member;
    std::uint64_t taken = 0;
  };

  std::uint64_t second_hash(std::string_view id) const {
    if constexpr (requires(Hash policy) { ++policy.seed; }) {
      Hash other = this->hash();
      ++other.seed;
      return detail::hash_key(other, id);
    } else {
      return detail::mix(detail::hash_key(this->hash(), id));
    }
  }

  void fill(Table& into, const std::vector<detail::MaglevOwner<Node>>& owners) const {
    std::vector<double> real_weights;
    for (const auto& owner : owners) real_weights.push_back(owner.member->weight);
    const std::vector<std::uint64_t> weights = detail::integer_weights(real_weights);
    std::vector<Turn> turns;
    turns.reserve(owners.size());
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const auto text = detail::id_of(owners[i].member->node);
      const std::string_view id(text);
      turns.push_back({Cursor(detail::hash_key(this->hash(), id), second_hash(id),
                              static_cast<std::uint32_t>(into.size())),
                       weights[i], owners[i].index});
    }
    take_turns(into, turns);
  }

  static void take_turns(Table& into, std::vector<Turn>& turns) {
    std::uint64_t largest = 0;
    std::uint64_t least = ~std::uint64_t{0};
    for (const Turn& turn : turns) {
      largest = (std::max)(largest, turn.weight);
      least = (std::min)(least, turn.weight);
    }
    if (least == largest) {
      for (std::size_t i = 0; !into.full(); i = i + 1 == turns.size() ? 0 : i + 1) {
        into.take(turns[i].cursor, turns[i].member);
      }
      return;
    }
    // If weights are far apart, many rounds have no turn: a queue by (round, turn) skips them.
    std::vector<std::pair<std::uint64_t, std::size_t>> due;
    due.reserve(turns.size());
    for (std::size_t i = 0; i < turns.size(); ++i) due.emplace_back(1, i);
    const auto later = [](const auto& a, const auto& b) { return b < a; };
    while (!into.full()) {
      std::pop_heap(due.begin(), due.end(), later);
      auto& [round, i] = due.back();
      Turn& turn = turns[i];
      into.take(turn.cursor, turn.member);
      ++turn.taken;
      const std::uint64_t earned = (turn.taken * largest + turn.weight - 1) / turn.weight;
      round = (std::max)(round + 1, earned);
      std::push_heap(due.begin(), due.end(), later);
    }
  }
};

Maglev(std::initializer_list<const char*>, MaglevOptions = {}) -> Maglev<>;
template <HashFunction Hash>
Maglev(std::initializer_list<const char*>, MaglevOptions, Hash) -> Maglev<Hash>;
Maglev(std::initializer_list<Entry<std::string>>, MaglevOptions = {}) -> Maglev<>;
template <HashFunction Hash>
Maglev(std::initializer_list<Entry<std::string>>, MaglevOptions, Hash) -> Maglev<Hash>;
Maglev(MaglevOptions) -> Maglev<>;
template <HashFunction Hash>
Maglev(MaglevOptions, Hash) -> Maglev<Hash>;
template <class Entries>
Maglev(Entries&& entries, MaglevOptions = {}) -> Maglev<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
Maglev(Entries&& entries, MaglevOptions, Hash) -> Maglev<Hash, entry_node_t<Entries>>;

}  // namespace clockwise

#endif  // CLOCKWISE_MAGLEV_HPP
