// SPDX-License-Identifier: MIT
#include "model/replication.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

constexpr std::array<std::pair<std::string_view, Spread>, 3> spreads{
    {{"nodes", Spread::nodes}, {"racks", Spread::racks}, {"racks_only", Spread::racks_only}}};

}  // namespace

clockwise::Replication replication_of(const ReplicationOptions& options) {
  return options.spread ? clockwise::Replication(options.replicas, *options.spread)
                        : clockwise::Replication(options.replicas);
}

std::string_view spread_name(Spread spread) {
  for (const auto& [name, value] : spreads) {
    if (value == spread) return name;
  }
  return "";
}

std::optional<Spread> spread_of(std::string_view name) {
  for (const auto& [known, value] : spreads) {
    if (known == name) return value;
  }
  return std::nullopt;
}

DeadNodes dead_nodes(const ReplicationOptions& options, const Fleet& fleet) {
  DeadNodes dead;
  for (const std::string& id : options.dead) {
    const bool known = std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                                   [&](const FleetNode& node) { return node.id == id; });
    if (!known) {
      throw InputError("--dead: no node " + in_quotes(id) + " in " + fleet.name +
                       did_you_mean_node(fleet, id));
    }
    dead.insert(id);
  }
  return dead;
}

}  // namespace ringctl
