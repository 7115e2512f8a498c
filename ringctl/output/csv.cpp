// SPDX-License-Identifier: MIT
#include "output/csv.hpp"

#include <algorithm>

namespace ringctl {

std::string csv_field(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto is_special = [](char c) {
    return c == '"' || c == ',' || c == 0x7f || (static_cast<unsigned char>(c) < 0x20 && c != '\t');
  };
  const bool plain = std::none_of(text.begin(), text.end(), is_special) &&
                     (text.empty() || (!is_blank(text.front()) && !is_blank(text.back()) &&
                                       text.front() != '#' && text.front() != '{'));
  if (plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field += '"';
}

}  // namespace ringctl
