// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_SMALL_SET_HPP
#define CLOCKWISE_DETAIL_BASE_SMALL_SET_HPP

#include <array>    // array
#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <vector>   // vector

namespace clockwise::detail {

/// A set of up to `most` numbers below `limit`, without heap memory if `most` is at most 8.
class SmallSet {
 public:
  SmallSet() = default;
  SmallSet(std::size_t most, std::size_t limit) {
    if (most > few_.size()) bits_.resize(limit);
  }

  bool contains(std::uint32_t value) const {
    if (!bits_.empty()) return bits_[value];
    for (std::size_t i = 0; i < size_; ++i) {
      if (few_[i] == value) return true;
    }
    return false;
  }
  /// `value` must not be in the set.
  void insert(std::uint32_t value) {
    if (!bits_.empty()) {
      bits_[value] = true;
    } else {
      few_[size_] = value;
    }
    ++size_;
  }
  std::size_t size() const { return size_; }

 private:
  std::array<std::uint32_t, 8> few_;  // the first size_ are used, unless there are bits_
  std::size_t size_ = 0;
  std::vector<bool> bits_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_SMALL_SET_HPP
