// SPDX-License-Identifier: MIT

// ringctl fingerprint: whether fleets place keys alike and, if not, why.

#include <CLI/CLI.hpp>
#include <clockwise/hash.hpp>
#include <clockwise/wire.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "membership.hpp"
#include "output.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

namespace wire = clockwise::wire;

struct FingerprintOptions {
  std::vector<std::string> fleets;
  Placement placement;
};

std::string described(const wire::Membership& members, std::size_t index) {
  const auto& row = members.members[index];
  const auto& domain = members.domains[row.domain];
  std::string text = shown(row.id) + "  weight " + exact(row.weight);
  if (!domain.rack.empty()) text += ", rack " + shown(domain.rack);
  if (!domain.datacenter.empty()) text += ", datacenter " + shown(domain.datacenter);
  if (members.has_tokens) text += ", " + counted(row.tokens.size(), "token");
  return text;
}

std::string rules_of(const wire::Membership& members) {
  std::string text = members.policy + ", seed " + std::to_string(members.seed.value_or(0));
  return text + (members.has_tokens ? ", tokens" : ", " + grouped(members.vnodes) + " vnodes");
}

void print_difference(Output& out, const MembershipFile& first, const MembershipFile& second) {
  const auto difference = wire::difference(first.members, second.members);
  if (difference.placement) {
    out << "\nKeys are placed by different rules:\n  " << shown(first.name) << ": "
        << rules_of(first.members) << "\n  " << shown(second.name) << ": "
        << rules_of(second.members) << "\n";
  }
  const auto list = [&](const MembershipFile& file, const std::vector<std::size_t>& indices) {
    if (indices.empty()) return;
    out << "\nOnly in " << shown(file.name) << ":\n";
    for (const std::size_t index : indices) out << "  " << described(file.members, index) << "\n";
  };
  list(first, difference.only_first);
  list(second, difference.only_second);
  if (!difference.changed.empty()) out << "\nIn both, but different:\n";
  for (const auto& [one, other] : difference.changed) {
    out << "  " << described(first.members, one) << "\n  " << described(second.members, other)
        << "\n";
  }
}

void run_fingerprint(const FingerprintOptions& options) {
  std::vector<MembershipFile> files;
  std::vector<clockwise::Fingerprint> fingerprints;
  for (const std::string& path : options.fleets) {
    files.push_back(read_membership(path, options.placement));
    with_ring(files.back(), [&](const auto& ring) { fingerprints.push_back(ring.fingerprint()); });
  }
  Output out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    out << to_string(fingerprints[i]) << "  " << shown(files[i].name) << "\n";
  }
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (fingerprints[i] != fingerprints[0]) print_difference(out, files[0], files[i]);
  }
  out.flush();
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
order; it is what fingerprint() returns in a program. Fleets that differ from the
first are compared with it, member by member.
)");
  command->callback([options] { run_fingerprint(*options); });
}

}  // namespace ringctl
