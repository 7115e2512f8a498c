// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_TEXT_OUTPUT_HPP
#define RINGCTL_OUTPUT_TEXT_OUTPUT_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "output/stream.hpp"

namespace ringctl {

/// Standard output for people. Any text is made safe for a terminal (see shown), and no line is
/// wider than output_width(): a longer line continues below with its indentation.
class TextOutput {
 public:
  /// Throws OutputError, as flush() does.
  TextOutput& operator<<(std::string_view text);
  /// Also ends the last line.
  void flush();

 private:
  void end_line();

  Output out_;
  std::string line_;
};

/// Returns the text with each line that is wider than `width` broken at blanks, or anywhere in a
/// word that is wider. The parts after the first are indented like the line, or to the second
/// column of one that has an indented first.
std::string wrapped(std::string_view line, std::size_t width);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_TEXT_OUTPUT_HPP
