// SPDX-License-Identifier: MIT

// ringctl route: the nodes that hold each key.

#include "output/route.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/key_input.hpp"
#include "commands/options.hpp"
#include "input/file.hpp"
#include "input/fleet_file.hpp"
#include "model/replication.hpp"
#include "model/schemes.hpp"
#include "model/text.hpp"
#include "output/stream.hpp"
#include "output/terminal.hpp"

namespace ringctl {

namespace {

struct RouteOptions {
  std::string fleet;
  KeySource keys;
  PlacementOptions placement;
  std::string scheme{own_scheme};
  Format format = Format::text;
  ReplicationOptions replication;
};

/// How many preference lists are short.
struct Shortage {
  std::uint64_t keys = 0;
  std::uint64_t short_lists = 0;
};

/// Returns why lists can be short.
std::string reason_of(const RouteOptions& options, const PlacedFleet& fleet, Spread spread,
                      std::size_t dead) {
  std::size_t owning = 0;
  for (const auto& member : fleet.members()) owning += member.weight > 0 ? 1u : 0u;
  if (options.scheme == "redis") return "the masters have too few replicas";
  if (options.scheme == "nginx" && owning >= options.replication.replicas) {
    return "nginx takes servers in turn for an empty key, or past 21 points of dead servers";
  }
  if (dead > 0) return counted(dead, "node") + (dead == 1 ? " is dead" : " are dead");
  if (owning < options.replication.replicas) {
    return owning == 1 ? "only 1 node owns keys" : "only " + grouped(owning) + " nodes own keys";
  }
  return "with --spread " + std::string(spread_name(spread)) + ", no rack holds two";
}

void print_shortage(const Shortage& shortage, std::size_t replicas, const std::string& reason,
                    bool asked_for) {
  const bool all = shortage.short_lists == shortage.keys;
  const std::string keys =
      all && shortage.keys == 1 ? "the key has"
      : all                     ? "all keys have"
            : grouped(shortage.short_lists) + " of " + grouped(shortage.keys) + " keys have";
  print_message(keys + " fewer than " + counted(replicas, "replica") + ": " + reason +
                (asked_for ? "" : "; --replicas sets the number"));
}

void run(RouteOptions options, const CLI::App& command) {
  check_placement_options(command, {options.scheme});
  if (options.keys.empty()) options.keys.files.push_back("-");
  auto inputs = options.keys.files;
  inputs.push_back(options.fleet);
  check_one_standard_input(inputs);

  const Fleet file = options.scheme == own_scheme ? placed_fleet(options.fleet, options.placement)
                                                  : read_fleet(options.fleet);
  const DeadNodes dead = dead_nodes(options.replication, file);
  check_key_files(options.keys, file, !dead.empty());
  const auto fleet = place(file, options.scheme, dead);
  if (!fleet->note().empty()) print_message(fleet->note());
  const std::size_t replicas = options.replication.replicas;
  const Spread spread = options.replication.spread.value_or(fleet->default_spread());

  Output out;
  // Answers are flushed before a read that can block, for a program that writes keys and reads
  // answers in turn.
  KeyInput keys(options.keys, !writes_to_terminal(), [&] { out.flush(); });
  const auto rows = route_rows(options.format, *fleet, replicas, !dead.empty(), out);
  rows->begin();
  Shortage shortage;
  for (std::string_view key; keys.next(key);) {
    const Route route = fleet->route(key, replicas, spread);
    rows->row(key, route);
    if (!route.replicas.complete()) ++shortage.short_lists;
  }
  out.flush();

  shortage.keys = keys.count();
  if (shortage.short_lists > 0) {
    print_shortage(shortage, replicas, reason_of(options, *fleet, spread, dead.size()),
                   command.count("--replicas") > 0);
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
it. A byte order mark at the beginning of a file is not.

The owner is the first node clockwise, and the first replica unless it is dead:
then text shows it in brackets. Replicas are the live nodes to use, in order.
Substitutes for dead nodes come last: text marks them with *, csv counts them in
a column. An engine that places keys only by the nodes that are up has no
substitutes: its replicas are those of the fleet without the dead nodes. JSON
has one object per line.

Fields of csv are never changed. To a spreadsheet, a key that begins with =, +,
- or @ is a formula: import the columns as text.

  ringctl route fleet.csv --key user:42
  ringctl route fleet.csv keys.txt --replicas 2 --dead cache-03,cache-07
  find /srv -print0 | ringctl route fleet.csv -0 --format csv > owners.csv
  ringctl route memcached.csv --scheme ketama --key user:42

)" + std::string(scheme_help));
  command->callback([options, command] { run(*options, *command); });
}

}  // namespace ringctl
