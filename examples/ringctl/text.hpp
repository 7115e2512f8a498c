// SPDX-License-Identifier: MIT
#ifndef RINGCTL_TEXT_HPP
#define RINGCTL_TEXT_HPP

// Bytes of any kind as a person, a CSV reader or a JSON parser can take them, and numbers that look
// the same in every locale.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ringctl {

using Json = nlohmann::ordered_json;

/// Bytes that begin `text` and are one UTF-8 character; 0 where they are none.
std::size_t utf8_length(std::string_view text);

/// For a terminal: control characters and what is not UTF-8 come as \xNN.
std::string shown(std::string_view text);
/// Columns that a shown text takes, at one a character.
std::size_t columns(std::string_view shown_text);

/// A CSV field, quoted where RFC 4180 or the reader of fleet files asks for it.
std::string csv_field(std::string_view text);

/// A JSON string, or {"hex": "..."} where the bytes are not UTF-8: nothing is lost.
Json json_value(std::string_view text);

/// 1,234,567
std::string grouped(std::uint64_t number);
/// With `decimals` digits behind the point.
std::string fixed(double number, int decimals);
/// 0.0588 as "5.88%".
std::string percent(double share, int decimals = 2);
/// The decimals that show a share of this size, in percent, to three digits; 2 at least.
int percent_decimals(double share);
/// As short as it can be and still be read back as the same number.
std::string exact(double number);
/// "1 node", "2 nodes"
std::string counted(std::uint64_t number, std::string_view thing);

}  // namespace ringctl

#endif  // RINGCTL_TEXT_HPP
