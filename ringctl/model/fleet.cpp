// SPDX-License-Identifier: MIT
#include "model/fleet.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

void fail_at(const Fleet& fleet, const FleetNode& node, const std::string& why) {
  throw InputError(fleet.name + ':' + std::to_string(node.line) + ": " + why);
}

void check_fleet(const Fleet& fleet) {
  std::unordered_map<std::string_view, std::size_t> lines;
  lines.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) {
    const auto [earlier, is_new] = lines.emplace(node.id, node.line);
    if (!is_new) {
      fail_at(
          fleet, node,
          "node " + in_quotes(node.id) + " is already on line " + std::to_string(earlier->second));
    }
  }
  if (fleet.nodes.empty()) throw InputError(fleet.name + ": no nodes listed");
  const bool any_weight =
      std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                  [](const FleetNode& node) { return node.options.weight > 0; });
  if (!any_weight) {
    throw InputError(fleet.name + ": every node has weight 0, so no node owns a key");
  }
}

}  // namespace ringctl
