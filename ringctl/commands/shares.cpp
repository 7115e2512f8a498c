// SPDX-License-Identifier: MIT

// ringctl shares: each node's share of the key space.

#include "model/shares.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/options.hpp"
#include "output/shares.hpp"

namespace ringctl {

namespace {

struct SharesOptions {
  std::string fleet;
  PlacementOptions placement;
  Format format = Format::text;
  std::uint64_t top = 20;
};

void run(const SharesOptions& options) {
  print_shares(shares_of(placed_fleet(options.fleet, options.placement)), options.format,
               options.top);
}

}  // namespace

void add_shares(CLI::App& app) {
  auto* const command = app.add_subcommand("shares", "Show each node's share of the key space");
  const auto options = std::make_shared<SharesOptions>();
  add_fleet_argument(*command, options->fleet);
  add_placement_options(*command, options->placement);
  add_top_option(*command, "Nodes", options->top);
  add_format_option(*command, options->format);
  command->footer(
      R"(Shares are exact: arcs of the circle. A node's fair share is its weight over the
sum of weights. peak/mean and min/mean are the largest and smallest ratio of a
share to its fair share; the CV is the root mean square of that ratio's
deviation from 1. Expected is the average over all node ids.

If there are more nodes than --top, text lists the nodes furthest above their
fair share; csv and json always list all nodes, by id.

  ringctl shares fleet.csv
  ringctl shares disks.csv --relative-weights --top 5
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
