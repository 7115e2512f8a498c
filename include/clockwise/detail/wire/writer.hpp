// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_WIRE_WRITER_HPP
#define CLOCKWISE_DETAIL_WIRE_WRITER_HPP

#include <cstddef>      // byte
#include <cstdint>      // uint64_t
#include <span>         // as_bytes, span
#include <string>       // string
#include <string_view>  // string_view
#include <vector>       // vector

#include "clockwise/hash.hpp"

namespace clockwise::detail {

inline std::uint64_t wire_checksum(std::string_view bytes) { return detail::digest(bytes).low; }

/// Writes the fields of an encoded membership: see wire/membership.hpp.
class WireWriter {
 public:
  void raw(std::string_view text) { bytes_ += text; }
  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>((number & 0x7f) | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void text(std::string_view text) {
    varint(text.size());
    bytes_ += text;
  }
  void word(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift & 0xff);
  }
  /// Appends the checksum and returns all bytes.
  std::vector<std::byte> finish() {
    word(wire_checksum(bytes_));
    const auto bytes = std::as_bytes(std::span(bytes_));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::string bytes_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_WIRE_WRITER_HPP
