// SPDX-License-Identifier: MIT
#include "output/convert.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/text.hpp"
#include "model/wire_form.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"

namespace ringctl {

std::string to_csv(const Fleet& fleet) {
  if (fleet.has_tokens) {
    throw InputError(fleet.name + ": CSV cannot hold the tokens of a token ring");
  }
  constexpr std::array<std::string_view, 4> traits{"tokens", "slots", "replica_of", "server_id"};
  std::vector<std::string> used;
  for (const std::string_view trait : traits) {
    std::string name(trait);
    const bool any = std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                                 [&](const FleetNode& node) { return node.traits.contains(name); });
    if (any) used.push_back(std::move(name));
  }
  std::string text = "id,weight,rack,datacenter";
  for (const std::string& trait : used) text += ',' + trait;
  text += '\n';
  for (const FleetNode& node : fleet.nodes) {
    text += csv_field(node.id) + ',' + plain(node.options.weight) + ',' +
            csv_field(node.options.rack) + ',' + csv_field(node.options.datacenter);
    for (const std::string& trait : used) {
      const auto value = node.traits.find(trait);
      text += ',' + (value == node.traits.end() ? "" : csv_field(value->second));
    }
    text += '\n';
  }
  return text;
}

std::string to_json(const Fleet& fleet) {
  Json members = Json::array();
  for (const FleetNode& node : fleet.nodes) {
    Json member{{"id", json_value(node.id)}, {"weight", node.options.weight}};
    if (!node.options.rack.empty()) member["rack"] = json_value(node.options.rack);
    if (!node.options.datacenter.empty()) {
      member["datacenter"] = json_value(node.options.datacenter);
    }
    if (fleet.has_tokens) member["tokens"] = node.tokens;
    for (const auto& [trait, value] : node.traits) member[trait] = json_value(value);
    members.push_back(std::move(member));
  }
  Json document{{"contract", placement_contract}, {"hash", policy_name(fleet.placement)}};
  document["seed"] = fleet.placement.seed;
  if (!fleet.has_tokens) document["vnodes"] = fleet.placement.vnodes;
  document["members"] = std::move(members);
  return document.dump(2) + '\n';
}

}  // namespace ringctl
