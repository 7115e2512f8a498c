// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_HASHES_HPP
#define CLOCKWISE_TESTS_SUPPORT_HASHES_HPP

#include <cstddef>      // byte
#include <cstdint>      // uint32_t, uint64_t
#include <span>         // span
#include <string_view>  // string_view

#include "clockwise/hash.hpp"

namespace clockwise_test {

/// Everything at one position: ties only.
struct ConstantHash {
  static constexpr std::string_view name = "constant";
  std::uint64_t operator()(std::span<const std::byte>) const noexcept { return 7; }
};

/// FNV-1a with 32 bits, in the low half of the circle's 64 bits.
struct Fnv1a32 {
  static constexpr std::string_view name = "fnv1a-32";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
    std::uint32_t hash = 2166136261u;
    for (const std::byte byte : bytes) {
      hash = (hash ^ static_cast<std::uint32_t>(byte)) * 16777619u;
    }
    return hash;
  }
};

/// XXH3 with all but the top `Bits` bits cleared, so that vnodes collide, of one node and of
/// different nodes.
template <unsigned Bits>
struct CoarseHash {
  static constexpr std::string_view name = "coarse";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
    return clockwise::Xxh3{}(bytes) >> (64 - Bits) << (64 - Bits);
  }
};

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_HASHES_HPP
