// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_DIGEST_MD5_HPP
#define CLOCKWISE_DETAIL_DIGEST_MD5_HPP

// MD5 (RFC 1321), for placement schemes built on it. Not for security.

#include <array>    // array
#include <bit>      // endian, rotl
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint32_t, uint64_t
#include <cstring>  // memcpy
#include <span>     // span
#include <utility>  // index_sequence, make_index_sequence

namespace clockwise::detail {

/// floor(2^32 * |sin(i + 1)|), section 3.4 of the RFC.
inline constexpr std::array<std::uint32_t, 64> md5_sines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

inline constexpr std::array<std::array<int, 4>, 4> md5_rotations{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

class Md5 {
 public:
  /// The digest as four words, each holding four bytes of it, least significant first.
  using Words = std::array<std::uint32_t, 4>;

  static Words of(std::span<const std::byte> message) noexcept {
    Words state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    std::size_t at = 0;
    for (; message.size() - at >= block_size; at += block_size) {
      state = compressed(state, loaded(message.data() + at));
    }

    // The rest of the message, a 1 bit, zeros, and the length in bits at the end of a block.
    std::array<std::byte, 2 * block_size> tail{};
    const std::size_t rest = message.size() - at;
    if (rest > 0) std::memcpy(tail.data(), message.data() + at, rest);
    tail[rest] = std::byte{0x80};
    const std::size_t end = rest + 1 + 8 <= block_size ? block_size : 2 * block_size;
    const std::uint64_t bits = std::uint64_t{message.size()} * 8;
    for (std::size_t i = 0; i < 8; ++i) {
      tail[end - 8 + i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
    }
    for (at = 0; at < end; at += block_size) state = compressed(state, loaded(tail.data() + at));
    return state;
  }

 private:
  static constexpr std::size_t block_size = 64;
  using Block = std::array<std::uint32_t, 16>;

  static Block loaded(const std::byte* bytes) noexcept {
    Block block;
    std::memcpy(block.data(), bytes, block_size);
    if constexpr (std::endian::native == std::endian::big) {
      for (std::uint32_t& word : block) {
        word = word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
      }
    }
    return block;
  }

  static Words compressed(const Words& before, const Block& block) noexcept {
    Words state = before;
    all_steps(state, block, std::make_index_sequence<64>());
    for (std::size_t i = 0; i < 4; ++i) state[i] += before[i];
    return state;
  }

  template <std::size_t... index>
  static void all_steps(Words& state, const Block& block, std::index_sequence<index...>) noexcept {
    (step<index>(state, block), ...);
  }

  /// Step `index` writes one word, given by its number, so no words move between steps.
  template <std::size_t index>
  static void step(Words& state, const Block& block) noexcept {
    constexpr std::size_t round = index / 16;
    constexpr std::size_t word = round == 0   ? index
                                 : round == 1 ? (5 * index + 1) % 16
                                 : round == 2 ? (3 * index + 5) % 16
                                              : 7 * index % 16;
    std::uint32_t& a = state[(64 - index) % 4];
    const std::uint32_t b = state[(65 - index) % 4];
    const std::uint32_t c = state[(66 - index) % 4];
    const std::uint32_t d = state[(67 - index) % 4];
    // Each step waits for `b` of the previous one, so the terms without `b` are summed first.
    std::uint32_t sum = a + block[word] + md5_sines[index];
    if constexpr (round == 0) sum += d ^ (b & (c ^ d));
    // The two halves share no bit, so their sum is their union.
    if constexpr (round == 1) sum = sum + (c & ~d) + (b & d);
    if constexpr (round == 2) sum += b ^ (c ^ d);
    if constexpr (round == 3) sum += c ^ (b | ~d);
    a = b + std::rotl(sum, md5_rotations[round][index % 4]);
  }
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_DIGEST_MD5_HPP
