// SPDX-License-Identifier: MIT
#ifndef RINGCTL_CSV_HPP
#define RINGCTL_CSV_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringctl {

struct CsvRecord {
  std::size_t line = 0;  ///< Where it begins, from 1.
  std::vector<std::string> fields;
};

/// RFC 4180 with what people add to it: lines end in LF or CRLF; blank lines and lines that begin
/// with # are passed over; blanks around a field are not part of it unless it is quoted; a UTF-8
/// byte order mark is passed over. Bytes are taken as they are.
class CsvReader {
 public:
  /// `name` is what messages call the text. The text must stay while it is read.
  CsvReader(std::string_view text, std::string name);

  /// False at the end. Throws InputError for a quote that is out of place or never closed, and for
  /// a lone carriage return, with the line.
  bool next(CsvRecord& record);

  /// Throws InputError with the name and the line.
  [[noreturn]] void fail(std::size_t line, const std::string& why) const;

 private:
  bool at_end() const { return rest_.empty(); }
  std::size_t line_end() const;
  void skip_line_end();
  void skip_blanks();
  std::string field();
  std::string quoted_field();

  std::string_view rest_;
  std::string name_;
  std::size_t line_ = 1;
};

}  // namespace ringctl

#endif  // RINGCTL_CSV_HPP
