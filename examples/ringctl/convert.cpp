// SPDX-License-Identifier: MIT

// ringctl convert: a fleet in another form.

#include <CLI/CLI.hpp>
#include <clockwise/wire.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "membership.hpp"
#include "output.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

enum class Form { csv, json, wire };

struct ConvertOptions {
  std::string fleet;
  Placement placement;
  Form form = Form::json;
};

std::string to_csv(const MembershipFile& file) {
  if (file.members.has_tokens) {
    throw InputError(file.name + ": a fleet file cannot hold the tokens of a token ring");
  }
  std::string text = "id,weight,rack,datacenter\n";
  for (const auto& row : file.members.members) {
    const auto& domain = file.members.domains[row.domain];
    text += csv_field(row.id) + ',' + exact(row.weight) + ',' + csv_field(domain.rack) + ',' +
            csv_field(domain.datacenter) + '\n';
  }
  return text;
}

void run_convert(const ConvertOptions& options) {
  const MembershipFile file = read_membership(options.fleet, options.placement);
  Output out;
  switch (options.form) {
    case Form::csv:
      out << to_csv(file);
      break;
    case Form::json:
      out << to_json(file.members);
      break;
    case Form::wire: {
      const auto bytes = clockwise::wire::encode(file.members);
      out << std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      break;
    }
  }
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
      R"(The input's form is detected from its first bytes. JSON and wire bytes carry hash
and vnodes; for a fleet file, use --hash and --vnodes. Wire bytes are for
programs to exchange: small, checksummed, and the same for equal rings.
)");
  command->callback([options] { run_convert(*options); });
}

}  // namespace ringctl
