// SPDX-License-Identifier: MIT
#include "output/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "model/text.hpp"
#include "output/terminal.hpp"

namespace ringctl {

namespace {

constexpr std::size_t shortest_bar = 8;
constexpr std::size_t shortest_name = 8;
constexpr std::string_view column_gap = "  ";

}  // namespace

std::string padded(std::string text, std::size_t width, bool right) {
  const std::size_t taken = cells(text);
  if (taken < width) text.insert(right ? 0 : text.size(), width - taken, ' ');
  return text;
}

std::string bar(double fraction, std::size_t width, std::optional<double> mark) {
  const bool utf8 = takes_utf8();
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
    const std::size_t width = cells(heading);
    columns_.push_back({std::move(heading), right, width});
  }
}

void Table::add(std::vector<std::string> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = shown(row[i]);
    columns_[i].width = (std::max)(columns_[i].width, cells(row[i]));
  }
  rows_.push_back({std::move(row), std::nullopt});
}

void Table::add(std::vector<std::string> row, Bar bar) {
  add(std::move(row));
  rows_.back().bar = bar;
}

/// Returns the width of each column, so that all fit in a line if names can be cut far enough.
std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  std::size_t used = column_gap.size() * (columns_.size() - 1);
  for (const Column& column : columns_) {
    widths.push_back(column.width);
    used += column.width;
  }
  while (used > output_width()) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!columns_[i].right && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
    }
    if (widest == nullptr || *widest <= shortest_name) break;
    --*widest;
    --used;
  }
  return widths;
}

void Table::print(TextOutput& out) const {
  const std::vector<std::size_t> column_widths = widths();
  std::size_t used = 0;
  std::vector<std::string> headings;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    used += column_widths[i] + column_gap.size();
    headings.push_back(columns_[i].heading);
  }
  const std::size_t room = output_width() > used ? output_width() - used : 0;
  double longest = 0;
  for (const Row& row : rows_) {
    if (row.bar) longest = (std::max)({longest, row.bar->value, row.bar->mark.value_or(0)});
  }

  print_row(out, column_widths, headings, "");
  for (const Row& row : rows_) {
    std::string tail;
    if (row.bar && longest > 0 && room >= shortest_bar) {
      const auto mark = row.bar->mark ? std::optional(*row.bar->mark / longest) : std::nullopt;
      tail = bar(row.bar->value / longest, room, mark);
    }
    print_row(out, column_widths, row.cells, tail);
  }
}

void Table::print_row(TextOutput& out, const std::vector<std::size_t>& column_widths,
                      const std::vector<std::string>& row, const std::string& tail) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string cell = i < row.size() ? fitted(row[i], column_widths[i]) : "";
    line += padded(cell, column_widths[i], columns_[i].right);
    line += column_gap;
  }
  line += tail;
  line.erase(line.find_last_not_of(' ') + 1);
  out << fitted(std::move(line), output_width()) << "\n";
}

}  // namespace ringctl
