// SPDX-License-Identifier: MIT

// ringctl shares: each node's share of the key space.

#include "model/shares.hpp"

#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "commands/options.hpp"
#include "input/fleet_file.hpp"
#include "output/shares.hpp"

namespace ringctl {

namespace {

struct SharesOptions {
  std::string fleet;
  Placement placement;
  Format format = Format::text;
};

void run(const SharesOptions& options) {
  print_shares(shares_of(read_fleet(options.fleet), options.placement), options.format);
}

}  // namespace

void add_shares(CLI::App& app) {
  auto* const command = app.add_subcommand("shares", "Show each node's share of the key space");
  const auto options = std::make_shared<SharesOptions>();
  add_fleet_argument(*command, options->fleet);
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(Shares are exact: arcs of the circle. A node's fair share is its weight over the
sum of weights. peak/mean and min/mean are the largest and smallest ratio of a
share to its fair share; the CV is the root mean square of how far that ratio
deviates from 1. Expected is the average for such a ring, over all node ids.
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
