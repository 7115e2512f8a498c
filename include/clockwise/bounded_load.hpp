// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_BOUNDED_LOAD_HPP
#define CLOCKWISE_BOUNDED_LOAD_HPP

// Consistent hashing with bounded loads (Mirrokni, Thorup, Zadimoghaddam 2016), for requests: no
// node carries more than c times the mean; the excess of a key's owner spills to the next node in
// the key's order of preference.
//
//   clockwise::BoundedLoad balancer(std::move(ring), {.c = 1.25});
//   if (auto token = balancer.acquire("user:42")) {  // a load of one, until `token` is destroyed
//     send(token.node(), request);
//   }
//
// For stored keys: bounded_assignment.hpp. Neither can split a hot key: see hot_key.hpp.

#include <atomic>       // atomic, memory_order_relaxed
#include <concepts>     // constructible_from, predicate
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <memory>       // make_shared, shared_ptr
#include <type_traits>  // is_arithmetic_v
#include <utility>      // exchange, forward, move, swap
#include <vector>       // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/detail/scheme/edit.hpp"
#include "clockwise/detail/scheme/load_caps.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

struct BoundedLoadOptions {
  /// A node's maximum load over its fair share: above 1, up to 1,000; rounded to a millionth.
  double c = 1.25;
  /// An absolute limit per node, for any share.
  std::uint64_t node_limit = ~std::uint64_t{0};
};

/// A load balancer: acquire() finds the first node in the key's order of preference that is below
/// its cap, ceil(c * (load + 1) * weight / sum of weights). `load` is the load of all members; the
/// arriving request counts, so an idle fleet accepts its first request. The order is the scheme's
/// own, regardless of racks: the owner, then each node that would own the key without the nodes
/// before it (on a ring, clockwise).
///
/// If every node can take its cap, one always has room. acquire() returns an empty token only if
/// node_limit or `is_available` rules out every node that has room.
///
///   std::invalid_argument  c that is NaN, not above 1, or above 1,000
///   what Scheme's mutators throw
///
/// Every mutator is all or nothing; so is acquire, if `is_available` throws. acquire: the lookup,
/// then one step per vnode passed. Thread safety: any number of threads can acquire and release at
/// once. A change of members must exclude threads that acquire, as with a standard container, but
/// not threads that release.
template <Partitioner Scheme>
class BoundedLoad : public detail::AddsEntries<BoundedLoad<Scheme>, typename Scheme::node_type> {
  using Adds = detail::AddsEntries<BoundedLoad, typename Scheme::node_type>;
  using Count = std::atomic<std::uint64_t>;

  /// The top bit of a node's load is set once it has left.
  static constexpr std::uint64_t gone = std::uint64_t{1} << 63;

  /// Whether a node is its id, so that no other can take its place.
  static constexpr bool is_id =
      detail::Text<typename Scheme::node_type> || std::is_arithmetic_v<typename Scheme::node_type>;

  /// A member's node and load. Tokens keep theirs.
  struct Counter {
    Counter(typename Scheme::node_type n, std::shared_ptr<Count> t)
        : total(std::move(t)), node(std::move(n)) {}
    Count& load() noexcept { return is_id || replaced == nullptr ? own_load : replaced->own_load; }

    Count own_load{0};
    std::shared_ptr<Counter> replaced;  ///< The member's first node, whose load this one shares.
    std::shared_ptr<Count> total;
    typename Scheme::node_type node;
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
      Token taken(std::move(other));  // releases the load that this token held
      counter_.swap(taken.counter_);
      probes_ = taken.probes_;
      return *this;
    }
    ~Token() { release(); }

    explicit operator bool() const noexcept { return counter_ != nullptr; }
    /// Returns the node at the time when the load was acquired, with the address that the request
    /// went to. The token must not be empty.
    const node_type& node() const& noexcept { return counter_->node; }
    const node_type& node() const&& = delete;  // the load is released at once
    /// Returns how many nodes were tried: 1 if the key's owner had room.
    std::uint32_t probes() const noexcept { return probes_; }
    /// Releases the load; returns false if it was already released.
    bool release() noexcept {
      const auto counter = std::exchange(counter_, nullptr);
      if (counter == nullptr) return false;
      // A node's load left the total when the node left.
      if ((counter->load().fetch_sub(1) & gone) == 0) counter->total->fetch_sub(1);
      return true;
    }

