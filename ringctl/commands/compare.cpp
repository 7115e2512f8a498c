// SPDX-License-Identifier: MIT

// ringctl compare: all schemes on one fleet and the same keys.

#include "model/compare.hpp"

#include <cstddef>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/options.hpp"
#include "output/chart.hpp"
#include "output/compare.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"

namespace ringctl {

namespace {

struct CompareOptions {
  std::string fleet;
  PlacementOptions placement;
  CompareRequest request;
  std::string svg;
  Format format = Format::text;
};

/// Returns CPU time, so that other processes do not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run(CompareOptions options) {
  const Fleet fleet = placed_fleet(options.fleet, options.placement);
  std::optional<OutputFile> chart;  // opened first, so that no work is lost
  if (!options.svg.empty()) chart.emplace(options.svg);

  Progress progress(true);
  options.request.progress = [&](const char* scheme, std::size_t done, std::size_t all) {
    progress.show([&] {
      return "measuring " + std::string(scheme) + ", " + std::to_string(done + 1) + " of " +
             std::to_string(all);
    });
  };
  const Comparison comparison = compare_schemes(fleet, options.request);
  progress.clear();
  if (chart) chart->write(chart_of(comparison));
  print_comparison(comparison, options.format);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* const command = app.add_subcommand("compare", "Compare all schemes on one fleet");
  const auto options = std::make_shared<CompareOptions>();
  options->request.cpu_seconds = cpu_seconds;
  add_fleet_argument(*command, options->fleet);
  add_parsed_option(*command, "--keys", "N", "Number of keys to look up [1,000,000]",
                    [options](const std::string& text) {
                      options->request.keys = parse_count(text, "--keys", 1, 100'000'000);
                    });
  command->add_option("--svg", options->svg, "Also draw a chart into this file")->type_name("FILE");
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(Lookup: time without hashing the key. Bytes: the memory that the scheme reports.
Moves: the share of keys that change owner if a node of weight 1 joins, and if
the node in the middle of the file leaves; no scheme can move less than the
floor. Shared state: what programs must share to agree on owners. Drained nodes
are left out. To choose a scheme, see docs/choosing.md.
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
