// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_WEIGHTED_RANK_HPP
#define CLOCKWISE_DETAIL_SCHEME_WEIGHTED_RANK_HPP

// -ln(u) / w without a floating-point unit: the rank of a draw of weight w.
//
// For u uniform in (0, 1] this is an exponential variable of rate w, and the smallest of several is
// that of weight w_i with probability w_i / sum of w. Only the order counts, so the logarithm can
// have any base, and any function close to it suffices if it never falls while the logarithm rises.
// This one is the logarithm at 1,024 points of each octave, with straight lines between. A rank is
// off by at most 1 part in 2^11, and only for u within 2^-10 of 1. All draws of a member are off
// alike there, so shares are off by much less.

#include <array>    // array
#include <bit>      // countl_zero
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t

#include "clockwise/detail/base/fixed_point.hpp"

namespace clockwise::detail {

/// log2(1 + i / 1024) for i = 0 .. 1024, in units of 2^-57.
inline constexpr auto binary_logarithms = [] {
  constexpr std::uint64_t two_over_ln2 = 0xb8aa3b295c17f0bb;  // 2 / ln 2, in units of 2^-62
  std::array<std::uint64_t, 1025> table{};
  std::uint64_t sum = 0;  // in units of 2^-63
  for (std::uint64_t i = 0; i < 1024; ++i) {
    table[static_cast<std::size_t>(i)] = sum >> 6;
    // ln((n + 1) / n) = 2 atanh(z), z = 1 / (2n + 1), n = 1024 + i; z in units of 2^-74.
    const std::uint64_t divisor = 2 * (1024 + i) + 1;
    constexpr std::uint64_t top = std::uint64_t{1} << 63;
    const std::uint64_t z = (top / divisor << 11) + (top % divisor << 11) / divisor;
    const std::uint64_t square = multiply_high(z, z);               // 2^-84
    const std::uint64_t cube = multiply_high(z, square) >> 20;      // 2^-74
    const std::uint64_t fifth = multiply_high(cube, square) >> 20;  // 2^-74
    const std::uint64_t atanh = z + cube / 3 + fifth / 5;
    sum += (multiply_high(two_over_ln2, atanh) + 256) >> 9;  // 2^-72, then 2^-63
  }
  table[1024] = std::uint64_t{1} << 57;
  return table;
}();

/// Returns -log2((x + 1) / 2^64) in units of 2^-57. Never rises, from 64 at x = 0 down to 0.
constexpr std::uint64_t negative_log2(std::uint64_t x) noexcept {
  const std::uint64_t one_based = x + 1;
  if (one_based == 0) return 0;
  const int zeros = std::countl_zero(one_based);
  const std::uint64_t fraction = (one_based << zeros) << 1;
  const auto segment = static_cast<std::size_t>(fraction >> 54);
  const std::uint64_t start = binary_logarithms[segment];
  const std::uint64_t rise = binary_logarithms[segment + 1] - start;
  const std::uint64_t logarithm = start + multiply_high(rise, fraction << 10);
  return (static_cast<std::uint64_t>(zeros + 1) << 57) - logarithm;
}

/// Returns 1 / weight, for a finite weight above 0.
constexpr Scaled reciprocal(double weight) noexcept {
  const Scaled exact = scaled(weight);
  const std::uint64_t quotient =
      divide((std::uint64_t{1} << 63) - 1, ~std::uint64_t{0}, exact.mantissa);
  return {quotient, -exact.exponent - 127};
}

/// Returns negative_log2(x) / weight, as 12 bits of exponent and 52 of mantissa; the lowest wins.
constexpr std::uint64_t weighted_rank(std::uint64_t x, const Scaled& one_over_weight) noexcept {
  const std::uint64_t logarithm = negative_log2(x);
  if (logarithm == 0) return 0;
  const int zeros = std::countl_zero(logarithm);
  std::uint64_t product = multiply_high(logarithm << zeros, one_over_weight.mantissa);
  const int shift = std::countl_zero(product);  // 0 or 1
  product <<= shift;
  // The exponents of weights span less than 2,300, so 12 bits hold them.
  const auto exponent = static_cast<std::uint64_t>(one_over_weight.exponent - zeros - shift + 1400);
  return exponent << 52 | (product << 1) >> 12;
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_WEIGHTED_RANK_HPP
