// SPDX-License-Identifier: MIT
#include "output/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "model/text.hpp"

namespace ringctl {

Progress::Progress(bool wanted) : wanted_(wanted && ::isatty(STDERR_FILENO) != 0) {}

void Progress::begin_file(std::string_view name, std::uint64_t total) {
  name_ = name;
  bytes_ = 0;
  total_ = total;
}

void Progress::show(std::uint64_t keys, std::uint64_t bytes_more) {
  bytes_ += bytes_more;
  if (!wanted_) return;
  const auto now = Clock::now();
  if (now < due_) return;
  due_ = now + std::chrono::milliseconds(250);

  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = counted(keys, "key") + ", " +
                     fixed(static_cast<double>(keys) / seconds / 1e6, 1) + " million per second, ";
  if (total_ != 0) {
    line += percent((std::min)(1.0, static_cast<double>(bytes_) / static_cast<double>(total_)), 0) +
            " of ";
  }
  line += line.size() + columns(name_) < 80 ? name_ : "the keys";
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace ringctl
