// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_HOT_KEY_HPP
#define CLOCKWISE_HOT_KEY_HPP

// A key too hot for one node: no placement helps, because a key has one owner. Find out which key
// it is, then store copies of it under different names.
//
//   clockwise::HeavyHitters traffic(256);
//   traffic.observe(key);                                  // every request, or a sample
//   for (const auto& hot : traffic.above(0.01)) {          // keys above 1% of the requests
//     const auto copies = clockwise::split(ring, hot.key, 8);
//     for (const auto& copy : copies.all()) write(copy.node, copy.name, value);
//     const auto& copy = copies.one(request_number);       // and read any one of them
//   }
//
// For a read-mostly key, a cache of about a second in every front end is better still:
// examples/front_cache.cpp.

#include <algorithm>    // sort
#include <cstddef>      // nullptr_t, size_t
#include <cstdint>      // uint64_t
#include <map>          // less, map
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // exchange, move, swap
#include <vector>       // vector

#include "clockwise/concepts.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"

namespace clockwise {

/// A key that was observed between count - error and count times.
struct HeavyHitter {
  std::string key;
  std::uint64_t count = 0;
  std::uint64_t error = 0;
};

/// The most frequent keys of a stream in fixed memory: Space-Saving (Metwally, Agrawal, El Abbadi
/// 2005). A key without a counter takes the smallest one and inherits its count as an error. So a
/// count is never too low, never too high by more than total() / counters, and every more frequent
/// key has a counter.
///
/// Memory: `counters` times the longest key, at most 1,024 bytes. observe: O(log counters) for any
/// choice of keys: they are compared, not hashed, so no keys can be made to collide. A copy is
/// independent of the original; a moved-from object has counted nothing. Thread safety: that of a
/// standard container; use one per thread.
class HeavyHitters {
 public:
  static constexpr std::size_t max_key_bytes = 1024;

  /// Throws std::invalid_argument unless `counters` is 1 to 2^20.
  explicit HeavyHitters(std::size_t counters = 256) : limit_(counters) {
    if (counters == 0 || counters > std::size_t{1} << 20) {
      detail::fail_invalid("counters must be between 1 and 1048576, got " +
                           std::to_string(counters));
    }
  }
  HeavyHitters(const HeavyHitters& other)
      : limit_(other.limit_), total_(other.total_), heap_(other.heap_), places_(other.places_) {
    for (auto at = places_.begin(); at != places_.end(); ++at) heap_[at->second].at = at;
  }
  HeavyHitters(HeavyHitters&& other) noexcept
      : limit_(other.limit_),
        total_(std::exchange(other.total_, 0)),
        heap_(std::move(other.heap_)),
        places_(std::move(other.places_)) {
    other.clear();
  }
  HeavyHitters& operator=(HeavyHitters other) noexcept {
    swap(*this, other);
    return *this;
  }
  friend void swap(HeavyHitters& a, HeavyHitters& b) noexcept {
    std::swap(a.limit_, b.limit_);
    std::swap(a.total_, b.total_);
    a.heap_.swap(b.heap_);
    a.places_.swap(b.places_);  // its iterators stay valid
  }

  /// Counts the key `times` times. Returns false if it is longer than max_key_bytes: then it counts
  /// only in total(). Counts stop at 2^64 - 1. All or nothing if an allocation fails.
  bool observe(std::string_view key, std::uint64_t times = 1) {
    const bool counted = key.size() <= max_key_bytes;
    if (counted) {
      auto at = places_.find(key);
      if (at == places_.end()) at = heap_.size() < limit_ ? add(key) : replace_least(key);
      add_to(heap_[at->second].count, times);
      sift_down(at->second);
    }
    add_to(total_, times);
    return counted;
  }
  bool observe(std::nullptr_t, std::uint64_t = 1) = delete;  // it would be read as a text

  /// Returns the keys whose count is above `share` of total(), the most frequent first. No more
  /// frequent key is missing if `share` is at least 1 / counters. A less frequent key can be
  /// included, but not if its count - error is above that threshold too.
  std::vector<HeavyHitter> above(double share) const {
    std::vector<HeavyHitter> hot;
    for (const Counter& counter : heap_) {
      if (static_cast<double>(counter.count) > share * static_cast<double>(total_)) {
        hot.push_back({counter.at->first, counter.count, counter.error});
      }
    }
    std::sort(hot.begin(), hot.end(), [](const HeavyHitter& a, const HeavyHitter& b) {
      return a.count != b.count ? a.count > b.count : a.key < b.key;
    });
    return hot;
  }

  std::uint64_t total() const noexcept { return total_; }
  /// The largest error of a count: the smallest counter, at most total() / counters.
  std::uint64_t max_error() const noexcept {
    return heap_.size() < limit_ ? 0 : heap_.front().count;
  }
  /// Resets all counts, for the next interval.
  void clear() noexcept {
    places_.clear();
    heap_.clear();
    total_ = 0;
  }

 private:
  using Places = std::map<std::string, std::size_t, std::less<>>;

