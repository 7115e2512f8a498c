// SPDX-License-Identifier: MIT

// ringctl durability: what the failure of nodes and racks costs.

#include "model/durability.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/options.hpp"
#include "output/durability.hpp"

namespace ringctl {

namespace {

struct DurabilityOptions {
  std::string fleet;
  PlacementOptions placement;
  DurabilityRequest request;
  Format format = Format::text;
};

void run(const DurabilityOptions& options) {
  const Fleet fleet = placed_fleet(options.fleet, options.placement);
  print_durability(durability_of(fleet, options.request), options.format);
}

void add_quorum_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::optional<std::size_t>& quorum) {
  add_parsed_option(app, option, "N", help, [&quorum, option](const std::string& text) {
    quorum = parse_count(text, option, 1, 1000);
  });
}

}  // namespace

void add_durability(CLI::App& app) {
  auto* const command = app.add_subcommand("durability", "Show what node and rack failures cost");
  const auto options = std::make_shared<DurabilityOptions>();
  DurabilityRequest& request = options->request;
  add_fleet_argument(*command, options->fleet);
  add_parsed_option(*command, "-f,--failures", "F", "Random nodes failing at once [3]",
                    [&request](const std::string& text) {
                      request.failures = parse_count(text, "--failures", 1, 1'000'000);
                    });
  add_replication_options(*command, request.replication);
  add_quorum_option(*command, "--read", "Replicas a read queries [majority]", request.reads);
  add_quorum_option(*command, "--write", "Replicas a write waits for [majority]", request.writes);
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(Data is lost when all nodes that hold a key fail. More vnodes mean more sets of
nodes that hold a key, so a few random failures are likelier to hit a set, but
lose less. Racks keep the sets few and the replicas apart.

Scatter width: how many other nodes share keys with a node. Fewest sets: the
fewest sets with that scatter width. csv has only the table by vnode count.

  ringctl durability fleet.csv --replicas 3 --failures 3
  ringctl durability fleet.csv --dead db-03,db-07 --read 1 --write 3
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
