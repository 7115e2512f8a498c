// SPDX-License-Identifier: MIT

// ringctl plan: what a change of the fleet costs in bytes and hours, and its steps.

#include "model/plan.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "commands/fleet_input.hpp"
#include "commands/options.hpp"
#include "input/amounts.hpp"
#include "input/file.hpp"
#include "output/plan.hpp"

namespace ringctl {

namespace {

struct PlanOptions {
  std::string before;
  std::string after;
  PlacementOptions placement;
  PlanRequest request;
  Format format = Format::text;
  std::uint64_t top = 20;
};

double parse_bytes(const std::string& option, const std::string& text) {
  const auto bytes = bytes_from(text);
  if (!bytes) refuse(option, "a size such as 10.88TB, 500GB or 2TiB", text);
  return *bytes;
}

double parse_rate(const std::string& text) {
  const auto rate = rate_from(text);
  if (!rate) refuse("--rate", "a rate above 0 such as 1Gbps or 125MB/s", text);
  return *rate;
}

double parse_throttle(const std::string& text) {
  const auto share = share_from(text);
  if (!share) refuse("--throttle", "a share above 0 and up to 1, such as 25% or 0.25", text);
  return *share;
}

void run(const PlanOptions& options) {
  check_one_standard_input({options.before, options.after});
  const auto [before, after] = placed_change(options.before, options.after, options.placement);
  print_plan(plan_of(before, after, options.request), options.format, options.top);
}

}  // namespace

void add_plan(CLI::App& app) {
  auto* const command = app.add_subcommand("plan", "Plan a change: steps, bytes and hours");
  const auto options = std::make_shared<PlanOptions>();
  PlanRequest& request = options->request;
  add_change_arguments(*command, options->before, options->after);
  add_parsed_option(
      *command, "--bytes", "SIZE", "Size of one copy of all data, as in 10.88TB",
      [&request](const std::string& text) { request.bytes = parse_bytes("--bytes", text); })
      ->required();
  add_parsed_option(
      *command, "--rate", "RATE", "Rate per node, each way: 10Gbps, 125MB/s [1Gbps]",
      [&request](const std::string& text) { request.bytes_per_second = parse_rate(text); });
  add_parsed_option(
      *command, "--throttle", "SHARE", "Share of the rate to use, as in 25% [100%]",
      [&request](const std::string& text) { request.throttle = parse_throttle(text); });
  add_parsed_option(
      *command, "--batch", "SIZE", "Maximum bytes per step [whole arcs]",
      [&request](const std::string& text) { request.batch_bytes = parse_bytes("--batch", text); });
  command->add_flag("--replaced", request.from_replaced,
                    "Stream from the node being replaced, not from the\n"
                    "holder that has sent the least");
  add_replication_options(*command, request.replication);
  add_placement_options(*command, options->placement);
  add_top_option(*command, "Nodes", options->top);
  add_format_option(*command, options->format);
  command->footer(
      R"(Network cards send and receive at once: a node takes as long as its busier
direction, the plan as long as its slowest node. --dead nodes do not send. One
by one: the same change, one member at a time, for up to 32 changes.
mod N: hash(key) mod N, with each replica placed separately.

CSV has one row per step, ordered to keep cards busy: `source` sends `to` the
keys with hashes in (after, last], which wraps if last is smaller, and `from`
drops them. JSON has the totals and each node.

  ringctl plan before.csv after.csv --replicas 3 --bytes 10.88TB --throttle 25%
)");
  command->callback([options] { run(*options); });
}

}  // namespace ringctl
