// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_RING_SUCCESSORS_HPP
#define CLOCKWISE_DETAIL_RING_SUCCESSORS_HPP

#include <array>     // array
#include <cstddef>   // ptrdiff_t, size_t
#include <cstdint>   // uint64_t
#include <iterator>  // default_sentinel_t, input_iterator_tag
#include <span>      // span
#include <utility>   // exchange, move
#include <vector>    // vector

#include "clockwise/node.hpp"

namespace clockwise::detail {

/// Every distinct node clockwise from a key, found lazily, one at a time. The range is single-pass.
/// It refers to the ring, whose next change invalidates it. One step costs O(1) per vnode passed.
/// The nodes met are bits by number: the first 65,536 in the range's own memory (8 KB on the stack,
/// written only as far as it is used), the others on the heap, N / 8 bytes for N nodes, taken when
/// the first of them is met.
template <class Node, class Index>
class Successors {
 public:
  Successors(std::span<const Index> owners, std::span<const Member<Node>> members, std::size_t rank,
             std::size_t nodes)
      : owners_(owners), members_(members), rank_(rank), left_(nodes) {
    if (left_ > 0) settle();
  }
  /// For views, which take the range by move. Invalidates iterators, which point into it.
  Successors(Successors&& other) noexcept
      : Successors(other.owners_, other.members_, other.rank_, 0) {
    *this = std::move(other);
  }
  Successors& operator=(Successors&& other) noexcept {
    owners_ = other.owners_;
    members_ = other.members_;
    rank_ = other.rank_;
    left_ = std::exchange(other.left_, 0);
    more_ = std::move(other.more_);
    valid_ = other.valid_;
    for (std::size_t word = 0; word < bits_.size(); ++word) {
      if ((valid_[word / 64] >> (word % 64) & 1) != 0) bits_[word] = other.bits_[word];
    }
    return *this;
  }

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Node;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    explicit iterator(Successors* range) : range_(range) {}
    const Node& operator*() const { return range_->members_[range_->owners_[range_->rank_]].node; }
    const Node* operator->() const { return &**this; }
    iterator& operator++() {
      range_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& it, std::default_sentinel_t) { return it.at_end(); }

   private:
    bool at_end() const { return range_->left_ == 0; }

    Successors* range_ = nullptr;
  };

  iterator begin() { return iterator(this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  void advance() {
    if (--left_ == 0) return;
    rank_ = next(rank_);
    settle();
  }

  // Moves to the next owner not yet seen, if this one was seen. left_ guarantees that one exists.
  void settle() {
    while (seen(static_cast<std::size_t>(owners_[rank_]))) rank_ = next(rank_);
  }

  std::size_t next(std::size_t rank) const { return rank + 1 == owners_.size() ? 0 : rank + 1; }

  // Whether `owner` was seen before; marks it as seen. A word of bits is valid only once its bit in
  // valid_ is set, so nothing must be cleared at the start.
  bool seen(std::size_t owner) {
    if (owner >= bits_held) return seen_beyond(owner - bits_held);
    const std::size_t word = owner / 64;
    const std::uint64_t valid_bit = std::uint64_t{1} << (word % 64);
    std::uint64_t& valid = valid_[word / 64];
    if ((valid & valid_bit) == 0) {
      valid |= valid_bit;
      bits_[word] = 0;
    }
    return set(bits_[word], owner);
  }

  bool seen_beyond(std::size_t number) {
    if (more_.empty()) more_.resize((members_.size() - bits_held + 63) / 64);
    return set(more_[number / 64], number);
  }

  // Sets a bit of a word, by its number modulo 64; returns whether it was set.
  static bool set(std::uint64_t& word, std::size_t number) {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    const bool was_set = (word & bit) != 0;
    word |= bit;
    return was_set;
  }

  static constexpr std::size_t bits_held = 65536;

  std::span<const Index> owners_;
  std::span<const Member<Node>> members_;
  std::size_t rank_;
  std::size_t left_;  // nodes still to come, including the current one
  std::array<std::uint64_t, bits_held / 64 / 64> valid_{};
  std::array<std::uint64_t, bits_held / 64> bits_;
  std::vector<std::uint64_t> more_;  // for numbers from `bits_held` on; empty until one is met
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_RING_SUCCESSORS_HPP
