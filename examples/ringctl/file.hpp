// SPDX-License-Identifier: MIT
#ifndef RINGCTL_FILE_HPP
#define RINGCTL_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringctl {

/// A file open for reading; "-" is standard input.
class InputFile {
 public:
  /// Throws InputError with the reason.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Up to `size` bytes, as soon as there are any; 0 at the end. Throws InputError.
  std::size_t read(char* to, std::size_t size);

  /// All that is left. Throws InputError, also where that is more than `most` bytes: by default
  /// five times what a fleet file of a million nodes takes.
  std::string read_all(std::size_t most = std::size_t{256} << 20);

  /// What messages call it.
  const std::string& name() const { return name_; }
  /// Bytes in it, where that is known beforehand.
  std::optional<std::uint64_t> size() const;
  bool is_terminal() const;

 private:
  std::string name_;
  int descriptor_;
  bool owned_;
};

/// What messages call the file at `path`.
std::string file_name(std::string_view path);

/// Throws InputError where there is no file to read at `path`, without opening it: a pipe may be
/// opened only once.
void check_readable(const std::string& path);

}  // namespace ringctl

#endif  // RINGCTL_FILE_HPP
