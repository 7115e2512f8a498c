// SPDX-License-Identifier: MIT

// ringctl fingerprint: whether fleets place keys alike and, if not, why.

#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/options.hpp"
#include "input/membership_file.hpp"
#include "output/fingerprint.hpp"

namespace ringctl {

namespace {

struct FingerprintOptions {
  std::vector<std::string> fleets;
  Placement placement;
};

void run(const FingerprintOptions& options) {
  std::vector<FingerprintRow> rows;
  for (const std::string& path : options.fleets) {
    const Membership membership = read_membership(path, options.placement);
    rows.push_back({membership, fingerprint_of(membership)});
  }
  print_fingerprints(rows);
}

}  // namespace

void add_fingerprint(CLI::App& app) {
  auto* const command =
      app.add_subcommand("fingerprint", "Check whether fleets agree, or where not");
  const auto options = std::make_shared<FingerprintOptions>();
  command->add_option("fleets", options->fleets, "Fleets in any form; - is standard input")
      ->required()
      ->type_name("FLEET...");
  add_placement_options(*command, options->placement);
  command->footer(
      R"(A fingerprint has 128 bits and is equal if hash, vnodes and members are, in any
order; it is what fingerprint() returns in a program. Fleets that differ from
the first are compared with it, member by member.
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
