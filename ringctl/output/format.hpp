// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_FORMAT_HPP
#define RINGCTL_OUTPUT_FORMAT_HPP

namespace ringctl {

enum class Format { text, csv, json };

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

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_FORMAT_HPP
