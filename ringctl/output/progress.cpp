// SPDX-License-Identifier: MIT
#include "output/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "model/text.hpp"
#include "output/terminal.hpp"

namespace ringctl {

Progress::Progress(bool wanted) : wanted_(wanted && ::isatty(STDERR_FILENO) != 0) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::show(const std::function<std::string()>& text) {
  if (!wanted_) return;
  const auto now = Clock::now();
  if (now < due_) return;
  due_ = now + std::chrono::milliseconds(250);
  // A line that fills the terminal would continue on the next line, which is not cleared.
  const std::string line = fitted(shown(text()), message_width() - 1);
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
