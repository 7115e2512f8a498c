// SPDX-License-Identifier: MIT
#include "model/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

namespace ringctl {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_hex(std::string& to, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += hex_digits[byte >> 4];
  to += hex_digits[byte & 15];
}

bool is_printable_ascii(char c) { return c >= 0x20 && c <= 0x7e; }

/// Returns the code point of a character that utf8_length has accepted.
char32_t decoded(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t point = first & (0x7fu >> character.size());
  for (const char c : character.substr(1))
    point = point << 6 | (static_cast<unsigned char>(c) & 63);
  return point;
}

/// The format characters of Unicode 15 (general category Cf), and its line and paragraph
/// separators: they have no width, and some reorder the text around them.
struct Range {
  char32_t first;
  char32_t last;
};
constexpr std::array<Range, 19> invisible{{{0xad, 0xad},
                                           {0x600, 0x605},
                                           {0x61c, 0x61c},
                                           {0x6dd, 0x6dd},
                                           {0x70f, 0x70f},
                                           {0x890, 0x891},
                                           {0x8e2, 0x8e2},
                                           {0x180e, 0x180e},
                                           {0x200b, 0x200f},
                                           {0x2028, 0x202e},
                                           {0x2060, 0x206f},
                                           {0xfeff, 0xfeff},
                                           {0xfff9, 0xfffb},
                                           {0x110bd, 0x110bd},
                                           {0x110cd, 0x110cd},
                                           {0x13430, 0x1343f},
                                           {0x1bca0, 0x1bca3},
                                           {0x1d173, 0x1d17a},
                                           {0xe0000, 0xe007f}}};

/// Returns true if a terminal can show the character without side effects.
bool is_visible(std::string_view character) {
  if (character.size() == 1) return is_printable_ascii(character[0]);
  const char32_t point = decoded(character);
  if (point < 0xa0) return false;  // C1
  const auto after =
      std::upper_bound(invisible.begin(), invisible.end(), point,
                       [](char32_t value, const Range& range) { return value < range.first; });
  return after == invisible.begin() || point > std::prev(after)->last;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](std::size_t i) { return byte(i) >> 6 == 2; };
  const unsigned first = byte(0);
  if (text.empty() || first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
  if (first < 0xe0) return 2;
  // The second byte reveals an overlong form, a surrogate or a value above U+10FFFF.
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) || !continues(2)) {
    return 0;
  }
  if (first < 0xf0) return 3;
  return continues(3) ? 4 : 0;
}

char32_t next_character(std::string_view& text) {
  const std::size_t length = utf8_length(text);
  const char32_t point = length == 0 ? char32_t{0xfffd} : decoded(text.substr(0, length));
  text.remove_prefix(length == 0 ? 1 : length);
  return point;
}

void append_shown(std::string& to, std::string_view text) {
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_printable_ascii) - text.begin());
    to += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const std::size_t length = utf8_length(text);
    const std::string_view taken = text.substr(0, length == 0 ? 1 : length);
    if (length != 0 && is_visible(taken)) {
      to += taken;
    } else {
      for (const char c : taken) {
        to += "\\x";
        append_hex(to, c);
      }
    }
    text.remove_prefix(taken.size());
  }
}

std::string shown(std::string_view text) {
  std::string result;
  append_shown(result, text);
  return result;
}

std::string in_quotes(std::string_view text) { return '"' + shown(text) + '"'; }

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string hex(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) append_hex(digits, c);
  return digits;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string fixed(double number, int decimals) {
  std::array<char, 400> digits;  // the longest double, with 80 decimals
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 std::chars_format::fixed, decimals);
  return {digits.data(), end.ptr};
}

std::string percent(double share, int decimals) { return fixed(100 * share, decimals) + '%'; }

int percent_decimals(double share) {
  if (!(share > 0)) return 2;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(100 * share))), 2, 9);
}

std::string exact(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string plain(double number) {
  if (!(std::fabs(number) < 1e15)) return exact(number);
  std::array<char, 400> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  return {digits.data(), end.ptr};
}

std::string counted(std::uint64_t number, std::string_view thing) {
  return grouped(number) + ' ' + std::string(thing) + (number == 1 ? "" : "s");
}

}  // namespace ringctl
