// SPDX-License-Identifier: MIT
#include "output/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

#include "model/text.hpp"
#include "output/stream.hpp"

namespace ringctl {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  struct stat status{};
  if (::stat(path_.c_str(), &status) == 0) {
    open(O_WRONLY);
    return;
  }
  open(O_WRONLY | O_CREAT);
  close();
  ::unlink(path_.c_str());
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::open(int flags) {
  constexpr mode_t everyone = 0666;
  descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC, everyone);
  if (descriptor_ < 0) fail(errno);
}

void OutputFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void OutputFile::write(std::string_view bytes) {
  if (descriptor_ < 0) open(O_WRONLY | O_CREAT);
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) fail(errno);
  if (S_ISREG(status.st_mode) && ::ftruncate(descriptor_, 0) != 0) fail(errno);
  while (!bytes.empty()) {
    const ::ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
  close();
}

void OutputFile::fail(int error) const {
  throw OutputError(error, std::generic_category(), "cannot write " + shown(path_));
}

}  // namespace ringctl
