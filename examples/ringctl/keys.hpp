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

/// Where keys come from.
struct KeySource {
  std::vector<std::string> keys;   ///< Given one by one.
  std::vector<std::string> files;  ///< "-" is standard input.
  bool ends_in_null = false;       ///< Each key ends in a zero byte, not in a line feed.

  bool empty() const { return keys.empty() && files.empty(); }
};

/// Adds the options that fill `source`.
void add_key_options(CLI::App& app, KeySource& source);

/// The keys of a source, one after the other, in memory that does not grow with them. A key is the
/// bytes up to the line feed, any bytes, a carriage return and none at all included; the last one
/// may lack it.
class Keys {
 public:
  /// A longer key is refused: untrusted input must not fill the memory.
  static constexpr std::size_t longest = std::size_t{1} << 20;

  /// Throws InputError where a file cannot be read. `progress` shows how far the keys have come.
  Keys(KeySource source, bool progress);

  /// Called each time before a read that may have to wait.
  void before_read(std::function<void()> hook) { before_read_ = std::move(hook); }

  /// False after the last. The key is valid until the next call. Throws InputError with file, line
  /// and reason.
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
  std::size_t begin_ = 0;  // what is left in the buffer
  std::size_t end_ = 0;
};

/// Throws InputError where more than one of `paths` is standard input.
void check_one_standard_input(const std::vector<std::string>& paths);

}  // namespace ringctl

#endif  // RINGCTL_KEYS_HPP
