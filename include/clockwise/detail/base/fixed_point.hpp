// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_FIXED_POINT_HPP
#define CLOCKWISE_DETAIL_BASE_FIXED_POINT_HPP

// Arithmetic on 128 bits and on the exact values of doubles, in integers, so that a weight has the
// same effect on every platform.

#include <bit>      // bit_cast, countl_zero, countr_zero
#include <cstdint>  // uint64_t
#include <vector>   // vector

namespace clockwise::detail {

/// Returns the upper 64 bits of a * b.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
#else
  constexpr std::uint64_t low_half = 0xffffffff;
  const std::uint64_t low = (a & low_half) * (b & low_half);
  const std::uint64_t middle = (a >> 32) * (b & low_half) + (low >> 32);
  const std::uint64_t other = (a & low_half) * (b >> 32) + (middle & low_half);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
#endif
}

/// Returns (high * 2^64 + low) / divisor, rounded down; `high` must be below `divisor`. Bit by bit:
/// too slow for lookups.
constexpr std::uint64_t divide(std::uint64_t high, std::uint64_t low,
                               std::uint64_t divisor) noexcept {
  std::uint64_t quotient = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const bool carry = high >> 63 != 0;
    high = high << 1 | low >> 63;
    low <<= 1;
    quotient <<= 1;
    if (carry || high >= divisor) {
      high -= divisor;
      quotient |= 1;
    }
  }
  return quotient;
}

/// The number mantissa * 2^exponent; the mantissa's top bit is set.
struct Scaled {
  std::uint64_t mantissa;
  int exponent;
};

/// Returns the exact value of a double, which must be finite and above 0.
constexpr Scaled scaled(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  const auto biased_exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t mantissa =
      biased_exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int shift = std::countl_zero(mantissa);
  return {mantissa << shift, (biased_exponent == 0 ? 1 : biased_exponent) - 1075 - shift};
}

/// Returns weight / largest in units of 2^-32, rounded up: products with it are exact if both
/// weights and the other factor are integers below 2^16. 0 <= weight <= largest, and largest is
/// above 0.
constexpr std::uint64_t relative_weight(double weight, double largest) noexcept {
  if (!(weight > 0)) return 0;
  const Scaled one = scaled(weight);
  const Scaled all = scaled(largest);
  const int shift = all.exponent - one.exponent;
  if (shift > 33) return 1;  // the quotient of the mantissas is below 2^33
  const std::uint64_t quotient = divide(one.mantissa >> 32, one.mantissa << 32, all.mantissa);
  const std::uint64_t units = quotient >> shift;
  const bool exact = units << shift == quotient &&
                     multiply_high(quotient, all.mantissa) == one.mantissa >> 32 &&
                     quotient * all.mantissa == one.mantissa << 32;
  return exact ? units : units + 1;
}

/// Returns weights as integers of at most 2^32, 0 for 0. They are in exact proportion if all are
/// multiples of a power of two, as whole numbers and quarters are, and below 2^32 times that power;
/// otherwise in units of 2^-32 of the largest, rounded up.
inline std::vector<std::uint64_t> integer_weights(const std::vector<double>& weights) {
  double largest = 0;
  int unit = 2000;  // no double is a multiple of 2^2000
  for (const double weight : weights) {
    if (!(weight > 0)) continue;
    if (weight > largest) largest = weight;
    const Scaled exact = scaled(weight);
    const int lowest_bit = exact.exponent + std::countr_zero(exact.mantissa);
    if (lowest_bit < unit) unit = lowest_bit;
  }
  std::vector<std::uint64_t> integers;
  integers.reserve(weights.size());
  for (const double weight : weights) {
    if (!(weight > 0)) {
      integers.push_back(0);
    } else if (scaled(largest).exponent + 32 <= unit) {
      const Scaled exact = scaled(weight);
      integers.push_back(exact.mantissa >> (unit - exact.exponent));
    } else {
      integers.push_back(relative_weight(weight, largest));
    }
  }
  return integers;
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_FIXED_POINT_HPP
