// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_FILE_HPP
#define RINGCTL_INPUT_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringctl {

/// A file open for reading. "-" is standard input.
class InputFile {
 public:
  /// Opens the file. Throws InputError with the reason if it cannot.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads up to `size` bytes and returns how many; 0 at the end. Blocks only until some are
  /// available. Throws InputError.
  std::size_t read(char* to, std::size_t size);

  /// Returns the rest of the file. Throws InputError, also if that is more than `most` bytes: by
  /// default, five times a fleet file of a million nodes.
  std::string read_all(std::size_t most = std::size_t{256} << 20);

  /// Returns its name for messages.
  const std::string& name() const { return name_; }
  /// Returns its size in bytes, if known in advance.
  std::optional<std::uint64_t> size() const;
  bool is_terminal() const;

 private:
  std::string name_;
  int descriptor_;
  bool owned_;
};

/// Returns the name of the file at `path` for messages.
std::string file_name(std::string_view path);

/// Returns true if there is nothing at `path`.
bool is_missing(const std::string& path);

/// Throws InputError if the file at `path` cannot be read. Does not open it, because a pipe can be
/// opened only once.
void check_readable(const std::string& path);

/// Throws InputError if more than one of `paths` is standard input.
void check_one_standard_input(const std::vector<std::string>& paths);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_FILE_HPP
