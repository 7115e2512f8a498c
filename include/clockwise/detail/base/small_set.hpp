// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_SMALL_SET_HPP
#define CLOCKWISE_DETAIL_BASE_SMALL_SET_HPP

#include <array>    // array
#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t

#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// A set of up to `most` numbers below `limit`, without heap memory if `most` is at most 8.
class SmallSet {
 public:
  SmallSet() = default;
  SmallSet(std::size_t most, std::size_t limit) {
    if (most > few_.size()) bits_ = PlainVector<std::uint64_t>(limit / 64 + 1);
  }

  bool contains(std::uint32_t value) const {
    if (!bits_.empty()) return (bits_[value / 64] >> (value % 64) & 1) != 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (few_[i] == value) return true;
    }
    return false;
  }
  /// `value` must not be in the set.
  void insert(std::uint32_t value) {
    if (!bits_.empty()) {
      bits_[value / 64] |= std::uint64_t{1} << (value % 64);
    } else {
      few_[size_] = value;
    }
    ++size_;
  }
  std::size_t size() const { return size_; }

 private:
  std::array<std::uint32_t, 8> few_;  // the first size_ are used, unless there are bits_
  std::size_t size_ = 0;
  PlainVector<std::uint64_t> bits_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_SMALL_SET_HPP
