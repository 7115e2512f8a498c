// SPDX-License-Identifier: MIT

// ringctl convert: a fleet in another form.

#include <map>
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "commands/options.hpp"
#include "input/membership_file.hpp"
#include "output/convert.hpp"
#include "output/stream.hpp"

namespace ringctl {

namespace {

enum class Form { csv, json, wire };

struct ConvertOptions {
  std::string fleet;
  Placement placement;
  Form form = Form::json;
};

std::string converted(const Membership& membership, Form form) {
  switch (form) {
    case Form::csv:
      return to_csv(membership);
    case Form::json:
      return to_json(membership);
    case Form::wire:
      break;
  }
  return to_wire(membership);
}

void run(const ConvertOptions& options) {
  Output out;
  out << converted(read_membership(options.fleet, options.placement), options.form);
  out.flush();
}

}  // namespace

void add_convert(CLI::App& app) {
  auto* const command = app.add_subcommand("convert", "Convert a fleet to CSV, JSON or wire bytes");
  const auto options = std::make_shared<ConvertOptions>();
  command->add_option("fleet", options->fleet, "Fleet in any form; - is standard input")
      ->required()
      ->type_name("FLEET");
  command->add_option("--to", options->form, "Form to write")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Form>{
          {"csv", Form::csv}, {"json", Form::json}, {"wire", Form::wire}}))
      ->type_name("csv|json|wire")
      ->required();
  add_placement_options(*command, options->placement);
  command->footer(
      R"(The input's form is detected from its first bytes. JSON and wire bytes carry
hash and vnodes; for a fleet file, use --hash and --vnodes. Wire bytes are for
programs to exchange: small, checksummed, and the same for equal rings.
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
