// SPDX-License-Identifier: MIT
#include "output/stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "model/text.hpp"

namespace ringctl {

void Output::flush() {
  for (std::string_view rest = buffer_; !rest.empty();) {
    const ::ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      throw OutputError(errno, std::generic_category(), "cannot write to standard output");
    }
  }
  buffer_.clear();
}

void check_standard_output() {
  // Otherwise, the next file that is opened would take the place of a closed standard file. This
  // file fails as a closed one does.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
    throw OutputError(EBADF, std::generic_category(), "cannot write to standard output");
  }
}

void print_message(const std::string& message) {
  std::fprintf(stderr, "ringctl: %s\n", shown(message).c_str());
}

}  // namespace ringctl
