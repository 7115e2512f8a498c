// SPDX-License-Identifier: MIT

// ringctl fingerprint: whether fleets place keys alike and, if not, why.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/options.hpp"
#include "commands/status.hpp"
#include "input/file.hpp"
#include "model/wire_form.hpp"
#include "output/fingerprint.hpp"

namespace ringctl {

namespace {

struct FingerprintOptions {
  std::vector<std::string> fleets;
  PlacementOptions placement;
  Format format = Format::text;
};

void run(const FingerprintOptions& options) {
  check_one_standard_input(options.fleets);
  std::vector<FingerprintRow> rows;
  bool differ = false;
  for (const std::string& path : options.fleets) {
    Fleet fleet = any_fleet(path, options.placement);
    std::string fingerprint = fingerprint_of(fleet);
    rows.push_back({std::move(fleet), std::move(fingerprint)});
    differ = differ || rows.back().fingerprint != rows.front().fingerprint;
  }
  print_fingerprints(rows, options.format);
  if (differ) throw FleetsDiffer();
}

}  // namespace

void add_fingerprint(CLI::App& app) {
  auto* const command =
      app.add_subcommand("fingerprint", "Check whether fleets agree, or where not");
  const auto options = std::make_shared<FingerprintOptions>();
  add_list_argument(*command, "fleets", "FLEET", "Fleet files; - is standard input",
                    options->fleets)
      ->required();
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(A fingerprint has 128 bits. Two are equal if hash, vnodes and members are equal,
in any order; a program gets the same value from fingerprint(). Fleets that
differ from the first are compared with it, node by node, and the exit status
is 1. --hash, --vnodes and weights apply to CSV; JSON and wire bytes name their
own.

  ringctl fingerprint deployed.ring fleet.csv || echo 'not deployed yet'
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
