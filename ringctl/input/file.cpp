// SPDX-License-Identifier: MIT
#include "input/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw InputError("cannot read " + name + ": " + std::generic_category().message(error));
}

}  // namespace

std::string file_name(std::string_view path) {
  if (path.empty()) return "\"\"";
  return path == "-" ? "standard input" : shown(path);
}

bool is_missing(const std::string& path) {
  struct stat status;
  return path != "-" && ::stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

void check_readable(const std::string& path) {
  if (path == "-") return;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    fail(file_name(path), errno);
  }
  if (S_ISDIR(status.st_mode)) fail(file_name(path), EISDIR);
}

InputFile::InputFile(const std::string& path)
    : name_(file_name(path)),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      owned_(path != "-") {
  if (descriptor_ < 0) fail(name_, errno);
}

InputFile::~InputFile() {
  if (owned_) ::close(descriptor_);
}

std::size_t InputFile::read(char* to, std::size_t size) {
  for (;;) {
    const ::ssize_t count = ::read(descriptor_, to, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail(name_, errno);
  }
}

std::string InputFile::read_all(std::size_t most) {
  constexpr std::size_t step = std::size_t{64} << 10;
  std::string text;
  for (std::size_t size = 0;;) {
    if (size > most) {
      throw InputError(name_ + ": larger than " + std::to_string(most >> 20) +
                       " MiB, the limit for fleet files");
    }
    if (text.size() < size + step) text.resize((std::max)(2 * text.size(), size + step));
    const std::size_t count = read(text.data() + size, step);
    size += count;
    if (count == 0) {
      text.resize(size);
      return text;
    }
  }
}

std::optional<std::uint64_t> InputFile::size() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

bool InputFile::is_terminal() const { return ::isatty(descriptor_) != 0; }

void check_one_standard_input(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw InputError("standard input (-) can be read only once");
  }
}

}  // namespace ringctl
