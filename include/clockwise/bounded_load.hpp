// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_BOUNDED_LOAD_HPP
#define CLOCKWISE_BOUNDED_LOAD_HPP

// Consistent hashing with bounded loads (Mirrokni, Thorup, Zadimoghaddam 2016): no node carries
// more than c times the mean; the excess of a key's owner spills to the next node in the key's
// preference order.
//
//   clockwise::BoundedLoad balancer(std::move(ring), {.c = 1.25});
//   if (auto token = balancer.acquire("user:42")) {  // a load of one, until `token` is destroyed
//     send(token.node(), request);
//   }
//
//   clockwise::BoundedAssignment<clockwise::HashRing<>> shards(std::move(ring), {.c = 1.25});
//   for (const auto& [key, from, to] : shards.insert("user:42")) ...   // keys that must move
//
// BoundedLoad counts requests in flight; BoundedAssignment places stored keys. Neither can split a
// hot key: see hot_key.hpp.

#include <algorithm>    // sort
#include <atomic>       // atomic, memory_order_relaxed
#include <concepts>     // predicate
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <map>          // map
#include <memory>       // make_shared, shared_ptr
#include <set>          // set
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // exchange, move, pair, swap
#include <vector>       // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/hash.hpp"

namespace clockwise {

struct BoundedLoadOptions {
  /// A node's maximum load over its fair share: above 1, up to 1,000; rounded to a millionth.
  double c = 1.25;
  /// An absolute limit per node, whatever its share. BoundedLoad only.
  std::uint64_t node_limit = ~std::uint64_t{0};
};

namespace detail {

/// The caps of a partitioner's members: ceil(c * total * weight / sum of weights), in integers, so
/// c = 1.1 and a total of 10 give 11, not 12.
class LoadCaps {
 public:
  template <class Scheme>
  LoadCaps(const Scheme& scheme, double c) : millionths_(millionths(c)) {
    const auto weight_of = [&](std::size_t i) {
      const auto& member = scheme.members()[i];
      // A member that owns nothing is in no key's preference order, so its share would stay empty.
      if constexpr (requires { member.vnodes; }) {
        if (member.vnodes == 0) return 0.0;
      }
      if constexpr (requires { member.weight; }) {
        return member.weight;
      } else {
        return 1.0;
      }
    };
    std::vector<double> weights;
    for (std::size_t i = 0; i < scheme.size(); ++i) weights.push_back(weight_of(i));
    shares_ = integer_weights(weights);
    std::uint64_t total = 0;
    for (const std::uint64_t share : shares_) total += share;
    if (total == 0) return;
    for (std::uint64_t& share : shares_) share = divide(share >> 1, share << 63, total);
  }

  /// `total` must be below 2^33.
  std::uint64_t cap(std::size_t member, std::uint64_t total) const noexcept {
    const std::uint64_t scaled_total = total * millionths_;
    const std::uint64_t low = scaled_total * shares_[member];
    const std::uint64_t whole = multiply_high(scaled_total, shares_[member]) << 1 | low >> 63;
    const bool rest = whole % 1000000 != 0 || low << 1 != 0;
    return whole / 1000000 + (rest ? 1 : 0);
  }

 private:
  static std::uint64_t millionths(double c) {
    if (!(c > 1 && c <= 1000) || c * 1e6 + 0.5 < 1000001) {
      fail_invalid("c must be between 1.000001 and 1000, got " + std::to_string(c));
    }
    return static_cast<std::uint64_t>(c * 1e6 + 0.5);
  }

