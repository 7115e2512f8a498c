// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_WIRE_READER_HPP
#define CLOCKWISE_DETAIL_WIRE_READER_HPP

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // move

namespace clockwise::detail {

/// Reads the fields that WireWriter writes, in order. Records the first error; values read after it
/// are meaningless.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return reason_.empty(); }
  /// The offset of the field with the error, and the reason; empty without an error.
  std::size_t error_offset() const { return error_offset_; }
  const std::string& reason() const { return reason_; }

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }

  /// Records an error in the field that begins at `offset`.
  void fail(std::size_t offset, std::string reason) {
    if (ok()) {
      error_offset_ = offset;
      reason_ = std::move(reason);
    }
    offset_ = bytes_.size();
  }

  std::string_view raw(std::size_t length, const char* what) {
    if (length > left()) {
      fail(offset_, std::string(what) + " needs " + std::to_string(length) + " bytes; " +
                        std::to_string(left()) + " are left");
      return {};
    }
    offset_ += length;
    return bytes_.substr(offset_ - length, length);
  }
  std::uint64_t varint(const char* what) {
    const std::size_t start = offset_;
    std::uint64_t number = 0;
    for (int shift = 0; offset_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[offset_++]);
      if (shift == 63 && byte > 1) {
        fail(start, std::string(what) + " does not fit in 64 bits");
        return 0;
      }
      number |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) fail(start, std::string(what) + " is not in its shortest form");
        return number;
      }
    }
    fail(start, std::string(what) + " is truncated");
    return 0;
  }
  std::string_view text(const char* what) {
    const std::uint64_t length = varint(what);
    return raw(length > left() ? left() + 1 : static_cast<std::size_t>(length), what);
  }
  std::uint64_t word(const char* what) {
    std::uint64_t number = 0;
    int shift = 0;
    for (const char c : raw(8, what)) {
      number |= std::uint64_t{static_cast<unsigned char>(c)} << shift;
      shift += 8;
    }
    return number;
  }
  /// Reads the number of items that follow, each of at least `size` bytes; fails if too many.
  std::size_t count(const char* what, std::size_t size) {
    const std::size_t start = offset_;
    const std::uint64_t number = varint(what);
    if (ok() && number > left() / size) {
      fail(start, std::to_string(number) + " " + what + " do not fit in the " +
                      std::to_string(left()) + " bytes left");
    }
    return ok() ? static_cast<std::size_t>(number) : 0;
  }

 private:
  std::string_view bytes_;
  std::size_t offset_ = 0;
  std::size_t error_offset_ = 0;
  std::string reason_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_WIRE_READER_HPP
