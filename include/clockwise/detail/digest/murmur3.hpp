// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_DIGEST_MURMUR3_HPP
#define CLOCKWISE_DETAIL_DIGEST_MURMUR3_HPP

// The first 64 bits of MurmurHash3 x64 128, seed 0, as Apache Cassandra computes it: the bytes
// after the last whole block are sign-extended before they are put in place. The original does not.

#include <bit>          // rotl
#include <cstddef>      // size_t
#include <cstdint>      // int8_t, int64_t, uint64_t
#include <string_view>  // string_view

namespace clockwise::detail {

constexpr std::uint64_t cassandra_murmur3(std::string_view bytes) noexcept {
  constexpr std::uint64_t c1 = 0x87c37b91114253d5;
  constexpr std::uint64_t c2 = 0x4cf5ad432745937f;
  const auto load = [bytes](std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return word;
  };
  const auto mixed1 = [](std::uint64_t k) { return std::rotl(k * c1, 31) * c2; };
  const auto mixed2 = [](std::uint64_t k) { return std::rotl(k * c2, 33) * c1; };
  const auto finished = [](std::uint64_t k) {
    k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
    return k ^ k >> 33;
  };

  std::uint64_t h1 = 0;
  std::uint64_t h2 = 0;
  std::size_t at = 0;
  for (; bytes.size() - at >= 16; at += 16) {
    h1 = (std::rotl(h1 ^ mixed1(load(at)), 27) + h2) * 5 + 0x52dce729;
    h2 = (std::rotl(h2 ^ mixed2(load(at + 8)), 31) + h1) * 5 + 0x38495ab5;
  }

  std::uint64_t tail[2] = {0, 0};
  for (std::size_t i = 0; at + i < bytes.size(); ++i) {
    const auto extended = std::int64_t{static_cast<std::int8_t>(bytes[at + i])};
    tail[i / 8] ^= static_cast<std::uint64_t>(extended) << (8 * (i % 8));
  }
  h1 ^= mixed1(tail[0]) ^ bytes.size();
  h2 ^= mixed2(tail[1]) ^ bytes.size();
  h1 += h2;
  h2 += h1;
  return finished(h1) + finished(h2);
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_DIGEST_MURMUR3_HPP