  std::uint64_t millionths_;
  std::vector<std::uint64_t> shares_;  // by member, in units of 2^-63, rounded down
};

/// Calls visit(index) for the members that own something, in the key's preference order, until it
/// returns false.
template <class Scheme, class Visit>
void for_each_preferred(const Scheme& scheme, Position key, Visit visit) {
  const auto owner = scheme.lookup_index(key);
  if (owner == Scheme::npos || !visit(static_cast<std::size_t>(owner))) return;
  const auto rest = [&](auto&& nodes) {
    bool first = true;
    for (const auto& node : nodes) {
      if (!std::exchange(first, false) && !visit(static_cast<std::size_t>(scheme.index_of(node)))) {
        return;
      }
    }
  };
  if constexpr (requires { scheme.successors(key); }) {
    rest(scheme.successors(key));
  } else {
    rest(scheme.preference_list(key, scheme.size()));
  }
}

}  // namespace detail

/// A load balancer: acquire() finds the first node in the key's preference order that is below its
/// cap, ceil(c * (load + 1) * weight / sum of weights). `load` is that of all members; the arriving
/// request counts, so an idle fleet takes its first one. `Scheme` is any Partitioner with
/// lookup_index and index_of, which all of this library have.
///
/// If every node can take its cap, one always has room. acquire() returns an empty token only if
/// node_limit or `is_available` rules out all that have room.
///
///   std::invalid_argument  c that is NaN, not above 1, or above 1,000
///   what Scheme's mutators throw; nothing has changed then
///
/// acquire: the lookup, then one step per full node. Thread safety: any number of threads can
/// acquire and release at once. A change of members must exclude threads that acquire, as with a
/// standard container, but not threads that release.
template <Partitioner Scheme>
class BoundedLoad {
  /// The top bit of a node's load is set once it has left.
  static constexpr std::uint64_t gone = std::uint64_t{1} << 63;

  struct Counter {
    Counter(typename Scheme::node_type n, std::shared_ptr<std::atomic<std::uint64_t>> t)
        : node(std::move(n)), total(std::move(t)) {}
    typename Scheme::node_type node;
    std::shared_ptr<std::atomic<std::uint64_t>> total;
    std::atomic<std::uint64_t> load{0};
  };

 public:
  using node_type = typename Scheme::node_type;

  /// A load of one on one node, until it is released or destroyed. Can outlive the node's
  /// membership and the balancer. Empty if the fleet was saturated, and after release.
  class Token {
   public:
    Token() = default;
    Token(Token&& other) noexcept : counter_(std::move(other.counter_)), probes_(other.probes_) {}
    Token& operator=(Token&& other) noexcept {
      release();
      counter_ = std::move(other.counter_);
      probes_ = other.probes_;
      return *this;
    }
    ~Token() { release(); }

    explicit operator bool() const noexcept { return counter_ != nullptr; }
    /// The token must not be empty.
    const node_type& node() const noexcept { return counter_->node; }
    /// Nodes tried: 1 if the key's owner had room.
    std::uint32_t probes() const noexcept { return probes_; }
    /// Releases the load; returns false if there was none left to release.
    bool release() noexcept {
      const auto counter = std::exchange(counter_, nullptr);
      if (counter == nullptr) return false;
      // A node's load left the total when the node left.
      if ((counter->load.fetch_sub(1) & gone) == 0) counter->total->fetch_sub(1);
      return true;
    }

   private:
    friend BoundedLoad;
    Token(std::shared_ptr<Counter> counter, std::uint32_t probes)
        : counter_(std::move(counter)), probes_(probes) {}
    std::shared_ptr<Counter> counter_;
    std::uint32_t probes_ = 0;
  };

  explicit BoundedLoad(Scheme scheme, BoundedLoadOptions options = {})
      : scheme_(std::move(scheme)), options_(options), caps_(scheme_, options.c) {
    counters_ = counters_for(scheme_);
  }
  BoundedLoad(const BoundedLoad&) = delete;
  BoundedLoad& operator=(const BoundedLoad&) = delete;
  ~BoundedLoad() = default;

  template <class Key>
  Token acquire(const Key& key) {
    return acquire(key, [](const node_type&) { return true; });
  }
  /// Skips nodes for which is_available(node) is false.
  template <class Key, std::predicate<const node_type&> IsAvailable>
  Token acquire(const Key& key, const IsAvailable& is_available) {
    Token token;
    std::uint32_t probes = 0;
    std::uint64_t total = 0;
    std::uint64_t latest = total_->fetch_add(1) + 1;
    // Again if requests arrived meanwhile: caps for a total that is too low may all be taken.
    for (; !token && total < latest; latest = total_->load()) {
      total = latest;
      detail::for_each_preferred(scheme_, scheme_.position_of(key), [&](std::size_t member) {
        ++probes;
        const auto& counter = counters_[member];
        if (!is_available(counter->node)) return true;
        const std::uint64_t cap = capacity_at(member, total);
        std::uint64_t load = counter->load.load(std::memory_order_relaxed);
        while (load < cap) {
          if (counter->load.compare_exchange_weak(load, load + 1)) {
            token = Token(counter, probes);
            return false;
          }
        }
        return true;
      });
    }
    if (!token) {
      total_->fetch_sub(1);
      token.probes_ = probes;
    }
    return token;
  }
  /// The same as token.release().
  bool release(Token& token) noexcept { return token.release(); }

