// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_IEEE_HPP
#define CLOCKWISE_DETAIL_BASE_IEEE_HPP

// Floating-point arithmetic whose rounding decides an owner.
//
// Some engines compute how many points a server gets in `float` or `double`. If the exact result is
// a whole number, the last bit decides between it and the one below. Compilers can keep more bits
// (x87), fuse a product and a sum, or reorder (-ffast-math), so this arithmetic is done here in
// integers, as IEEE 754 says: positive numbers, round to nearest, ties to even, each operation
// rounded once. Exponents are wide: there is no overflow or underflow.

#include <bit>      // countl_zero
#include <compare>  // strong_ordering
#include <cstdint>  // int32_t, uint64_t
#include <limits>   // numeric_limits

#include "clockwise/detail/base/fixed_point.hpp"

namespace clockwise::detail {

/// A number, zero or positive, of `Precision` significant bits: 24 for float, 53 for double.
template <int Precision>
class Ieee {
  static_assert(Precision > 1 && Precision < 64);

 public:
  constexpr Ieee() = default;
  /// The nearest number to `integer`.
  constexpr explicit Ieee(std::uint64_t integer) : Ieee(rounded({0, integer}, 0)) {}

  friend constexpr Ieee operator*(const Ieee& a, const Ieee& b) {
    if (a.is_zero() || b.is_zero()) return {};
    const Wide product{multiply_high(a.significand_, b.significand_),
                       a.significand_ * b.significand_};
    return rounded(product, a.exponent_ + b.exponent_);
  }

  /// `b` must not be 0.
  friend constexpr Ieee operator/(const Ieee& a, const Ieee& b) {
    if (a.is_zero()) return {};
    // Long division: at least one bit more than is kept, then one for all that follow.
    std::uint64_t quotient = 0;
    std::uint64_t rest = a.significand_;
    constexpr int steps = Precision + 2;
    for (int i = 0; i < steps; ++i) {
      quotient = quotient << 1 | (rest >= b.significand_ ? 1 : 0);
      if (rest >= b.significand_) rest -= b.significand_;
      rest <<= 1;
    }
    quotient = quotient << 1 | (rest != 0 ? 1 : 0);
    return rounded({0, quotient}, a.exponent_ - b.exponent_ - steps);
  }

  friend constexpr Ieee operator+(const Ieee& a, const Ieee& b) {
    if (a.exponent_ < b.exponent_) return b + a;
    if (b.is_zero()) return a;
    const int distance = a.exponent_ - b.exponent_;
    if (distance > 126 - Precision) return a;  // b is less than half of a's last bit
    Wide sum = shifted_left({0, a.significand_}, distance);
    sum.low += b.significand_;
    if (sum.low < b.significand_) ++sum.high;
    return rounded(sum, b.exponent_);
  }

  friend constexpr auto operator<=>(const Ieee&, const Ieee&) = default;

  constexpr bool is_zero() const { return significand_ == 0; }

  /// Rounding to integers; the number must be below 2^63.
  constexpr std::uint64_t floor() const {
    if (exponent_ >= 0) return significand_ << exponent_;
    return exponent_ <= -64 ? 0 : significand_ >> -exponent_;
  }
  constexpr std::uint64_t ceil() const { return floor() + (is_whole() ? 0 : 1); }
  /// Halves away from zero.
  constexpr std::uint64_t round() const {
    if (exponent_ >= 0) return floor();
    if (exponent_ < -Precision) return 0;
    const std::uint64_t half = std::uint64_t{1} << (-exponent_ - 1);
    return (significand_ + half) >> -exponent_;
  }

 private:
  struct Wide {
    std::uint64_t high;
    std::uint64_t low;
  };

  constexpr bool is_whole() const {
    if (is_zero() || exponent_ >= 0) return true;
    return exponent_ > -64 && (significand_ & ((std::uint64_t{1} << -exponent_) - 1)) == 0;
  }

  static constexpr Wide shifted_left(Wide wide, int by) {
    if (by == 0) return wide;
    if (by >= 64) return {wide.low << (by - 64), 0};
    return {wide.high << by | wide.low >> (64 - by), wide.low << by};
  }

  /// Returns wide * 2^exponent rounded to Precision bits.
  static constexpr Ieee rounded(Wide wide, int exponent) {
    if (wide.high == 0 && wide.low == 0) return {};
    const int zeros =
        wide.high != 0 ? std::countl_zero(wide.high) : 64 + std::countl_zero(wide.low);
    wide = shifted_left(wide, zeros);  // the first bit is the highest of 128
    exponent -= zeros;
    constexpr int dropped = 64 - Precision;  // of `high`, and all of `low`
    Ieee result;
    result.significand_ = wide.high >> dropped;
    result.exponent_ = exponent + 64 + dropped;
    const std::uint64_t cut = wide.high & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    const bool above = cut > half || (cut == half && wide.low != 0);
    const bool tie = cut == half && wide.low == 0;
    if (above || (tie && (result.significand_ & 1) != 0)) ++result.significand_;
    if (result.significand_ >> Precision != 0) {
      result.significand_ >>= 1;
      ++result.exponent_;
    }
    return result;
  }

  // The number is significand * 2^exponent, with a significand of exactly Precision bits, so
  // comparing the members in this order compares the numbers. Zero comes before all others.
  std::int32_t exponent_ = (std::numeric_limits<std::int32_t>::min)();
  std::uint64_t significand_ = 0;
};

using Single = Ieee<24>;
using Double = Ieee<53>;

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_IEEE_HPP
