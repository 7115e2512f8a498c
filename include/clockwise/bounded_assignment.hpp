// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_BOUNDED_ASSIGNMENT_HPP
#define CLOCKWISE_BOUNDED_ASSIGNMENT_HPP

// Consistent hashing with bounded loads (Mirrokni, Thorup, Zadimoghaddam 2016), for stored keys: no
// node holds more than c times the mean.
//
//   clockwise::BoundedAssignment<clockwise::HashRing<>> shards(std::move(ring), {.c = 1.25});
//   for (const auto& [key, from, to] : shards.insert("user:42")) ...   // keys that must move
//
// For requests: bounded_load.hpp.

#include <algorithm>  // sort
#include <concepts>   // constructible_from
#include <cstddef>    // size_t
#include <cstdint>    // uint64_t
#include <map>        // map
#include <optional>   // optional
#include <set>        // set
#include <string>     // string, to_string
#include <utility>    // forward, move, pair, swap
#include <vector>     // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/scheme/load_caps.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

struct BoundedAssignmentOptions {
  /// A node's maximum number of keys over its fair share: above 1, up to 1,000; rounded to a
  /// millionth.
  double c = 1.25;
};

/// A key that must move from one node to another.
template <class Key, class Node>
struct Relocation {
  Key key;
  Node from;
  Node to;
};