  /// Changes members in one step: fn(scheme) edits a copy. Remaining members keep their loads;
  /// tokens of the others stop counting and can be released at any time.
  template <class Fn>
  void update(Fn&& fn) {
    Scheme scheme = scheme_;
    std::forward<Fn>(fn)(scheme);
    detail::LoadCaps caps(scheme, options_.c);
    auto counters = counters_for(scheme);
    counters_.swap(counters);
    std::swap(caps_, caps);
    scheme_ = std::move(scheme);
    for (const auto& counter : counters) {
      if (scheme_.contains(counter->node)) continue;
      total_->fetch_sub(counter->load.fetch_or(gone));
    }
  }
  template <class... Arguments>
  void add(node_type node, Arguments&&... arguments) {
    update([&](Scheme& scheme) {
      scheme.add(std::move(node), std::forward<Arguments>(arguments)...);
    });
  }
  template <class Id>
  bool remove(const Id& id)
    requires RemovesAny<Scheme>
  {
    bool removed = false;
    update([&](Scheme& scheme) { removed = scheme.remove(id); });
    return removed;
  }

  const Scheme& scheme() const noexcept { return scheme_; }
  /// Requests in flight at all members.
  std::uint64_t load() const noexcept { return total_->load(); }
  /// Requests in flight at one member; 0 if `id` is not a member.
  template <class Id>
  std::uint64_t load(const Id& id) const {
    const auto index = scheme_.index_of(id);
    return index == Scheme::npos ? 0 : counters_[static_cast<std::size_t>(index)]->load.load();
  }
  /// A member's cap, counting the next request; 0 if `id` is not a member.
  template <class Id>
  std::uint64_t capacity(const Id& id) const {
    const auto index = scheme_.index_of(id);
    return index == Scheme::npos ? 0 : capacity_at(static_cast<std::size_t>(index), load() + 1);
  }

 private:
  std::uint64_t capacity_at(std::size_t member, std::uint64_t total) const noexcept {
    const std::uint64_t cap = caps_.cap(member, total);
    return cap < options_.node_limit ? cap : options_.node_limit;
  }

  /// Returns one counter per member, with the existing ones kept.
  std::vector<std::shared_ptr<Counter>> counters_for(const Scheme& scheme) const {
    std::vector<std::shared_ptr<Counter>> counters;
    for (const auto& member : scheme.members()) {
      const auto index = counters_.empty() ? Scheme::npos : scheme_.index_of(member.node);
      counters.push_back(index == Scheme::npos ? std::make_shared<Counter>(member.node, total_)
                                               : counters_[static_cast<std::size_t>(index)]);
    }
    return counters;
  }

  Scheme scheme_;
  BoundedLoadOptions options_;
  detail::LoadCaps caps_;
  std::shared_ptr<std::atomic<std::uint64_t>> total_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::vector<std::shared_ptr<Counter>> counters_;  // by member
};

/// Stored keys: every member holds at most ceil(c * keys * weight / sum of weights) of them, and a
/// change moves few.
///
/// Keys are ordered by mix(hash(key)), then by value. Each is on the first node of its preference
/// that earlier keys do not fill: the result of placing all keys in that order, and the only one in
/// which no key could be nearer its owner at the cost of a later one. So it depends only on
/// members, options and keys, not on history, and two programs agree on it. A change moves an
/// expected O(1 / (c - 1)^2) keys in addition to those it concerns directly.
///
///   std::invalid_argument  c that is NaN, not above 1, or above 1,000
///   std::out_of_range      insert if nothing is owned
///
/// insert, erase: O(N) for the caps, O(log keys) and a walk per key that moves. A change of members
/// places all keys again: O(keys * log keys). All mutators except insert and erase are all or
/// nothing; those two can lose keys, but only if memory runs out. `Key` must be ordered by < and be
/// a key of the scheme. Thread safety: that of a standard container.
template <Partitioner Scheme, class Key = std::string>
class BoundedAssignment {
 public:
  using node_type = typename Scheme::node_type;

  /// A key that must move from one node to another.
  struct Relocation {
    Key key;
    node_type from;
    node_type to;
  };
  using Relocations = std::vector<Relocation>;

