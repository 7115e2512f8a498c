// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_MIX_HPP
#define CLOCKWISE_DETAIL_BASE_MIX_HPP

#include <cstdint>  // uint64_t

namespace clockwise::detail {

/// A bijection of 64 bits in which every bit of the input reaches every bit of the output: the
/// finaliser of SplitMix64 (Steele, Lea, Flood 2014; constants by Stafford, variant 13). Makes
/// further draws from a key hashed once.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Returns draw number `i` of a key: an output of SplitMix64 seeded with the key. A draw can seed
/// further draws.
constexpr std::uint64_t draw(std::uint64_t key, std::uint64_t i) noexcept {
  return mix(key + (i + 1) * 0x9e3779b97f4a7c15);
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_MIX_HPP
