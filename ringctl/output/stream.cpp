// SPDX-License-Identifier: MIT
#include "output/stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

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

bool writes_to_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

void print_message(const std::string& message) {
  std::fprintf(stderr, "ringctl: %s\n", message.c_str());
}

}  // namespace ringctl
