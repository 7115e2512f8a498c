// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_HASH_RING_HPP
#define CLOCKWISE_HASH_RING_HPP

// The consistent-hashing ring of Karger et al. (1997), with virtual nodes and weights.
//
//   clockwise::HashRing ring({"cache-a", "cache-b", "cache-c"});
//   ring.lookup("user:42");                 // the node that owns the key
//   ring.preference_list("user:42", 2);     // the two nodes that hold its copies
//   ring.add("cache-d", 2.0);               // takes 2/5 of the keys, from all three, and no more
//
// Against std::map<hash, node>, which most rings are: the owners depend on the members alone, never
// on the order they came in, on a collision, the compiler or the platform; a lookup reads two
// arrays; and the ring can say what each member's share is, and what a change will move.

#include <algorithm>         // sort, max
#include <charconv>          // to_chars
#include <concepts>          // copy_constructible, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin
#include <map>               // map
#include <optional>          // optional
#include <string>            // string
#include <string_view>       // string_view
#include <type_traits>       // is_arithmetic_v
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/error.hpp"
#include "clockwise/detail/ring_base.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise {

/// Maps keys to nodes: the first vnode clockwise from hash(key) owns it. A pure function of hash
/// policy, options and members, the placement contract, version 1:
///
///   - vnode i of a node is at hash(id + "#" + decimal(i)), i = 0 .. vnode_count(weight, vnodes) -
///   1;
///   - a vnode at p owns (predecessor, p], the first one also what lies past the last;
///   - of several vnodes at one position the one with the smallest id owns; the others wait.
///
/// `Index` numbers the members: 16 bits for up to 65,535 of them, 32 bits for more. Memory: 8 bytes
/// and one Index a position, beside the node table.
///
/// Every mutator is all or nothing, throws as listed, and costs O(M) for M positions, plus O(A log
/// A) for the A vnodes that come or go: no re-sort. It needs memory for a second table while it
/// runs.
///
///   std::invalid_argument  an empty id, an id that is a member already, a weight that is negative,
///                          NaN or infinite, vnodes of 0 or above max_vnodes_per_node
///   std::length_error      more members than Index holds, a member of more than
///                          max_vnodes_per_node vnodes, more than max_positions in all
///   std::out_of_range      set_weight of an id that is no member, lookup where nothing is owned
///
/// Thread-safety: that of a standard container.
template <HashFunction Hash, class Node, std::unsigned_integral Index>
class HashRing : public detail::RingBase<HashRing<Hash, Node, Index>, Node, Index> {
  using Base = detail::RingBase<HashRing, Node, Index>;
  using Vnode = typename detail::RingTable<Index>::Vnode;
  static_assert(std::copy_constructible<Node>, "clockwise: a node can be copied");

 public:
  using hash_type = Hash;
  using Base::npos;

  HashRing() = default;
  explicit HashRing(RingOptions options, Hash hash = {})
      : hash_(std::move(hash)), options_(checked(options)) {}
  HashRing(std::initializer_list<Node> nodes, RingOptions options = {}, Hash hash = {})
      : HashRing(options, std::move(hash)) {
    add_all(nodes);
  }
  /// Any range of nodes, or of pairs of a node and its NodeOptions.
  template <class Nodes>
  requires requires(const Nodes& nodes) { std::begin(nodes) != std::end(nodes); }
  explicit HashRing(const Nodes& nodes, RingOptions options = {}, Hash hash = {})
      : HashRing(options, std::move(hash)) {
    add_all(nodes);
  }

  // --- Membership -------------------------------------------------------------------------------

  void add(Node node) { add(std::move(node), NodeOptions{}); }
  template <class Weight>
  requires std::is_arithmetic_v<Weight>
  void add(Node node, Weight weight) {
    add(std::move(node), NodeOptions{static_cast<double>(weight), {}, {}});
  }
  void add(Node node, const NodeOptions& options) {
    update([&](Edit& edit) { edit.add(std::move(node), options); });
  }

