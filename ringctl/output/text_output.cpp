// SPDX-License-Identifier: MIT
#include "output/text_output.hpp"

#include <algorithm>

#include "model/text.hpp"
#include "output/terminal.hpp"

namespace ringctl {

namespace {

/// Returns the start of the second column of a line such as "  --name N    what it does", otherwise
/// the indentation of the line.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t indent = (std::min)(line.find_first_not_of(' '), line.size());
  std::size_t column = indent;
  if (indent > 0) {
    const std::size_t gap = line.find("  ", indent);
    if (gap != line.npos) column = (std::min)(line.find_first_not_of(' ', gap), line.size());
  }
  return column <= width / 2 ? column : indent <= width / 2 ? indent : 0;
}

}  // namespace

std::string wrapped(std::string_view line, std::size_t width) {
  if (cells(line) <= width) return std::string(line);
  const std::string indent(hanging_indent(line, width), ' ');
  std::string result;
  std::string part;
  std::size_t used = 0;
  std::size_t last_blank = 0;  // in part, after its indentation; 0: none
  while (!line.empty()) {
    std::string_view rest = line;
    next_character(rest);
    const std::string_view character = line.substr(0, line.size() - rest.size());
    const std::size_t own = cells(character);
    if (used + own > width && used > indent.size()) {
      const std::size_t end = character == " " ? part.size() : last_blank;
      std::string below = indent;
      if (end > 0) below += part.substr((std::min)(part.find_first_not_of(' ', end), part.size()));
      part.erase(end > 0 ? part.find_last_not_of(' ', end - 1) + 1 : part.size());
      result += part + '\n';
      part = below;
      used = cells(part);
      last_blank = 0;
      if (character == " ") {
        line = rest;
        continue;
      }
    }
    if (character == " " && part.find_first_not_of(' ') != part.npos) last_blank = part.size();
    part += character;
    used += own;
    line = rest;
  }
  return result + part;
}

TextOutput& TextOutput::operator<<(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find('\n');
    append_shown(line_, text.substr(0, end));
    if (end == text.npos) return *this;
    end_line();
    text.remove_prefix(end + 1);
  }
}

void TextOutput::end_line() {
  if (line_.size() > output_width()) line_ = wrapped(line_, output_width());
  line_ += '\n';
  out_ << line_;
  line_.clear();
}

void TextOutput::flush() {
  if (!line_.empty()) end_line();
  out_.flush();
}

}  // namespace ringctl
