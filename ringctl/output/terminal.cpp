// SPDX-License-Identifier: MIT
#include "output/terminal.hpp"

#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "model/text.hpp"

namespace ringctl {

namespace {

/// A UTF-8 locale, independent of the user's; 0 if the system has none.
locale_t utf8_locale() {
  for (const char* const name : {"C.UTF-8", "C.utf8", "en_US.UTF-8", ""}) {
    if (const locale_t locale = ::newlocale(LC_CTYPE_MASK, name, locale_t{})) return locale;
  }
  return locale_t{};
}

/// Reads the widths of characters from the C library.
class Widths {
 public:
  Widths() {
    static const locale_t utf8 = utf8_locale();
    if (utf8 != locale_t{}) before_ = ::uselocale(utf8);
  }
  ~Widths() {
    if (before_ != locale_t{}) ::uselocale(before_);
  }
  Widths(const Widths&) = delete;
  Widths& operator=(const Widths&) = delete;

  std::size_t of(char32_t character) const {
    const int width = ::wcwidth(static_cast<wchar_t>(character));
    return width < 0 ? 1 : static_cast<std::size_t>(width);  // a terminal shows something
  }

 private:
  locale_t before_{};
};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Returns the number of bytes at the start of `text` that fit in `width` columns, with the
/// combining marks of the last character.
std::size_t head(std::string_view text, std::size_t width) {
  const Widths widths;
  std::string_view rest = text;
  std::size_t used = 0;
  while (!rest.empty()) {
    std::string_view after = rest;
    used += widths.of(next_character(after));
    if (used > width) break;
    rest = after;
  }
  return text.size() - rest.size();
}

/// Returns the number of bytes to leave out, so that the rest fits in `width` columns and does not
/// begin with a combining mark.
std::size_t tail(std::string_view text, std::size_t width) {
  const Widths widths;
  std::size_t left = cells(text);
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view after = rest;
    const std::size_t own = widths.of(next_character(after));
    if (left <= width && own > 0) break;
    left -= own;
    rest = after;
  }
  return text.size() - rest.size();
}

std::size_t width_of(int descriptor) {
  struct winsize size{};
  if (::isatty(descriptor) != 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  constexpr std::size_t usual = 80;
  constexpr std::size_t most = 10'000;
  const char* const variable = std::getenv("COLUMNS");
  if (variable == nullptr) return usual;
  const std::string_view text = variable;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool valid = error == std::errc{} && end == text.data() + text.size();
  return valid && columns > 0 && columns <= most ? columns : usual;
}

}  // namespace

std::size_t cells(std::string_view shown_text) {
  if (is_ascii(shown_text)) return shown_text.size();
  const Widths widths;
  std::size_t sum = 0;
  while (!shown_text.empty()) sum += widths.of(next_character(shown_text));
  return sum;
}

std::string fitted(std::string text, std::size_t width) {
  if (text.size() <= width || cells(text) <= width) return text;
  const std::string_view gap = takes_utf8() ? "\u2026" : "~";
  if (width == 0) return {};
  const std::size_t first = (width - 1) / 2 + (width - 1) % 2;
  const std::string_view all = text;
  const std::string_view begin = all.substr(0, head(all, first));
  const std::string_view end = all.substr(tail(all, width - 1 - first));
  return std::string(begin).append(gap).append(end);
}

std::size_t output_width() {
  static const std::size_t width = width_of(STDOUT_FILENO);
  return width;
}

std::size_t message_width() {
  static const std::size_t width = width_of(STDERR_FILENO);
  return width;
}

bool writes_to_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

bool takes_utf8() {
  static const bool utf8 = [] {
    for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* const value = std::getenv(variable);
      if (value == nullptr || *value == '\0') continue;
      const std::string charset = lower_case(value);
      return charset.find("utf-8") != charset.npos || charset.find("utf8") != charset.npos;
    }
    return false;
  }();
  return utf8;
}

}  // namespace ringctl
