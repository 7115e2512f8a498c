// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_DIGEST_CRC16_HPP
#define CLOCKWISE_DETAIL_DIGEST_CRC16_HPP

// CRC-16/XMODEM: polynomial 0x1021, start 0, neither input nor output reflected.
//
// Byte by byte, each table lookup would wait for the previous one. The CRC is linear and starts at
// 0, so the CRC of k bytes is the exclusive or of k independent lookups, with one table per
// distance from the end. Sixteen tables take 8 KiB.

#include <array>        // array
#include <bit>          // endian
#include <cstddef>      // size_t
#include <cstdint>      // uint16_t, uint64_t
#include <cstring>      // memcpy
#include <string_view>  // string_view
#include <type_traits>  // is_constant_evaluated
#include <utility>      // index_sequence, make_index_sequence

namespace clockwise::detail {

inline constexpr std::size_t crc16_stride = 16;

/// tables[d][b]: the CRC of byte b followed by d zeros.
inline constexpr auto crc16_tables = [] {
  std::array<std::array<std::uint16_t, 256>, crc16_stride> tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (std::size_t distance = 0; distance < crc16_stride; ++distance) {
      for (int bit = 0; bit < 8; ++bit) {
        crc = (crc << 1 ^ ((crc & 0x8000) != 0 ? 0x1021u : 0u)) & 0xffff;
      }
      tables[distance][byte] = static_cast<std::uint16_t>(crc);
    }
  }
  return tables;
}();

/// Returns eight bytes as one number, the first lowest: one load instead of eight.
constexpr std::uint64_t crc16_word(const char* bytes) {
  std::uint64_t word = 0;
  if (std::is_constant_evaluated() || std::endian::native != std::endian::little) {
    for (unsigned i = 0; i < 8; ++i) {
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
  } else {
    std::memcpy(&word, bytes, 8);
  }
  return word;
}

/// Continues the CRC over crc16_stride bytes; its value so far affects the first two.
template <std::size_t... index>
constexpr unsigned crc16_stride_of(const char* bytes, unsigned crc, std::index_sequence<index...>) {
  const std::uint64_t first = crc16_word(bytes) ^ (crc >> 8 | (crc & 0xff) << 8);
  const std::uint64_t second = crc16_word(bytes + 8);
  return ((crc16_tables[15 - index][static_cast<unsigned char>(first >> (8 * index) & 0xff)] ^
           crc16_tables[7 - index][static_cast<unsigned char>(second >> (8 * index) & 0xff)]) ^
          ...);
}

constexpr std::uint16_t crc16(std::string_view bytes) {
  const char* at = bytes.data();
  unsigned crc = 0;
  // The odd bytes come first, while the CRC is still 0.
  for (std::size_t left = bytes.size() % crc16_stride; left > 0; --left) {
    crc ^= crc16_tables[left - 1][static_cast<unsigned char>(*at++)];
  }
  for (std::size_t n = bytes.size() / crc16_stride; n > 0; --n, at += crc16_stride) {
    crc = crc16_stride_of(at, crc, std::make_index_sequence<8>());
  }
  return static_cast<std::uint16_t>(crc);
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_DIGEST_CRC16_HPP
