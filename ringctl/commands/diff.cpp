// SPDX-License-Identifier: MIT

// ringctl diff: what a change of the fleet moves, on a ring and under hash mod N, or from one
// scheme to another.

#include "model/diff.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/key_input.hpp"
#include "commands/options.hpp"
#include "input/file.hpp"
#include "input/fleet_file.hpp"
#include "model/scheme_diff.hpp"
#include "model/schemes.hpp"
#include "output/diff.hpp"
#include "output/scheme_diff.hpp"

namespace ringctl {

namespace {

struct DiffOptions {
  std::string before;
  std::string after;
  KeySource keys;
  PlacementOptions placement;
  std::string scheme{own_scheme};
  std::string scheme_after;  ///< If empty, `scheme`.
  Format format = Format::text;
  std::uint64_t top = 20;
};

/// An engine uses the weights of a fleet unchanged.
std::pair<Fleet, Fleet> fleets_of(const DiffOptions& options) {
  const bool own_before = options.scheme == own_scheme;
  const bool own_after = options.scheme_after == own_scheme;
  if (own_before && own_after) {
    return placed_change(options.before, options.after, options.placement);
  }
  const auto read = [&](const std::string& path, bool own) {
    return own ? placed_fleet(path, options.placement) : read_fleet(path);
  };
  return {read(options.before, own_before), read(options.after, own_after)};
}

void run(DiffOptions options, const CLI::App& command) {
  if (options.scheme_after.empty()) options.scheme_after = options.scheme;
  check_placement_options(command, {options.scheme, options.scheme_after});
  auto inputs = options.keys.files;
  inputs.insert(inputs.end(), {options.before, options.after});
  check_one_standard_input(inputs);

  const auto [before, after] = fleets_of(options);
  check_key_files(options.keys, after, false);
  KeyInput keys(options.keys, true);
  if (options.scheme == own_scheme && options.scheme_after == own_scheme) {
    print_diff(diff_of(before, after, keys.next_key()), options.format, options.top);
  } else {
    print_scheme_diff(
        scheme_diff_of(before, options.scheme, after, options.scheme_after, keys.next_key()),
        options.format, options.top);
  }
}

}  // namespace

void add_diff(CLI::App& app) {
  auto* const command =
      app.add_subcommand("diff", "Show what a change moves, on a ring and under mod N");
  const auto options = std::make_shared<DiffOptions>();
  add_change_arguments(*command, options->before, options->after);
  add_key_options(*command, options->keys);
  add_placement_options(*command, options->placement);
  add_scheme_option(*command, "--scheme",
                    "Placement: clockwise, or an engine listed below\n"
                    "[clockwise]",
                    options->scheme);
  add_scheme_option(*command, "--scheme-after", "Placement of AFTER, if different",
                    options->scheme_after);
  add_top_option(*command, "Pairs of nodes", options->top);
  add_format_option(*command, options->format);
  command->footer(R"(The key space is compared exactly. If keys are given, the keys that
move are counted too. mod N is hash(key) mod N with the same hash and the nodes
numbered in the order of their ids. It leaves out nodes of weight 0 and ignores
other weights.

  ringctl diff before.csv after.csv
  ringctl diff before.csv after.csv keys.txt --format json
  find /srv -print0 | ringctl diff before.csv after.csv -0 -
  ringctl diff now.csv now.csv keys.txt --scheme ketama --scheme-after clockwise

Other schemes are compared without mod N, and only over the keys if the two
circles differ. Redis Cluster starts from the slots of BEFORE: a slot that AFTER
lists goes to the master that lists it; any other stays with its master or goes
to the replica that replaces that master. If AFTER lists no slots, or a new
master has none, or an old master leaves with some, slots move as by
redis-cli --cluster rebalance --cluster-use-empty-masters.

)" + std::string(scheme_help));
  command->callback([options, command] { run(*options, *command); });
}

}  // namespace ringctl
