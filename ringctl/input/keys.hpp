// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_KEYS_HPP
#define RINGCTL_INPUT_KEYS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/file.hpp"

namespace ringctl {

/// The keys to read.
struct KeySource {
  std::vector<std::string> keys;   ///< From the command line.
  std::vector<std::string> files;  ///< "-" is standard input.
  bool ends_in_null = false;       ///< Each key ends in a zero byte, not a line feed.

  bool empty() const { return keys.empty() && files.empty(); }
};

/// What a reader of keys reports while it reads. The defaults do nothing.
class KeyObserver {
 public:
  virtual ~KeyObserver() = default;

  virtual void opened(const InputFile&) {}
  /// Called before each read, which can block.
  virtual void before_read() {}
  virtual void after_read(std::uint64_t keys_so_far, std::size_t bytes) {
    (void)keys_so_far, (void)bytes;
  }
  /// Called if the first line of a file ends in a carriage return.
  virtual void carriage_return(const InputFile&) {}
  /// Called if a file of lines begins with a UTF-8 byte order mark, which is skipped.
  virtual void byte_order_mark(const InputFile&) {}
  virtual void finished() {}
};

/// Reads the keys of a source one by one, in memory that does not grow with their number. A key is
/// every byte before the line feed, even none; a carriage return is part of it. The last line feed
/// can be missing. A byte order mark at the beginning of a file of lines is not part of the first
/// key; UTF-16 is refused.
class Keys {
 public:
  /// A longer key is refused, so that untrusted input cannot fill the memory.
  static constexpr std::size_t longest = std::size_t{1} << 20;

  /// Refers to the observer. Throws InputError if a file cannot be read.
  Keys(KeySource source, KeyObserver& observer);

  /// Reads the next key; returns false at the end. The next call invalidates the key. Throws
  /// InputError with file, line and reason.
  bool next(std::string_view& key);

  std::uint64_t count() const { return count_; }

 private:
  bool next_in_file(std::string_view& key);
  void skip_byte_order_mark();
  bool refill();
  void open_next();

  KeySource source_;
  KeyObserver& observer_;
  std::optional<InputFile> file_;
  std::size_t next_key_ = 0;
  std::size_t next_file_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t line_ = 0;  // in the file
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the unread part of the buffer
  std::size_t end_ = 0;
};

}  // namespace ringctl

#endif  // RINGCTL_INPUT_KEYS_HPP
