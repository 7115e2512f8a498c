// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_CSV_HPP
#define RINGCTL_OUTPUT_CSV_HPP

#include <string>
#include <string_view>

namespace ringctl {

/// Returns a CSV field, quoted if RFC 4180 or the reader of fleet files requires it. The bytes are
/// never changed, not even if a spreadsheet would read them as a formula: a program that reads the
/// field gets the id or key.
std::string csv_field(std::string_view text);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_CSV_HPP
