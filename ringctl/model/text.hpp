// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_TEXT_HPP
#define RINGCTL_MODEL_TEXT_HPP

// Names and numbers as messages and tables write them: arbitrary bytes made safe for a terminal,
// and numbers independent of the locale.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringctl {

/// Returns the length in bytes of the UTF-8 character at the start of `text`; 0 if it starts with
/// none.
std::size_t utf8_length(std::string_view text);

/// Removes the first character and returns its code point; U+FFFD for a byte that is not UTF-8.
/// `text` must not be empty.
char32_t next_character(std::string_view& text);

/// Returns text that can neither control nor reorder a terminal's output: control and format
/// characters (escapes, C1, bidirectional controls, zero-width characters) and bytes that are not
/// UTF-8 become \xNN. Every text from outside must pass through this function; a second pass
/// changes nothing.
std::string shown(std::string_view text);
/// Appends shown(text).
void append_shown(std::string& to, std::string_view text);

/// shown(text) in double quotes, for messages.
std::string in_quotes(std::string_view text);
/// Returns the text with the letters A to Z in lower case.
std::string lower_case(std::string_view text);
/// Returns two lower-case digits per byte.
std::string hex(std::string_view bytes);

/// 1,234,567
std::string grouped(std::uint64_t number);
/// With `decimals` digits after the point.
std::string fixed(double number, int decimals);
/// 0.0588 as "5.88%".
std::string percent(double share, int decimals = 2);
/// Returns the decimals that show a share of this size, in percent, to three digits; at least 2.
int percent_decimals(double share);
/// Returns the shortest text that reads back as the same number.
std::string exact(double number);
/// The same without an exponent, up to 1e15.
std::string plain(double number);
/// "1 node", "2 nodes"
std::string counted(std::uint64_t number, std::string_view thing);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_TEXT_HPP
