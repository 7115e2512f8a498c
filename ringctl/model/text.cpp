// SPDX-License-Identifier: MIT
#include "model/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ringctl {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_hex(std::string& to, char c) {
  const auto byte = static_cast<unsigned char>(c);
  to += hex_digits[byte >> 4];
  to += hex_digits[byte & 15];
}

bool is_printable_ascii(char c) { return c >= 0x20 && c <= 0x7e; }

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

std::string shown(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_printable_ascii)) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool control = length == 1 ? !is_printable_ascii(text[0])
                                     : length == 2 && text[0] == '\xc2' && text[1] < '\xa0';
    const std::size_t taken = length == 0 ? 1 : length;
    if (length == 0 || control) {
      for (const char c : text.substr(0, taken)) {
        result += "\\x";
        append_hex(result, c);
      }
    } else {
      result += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return result;
}

std::size_t columns(std::string_view shown_text) {
  return static_cast<std::size_t>(std::count_if(shown_text.begin(), shown_text.end(), [](char c) {
    return static_cast<unsigned char>(c) >> 6 != 2;
  }));
}

std::string in_quotes(std::string_view text) { return '"' + shown(text) + '"'; }

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

std::string counted(std::uint64_t number, std::string_view thing) {
  return grouped(number) + ' ' + std::string(thing) + (number == 1 ? "" : "s");
}

}  // namespace ringctl
