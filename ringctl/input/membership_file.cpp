// SPDX-License-Identifier: MIT
#include "input/membership_file.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "input/file.hpp"
#include "input/fleet_file.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

using Json = nlohmann::json;

/// Returns the text of a string or of {"hex": "..."}.
std::string text_of(const Json& value, const std::string& what) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1 || !value.contains("hex") ||
      !value["hex"].is_string()) {
    throw std::invalid_argument(what + " is neither a string nor {\"hex\": \"...\"}");
  }
  const auto digits = value["hex"].get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    constexpr std::string_view hex_digits = "0123456789abcdef";
    const std::size_t high = hex_digits.find(digits[i]);
    const std::size_t low = i + 1 < digits.size() ? hex_digits.find(digits[i + 1]) : digits.npos;
    if (high == digits.npos || low == digits.npos) {
      throw std::invalid_argument(what + ": " + in_quotes(digits) +
                                  " must be pairs of 0-9 and a-f");
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

/// Refuses unknown entries: a misspelled weight would otherwise be ignored.
void check_entries(const Json& object, const std::set<std::string>& known,
                   const std::string& what) {
  if (!object.is_object()) throw std::invalid_argument(what + " is not an object");
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) {
      throw std::invalid_argument(what + " has an unknown entry " + in_quotes(key));
    }
  }
}

std::uint64_t whole_number(const Json& value, const std::string& what) {
  if (!value.is_number_unsigned()) {
    throw std::invalid_argument(what + " must be a whole number, got " + value.dump());
  }
  return value.get<std::uint64_t>();
}

std::uint64_t whole_number(const Json& object, const char* entry, std::uint64_t otherwise) {
  return object.contains(entry) ? whole_number(object[entry], entry) : otherwise;
}

std::optional<std::uint32_t> vnodes_of(const Json& document) {
  if (!document.contains("vnodes")) return std::nullopt;
  const std::uint64_t number = whole_number(document["vnodes"], "vnodes");
  if (number == 0 || number > max_vnodes) {
    throw std::invalid_argument("vnodes must be between 1 and " + std::to_string(max_vnodes) +
                                ", got " + std::to_string(number));
  }
  return static_cast<std::uint32_t>(number);
}

Membership::Row row_of(const Json& entry, const std::string& what, bool has_tokens) {
  check_entries(entry, {"id", "weight", "rack", "datacenter", "tokens"}, what);
  Membership::Row row;
  if (!entry.contains("id")) throw std::invalid_argument(what + " has no id");
  row.id = text_of(entry["id"], what + ": id");
  if (entry.contains("weight")) {
    if (!entry["weight"].is_number()) {
      throw std::invalid_argument(what + ": weight is not a number");
    }
    row.options.weight = entry["weight"].get<double>();
  }
  if (entry.contains("rack")) row.options.rack = text_of(entry["rack"], what + ": rack");
  if (entry.contains("datacenter")) {
    row.options.datacenter = text_of(entry["datacenter"], what + ": datacenter");
  }
  if (entry.contains("tokens") != has_tokens) {
    throw std::invalid_argument(what + (has_tokens ? " has no tokens, nor has the document vnodes"
                                                   : " has tokens, but the document has vnodes"));
  }
  if (has_tokens) {
    if (!entry["tokens"].is_array()) throw std::invalid_argument(what + ": tokens is not an array");
    for (const Json& token : entry["tokens"]) {
      row.tokens.push_back(whole_number(token, what + ": token"));
    }
  }
  return row;
}

Membership from_json(std::string_view text, const std::string& name) {
  const Json document = Json::parse(text);
  check_entries(document, {"contract", "hash", "seed", "vnodes", "members"}, "the document");
  const std::uint64_t contract = whole_number(document, "contract", placement_contract);
  if (contract != placement_contract) {
    throw std::invalid_argument("contract must be " + std::to_string(placement_contract) +
                                ", got " + std::to_string(contract));
  }
  Membership membership{name,
                        document.value("hash", std::string(default_policy)),
                        whole_number(document, "seed", 0),
                        vnodes_of(document),
                        {}};
  if (!document.contains("members") || !document["members"].is_array()) {
    throw std::invalid_argument("the document has no array \"members\"");
  }
  for (const Json& entry : document["members"]) {
    const std::string what = "member " + std::to_string(membership.rows.size());
    membership.rows.push_back(row_of(entry, what, !membership.vnodes.has_value()));
  }
  return membership;
}

}  // namespace

Membership read_membership(const std::string& path, const Placement& placement) {
  InputFile file(path);
  const std::string text = file.read_all();
  if (is_wire(text)) return from_wire(text, file.name());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{') {
    return membership_of(parse_fleet(text, file.name()), placement);
  }
  Membership membership;
  try {
    membership = from_json(text, file.name());
  } catch (const std::exception& error) {  // of the parser, or of the checks above
    throw InputError(file.name() + ": " + error.what());
  }
  return checked(membership);
}

}  // namespace ringctl
