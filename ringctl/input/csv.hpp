// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_CSV_HPP
#define RINGCTL_INPUT_CSV_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringctl {

struct CsvRecord {
  std::size_t line = 0;  ///< Its first line, from 1.
  std::vector<std::string> fields;
  std::vector<bool> quoted;  ///< Of each field.
};

/// Reads RFC 4180 with common additions: lines end in LF or CRLF; blank lines, lines that begin
/// with # and a UTF-8 byte order mark are ignored; blanks around a field are not part of it unless
/// it is quoted. A control character must be in quotes, so that other kinds of files are not read
/// as CSV. Bytes are not interpreted otherwise.
class CsvReader {
 public:
  /// Messages call the text `name`. The text must outlive the reader. If `separator` is a tab, tabs
  /// are not blanks.
  CsvReader(std::string_view text, std::string name, char separator = ',');

  /// Reads the next record; returns false at the end. Throws InputError, with the line, if a quote
  /// is misplaced or unterminated, or a control character is outside quotes.
  bool next(CsvRecord& record);

  /// Throws InputError with name, line and `why`.
  [[noreturn]] void fail(std::size_t line, const std::string& why) const;

 private:
  bool at_end() const { return rest_.empty(); }
  std::size_t column() const;
  std::size_t line_end() const;
  void skip_line_end();
  void skip_blanks();
  std::string_view blanks() const;
  std::string field();
  std::string quoted_field();

  std::string_view rest_;
  std::string name_;
  char separator_;
  std::size_t line_ = 1;
  const char* line_begin_;
};

}  // namespace ringctl

#endif  // RINGCTL_INPUT_CSV_HPP
