// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_DIGEST_MURMUR2_HPP
#define CLOCKWISE_DETAIL_DIGEST_MURMUR2_HPP

// MurmurHash2, 64 bits ("64A"), read little-endian on every platform.

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <span>     // span

namespace clockwise::detail {

inline std::uint64_t murmur2(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
  const auto load = [&](std::size_t at, std::size_t count) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
      word |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
    }
    return word;
  };
  std::uint64_t hash = seed ^ bytes.size() * factor;
  std::size_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) {
    std::uint64_t word = load(at, 8) * factor;
    word = (word ^ word >> 47) * factor;
    hash = (hash ^ word) * factor;
  }
  if (at < bytes.size()) hash = (hash ^ load(at, bytes.size() - at)) * factor;
  hash = (hash ^ hash >> 47) * factor;
  return hash ^ hash >> 47;
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_DIGEST_MURMUR2_HPP
