// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_JSON_HPP
#define RINGCTL_OUTPUT_JSON_HPP

#include <nlohmann/json.hpp>
#include <string_view>

namespace ringctl {

using Json = nlohmann::ordered_json;

/// Returns a JSON string, or {"hex": "..."} if the bytes are not UTF-8, so that nothing is lost.
Json json_value(std::string_view text);

/// Prints a JSON document. Throws OutputError.
void print_document(const Json& document);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_JSON_HPP
