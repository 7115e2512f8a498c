// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_RESET_BY_MOVE_HPP
#define CLOCKWISE_DETAIL_BASE_RESET_BY_MOVE_HPP

#include <utility>  // exchange

namespace clockwise::detail {

/// A value that is T() after a move from it: for a number that describes a vector, which is then
/// empty.
template <class T>
class ResetByMove {
 public:
  ResetByMove() = default;
  ResetByMove(const ResetByMove&) = default;
  ResetByMove(ResetByMove&& other) noexcept : value_(std::exchange(other.value_, T())) {}
  ResetByMove& operator=(const ResetByMove&) = default;
  ResetByMove& operator=(ResetByMove&& other) noexcept {
    value_ = other.value_;
    other.value_ = T();  // also if it is this object, as with most vectors
    return *this;
  }
  ~ResetByMove() = default;

  T& operator*() noexcept { return value_; }
  const T& operator*() const noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  T value_{};
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_RESET_BY_MOVE_HPP
