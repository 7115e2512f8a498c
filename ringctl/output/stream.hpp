// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_STREAM_HPP
#define RINGCTL_OUTPUT_STREAM_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace ringctl {

/// The result cannot be written. Ends the program with code 2, without a message if the reader of a
/// pipe has closed it.
struct OutputError : std::system_error {
  using std::system_error::system_error;
};

/// Standard output, written in large pieces. The destructor drops unflushed output, so that an
/// error does not leave half a result.
class Output {
 public:
  /// Throws OutputError if standard output cannot be written, as flush() does.
  Output& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= large) flush();
    return *this;
  }
  void flush();

 private:
  static constexpr std::size_t large = std::size_t{64} << 10;
  std::string buffer_;
};

/// Throws OutputError if standard output is closed or not open for writing. Call it before the work
/// and before any file is opened, because a file could otherwise take its place.
void check_standard_output();

/// Prints "ringctl: <message>" on standard error, as shown() makes it safe.
void print_message(const std::string& message);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_STREAM_HPP