  explicit BoundedAssignment(Scheme scheme, BoundedLoadOptions options = {})
      : scheme_(std::move(scheme)), options_(options), caps_(scheme_, options.c) {
    held_.resize(scheme_.size());
    passed_.resize(scheme_.size());
  }
  // Entries are identified by their addresses.
  BoundedAssignment(const BoundedAssignment&) = delete;
  BoundedAssignment& operator=(const BoundedAssignment&) = delete;
  ~BoundedAssignment() = default;

  /// Inserts a key and returns the others that must move. No effect if present.
  Relocations insert(Key key) {
    if (keys_.count(key) != 0) return {};
    const Position position = scheme_.position_of(key);
    if (scheme_.lookup_index(position) == Scheme::npos) {
      detail::fail_range("insert: none of the " + std::to_string(scheme_.size()) +
                         " members owns anything");
    }
    const auto [at, is_new] = keys_.try_emplace(std::move(key));
    Entry& entry = at->second;
    entry.key = &at->first;
    entry.position = position;
    entry.rank = detail::mix(static_cast<std::uint64_t>(position));
    Before before;
    settle(before);
    place(&entry, before);
    return relocations(before);
  }

  /// Erases a key and returns the others that must move. No effect if absent.
  Relocations erase(const Key& key) {
    const auto at = keys_.find(key);
    if (at == keys_.end()) return {};
    Entry* const entry = &at->second;
    forget_passing(entry);
    held_[entry->member].erase(entry);
    keys_.erase(at);
    Before before;
    settle(before);
    return relocations(before);
  }

  /// Returns the node of a key; nullptr if it was not inserted.
  const node_type* find(const Key& key) const {
    const auto at = keys_.find(key);
    return at == keys_.end() ? nullptr : &scheme_.node(index(at->second.member));
  }

  /// Changes members in one step: fn(scheme) edits a copy. Throws std::out_of_range if there are
  /// keys but no member would be left to hold them.
  template <class Fn>
  Relocations update(Fn&& fn) {
    Scheme scheme = scheme_;
    std::forward<Fn>(fn)(scheme);
    detail::LoadCaps caps(scheme, options_.c);
    std::vector<std::pair<Entry*, std::size_t>> placed;
    std::vector<Set> held(scheme.size()), passed(scheme.size());
    std::vector<Entry*> order;
    order.reserve(keys_.size());
    for (auto& [key, entry] : keys_) order.push_back(&entry);
    std::sort(order.begin(), order.end(), Earlier{});
    Relocations moves;
    for (Entry* entry : order) {
      std::size_t member = none;
      detail::for_each_preferred(scheme, entry->position, [&](std::size_t candidate) {
        if (held[candidate].size() < caps.cap(candidate, keys_.size())) {
          member = candidate;
          return false;
        }
        passed[candidate].insert(entry);
        return true;
      });
      if (member == none) {
        detail::fail_range("no member is left to hold " + std::to_string(keys_.size()) + " keys");
      }
      held[member].insert(entry);
      placed.emplace_back(entry, member);
      const node_type& from = scheme_.node(index(entry->member));
      const node_type& to = scheme.node(index(member));
      if (!same_node(from, to)) moves.push_back({*entry->key, from, to});
    }
    scheme_ = std::move(scheme);
    std::swap(caps_, caps);
    held_.swap(held);
    passed_.swap(passed);
    for (const auto& [entry, member] : placed) entry->member = member;
    return moves;
  }
  template <class... Arguments>
  Relocations add(node_type node, Arguments&&... arguments) {
    return update([&](Scheme& scheme) {
      scheme.add(std::move(node), std::forward<Arguments>(arguments)...);
    });
  }
  /// Removes a node; no relocations if absent.
  template <class Id>
  Relocations remove(const Id& id)
    requires RemovesAny<Scheme>
  {
    return update([&](Scheme& scheme) { scheme.remove(id); });
  }