  /// Many nodes, or pairs of a node and its NodeOptions, as one change: one sort and one merge.
  template <class Nodes>
  void add_all(const Nodes& nodes) {
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

  /// False where there is no such node. `id` is an id or a node.
  template <class Id>
  bool remove(const Id& id) {
    bool removed = false;
    update([&](Edit& edit) { removed = edit.remove(id); });
    return removed;
  }

  /// Raising a weight only adds vnodes, so keys move only to this node; lowering it only removes
  /// some, so keys move only away. 0 drains it.
  template <class Id>
  void set_weight(const Id& id, double weight) {
    update([&](Edit& edit) { edit.set_weight(id, weight); });
  }

  /// Several changes as one: fn(edit) calls edit.add, edit.remove and edit.set_weight, each of
  /// which sees those before it. Where fn or the change throws, the ring is as it was.
  template <class Fn>
  void update(Fn&& fn) {
    Edit edit(*this);
    fn(edit);
    apply(std::move(edit));
  }

  void clear() noexcept {
    this->members_.clear();
    this->table_ = {};
    this->topology_ = {};
  }

  class Edit {
   public:
    void add(Node node) { add(std::move(node), NodeOptions{}); }
    template <class Weight>
    requires std::is_arithmetic_v<Weight>
    void add(Node node, Weight weight) {
      add(std::move(node), NodeOptions{static_cast<double>(weight), {}, {}});
    }
    void add(Node node, const NodeOptions& options) {
      std::string id(std::string_view(detail::id_of(node)));
      detail::check_id(id);
      if (contains(id)) {
        detail::fail_invalid("node " + detail::quoted(id) + " is a member already");
      }
      const double weight = detail::checked_weight(id, options.weight);
      const std::uint32_t vnodes = vnodes_of(id, weight);
      members_.insert_or_assign(std::move(id), Member<Node>{std::move(node), weight, options.rack,
                                                            options.datacenter, vnodes});
    }

    template <class Id>
    bool remove(const Id& id) {
      std::string text(std::string_view(detail::id_of(id)));
      if (!contains(text)) return false;
      members_.insert_or_assign(std::move(text), std::nullopt);
      return true;
    }

    template <class Id>
    void set_weight(const Id& id, double weight) {
      std::string text(std::string_view(detail::id_of(id)));
      const Member<Node>* const member = find(text);
      if (member == nullptr) {
        detail::fail_range("set_weight of " + detail::quoted(text) + ", which is not a member");
      }
      Member<Node> changed = *member;
      changed.weight = detail::checked_weight(text, weight);
      changed.vnodes = vnodes_of(text, changed.weight);
      members_.insert_or_assign(std::move(text), std::move(changed));
    }

    template <class Id>
    bool contains(const Id& id) const {
      return find(std::string(std::string_view(detail::id_of(id)))) != nullptr;
    }

   private:
    friend HashRing;
    explicit Edit(const HashRing& ring) : ring_(ring) {}

    const Member<Node>* find(const std::string& id) const {
      if (const auto changed = members_.find(id); changed != members_.end()) {
        return changed->second ? &*changed->second : nullptr;
      }
      const Index index = ring_.index_of(id);
      return index == npos ? nullptr : &ring_.members_[index];
    }

    std::uint32_t vnodes_of(std::string_view id, double weight) const {
      const std::uint64_t count = clockwise::vnode_count(weight, ring_.options_.vnodes);
      if (count > max_vnodes_per_node) {
        detail::fail_length("node " + detail::quoted(id) + " of weight " + std::to_string(weight) +
                            " comes to " + std::to_string(count) + " vnodes; at most " +
                            std::to_string(max_vnodes_per_node) + " are served");
      }
      return static_cast<std::uint32_t>(count);
    }

    const HashRing& ring_;
    std::map<std::string, std::optional<Member<Node>>> members_;  // as they will be; empty: gone
  };

  // --- Identity ---------------------------------------------------------------------------------

  const RingOptions& options() const noexcept { return options_; }
  const Hash& hash() const noexcept { return hash_; }

  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(hash_, key)};
  }

  /// Tells circles apart: rings with the same number put every key at the same position, so their
  /// arcs can be compared.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

  /// 128 bits, equal where hash policy (seed included), options and members (id, weight, rack,
  /// datacenter) are, whatever the order or the history; the same on every platform. O(N).
  Fingerprint fingerprint() const {
    std::string bytes = "clockwise ring, contract " + std::to_string(placement_contract);
    const auto append_number = [&](std::uint64_t number) {
      for (int shift = 0; shift < 64; shift += 8)
        bytes += static_cast<char>(number >> shift & 0xff);
    };
    const auto append_text = [&](std::string_view text) {
      append_number(text.size());
      bytes += text;
    };
    append_text(Hash::name);
    append_number(circle());
    append_number(options_.vnodes);
    append_number(this->size());
    for (const Member<Node>& member : this->members_) {
      append_text(detail::id_of(member.node));
      append_number(std::bit_cast<std::uint64_t>(member.weight));
      append_text(member.rack);
      append_text(member.datacenter);
    }
    return detail::digest(bytes);
  }

  /// The same placement: hash policy, ids, racks, datacenters and positions agree, so every key has
  /// the same owner and the same preference list on both. Weights and vnodes may differ where they
  /// come to the same positions. O(M + N).
  friend bool operator==(const HashRing& a, const HashRing& b) {
    if (a.circle() != b.circle() || a.size() != b.size() || a.table_ != b.table_) {
      return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Member<Node>& one = a.members_[i];
      const Member<Node>& other = b.members_[i];
      const auto id = detail::id_of(one.node);
      if (!b.is_at(i, id) || one.rack != other.rack || one.datacenter != other.datacenter) {
        return false;
      }
    }
    return true;
  }

 private:
  static RingOptions checked(RingOptions options) {
    if (options.vnodes == 0 || options.vnodes > max_vnodes_per_node) {
      detail::fail_invalid("vnodes is " + std::to_string(options.vnodes) + "; it is from 1 to " +
                           std::to_string(max_vnodes_per_node));
    }
    return options;
  }

  /// Everything that can fail happens on the side; the ring itself changes in the last lines.
  void apply(Edit edit) {
    if (edit.members_.empty()) return;
    Plan plan(*this, edit);
    auto table = this->table_.after(std::move(plan.change));
    detail::Topology topology(plan.members);
    std::vector<Member<Node>> members;
    members.reserve(plan.members.size());
    for (Member<Node>* member : plan.members) members.push_back(std::move_if_noexcept(*member));

    this->members_ = std::move(members);
    this->table_ = std::move(table);
    this->topology_ = std::move(topology);
  }

  /// The members as they will be, in id order, and the vnodes that come and go.
  struct Plan {
    Plan(HashRing& ring, Edit& edit) : ring_(ring) {
      reserve(edit);
      change.renumber.assign(ring.size(), npos);
      std::size_t old = 0;
      for (auto& [id, state] : edit.members_) {
        const std::size_t place = detail::place_of(ring.members_, id);
        keep(old, place);
        old = place;
        const bool was_member = ring.is_at(place, id);
        const std::uint32_t before = was_member ? ring.members_[place].vnodes : 0;
        const std::uint32_t after = state ? state->vnodes : 0;
        if (after > before) append_vnodes(change.added, id, before, after, members.size());
        if (after < before) append_vnodes(change.dropped, id, after, before, place);
        if (state) {
          if (was_member) change.renumber[place] = static_cast<Index>(members.size());
          members.push_back(&*state);
        }
        if (was_member) ++old;
      }
      keep(old, ring.size());
    }

    std::vector<Member<Node>*> members;
    typename detail::RingTable<Index>::Change change;

   private:
    void keep(std::size_t from, std::size_t to) {
      for (; from < to; ++from) {
        change.renumber[from] = static_cast<Index>(members.size());
        members.push_back(&ring_.members_[from]);
      }
    }

    void append_vnodes(std::vector<Vnode>& vnodes, const std::string& id, std::uint32_t from,
                       std::uint32_t to, std::size_t owner) const {
      std::string label = id + "#4294967295";
      char* const number = label.data() + id.size() + 1;
      for (std::uint32_t i = from; i < to; ++i) {
        const char* const end = std::to_chars(number, label.data() + label.size(), i).ptr;
        const std::string_view text(label.data(), static_cast<std::size_t>(end - label.data()));
        vnodes.push_back({detail::hash_key(ring_.hash_, text), static_cast<Index>(owner)});
      }
    }

    /// Refuses what does not fit before any memory is taken for positions, then takes it at once.
    void reserve(const Edit& edit) {
      std::uint64_t nodes = ring_.size();
      std::uint64_t positions = ring_.vnode_count();
      std::uint64_t added = 0;
      std::uint64_t dropped = 0;
      for (const auto& [id, state] : edit.members_) {
        const Index index = ring_.index_of(id);
        const std::uint32_t before = index == npos ? 0 : ring_.members_[index].vnodes;
        const std::uint32_t after = state ? state->vnodes : 0;
        nodes = nodes - (index == npos ? 0 : 1) + (state ? 1 : 0);
        positions = positions - before + after;
        added += after > before ? after - before : 0;
        dropped += before > after ? before - after : 0;
      }
      if (nodes > npos) {
        detail::fail_length(std::to_string(nodes) + " members on a ring whose Index holds " +
                            std::to_string(npos));
      }
      if (positions > max_positions) {
        detail::fail_length(std::to_string(positions) + " positions on a ring; at most " +
                            std::to_string(max_positions) + " are served");
      }
      members.reserve(static_cast<std::size_t>(nodes));
      change.added.reserve(static_cast<std::size_t>(added));
      change.dropped.reserve(static_cast<std::size_t>(dropped));
    }

    HashRing& ring_;
  };

  [[no_unique_address]] Hash hash_{};
  RingOptions options_;
};

// HashRing ring({"a", "b"}) is a ring of strings.
HashRing(std::initializer_list<const char*>, RingOptions = {})
    ->HashRing<Xxh3, std::string, std::uint16_t>;
template <HashFunction Hash>
HashRing(std::initializer_list<const char*>, RingOptions, Hash)
    -> HashRing<Hash, std::string, std::uint16_t>;
HashRing(RingOptions)->HashRing<Xxh3, std::string, std::uint16_t>;

}  // namespace clockwise

#endif  // CLOCKWISE_HASH_RING_HPP