/// Stored keys: every member holds at most ceil(c * keys * weight / sum of weights) of them, and a
/// change moves few.
///
/// Keys are ordered by mix(hash(key)), then by value. Each is on the first node of its order of
/// preference, which is the scheme's own, that earlier keys do not fill. That is the result of
/// placing all keys in order, and the only assignment in which no key could be nearer its owner at
/// the cost of a later key. So it depends only on members, options and keys, not on history, and
/// two programs agree on it. A change moves an expected O(1 / (c - 1)^2) keys in addition to the
/// keys that it concerns directly.
///
///   std::invalid_argument  c that is NaN, not above 1, or above 1,000
///   std::out_of_range      insert if nothing is owned, a change of members that leaves none for
///                          the keys
///   what Scheme's mutators throw
///
/// insert, erase: O(N) for the caps, O(log keys) and a walk per key that moves. A change of members
/// places all keys again: O(keys * log keys). All are all or nothing. `Key` must be ordered by <
/// and be a key of the scheme. Thread safety: that of a standard container.
template <Partitioner Scheme, class Key = std::string>
class BoundedAssignment
    : public detail::AddsEntries<BoundedAssignment<Scheme, Key>, typename Scheme::node_type,
                                 std::vector<Relocation<Key, typename Scheme::node_type>>> {
 public:
  using node_type = typename Scheme::node_type;
  using Relocations = std::vector<Relocation<Key, node_type>>;

 private:
  using Adds = detail::AddsEntries<BoundedAssignment, node_type, Relocations>;

 public:
  explicit BoundedAssignment(Scheme scheme, BoundedAssignmentOptions options = {})
      : scheme_(std::move(scheme)), options_(options), caps_(scheme_, options.c) {
    held_.resize(scheme_.size());
    passed_.resize(scheme_.size());
  }
  // Stored keys are identified by their addresses.
  BoundedAssignment(const BoundedAssignment&) = delete;
  BoundedAssignment& operator=(const BoundedAssignment&) = delete;
  ~BoundedAssignment() = default;

  // --- Keys --------------------------------------------------------------------------------------

  /// Inserts a key and returns the others that must move. No effect if present.
  Relocations insert(Key key) {
    if (keys_.count(key) != 0) return {};
    const Position position = scheme_.position_of(key);
    if (static_cast<std::size_t>(scheme_.lookup_index(position)) >= scheme_.size()) {
      detail::fail_nothing_owned("insert", scheme_.size());
    }
    Change change(*this);
    Stored& stored = change.add(std::move(key));
    stored.position = position;
    stored.rank = detail::mix(static_cast<std::uint64_t>(position));
    settle(change);
    put_on_next(&stored, change);
    return change.take_effect();
  }

  /// Erases a key and returns the others that must move. No effect if absent.
  Relocations erase(const Key& key) {
    const auto at = keys_.find(key);
    if (at == keys_.end()) return {};
    Change change(*this);
    forget_passing(&at->second, none, change);
    change.erase(held_[at->second.member], &at->second);
    change.drop(at);
    settle(change);
    return change.take_effect();
  }

  /// Returns the node of a key; nullptr if it was not inserted.
  const node_type* find(const Key& key) const& {
    const auto at = keys_.find(key);
    return at == keys_.end() ? nullptr : &node(at->second.member);
  }
  const node_type* find(const Key& key) const&& = delete;  // it would refer to nothing

  /// Returns the number of keys.
  std::size_t size() const noexcept { return keys_.size(); }

  // --- Members: each change returns the keys that must move --------------------------------------

  using Adds::add;
  using Adds::add_all;
  /// The other arguments of the scheme's add, such as a node and its tokens.
  template <class... Arguments>
    requires(!std::constructible_from<Entry<node_type>, Arguments...> &&
             requires(Scheme& scheme, Arguments&&... arguments) {
               scheme.add(std::forward<Arguments>(arguments)...);
             })
  Relocations add(Arguments&&... arguments) {
    return change_scheme(
        [&](Scheme& scheme) { scheme.add(std::forward<Arguments>(arguments)...); });
  }
  /// Removes a member; no relocations if absent.
  template <class Id>
  Relocations remove(const Id& id)
    requires RemovesAny<Scheme>
  {
    if (!scheme_.contains(id)) return {};
    return change_scheme([&](Scheme& scheme) { scheme.remove(id); });
  }
  /// Makes several changes as one, as the scheme's update does: fn(edit).
  template <class Fn>
    requires requires(Scheme& scheme, Fn&& fn) { scheme.update(std::forward<Fn>(fn)); }
  Relocations update(Fn&& fn) {
    return change_scheme([&](Scheme& scheme) { scheme.update(std::forward<Fn>(fn)); });
  }
  /// Replaces the scheme, and so all members.
  Relocations replace(Scheme scheme) {
    detail::LoadCaps caps(scheme, options_.c);
    std::vector<Set> held(scheme.size()), passed(scheme.size());
    std::vector<Stored*> order;
    order.reserve(keys_.size());
    for (auto& [key, stored] : keys_) order.push_back(&stored);
    std::sort(order.begin(), order.end(), Earlier{});
    std::vector<std::size_t> members;  // by key, in order
    members.reserve(order.size());
    Relocations moves;
    for (Stored* const stored : order) {
      std::size_t member = none;
      const auto visit = [&](std::size_t candidate) {
        if (held[candidate].size() < caps.cap(candidate, keys_.size())) {
          member = candidate;
          return false;
        }
        passed[candidate].insert(stored);
        return true;
      };
      detail::for_each_preferred(scheme, stored->position, caps.owning(), visit);
      if (member == none) {
        detail::fail_range("no member is left to hold " + std::to_string(keys_.size()) + " keys");
      }
      held[member].insert(stored);
      members.push_back(member);
      const node_type& from = node(stored->member);
      const node_type& to = scheme.members()[member].node;
      if (!detail::same_id(from, to)) moves.push_back({*stored->key, from, to});
    }
    scheme_ = std::move(scheme);
    // Nothing below throws.
    std::swap(caps_, caps);
    held_.swap(held);
    passed_.swap(passed);
    for (std::size_t i = 0; i < order.size(); ++i) order[i]->member = members[i];
    return moves;
  }

  const Scheme& scheme() const& noexcept { return scheme_; }
  const Scheme& scheme() const&& = delete;  // it would refer to nothing

  // --- Loads -------------------------------------------------------------------------------------

  /// Returns the number of keys on a member; 0 if `id` is not a member.
  template <class Id>
  std::size_t load(const Id& id) const {
    const auto member = static_cast<std::size_t>(scheme_.index_of(id));
    return member < scheme_.size() ? held_[member].size() : 0;
  }
  /// Returns a member's cap at the current number of keys; 0 if `id` is not a member. A member's
  /// load is never above its cap.
  template <class Id>
  std::uint64_t capacity(const Id& id) const {
    const auto member = static_cast<std::size_t>(scheme_.index_of(id));
    return member < scheme_.size() ? caps_.cap(member, keys_.size()) : 0;
  }
  /// Returns the share of the keys that are not on their owner.
  double displaced_share() const {
    std::size_t displaced = 0;
    for (const auto& [key, stored] : keys_) {
      if (static_cast<std::size_t>(scheme_.lookup_index(stored.position)) != stored.member) {
        ++displaced;
      }
    }
    return keys_.empty() ? 0 : static_cast<double>(displaced) / static_cast<double>(keys_.size());
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  struct Stored {
    const Key* key = nullptr;
    Position position{};
    std::uint64_t rank = 0;
    std::size_t member = none;
  };
  struct Earlier {
    bool operator()(const Stored* a, const Stored* b) const {
      return a->rank != b->rank ? a->rank < b->rank : *a->key < *b->key;
    }
  };
  using Keys = std::map<Key, Stored>;
  using Set = std::set<Stored*, Earlier>;

  /// A change of keys in progress. Unless it takes effect, its destructor undoes it, without
  /// allocating.
  class Change {
   public:
    explicit Change(BoundedAssignment& assignment) : assignment_(assignment) {}
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    ~Change() {
      for (; !steps_.empty(); steps_.pop_back()) {
        Step& step = steps_.back();
        if (step.erased) {
          step.set->insert(std::move(step.erased));
        } else if (step.inserted != nullptr) {
          step.set->erase(step.inserted);
        }
      }
      for (const auto& [stored, member] : before_) stored->member = member;
      if (added_) assignment_.keys_.erase(*added_);
      if (dropped_) assignment_.keys_.insert(std::move(dropped_));
    }

    /// Adds a key that is not stored.
    Stored& add(Key key) {
      added_ = assignment_.keys_.try_emplace(std::move(key)).first;
      (*added_)->second.key = &(*added_)->first;
      return (*added_)->second;
    }
    /// Removes a stored key, and keeps it until the end.
    void drop(typename Keys::iterator at) { dropped_ = assignment_.keys_.extract(at); }

    void insert(Set& set, Stored* stored) {
      Step& step = steps_.emplace_back(&set);
      if (set.insert(stored).second) step.inserted = stored;
    }
    void erase(Set& set, Stored* stored) {
      Step& step = steps_.emplace_back(&set);
      step.erased = set.extract(stored);
    }
    /// Moves a key to a member, or to none.
    void move(Stored* stored, std::size_t to) {
      before_.try_emplace(stored, stored->member);
      if (to != none) insert(assignment_.held_[to], stored);
      stored->member = to;
    }

    /// Returns the keys that have moved from one member to another.
    Relocations take_effect() {
      Relocations moves;
      for (const auto& [stored, member] : before_) {
        if (member == none || member == stored->member) continue;
        moves.push_back({*stored->key, assignment_.node(member), assignment_.node(stored->member)});
      }
      // Nothing below throws.
      steps_.clear();
      before_.clear();
      added_.reset();
      dropped_ = {};
      return moves;
    }

   private:
    struct Step {
      explicit Step(Set* s) : set(s) {}
      Set* set;
      Stored* inserted = nullptr;
      typename Set::node_type erased{};
    };

    BoundedAssignment& assignment_;
    std::vector<Step> steps_;
    std::map<Stored*, std::size_t, Earlier> before_;  // moved keys: where they were
    std::optional<typename Keys::iterator> added_;
    typename Keys::node_type dropped_;
  };

  const node_type& node(std::size_t member) const { return scheme_.members()[member].node; }

  friend Adds;
  Relocations add_entry(Entry<node_type> entry) {
    return change_scheme(
        [&](Scheme& scheme) { scheme.add(std::move(entry.node), std::move(entry.options)); });
  }
  template <class Entries>
  Relocations add_entries(Entries& entries) {
    return change_scheme([&](Scheme& scheme) { scheme.add_all(entries); });
  }

  template <class Fn>
  Relocations change_scheme(Fn change) {
    Scheme scheme = scheme_;
    change(scheme);
    return replace(std::move(scheme));
  }

  template <class Visit>
  void for_each_preferred(const Stored* stored, Visit visit) const {
    detail::for_each_preferred(scheme_, stored->position, caps_.owning(), visit);
  }
  bool is_full(std::size_t member) const {
    return held_[member].size() >= caps_.cap(member, keys_.size());
  }

  /// Puts a key that is on no node, and has passed some nodes of its preference, on the next node
  /// that has room or a later key. The later key then moves to its next node in turn.
  void put_on_next(Stored* stored, Change& change) {
    while (stored != nullptr) {
      Stored* next = nullptr;
      for_each_preferred(stored, [&](std::size_t member) {
        if (passed_[member].count(stored) != 0) return true;
        const Set& held = held_[member];
        if (is_full(member)) {
          if (held.empty() || !Earlier{}(stored, *held.rbegin())) {
            change.insert(passed_[member], stored);
            return true;
          }
          next = evict_last(member, change);
        }
        change.move(stored, member);
        return false;
      });
      stored = next;
    }
  }

  Stored* evict_last(std::size_t member, Change& change) {
    Stored* const last = *held_[member].rbegin();
    change.erase(held_[member], last);
    change.insert(passed_[member], last);
    change.move(last, none);
    return last;
  }

  /// For a key about to leave its node, or to return to a node that it has passed (`from`): forgets
  /// which nodes it passed, from `from` on or all.
  void forget_passing(Stored* stored, std::size_t from, Change& change) {
    bool reached = from == none;
    for_each_preferred(stored, [&](std::size_t member) {
      if (member == stored->member) return false;
      reached = reached || member == from;
      if (reached) change.erase(passed_[member], stored);
      return true;
    });
  }

  /// After caps change or a key leaves: keys that passed a node with room return to it, then keys
  /// above a cap move to their next node. The order matters, because put_on_next() takes any room
  /// that it finds: no earlier key can be waiting for it.
  void settle(Change& change) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t member = 0; member < held_.size(); ++member) {
        while (!passed_[member].empty() && !is_full(member)) {
          Stored* const stored = *passed_[member].begin();
          forget_passing(stored, member, change);
          change.erase(held_[stored->member], stored);
          change.move(stored, member);
          changed = true;
        }
      }
    }
    for (std::size_t member = 0; member < held_.size(); ++member) {
      while (held_[member].size() > caps_.cap(member, keys_.size())) {
        put_on_next(evict_last(member, change), change);
      }
    }
  }

  Scheme scheme_;
  BoundedAssignmentOptions options_;
  detail::LoadCaps caps_;
  Keys keys_;
  std::vector<Set> held_;    // by member: the keys on it
  std::vector<Set> passed_;  // by member: the keys that prefer it to their node
};

}  // namespace clockwise

#endif  // CLOCKWISE_BOUNDED_ASSIGNMENT_HPP
