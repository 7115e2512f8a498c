// SPDX-License-Identifier: MIT
#include "replicas.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>

#include "csv.hpp"
#include "error.hpp"
#include "placement.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

using clockwise::Spread;

constexpr std::uint64_t most_replicas = 1000;

Spread parse_spread(const std::string& text) {
  if (text == "nodes") return Spread::nodes;
  if (text == "racks") return Spread::racks;
  if (text == "racks_only") return Spread::racks_only;
  throw CLI::ValidationError("--spread must be nodes, racks or racks_only, got \"" + shown(text) +
                             '"');
}

}  // namespace

void add_replication_options(CLI::App& app, Replication& replication) {
  app.add_option_function<std::string>(
         "-r,--replicas",
         [&replication](const std::string& text) {
           replication.replicas = parse_count(text, "--replicas", 1, most_replicas);
         },
         "Replicas per key [3]")
      ->type_name("R");
  app.add_option_function<std::string>(
         "--spread",
         [&replication](const std::string& text) { replication.spread = parse_spread(text); },
         "How to spread replicas: nodes, racks, or racks_only\n"
         "(never two in a rack, even if too few) [racks if\n"
         "there are any]")
      ->type_name("SPREAD");
  app.add_option("--dead", replication.dead,
                 "Nodes that are down, as id,id,...: they stay owners,\n"
                 "and substitutes serve their keys")
      ->type_name("IDS")
      ->take_all()
      ->allow_extra_args(false);
}

std::unordered_set<std::string> dead_nodes(const Replication& replication, const Fleet& fleet) {
  std::unordered_set<std::string> dead;
  for (const std::string& value : replication.dead) {
    CsvReader reader(value, "--dead");
    CsvRecord record;
    while (reader.next(record)) {
      for (const std::string& id : record.fields) {
        const bool known = std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                                       [&](const FleetNode& node) { return node.id == id; });
        if (!known) {
          throw InputError("--dead: no node \"" + shown(id) + "\" in " + fleet.name);
        }
        dead.insert(id);
      }
    }
  }
  return dead;
}

}  // namespace ringctl
