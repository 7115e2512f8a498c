// SPDX-License-Identifier: MIT
#ifndef RINGCTL_TEXT_HPP
#define RINGCTL_TEXT_HPP

// Renders arbitrary bytes for people, CSV readers and JSON parsers, and numbers independent of the
// locale.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ringctl {

using Json = nlohmann::ordered_json;

/// Returns the length in bytes of the UTF-8 character at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text);

/// Returns text for a terminal: control characters and invalid UTF-8 become \xNN.
std::string shown(std::string_view text);
/// Returns the columns that a shown text takes, one per character.
std::size_t columns(std::string_view shown_text);

/// Returns a CSV field, quoted if RFC 4180 or the reader of fleet files requires it.
std::string csv_field(std::string_view text);

/// Returns a JSON string, or {"hex": "..."} if the bytes are not UTF-8, so that nothing is lost.
Json json_value(std::string_view text);

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

#endif  // RINGCTL_TEXT_HPP
