// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_OUTPUT_FILE_HPP
#define RINGCTL_OUTPUT_OUTPUT_FILE_HPP

#include <string>
#include <string_view>

namespace ringctl {

/// A file to be written at the end of a long job. The constructor checks that it can be written,
/// but neither creates it nor changes its contents.
class OutputFile {
 public:
  /// Throws OutputError with the reason if the file cannot be opened for writing.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Replaces the contents. Throws OutputError with the reason.
  void write(std::string_view bytes);

 private:
  void open(int flags);
  void close();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_OUTPUT_FILE_HPP
