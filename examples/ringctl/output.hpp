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

/// Calls the one that is asked for.
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

/// Standard output, written in large pieces. What is not flushed is dropped with the object, so
/// that an error leaves no half of a result behind.
class Output {
 public:
  /// Throws OutputError, as flush does.
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

/// All of it. Throws OutputError.
void print_document(const Json& document);

/// True where standard output is a terminal.
bool writes_to_terminal();

/// `text` and blanks up to `width` columns, behind it or before it.
std::string padded(std::string text, std::size_t width, bool right = false);

/// A bar of `fraction` of `width` columns. Where `mark`, from 0 to 1 too, is given, a line stands
/// there. Drawn with block characters where the locale says UTF-8, else with # and |.
std::string bar(double fraction, std::size_t width, std::optional<double> mark = std::nullopt);

/// Rows in aligned columns, each with a bar that fills what is left of 80 columns.
class Table {
 public:
  struct Bar {
    double value;
    std::optional<double> mark;
  };

  /// Headings; one that begins with > heads a column that is flush right.
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
