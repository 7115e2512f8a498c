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
#include <cstddef>           // ptrdiff_t, size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin, end
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move, pair, swap
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/scheme/maglev_table.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

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
///   std::out_of_range      set_weight of an id that is not a member, lookup if nothing is owned
///
/// Mutators refill the table in O(table_size * log(table_size)), so add many nodes with add_all.
/// All or nothing. Memory: 2 bytes per entry, and 2 for each of the first 2^64 mod table_size,
/// which are stored twice: one for 65,537, up to all but one for other sizes. Thread safety: that
/// of a standard container. A model of Partitioner.
template <HashFunction Hash, class Node>
class Maglev : public detail::MemberTable<Maglev<Hash, Node>, Hash, WeightedNode<Node>> {
  using Row = WeightedNode<Node>;
  using Base = detail::MemberTable<Maglev, Hash, Row>;
  using Table = detail::MaglevTable<std::uint16_t>;

 public:
  using Base::npos;
  using Base::size;
  using typename Base::index_type;

  Maglev() : Maglev(MaglevOptions{}) {}
  explicit Maglev(MaglevOptions options, Hash hash = {})
      : Base(std::move(hash)), table_(options.table_size) {}
  Maglev(std::initializer_list<Node> nodes, MaglevOptions options = {}, Hash hash = {})
      : Maglev(options, std::move(hash)) {
    add_all(nodes);
  }

  void add(Node node, double weight = 1.0) {
    const std::pair<Node, double> row(std::move(node), weight);
    add_all(std::span(&row, 1));
  }

  /// Adds nodes, or pairs of a node and its weight, in one change.
  template <class Nodes>
  void add_all(const Nodes& nodes) {
    std::vector<Row> members = this->members_;
    for (const auto& node : nodes) {
      Row row = row_of(node);
      const auto id = detail::id_of(row.node);
      row.weight = detail::checked_weight(id, row.weight);
      detail::check_id(id);
      const std::size_t place = detail::place_of(members, id);
      if (place < members.size() &&
          std::string_view(detail::id_of(members[place].node)) == std::string_view(id)) {
        detail::fail_invalid("node " + detail::quoted(id) + " is already a member");
      }
      members.insert(members.begin() + static_cast<std::ptrdiff_t>(place), std::move(row));
    }
    become(std::move(members));
  }

