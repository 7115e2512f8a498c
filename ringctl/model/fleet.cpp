// SPDX-License-Identifier: MIT
#include "model/fleet.hpp"

#include <algorithm>
#include <clockwise/relative_weights.hpp>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "model/error.hpp"
#include "model/suggest.hpp"
#include "model/text.hpp"

namespace ringctl {

void fail_at(const Fleet& fleet, const FleetNode& node, const std::string& why) {
  const std::string line = node.line == 0 ? "" : ':' + std::to_string(node.line);
  throw InputError(fleet.name + line + ": " + why);
}

void check_ids(const Fleet& fleet) {
  std::unordered_map<std::string_view, std::size_t> lines;
  lines.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) {
    const auto [earlier, is_new] = lines.emplace(node.id, node.line);
    if (is_new) continue;
    const std::size_t line = earlier->second;
    fail_at(fleet, node,
            "node " + in_quotes(node.id) + " is already " +
                (line == 0 ? "listed" : "on line " + std::to_string(line)));
  }
}

void check_owns(const Fleet& fleet) {
  if (fleet.nodes.empty()) throw InputError(fleet.name + ": no nodes listed");
  const auto any = [&](auto owns) {
    return std::any_of(fleet.nodes.begin(), fleet.nodes.end(), owns);
  };
  if (fleet.has_tokens && !any([](const FleetNode& node) { return !node.tokens.empty(); })) {
    throw InputError(fleet.name + ": no node has a token, so no node owns a key");
  }
  if (!fleet.has_tokens && !any([](const FleetNode& node) { return node.options.weight > 0; })) {
    throw InputError(fleet.name + ": every node has weight 0, so no node owns a key");
  }
}

namespace {

std::vector<clockwise::Entry<std::string>> entries_of(const Fleet& fleet) {
  std::vector<clockwise::Entry<std::string>> entries;
  entries.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) entries.emplace_back(node.id, node.options);
  return entries;
}

}  // namespace

double mean_weight(const Fleet& fleet) { return clockwise::mean_weight(entries_of(fleet)); }

void scale_weights(Fleet& fleet, double unit) {
  try {
    const auto entries = clockwise::relative_weights(entries_of(fleet), unit);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      fleet.nodes[i].options.weight = entries[i].options.weight;
    }
  } catch (const std::logic_error& error) {
    throw InputError(fleet.name + ": " + message_of(error));
  }
  fleet.placement.weight_unit = unit;
}

std::string did_you_mean_node(const Fleet& fleet, std::string_view id) {
  std::vector<std::string_view> ids;
  ids.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) ids.push_back(node.id);
  return did_you_mean(id, ids);
}

}  // namespace ringctl
