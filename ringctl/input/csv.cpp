// SPDX-License-Identifier: MIT
#include "input/csv.hpp"

#include <algorithm>
#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Returns the kind of a file that begins like this and how to convert it; nothing if it can be
/// text.
std::string_view other_kind(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return "this is UTF-16; save it as UTF-8";
  }
  if (text.starts_with("\x1f\x8b")) return "this is compressed by gzip; decompress it";
  if (text.starts_with("PK\x03\x04")) return "this is a spreadsheet or ZIP archive; save it as CSV";
  return {};
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string name, char separator)
    : rest_(text), name_(std::move(name)), separator_(separator) {
  if (const auto kind = other_kind(text); !kind.empty()) fail(1, std::string(kind));
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  line_begin_ = rest_.data();
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
  record.quoted.clear();
  for (;;) {
    skip_blanks();
    record.quoted.push_back(rest_.starts_with('"'));
    record.fields.push_back(record.quoted.back() ? quoted_field() : field());
    if (at_end() || rest_.front() != separator_) break;
    rest_.remove_prefix(1);
  }
  skip_line_end();
  return true;
}

/// Returns the column of the rest in its line, in bytes from 1.
std::size_t CsvReader::column() const {
  return static_cast<std::size_t>(rest_.data() - line_begin_) + 1;
}

/// Returns the length of the line end at the start of the rest; 0 if it has none.
std::size_t CsvReader::line_end() const {
  if (rest_.starts_with('\n') || rest_ == "\r") return 1;
  return rest_.starts_with("\r\n") ? 2 : 0;
}

void CsvReader::skip_line_end() {
  if (at_end()) return;
  rest_.remove_prefix(line_end());
  ++line_;
  line_begin_ = rest_.data();
}

std::string_view CsvReader::blanks() const { return separator_ == '\t' ? " " : " \t"; }

void CsvReader::skip_blanks() {
  rest_.remove_prefix((std::min)(rest_.find_first_not_of(blanks()), rest_.size()));
}

std::string CsvReader::field() {
  const auto end = std::find_if(rest_.begin(), rest_.end(), [&](char c) {
    return c == separator_ || c == '"' || (is_control(c) && c != '\t');
  });
  std::string_view text = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  rest_.remove_prefix(text.size());
  if (rest_.starts_with('"')) {
    fail(line_, "a quote inside a field that does not begin with one");
  }
  if (!at_end() && rest_.front() != separator_ && line_end() == 0) {
    if (rest_.front() == '\r') {
      fail(line_, "a carriage return without a line feed; quote the field if it belongs there");
    }
    throw InputError(name_ + ':' + std::to_string(line_) + ':' + std::to_string(column()) +
                     ": control character " + shown(rest_.substr(0, 1)) +
                     " outside quotes; this is not CSV");
  }
  text = text.substr(0, text.find_last_not_of(blanks()) + 1);
  return std::string(text);
}

std::string CsvReader::quoted_field() {
  const std::size_t first_line = line_;
  std::string text;
  for (;;) {
    rest_.remove_prefix(1);  // the opening quote, or the second of two
    const std::size_t quote = rest_.find('"');
    if (quote == rest_.npos) fail(first_line, "unterminated quote");
    for (std::size_t i = 0; i < quote; ++i) {
      if (rest_[i] != '\n') continue;
      ++line_;
      line_begin_ = rest_.data() + i + 1;
    }
    text += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    text += '"';
  }
  skip_blanks();
  if (!at_end() && rest_.front() != separator_ && line_end() == 0) {
    fail(line_, "text after a closing quote; a quote inside a quoted field is written twice");
  }
  return text;
}

}  // namespace ringctl