  struct Counter {
    Places::iterator at;
    std::uint64_t count;
    std::uint64_t error;
  };

  static void add_to(std::uint64_t& count, std::uint64_t times) noexcept {
    count += times < ~count ? times : ~count;
  }

  /// A new counter for the key, at 0.
  Places::iterator add(std::string_view key) {
    if (heap_.size() == heap_.capacity()) heap_.reserve(2 * heap_.size() + 1);
    const auto at = places_.try_emplace(std::string(key), heap_.size()).first;
    heap_.push_back({at, 0, 0});
    sift_up(heap_.size() - 1);
    return at;
  }

  /// The smallest counter, from now on the key's.
  Places::iterator replace_least(std::string_view key) {
    std::string name(key);  // before anything changes, because this can throw
    Counter& least = heap_.front();
    auto node = places_.extract(least.at);
    node.key() = std::move(name);
    least.at = places_.insert(std::move(node)).position;
    least.error = least.count;
    return least.at;
  }

  void swap_counters(std::size_t a, std::size_t b) {
    std::swap(heap_[a], heap_[b]);
    heap_[a].at->second = a;
    heap_[b].at->second = b;
  }
  void sift_up(std::size_t at) {
    while (at > 0 && heap_[at].count < heap_[(at - 1) / 2].count) {
      swap_counters(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }
  void sift_down(std::size_t at) {
    while (true) {
      std::size_t least = at;
      for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
        if (child < heap_.size() && heap_[child].count < heap_[least].count) least = child;
      }
      if (least == at) return;
      swap_counters(at, least);
      at = least;
    }
  }

  std::size_t limit_;
  std::uint64_t total_ = 0;
  std::vector<Counter> heap_;  // the smallest count at the front
  Places places_;              // of a key's counter in heap_
};

/// One of the copies of a key.
template <class Node>
struct SplitCopy {
  std::string name;  ///< The key under which it is stored.
  Node node;
};

/// The copies of a hot key: write them all, read any one.
template <class Node>
class SplitCopies {
 public:
  explicit SplitCopies(std::vector<SplitCopy<Node>> copies) : copies_(std::move(copies)) {}
  std::span<const SplitCopy<Node>> all() const& noexcept { return copies_; }
  /// For a temporary: returns the copies themselves, so that a loop over split(...).all() is safe.
  std::vector<SplitCopy<Node>> all() && { return std::move(copies_); }
  std::span<const SplitCopy<Node>> all() const&& = delete;  // it would refer to nothing
  /// Returns one copy. Spreads requests evenly, whether `number` counts them or is random.
  const SplitCopy<Node>& one(std::uint64_t number) const& noexcept {
    return copies_[static_cast<std::size_t>(detail::mix(number) % copies_.size())];
  }
  const SplitCopy<Node>& one(std::uint64_t) const&& = delete;  // it would refer to nothing

 private:
  std::vector<SplitCopy<Node>> copies_;
};

/// Returns the names of a key's copies: the key itself, then key#1, key#2, ... No other key should
/// have such a name. Throws std::invalid_argument unless `copies` is 1 to 1,024.
inline std::vector<std::string> split_names(std::string_view key, std::size_t copies) {
  if (copies == 0 || copies > 1024) {
    detail::fail_invalid("copies must be between 1 and 1024, got " + std::to_string(copies));
  }
  std::vector<std::string> names{std::string(key)};
  for (std::size_t i = 1; i < copies; ++i) {
    names.push_back(std::string(key) + "#" + std::to_string(i));
  }
  return names;
}

/// Returns names and nodes for `copies` copies of a key. Each copy is on the first node of its
/// name's preference list that has the fewest copies so far, so on distinct nodes while there are
/// enough. The first copy is the key itself, on its owner. Every program with the same placement
/// gets the same result. Throws std::out_of_range if nothing is owned. Costs `copies` preference
/// lists of up to `copies` nodes.
template <Placement P>
SplitCopies<typename P::node_type> split(const P& placement, std::string_view key,
                                         std::size_t copies) {
  using Node = typename P::node_type;
  std::vector<SplitCopy<Node>> result;
  std::size_t round = 0;  // copies in this round, each on its own node
  for (std::string& name : clockwise::split_names(key, copies)) {
    const auto is_used = [&](const Node& node) {
      for (std::size_t i = result.size() - round; i < result.size(); ++i) {
        if (detail::same_id(result[i].node, node)) return true;
      }
      return false;
    };
    const auto list = placement.preference_list(name, round + 1);
    const Node* node = nullptr;
    for (const Node& candidate : list) {
      if (node == nullptr && !is_used(candidate)) node = &candidate;
    }
    if (node == nullptr) {  // every node has one copy more
      round = 0;
      node = &placement.lookup(name);
    }
    ++round;
    result.push_back({std::move(name), *node});
  }
  return SplitCopies<Node>(std::move(result));
}
template <Placement P>
void split(const P&, std::nullptr_t, std::size_t) = delete;  // it would be read as a text

}  // namespace clockwise

#endif  // CLOCKWISE_HOT_KEY_HPP
