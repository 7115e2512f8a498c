// SPDX-License-Identifier: MIT
#include "output/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "model/text.hpp"

namespace ringctl {

namespace {

constexpr std::size_t line_width = 80;
constexpr std::size_t shortest_bar = 12;
constexpr std::string_view gap = "  ";

bool terminal_takes_utf8() {
  for (const char* const variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    std::string charset(value);
    std::transform(charset.begin(), charset.end(), charset.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return charset.find("UTF-8") != charset.npos || charset.find("UTF8") != charset.npos;
  }
  return false;
}

}  // namespace

std::string padded(std::string text, std::size_t width, bool right) {
  const std::size_t taken = columns(text);
  if (taken < width) text.insert(right ? 0 : text.size(), width - taken, ' ');
  return text;
}

std::string bar(double fraction, std::size_t width, std::optional<double> mark) {
  static const bool utf8 = terminal_takes_utf8();
  constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto units = static_cast<std::size_t>(
      std::lround(8 * std::clamp(fraction, 0.0, 1.0) * static_cast<double>(width)));
  const std::size_t whole = utf8 ? units / 8 : (units + 4) / 8;
  const std::size_t marked =
      mark && width > 0
          ? (std::min)(width - 1, static_cast<std::size_t>(std::clamp(*mark, 0.0, 1.0) *
                                                           static_cast<double>(width)))
          : width;
  std::string text;
  for (std::size_t column = 0; column < width; ++column) {
    if (column == marked) {
      text += utf8 ? "│" : "|";
    } else if (column < whole) {
      text += utf8 ? "█" : "#";
    } else if (column == whole && utf8 && units % 8 != 0) {
      text += eighths[units % 8];
    } else {
      text += ' ';
    }
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Table::Table(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    const bool right = heading.starts_with('>');
    if (right) heading.erase(0, 1);
    const std::size_t width = columns(heading);
    columns_.push_back({std::move(heading), right, width});
  }
}

void Table::add(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns_[i].width = (std::max)(columns_[i].width, columns(cells[i]));
  }
  rows_.push_back({std::move(cells), std::nullopt});
}

void Table::add(std::vector<std::string> cells, Bar bar) {
  add(std::move(cells));
  rows_.back().bar = bar;
}

void Table::print(Output& out) const {
  std::size_t used = 0;
  std::vector<std::string> headings;
  for (const Column& column : columns_) {
    used += column.width + gap.size();
    headings.push_back(column.heading);
  }
  const std::size_t bar_width = used + shortest_bar < line_width ? line_width - used : shortest_bar;
  double longest = 0;
  for (const Row& row : rows_) {
    if (row.bar) longest = (std::max)({longest, row.bar->value, row.bar->mark.value_or(0)});
  }

  print_row(out, headings, "");
  for (const Row& row : rows_) {
    std::string tail;
    if (row.bar && longest > 0) {
      const auto mark = row.bar->mark ? std::optional(*row.bar->mark / longest) : std::nullopt;
      tail = bar(row.bar->value / longest, bar_width, mark);
    }
    print_row(out, row.cells, tail);
  }
}

void Table::print_row(Output& out, const std::vector<std::string>& cells,
                      const std::string& tail) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    line += padded(i < cells.size() ? cells[i] : "", columns_[i].width, columns_[i].right);
    line += gap;
  }
  line += tail;
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << "\n";
}

}  // namespace ringctl
