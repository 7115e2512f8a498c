// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_TERMINAL_HPP
#define RINGCTL_OUTPUT_TERMINAL_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace ringctl {

/// Returns the columns that a shown text takes on a terminal: 2 for a wide character (CJK, most
/// emoji), 0 for a combining mark, as the C library's tables say in a UTF-8 locale. Independent of
/// the user's locale.
std::size_t cells(std::string_view shown_text);

/// Returns a shown text of at most `width` columns: the text, or its two ends with "…" between.
std::string fitted(std::string text, std::size_t width);

/// Returns the columns to print in: the width of the terminal that standard output is; otherwise
/// the environment variable COLUMNS; otherwise 80.
std::size_t output_width();

/// The same of standard error.
std::size_t message_width();

/// Returns true if standard output is a terminal.
bool writes_to_terminal();

/// Returns true if the locale of the environment is UTF-8.
bool takes_utf8();

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_TERMINAL_HPP
