// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_TABLE_HPP
#define RINGCTL_OUTPUT_TABLE_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "output/text_output.hpp"

namespace ringctl {

/// Pads a shown text with blanks to `width` columns: after it, or before it if `right`.
std::string padded(std::string text, std::size_t width, bool right = false);

/// Returns a bar of `fraction` of `width` columns, with a line at `mark` (0 to 1) if given. It is
/// drawn with block characters if the locale is UTF-8, otherwise with # and |.
std::string bar(double fraction, std::size_t width, std::optional<double> mark = std::nullopt);

/// Rows in aligned columns, each with an optional bar in the rest of output_width(). If the columns
/// alone are wider, names are cut (see fitted), and then lines.
class Table {
 public:
  struct Bar {
    double value;
    std::optional<double> mark;
  };

  /// A heading that begins with > makes its column right-aligned.
  explicit Table(std::vector<std::string> headings);

  void add(std::vector<std::string> cells);
  void add(std::vector<std::string> cells, Bar bar);
  void print(TextOutput& out) const;

 private:
  struct Column {
    std::string heading;
    bool right;
    std::size_t width;
  };
  struct Row {
    std::vector<std::string> cells;
    std::optional<Bar> bar;
  };

  std::vector<std::size_t> widths() const;
  void print_row(TextOutput& out, const std::vector<std::size_t>& widths,
                 const std::vector<std::string>& cells, const std::string& tail) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_TABLE_HPP
