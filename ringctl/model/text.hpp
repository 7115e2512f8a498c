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

/// Returns the length in bytes of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// Returns text for a terminal: control characters and invalid UTF-8 become \xNN.
std::string shown(std::string_view text);
/// Returns the columns that a shown text takes, one per character.
std::size_t columns(std::string_view shown_text);

/// shown(text) in double quotes, for messages.
std::string in_quotes(std::string_view text);
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
/// "1 node", "2 nodes"
std::string counted(std::uint64_t number, std::string_view thing);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_TEXT_HPP