   private:
    friend BoundedLoad;
    Token(std::shared_ptr<Counter> counter, std::uint32_t probes)
        : counter_(std::move(counter)), probes_(probes) {}
    std::shared_ptr<Counter> counter_;
    std::uint32_t probes_ = 0;
  };

  /// Throws std::invalid_argument for a c that is out of its range.
  explicit BoundedLoad(Scheme scheme, BoundedLoadOptions options = {})
      : scheme_(std::move(scheme)), options_(options), caps_(scheme_, options.c) {
    counters_ = counters_for(scheme_);
  }
  BoundedLoad(const BoundedLoad&) = delete;
  BoundedLoad& operator=(const BoundedLoad&) = delete;
  ~BoundedLoad() = default;

  // --- Requests ----------------------------------------------------------------------------------

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
    Arrival arrival(*total_);
    // Again if requests arrived meanwhile: all nodes can be at caps for a total that is too low.
    for (std::uint64_t latest = arrival.total(); !token && total < latest;
         latest = total_->load()) {
      total = latest;
      const auto visit = [&](std::size_t member) {
        ++probes;
        const auto& counter = counters_[member];
        if (!is_available(counter->node)) return true;
        const std::uint64_t cap = cap_at(member, total);
        Count& count = counter->load();
        std::uint64_t load = count.load(std::memory_order_relaxed);
        while (load < cap) {
          if (count.compare_exchange_weak(load, load + 1)) {
            token = Token(counter, probes);
            return false;
          }
        }
        return true;
      };
      detail::for_each_preferred(scheme_, scheme_.position_of(key), caps_.owning(), visit);
    }
    if (token) {
      arrival.stay();
    } else {
      token.probes_ = probes;
    }
    return token;
  }
  /// The same as token.release().
  bool release(Token& token) noexcept { return token.release(); }

  // --- Members: those that stay keep their loads; tokens of the others stop counting -------------

  using Adds::add;
  using Adds::add_all;
  /// The other arguments of the scheme's add, such as a node and its tokens.
  template <class... Arguments>
    requires(!std::constructible_from<Entry<node_type>, Arguments...> &&
             requires(Scheme& scheme, Arguments&&... arguments) {
               scheme.add(std::forward<Arguments>(arguments)...);
             })
  void add(Arguments&&... arguments) {
    change([&](Scheme& scheme) { scheme.add(std::forward<Arguments>(arguments)...); });
  }
  /// Removes a member; returns false if absent.
  template <class Id>
  bool remove(const Id& id)
    requires RemovesAny<Scheme>
  {
    if (!scheme_.contains(id)) return false;
    change([&](Scheme& scheme) { scheme.remove(id); });
    return true;
  }
  /// Makes several changes as one, as the scheme's update does: fn(edit).
  template <class Fn>
    requires requires(Scheme& scheme, Fn&& fn) { scheme.update(std::forward<Fn>(fn)); }
  void update(Fn&& fn) {
    change([&](Scheme& scheme) { scheme.update(std::forward<Fn>(fn)); });
  }
  /// Replaces the scheme, and so all members.
  void replace(Scheme scheme) {
    detail::LoadCaps caps(scheme, options_.c);
    auto counters = counters_for(scheme);
    std::vector<Count*> leaving;
    for (const auto& counter : counters_) {
      if (!scheme.contains(counter->node)) leaving.push_back(&counter->load());
    }
    scheme_ = std::move(scheme);
    // Nothing below throws. `counters` keeps the counters of members that leave until the end.
    counters_.swap(counters);
    std::swap(caps_, caps);
    for (Count* const load : leaving) total_->fetch_sub(load->fetch_or(gone));
  }

  const Scheme& scheme() const& noexcept { return scheme_; }
  const Scheme& scheme() const&& = delete;  // it would refer to nothing

  // --- Loads -------------------------------------------------------------------------------------

  /// Returns the requests in flight at all members.
  std::uint64_t load() const noexcept { return total_->load(); }
  /// Returns the requests in flight at one member; 0 if `id` is not a member.
  template <class Id>
  std::uint64_t load(const Id& id) const {
    const auto member = static_cast<std::size_t>(scheme_.index_of(id));
    return member < scheme_.size() ? counters_[member]->load().load() : 0;
  }
  /// Returns a member's cap at the current load of all members; 0 if `id` is not a member. A
  /// member's load can be above its cap if requests were released elsewhere.
  template <class Id>
  std::uint64_t capacity(const Id& id) const {
    const auto member = static_cast<std::size_t>(scheme_.index_of(id));
    return member < scheme_.size() ? cap_at(member, load()) : 0;
  }

 private:
  /// Adds one to a total, and subtracts it at the end unless keep() is called.
  class Arrival {
   public:
    explicit Arrival(Count& count) : count_(&count), total_(count.fetch_add(1) + 1) {}
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;
    ~Arrival() {
      if (count_ != nullptr) count_->fetch_sub(1);
    }
    std::uint64_t total() const noexcept { return total_; }
    void stay() noexcept { count_ = nullptr; }

   private:
    Count* count_;
    std::uint64_t total_;
  };

  friend Adds;
  void add_entry(Entry<node_type> entry) {
    change([&](Scheme& scheme) { scheme.add(std::move(entry.node), std::move(entry.options)); });
  }
  template <class Entries>
  void add_entries(Entries& entries) {
    change([&](Scheme& scheme) { scheme.add_all(entries); });
  }

  template <class Change>
  void change(Change change) {
    Scheme scheme = scheme_;
    change(scheme);
    replace(std::move(scheme));
  }

  std::uint64_t cap_at(std::size_t member, std::uint64_t total) const noexcept {
    const std::uint64_t cap = caps_.cap(member, total);
    return cap < options_.node_limit ? cap : options_.node_limit;
  }

  /// Returns one counter per member, with the existing loads.
  std::vector<std::shared_ptr<Counter>> counters_for(const Scheme& scheme) const {
    std::vector<std::shared_ptr<Counter>> counters;
    counters.reserve(scheme.size());
    for (const auto& member : scheme.members()) {
      const std::size_t index =
          counters_.empty() ? 0 : static_cast<std::size_t>(scheme_.index_of(member.node));
      const auto before = index < counters_.size() ? counters_[index] : nullptr;
      if (is_id && before != nullptr) {
        counters.push_back(before);
        continue;
      }
      counters.push_back(std::make_shared<Counter>(member.node, total_));
      if (before == nullptr) continue;
      counters.back()->replaced = before->replaced == nullptr ? before : before->replaced;
    }
    return counters;
  }

  Scheme scheme_;
  BoundedLoadOptions options_;
  detail::LoadCaps caps_;
  std::shared_ptr<Count> total_ = std::make_shared<Count>(0);
  std::vector<std::shared_ptr<Counter>> counters_;  // by member
};

}  // namespace clockwise

#endif  // CLOCKWISE_BOUNDED_LOAD_HPP
