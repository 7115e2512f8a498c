// SPDX-License-Identifier: MIT
#ifndef RINGCTL_KEYS_HPP
#define RINGCTL_KEYS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "file.hpp"
#include "progress.hpp"

namespace CLI {
class App;
}

namespace ringctl {

/// The keys to read.
struct KeySource {
  std::vector<std::string> keys;   ///< From the command line.
  std::vector<std::string> files;  ///< "-" is standard input.
  bool ends_in_null = false;       ///< Each key ends in a zero byte, not a line feed.

  bool empty() const { return keys.empty() && files.empty(); }
};

/// Adds the options that fill `source`.
void add_key_options(CLI::App& app, KeySource& source);

/// Reads the keys of a source one by one, in memory that does not grow with their number. A key is
/// every byte before the line feed, even none; a carriage return is part of it. The last line feed
/// can be missing.
class Keys {
 public:
  /// A longer key is refused, so that untrusted input cannot fill the memory.
  static constexpr std::size_t longest = std::size_t{1} << 20;

  /// Throws InputError if a file cannot be read. `progress` adds a progress line on a terminal.
  Keys(KeySource source, bool progress);

  /// Sets a function that is called before each read, which can block.
  void before_read(std::function<void()> hook) { before_read_ = std::move(hook); }

  /// Reads the next key; returns false at the end. The next call invalidates the key. Throws
  /// InputError with file, line and reason.
  bool next(std::string_view& key);

  std::uint64_t count() const { return count_; }

 private:
  bool next_in_file(std::string_view& key);
  bool refill();
  void open_next();
  void warn_of_carriage_return(std::string_view key);

  KeySource source_;
  std::function<void()> before_read_;
  Progress progress_;
  std::optional<InputFile> file_;
  std::size_t next_key_ = 0;
  std::size_t next_file_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t line_ = 0;  // in the file
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // the unread part of the buffer
  std::size_t end_ = 0;
};

/// Throws InputError if more than one of `paths` is standard input.
void check_one_standard_input(const std::vector<std::string>& paths);

}  // namespace ringctl

#endif  // RINGCTL_KEYS_HPP