  const Scheme& scheme() const noexcept { return scheme_; }
  std::size_t size() const noexcept { return keys_.size(); }
  /// Keys on a member, and its cap for the present number of keys; 0 if `id` is not a member.
  template <class Id>
  std::size_t load(const Id& id) const {
    const auto at = scheme_.index_of(id);
    return at == Scheme::npos ? 0 : held_[static_cast<std::size_t>(at)].size();
  }
  template <class Id>
  std::uint64_t capacity(const Id& id) const {
    const auto at = scheme_.index_of(id);
    return at == Scheme::npos ? 0 : caps_.cap(static_cast<std::size_t>(at), keys_.size());
  }
  /// Returns the share of the keys that are not on their owner.
  double displaced_share() const {
    std::size_t displaced = 0;
    for (const auto& [key, entry] : keys_) {
      if (static_cast<std::size_t>(scheme_.lookup_index(entry.position)) != entry.member) {
        ++displaced;
      }
    }
    return keys_.empty() ? 0 : static_cast<double>(displaced) / static_cast<double>(keys_.size());
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  struct Entry {
    const Key* key = nullptr;
    Position position{};
    std::uint64_t rank = 0;
    std::size_t member = none;
  };
  struct Earlier {
    bool operator()(const Entry* a, const Entry* b) const {
      return a->rank != b->rank ? a->rank < b->rank : *a->key < *b->key;
    }
  };
  using Set = std::set<Entry*, Earlier>;
  using Before = std::map<Entry*, std::size_t, Earlier>;  // moved keys: where they were

  static auto index(std::size_t member) { return static_cast<typename Scheme::index_type>(member); }
  static bool same_node(const node_type& a, const node_type& b) {
    const auto one = detail::id_of(a);
    const auto two = detail::id_of(b);
    return std::string_view(one) == std::string_view(two);
  }
  bool is_full(std::size_t member) const {
    return held_[member].size() >= caps_.cap(member, keys_.size());
  }

  void move(Entry* entry, std::size_t to, Before& before) {
    before.try_emplace(entry, entry->member);
    entry->member = to;
    if (to != none) held_[to].insert(entry);
  }

  /// Places a key that is on no node, and has passed some nodes of its preference, on the next one
  /// that has room or a later key. The later key then moves on in turn.
  void place(Entry* entry, Before& before) {
    while (entry != nullptr) {
      Entry* next = nullptr;
      detail::for_each_preferred(scheme_, entry->position, [&](std::size_t member) {
        if (passed_[member].count(entry) != 0) return true;
        Set& held = held_[member];
        if (is_full(member)) {
          if (held.empty() || !Earlier{}(entry, *held.rbegin())) {
            passed_[member].insert(entry);
            return true;
          }
          next = evict_last(member, before);
        }
        move(entry, member, before);
        return false;
      });
      entry = next;
    }
  }

  Entry* evict_last(std::size_t member, Before& before) {
    Entry* const last = *held_[member].rbegin();
    held_[member].erase(last);
    passed_[member].insert(last);
    move(last, none, before);
    return last;
  }

  /// For a key about to leave its node, or to return to one that it has passed (`from`): forgets
  /// which nodes it passed, from `from` on or all.
  void forget_passing(Entry* entry, std::size_t from = none) {
    bool reached = from == none;
    detail::for_each_preferred(scheme_, entry->position, [&](std::size_t member) {
      if (member == entry->member) return false;
      reached = reached || member == from;
      if (reached) passed_[member].erase(entry);
      return true;
    });
  }

  /// After caps change or a key leaves: keys that passed a node with room return to it, then keys
  /// above a cap move on. In this order, because place() takes any room it finds: no earlier key
  /// may be waiting for it.
  void settle(Before& before) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t member = 0; member < held_.size(); ++member) {
        while (!passed_[member].empty() && !is_full(member)) {
          Entry* const entry = *passed_[member].begin();
          forget_passing(entry, member);
          held_[entry->member].erase(entry);
          move(entry, member, before);
          changed = true;
        }
      }
    }
    for (std::size_t member = 0; member < held_.size(); ++member) {
      while (held_[member].size() > caps_.cap(member, keys_.size())) {
        place(evict_last(member, before), before);
      }
    }
  }

  Relocations relocations(const Before& before) const {
    Relocations moves;
    for (const auto& [entry, member] : before) {
      if (member == none || member == entry->member) continue;
      moves.push_back(
          {*entry->key, scheme_.node(index(member)), scheme_.node(index(entry->member))});
    }
    return moves;
  }

  Scheme scheme_;
  BoundedLoadOptions options_;
  detail::LoadCaps caps_;
  std::map<Key, Entry> keys_;
  std::vector<Set> held_;    // by member: the keys on it
  std::vector<Set> passed_;  // by member: the keys that prefer it to their node
};

}  // namespace clockwise

#endif  // CLOCKWISE_BOUNDED_LOAD_HPP
