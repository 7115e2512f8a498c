// SPDX-License-Identifier: MIT
#include "membership.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "file.hpp"
#include "fleet.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

namespace wire = clockwise::wire;

/// Returns the text of a value in the form of json_value.
std::string text_of(const Json& value, const std::string& what) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1 || !value.contains("hex") ||
      !value["hex"].is_string()) {
    throw std::invalid_argument(what + " is neither a string nor {\"hex\": \"...\"}");
  }
  const auto digits = value["hex"].get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::string_view hex = "0123456789abcdef";
    const std::size_t high = hex.find(digits[i]);
    const std::size_t low = i + 1 < digits.size() ? hex.find(digits[i + 1]) : hex.npos;
    if (high == hex.npos || low == hex.npos) {
      throw std::invalid_argument(what + ": \"" + shown(digits) +
                                  "\" must be pairs of 0-9 and a-f");
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

/// Refuses unknown entries: a misspelled weight would otherwise be ignored.
void check_keys(const Json& object, const std::set<std::string>& known, const std::string& what) {
  if (!object.is_object()) throw std::invalid_argument(what + " is not an object");
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) {
      throw std::invalid_argument(what + " has an unknown entry \"" + shown(key) + '"');
    }
  }
}

std::uint64_t whole_number(const Json& value, const std::string& what) {
  if (!value.is_number_unsigned()) {
    throw std::invalid_argument(what + " must be a whole number, got " + value.dump());
  }
  return value.get<std::uint64_t>();
}

struct JsonMember {
  std::string id;
  clockwise::NodeOptions options;
  std::vector<std::uint64_t> tokens;
};

template <class Hash>
wire::Membership membership_from(const std::vector<JsonMember>& members,
                                 std::optional<std::uint32_t> vnodes, const Hash& hash) {
  if (vnodes) {
    Ring<Hash> ring(clockwise::RingOptions{*vnodes}, hash);
    std::vector<std::pair<std::string, clockwise::NodeOptions>> nodes;
    for (const auto& member : members) nodes.emplace_back(member.id, member.options);
    ring.add_all(nodes);
    return wire::membership_of(ring);
  }
  clockwise::TokenRing<Hash, std::string, std::uint32_t> ring(hash);
  ring.update([&](auto& edit) {
    for (const auto& member : members) edit.add(member.id, member.options, member.tokens);
  });
  return wire::membership_of(ring);
}

wire::Membership from_json(std::string_view text) {
  const Json document = Json::parse(text);
  check_keys(document, {"contract", "hash", "seed", "vnodes", "members"}, "the document");
  const std::uint64_t contract = document.contains("contract")
                                     ? whole_number(document["contract"], "contract")
                                     : std::uint64_t{clockwise::placement_contract};
  if (contract != std::uint64_t{clockwise::placement_contract}) {
    throw std::invalid_argument("contract must be " +
                                std::to_string(clockwise::placement_contract) + ", got " +
                                std::to_string(contract));
  }
  const std::string policy = document.value("hash", std::string(clockwise::Xxh3::name));
  const std::uint64_t seed = document.contains("seed") ? whole_number(document["seed"], "seed") : 0;
  std::optional<std::uint32_t> vnodes;
  if (document.contains("vnodes")) {
    const std::uint64_t number = whole_number(document["vnodes"], "vnodes");
    if (number == 0 || number > clockwise::max_vnodes_per_node) {
      throw std::invalid_argument("vnodes must be between 1 and " +
                                  std::to_string(clockwise::max_vnodes_per_node) + ", got " +
                                  std::to_string(number));
    }
    vnodes = static_cast<std::uint32_t>(number);
  }
  if (!document.contains("members") || !document["members"].is_array()) {
    throw std::invalid_argument("the document has no array \"members\"");
  }
  std::vector<JsonMember> members;
  for (const Json& entry : document["members"]) {
    const std::string what = "member " + std::to_string(members.size());
    check_keys(entry, {"id", "weight", "rack", "datacenter", "tokens"}, what);
    JsonMember member;
    if (!entry.contains("id")) throw std::invalid_argument(what + " has no id");
    member.id = text_of(entry["id"], what + ": id");
    if (entry.contains("weight")) {
      if (!entry["weight"].is_number())
        throw std::invalid_argument(what + ": weight is not a number");
      member.options.weight = entry["weight"].get<double>();
    }
    if (entry.contains("rack")) member.options.rack = text_of(entry["rack"], what + ": rack");
    if (entry.contains("datacenter")) {
      member.options.datacenter = text_of(entry["datacenter"], what + ": datacenter");
    }
    if (entry.contains("tokens") == vnodes.has_value()) {
      throw std::invalid_argument(what + (vnodes ? " has tokens, but the document has vnodes"
                                                 : " has no tokens, nor has the document vnodes"));
    }
    if (entry.contains("tokens")) {
      if (!entry["tokens"].is_array())
        throw std::invalid_argument(what + ": tokens is not an array");
      for (const Json& token : entry["tokens"]) {
        member.tokens.push_back(whole_number(token, what + ": token"));
      }
    }
    members.push_back(std::move(member));
  }
  if (policy == clockwise::Xxh3::name) {
    return membership_from(members, vnodes, clockwise::Xxh3{seed});
  }
  if (policy == clockwise::Xxh64::name) {
    return membership_from(members, vnodes, clockwise::Xxh64{seed});
  }
  throw std::invalid_argument("hash must be xxh3-64 or xxh64, got \"" + shown(policy) + '"');
}

}  // namespace

MembershipFile read_membership(const std::string& path, const Placement& placement) {
  InputFile file(path);
  const std::string text = file.read_all();
  MembershipFile result{file.name(), {}};
  if (text.starts_with(wire::detail::magic)) {
    std::optional<wire::Error> error;
    result.members = wire::parse(std::as_bytes(std::span(text)), error);
    if (error) {
      throw InputError(file.name() + ": byte " + std::to_string(error->offset) + ": " +
                       error->reason);
    }
  } else if (text.find_first_not_of(" \t\r\n") != text.npos &&
             text[text.find_first_not_of(" \t\r\n")] == '{') {
    try {
      result.members = from_json(text);
    } catch (const std::exception& error) {  // from the parser or the checks above
      throw InputError(file.name() + ": " + error.what());
    }
  } else {
    const Fleet fleet = parse_fleet(text, file.name());
    with_hash(placement, [&](auto hash) {
      result.members = wire::membership_of(make_ring(fleet, placement, hash));
    });
  }
  return result;
}

std::string to_json(const wire::Membership& members) {
  Json list = Json::array();
  for (const auto& row : members.members) {
    const auto& domain = members.domains[row.domain];
    Json member{{"id", json_value(row.id)}, {"weight", row.weight}};
    if (!domain.rack.empty()) member["rack"] = json_value(domain.rack);
    if (!domain.datacenter.empty()) member["datacenter"] = json_value(domain.datacenter);
    if (members.has_tokens) member["tokens"] = row.tokens;
    list.push_back(std::move(member));
  }
  Json document{{"contract", clockwise::placement_contract}, {"hash", members.policy}};
  document["seed"] = members.seed.value_or(0);
  if (!members.has_tokens) document["vnodes"] = members.vnodes;
  document["members"] = std::move(list);
  return document.dump(2) + '\n';
}

}  // namespace ringctl
