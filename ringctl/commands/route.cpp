// SPDX-License-Identifier: MIT

// ringctl route: the nodes that hold each key.

#include "output/route.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/key_input.hpp"
#include "commands/options.hpp"
#include "input/file.hpp"
#include "input/fleet_file.hpp"
#include "model/replication.hpp"
#include "model/schemes.hpp"
#include "model/text.hpp"
#include "output/stream.hpp"

namespace ringctl {

namespace {

struct RouteOptions {
  std::string fleet;
  KeySource keys;
  Placement placement;
  std::string scheme{own_scheme};
  Format format = Format::text;
  ReplicationOptions replication;
};

void run(RouteOptions options, const CLI::App& command) {
  check_placement_options(command, {options.scheme});
  if (options.keys.empty()) options.keys.files.push_back("-");
  auto inputs = options.keys.files;
  inputs.push_back(options.fleet);
  check_one_standard_input(inputs);

  const Fleet file = read_fleet(options.fleet);
  const DeadNodes dead = dead_nodes(options.replication, file);
  const auto fleet = place(file, options.scheme, options.placement);
  const std::size_t replicas = options.replication.replicas;
  const Spread spread = options.replication.spread.value_or(fleet->default_spread());
  PlacedFleet::IsLive is_live;
  if (!dead.empty()) is_live = [&](const std::string& node) { return !dead.contains(node); };

  Output out;
  // Answers are flushed before a read that can block, so that a program at both ends of a pipe gets
  // them.
  KeyInput keys(options.keys, !writes_to_terminal(), [&] { out.flush(); });
  const auto rows = route_rows(options.format, *fleet, replicas, !dead.empty(), out);
  rows->begin();
  std::uint64_t short_lists = 0;
  for (std::string_view key; keys.next(key);) {
    const Route route = fleet->route(key, replicas, spread, is_live);
    rows->row(key, route);
    if (!route.replicas.complete()) ++short_lists;
  }
  out.flush();

  if (short_lists > 0) {
    print_message(grouped(short_lists) + " of " + grouped(keys.count()) +
                  " lists have fewer than " + std::to_string(replicas) + " replicas");
  }
}

}  // namespace

void add_route(CLI::App& app) {
  auto* const command = app.add_subcommand("route", "Show the nodes that hold each key");
  const auto options = std::make_shared<RouteOptions>();
  add_fleet_argument(*command, options->fleet);
  add_key_options(*command, options->keys);
  add_replication_options(*command, options->replication);
  add_placement_options(*command, options->placement);
  add_scheme_option(*command, "--scheme",
                    "Placement: clockwise, or an engine listed below\n"
                    "[clockwise]",
                    options->scheme);
  add_format_option(*command, options->format);
  command->footer(
      R"(Keys come from the files or, without any, from standard input, one per line. A
key is every byte before the line feed, even none. A carriage return is part of
it.

The owner is the first node clockwise, and the first replica unless it is dead:
then text shows it in brackets. Replicas are the live nodes to use, in order.
Substitutes for dead nodes come last: text marks them with *, csv counts them in
a column. JSON has one object per line.

  ringctl route fleet.csv --key user:42
  ringctl route fleet.csv keys.txt --replicas 2 --dead cache-03,cache-07
  find /srv -print0 | ringctl route fleet.csv -0 --format csv > owners.csv
  ringctl route memcached.csv --scheme ketama --key user:42

)" + std::string(scheme_help));
  command->callback([options, command] { run(*options, *command); });
}

}  // namespace ringctl
