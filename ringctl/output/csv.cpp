// SPDX-License-Identifier: MIT
#include "output/csv.hpp"

namespace ringctl {

std::string csv_field(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain =
      text.find_first_of("\",\r\n") == text.npos &&
      (text.empty() || (!is_blank(text.front()) && !is_blank(text.back()) && text.front() != '#'));
  if (plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field += '"';
}

}  // namespace ringctl