  /// Removes a node; returns false if absent.
  template <class Id>
  bool remove(const Id& id) {
    const std::size_t place = this->index_of(id);
    if (place == npos) return false;
    std::vector<Row> members = this->members_;
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(place));
    become(std::move(members));
    return true;
  }

  template <class Id>
  void set_weight(const Id& id, double weight) {
    const std::size_t place = this->place_of_present(id, "set_weight");
    std::vector<Row> members = this->members_;
    members[place].weight = detail::checked_weight(detail::id_of(id), weight);
    become(std::move(members));
  }

  /// The owner's index in members(), or npos if there is none. Two multiplications and one read.
  index_type lookup_index(Position position) const noexcept {
    if (!table_.full()) [[unlikely]]
      return npos;
    return table_.owner_of(static_cast<std::uint64_t>(position));
  }

  /// Returns the owners of the key's entry and of those after it, each once. r nodes cost about r
  /// reads while r is well below the number of nodes, and at most one per entry.
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    ReplicaList<Node> list(r);
    const std::size_t most = table_.full() ? owners_ : 0;
    const std::size_t wanted = r < most ? r : most;
    detail::SmallSet taken(wanted, size());
    std::size_t entry = table_.entry_of(static_cast<std::uint64_t>(this->position_of(key)));
    while (list.size() < wanted) {
      const std::uint16_t owner = table_.entries()[entry];
      if (!taken.contains(owner)) {
        taken.insert(owner);
        list.push_back(this->node(owner));
      }
      if (++entry == table_.size()) entry = 0;
    }
    return list;
  }

  /// Returns the exact shares in id order: entries / table size.
  std::vector<std::pair<Node, double>> load_shares() const {
    std::vector<std::size_t> counts(size());
    if (table_.full()) {
      for (const std::uint16_t owner : table_.entries()) ++counts[owner];
    }
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) {
      shares.emplace_back(this->node(i),
                          static_cast<double>(counts[i]) / static_cast<double>(table_.size()));
    }
    return shares;
  }

  std::size_t table_size() const noexcept { return table_.size(); }
  /// The owner of each entry, as an index into members(); all are 65,535 if nothing is owned.
  std::span<const std::uint16_t> table() const noexcept { return table_.entries(); }

 private:
  using Cursor = typename Table::Cursor;
  struct Turn {
    Cursor cursor;
    std::uint64_t weight;
    std::uint16_t member;
    std::uint64_t taken = 0;
  };

  template <class T>
  static Row row_of(const T& node) {
    if constexpr (requires { Row{node.first, static_cast<double>(node.second)}; }) {
      return {node.first, static_cast<double>(node.second)};
    } else {
      return {Node(node), 1.0};
    }
  }

  std::uint64_t second_hash(std::string_view id) const noexcept {
    if constexpr (requires(Hash hash) { ++hash.seed; }) {
      Hash other = this->hash();
      ++other.seed;
      return detail::hash_key(other, id);
    } else {
      return detail::mix(detail::hash_key(this->hash(), id));
    }
  }

  void become(std::vector<Row> members) {
    std::vector<double> real_weights;
    for (const Row& row : members) real_weights.push_back(row.weight);
    const std::vector<std::uint64_t> weights = detail::integer_weights(real_weights);
    std::vector<Turn> turns;
    const auto entries = static_cast<std::uint32_t>(table_.size());
    if (members.size() > Table::npos) {
      detail::fail_length("a Maglev table can have up to " + std::to_string(Table::npos) +
                          " members, got " + std::to_string(members.size()));
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (weights[i] == 0) continue;
      if (turns.size() == entries) {
        detail::fail_length("a Maglev table of " + std::to_string(entries) +
                            " entries can have up to " + std::to_string(entries) +
                            " members with a weight above 0");
      }
      const auto text = detail::id_of(members[i].node);
      const std::string_view id(text);
      turns.push_back({Cursor(detail::hash_key(this->hash(), id), second_hash(id), entries),
                       weights[i], static_cast<std::uint16_t>(i)});
    }
    Table table(entries);
    fill(table, turns);
    this->members_ = std::move(members);
    table_ = std::move(table);
    owners_ = turns.size();
  }

  static void fill(Table& table, std::vector<Turn>& turns) {
    if (turns.empty()) return;
    std::uint64_t largest = 0;
    std::uint64_t least = ~std::uint64_t{0};
    for (const Turn& turn : turns) {
      largest = (std::max)(largest, turn.weight);
      least = (std::min)(least, turn.weight);
    }
    if (least == largest) {
      for (std::size_t i = 0; !table.full(); i = i + 1 == turns.size() ? 0 : i + 1) {
        table.take(turns[i].cursor, turns[i].member);
      }
      return;
    }
    // If weights are far apart, many rounds have no turn: a queue by (round, turn) skips them.
    std::vector<std::pair<std::uint64_t, std::size_t>> due;
    due.reserve(turns.size());
    for (std::size_t i = 0; i < turns.size(); ++i) due.emplace_back(1, i);
    const auto later = [](const auto& a, const auto& b) { return b < a; };
    while (!table.full()) {
      std::pop_heap(due.begin(), due.end(), later);
      auto& [round, i] = due.back();
      Turn& turn = turns[i];
      table.take(turn.cursor, turn.member);
      ++turn.taken;
      const std::uint64_t earned = (turn.taken * largest + turn.weight - 1) / turn.weight;
      round = (std::max)(round + 1, earned);
      std::push_heap(due.begin(), due.end(), later);
    }
  }

  Table table_;
  std::size_t owners_ = 0;
};

Maglev(std::initializer_list<const char*>, MaglevOptions = {}) -> Maglev<Xxh3, std::string>;

}  // namespace clockwise

#endif  // CLOCKWISE_MAGLEV_HPP
