// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_DIGEST_CRC32_HPP
#define CLOCKWISE_DETAIL_DIGEST_CRC32_HPP

// CRC-32 as in Ethernet, zlib and nginx: polynomial 0x04c11db7, everything reflected, all ones
// before and after.

#include <array>    // array
#include <cstddef>  // byte
#include <cstdint>  // uint32_t
#include <span>     // span

namespace clockwise::detail {

inline constexpr auto crc32_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    table[byte] = crc;
  }
  return table;
}();

/// A CRC that can be continued, and copied to continue in two ways.
class Crc32 {
 public:
  constexpr Crc32& update(std::span<const std::byte> bytes) noexcept {
    for (const std::byte byte : bytes) {
      state_ = crc32_table[(state_ ^ std::to_integer<std::uint32_t>(byte)) & 0xff] ^ state_ >> 8;
    }
    return *this;
  }
  constexpr std::uint32_t value() const noexcept { return ~state_; }

 private:
  std::uint32_t state_ = 0xffffffff;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_DIGEST_CRC32_HPP
