// SPDX-License-Identifier: MIT
#include "input/csv.hpp"

#include <algorithm>
#include <utility>

#include "model/error.hpp"

namespace ringctl {

CsvReader::CsvReader(std::string_view text, std::string name)
    : rest_(text), name_(std::move(name)) {
  if (rest_.starts_with("\xff\xfe") || rest_.starts_with("\xfe\xff")) {
    fail(1, "this is UTF-16; save it as UTF-8");
  }
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

void CsvReader::fail(std::size_t line, const std::string& why) const {
  throw InputError(name_ + ':' + std::to_string(line) + ": " + why);
}

bool CsvReader::next(CsvRecord& record) {
  for (;;) {
    skip_blanks();
    if (at_end()) return false;
    if (rest_.front() == '#') rest_.remove_prefix((std::min)(rest_.find('\n'), rest_.size()));
    if (at_end()) return false;
    if (line_end() == 0) break;
    skip_line_end();
  }
  record.line = line_;
  record.fields.clear();
  for (;;) {
    record.fields.push_back(field());
    if (at_end() || rest_.front() != ',') break;
    rest_.remove_prefix(1);
  }
  skip_line_end();
  return true;
}

/// Returns the length of the line end at the start of the rest; 0 if there is none.
std::size_t CsvReader::line_end() const {
  if (rest_.starts_with('\n') || rest_ == "\r") return 1;
  return rest_.starts_with("\r\n") ? 2 : 0;
}

void CsvReader::skip_line_end() {
  if (at_end()) return;
  rest_.remove_prefix(line_end());
  ++line_;
}

void CsvReader::skip_blanks() {
  rest_.remove_prefix((std::min)(rest_.find_first_not_of(" \t"), rest_.size()));
}

std::string CsvReader::field() {
  skip_blanks();
  if (rest_.starts_with('"')) return quoted_field();
  std::string_view text = rest_.substr(0, rest_.find_first_of(",\r\n\""));
  rest_.remove_prefix(text.size());
  if (rest_.starts_with('"')) {
    fail(line_, "a quote inside a field that does not begin with one");
  }
  if (rest_.starts_with('\r') && line_end() == 0) {
    fail(line_, "a carriage return without a line feed; put the field in quotes if it belongs");
  }
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  return std::string(text);
}

std::string CsvReader::quoted_field() {
  const std::size_t first_line = line_;
  std::string text;
  for (;;) {
    rest_.remove_prefix(1);  // the opening quote, or the second of two
    const std::size_t quote = rest_.find('"');
    if (quote == rest_.npos) fail(first_line, "unterminated quote");
    for (const char c : rest_.substr(0, quote)) line_ += c == '\n' ? 1 : 0;
    text += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    text += '"';
  }
  skip_blanks();
  if (!at_end() && rest_.front() != ',' && line_end() == 0) {
    fail(line_, "text after a closing quote; a quote inside a quoted field is written twice");
  }
  return text;
}

}  // namespace ringctl
