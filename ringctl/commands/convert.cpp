// SPDX-License-Identifier: MIT

// ringctl convert: a fleet in another form.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/options.hpp"
#include "model/wire_form.hpp"
#include "output/convert.hpp"
#include "output/stream.hpp"

namespace ringctl {

namespace {

enum class Form { csv, json, wire };

struct ConvertOptions {
  std::string fleet;
  PlacementOptions placement;
  Form form = Form::json;
};

std::string converted(const Fleet& fleet, Form form) {
  switch (form) {
    case Form::csv:
      return to_csv(fleet);
    case Form::json:
      return to_json(fleet);
    case Form::wire:
      break;
  }
  return to_wire(fleet);
}

/// CSV lists the nodes but does not say how they are placed.
void warn_of_lost_placement(const Placement& placement) {
  std::string options;
  if (placement.vnodes != Placement{}.vnodes) {
    options += " --vnodes " + std::to_string(placement.vnodes);
  }
  if (!same_hash(placement, {})) options += " --hash " + hash_name(placement);
  if (!options.empty()) {
    print_message("CSV does not say how nodes are placed; give" + options +
                  " wherever this file is used");
  }
}

void run(const ConvertOptions& options) {
  const Fleet fleet = any_fleet(options.fleet, options.placement);
  Output out;
  out << converted(fleet, options.form);
  out.flush();
  if (options.form == Form::csv && fleet.names_placement) warn_of_lost_placement(fleet.placement);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto* const command = app.add_subcommand("convert", "Convert a fleet to CSV, JSON or wire bytes");
  const auto options = std::make_shared<ConvertOptions>();
  add_fleet_argument(*command, options->fleet);
  constexpr std::array<std::pair<std::string_view, Form>, 3> forms{
      {{"csv", Form::csv}, {"json", Form::json}, {"wire", Form::wire}}};
  add_parsed_option(*command, "--to", "FORM", "Form to write: csv, json or wire",
                    [options, forms](const std::string& text) {
                      options->form = parse_choice("--to", "csv, json or wire", text, forms);
                    })
      ->required();
  add_placement_options(*command, options->placement);
  command->footer(
      R"(JSON and wire bytes say how nodes are placed: by which hash and vnodes. CSV does
not, so --hash and --vnodes apply to CSV. Every command reads all three. CSV and
JSON keep the order of the nodes and the columns that only engines read. Wire
bytes are for programs to exchange: small, checksummed, and the same for equal
rings.

  ringctl convert fleet.csv --to json > fleet.json
  ringctl convert disks.csv --relative-weights --to csv > weights.csv
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
