// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_HPP
#define RINGCTL_OUTPUT_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace CLI {
class App;
}

namespace ringctl {

enum class Format { text, csv, json };

/// Adds --format.
void add_format_option(CLI::App& app, Format& format);

/// Calls the function for `format`.
template <class Text, class Csv, class JsonDocument>
void print_as(Format format, const Text& text, const Csv& csv, const JsonDocument& json) {
  switch (format) {
    case Format::text:
      text();
      break;
    case Format::csv:
      csv();
      break;
    case Format::json:
      json();
      break;
  }
}

/// Standard output, written in large pieces. The destructor drops what is not flushed, so that an
/// error does not leave half a result.
class Output {
 public:
  /// Throws OutputError if standard output cannot be written, as flush() does.
  Output& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= large) flush();
    return *this;
  }
  void flush();

 private:
  static constexpr std::size_t large = std::size_t{64} << 10;
  std::string buffer_;
};

/// Prints a JSON document. Throws OutputError.
void print_document(const Json& document);

/// Returns true if standard output is a terminal.
bool writes_to_terminal();

/// Pads `text` with blanks to `width` columns: after it, or before it if `right`.
std::string padded(std::string text, std::size_t width, bool right = false);

/// Returns a bar of `fraction` of `width` columns, with a line at `mark` (0 to 1) if given. It is
/// drawn with block characters if the locale is UTF-8, otherwise with # and |.
std::string bar(double fraction, std::size_t width, std::optional<double> mark = std::nullopt);

/// Rows in aligned columns, each with an optional bar in the rest of 80 columns.
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
  void print(Output& out) const;

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

  void print_row(Output& out, const std::vector<std::string>& cells, const std::string& tail) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_HPP
