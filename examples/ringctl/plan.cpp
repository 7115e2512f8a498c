// SPDX-License-Identifier: MIT

// ringctl plan: what a change of the fleet costs in bytes and hours, and its steps.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <clockwise/migration.hpp>
#include <clockwise/theory.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "error.hpp"
#include "fleet.hpp"
#include "keys.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "replicas.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

namespace theory = clockwise::theory;
using clockwise::MigrationOptions;
using Plan = clockwise::MigrationPlan<std::string>;

constexpr std::uint64_t all_nodes = ~std::uint64_t{0};

/// With more changes, "one by one" is not computed: each change needs a ring.
constexpr std::size_t most_changes = 32;

struct PlanOptions {
  std::string before;
  std::string after;
  Placement placement;
  Replication replication;
  MigrationOptions migration;
  Format format = Format::text;
  std::uint64_t top = 20;
};

/// The same change made one member at a time.
struct OneByOne {
  std::size_t changes = 0;
  double bytes = 0;
  double seconds = 0;
};

struct PlanReport {
  std::size_t nodes_before = 0;  ///< Without drained nodes.
  std::size_t nodes_after = 0;
  double stored = 0;  ///< All copies together, after the change.
  Plan plan;
  std::vector<Plan::NodeLoad> nodes;  ///< The slowest first.
  std::optional<OneByOne> one_by_one;
  double mod_n_bytes = 0;
};

// --- Amounts ------------------------------------------------------------------------------------

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 12> byte_units{{{"B", 1},
                                           {"kB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"PB", 1e15},
                                           {"EB", 1e18},
                                           {"KiB", 0x1p10},
                                           {"MiB", 0x1p20},
                                           {"GiB", 0x1p30},
                                           {"TiB", 0x1p40},
                                           {"PiB", 0x1p50}}};
constexpr std::array<Unit, 5> rate_units{{{"bps", 1.0 / 8},
                                          {"kbps", 1e3 / 8},
                                          {"Mbps", 1e6 / 8},
                                          {"Gbps", 1e9 / 8},
                                          {"Tbps", 1e12 / 8}}};

/// Splits a number that is not negative from the unit after it; returns nothing if there is none.
std::optional<std::pair<double, std::string_view>> split_amount(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return std::pair(number, unit);
}

template <class Units>
std::optional<double> in_units(std::string_view text, const Units& units) {
  const auto amount = split_amount(text);
  if (!amount) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name == amount->second) return amount->first * unit.factor;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const char* why) {
  throw CLI::ValidationError(option + " must be " + why + ", got \"" + shown(text) + '"');
}

double parse_bytes(const std::string& option, const std::string& text) {
  const auto bytes = in_units(text, byte_units);
  if (!bytes) refuse(option, text, "a size such as 10.88TB, 500GB or 2TiB");
  return *bytes;
}

double parse_rate(const std::string& text) {
  auto rate = in_units(text, rate_units);
  if (!rate && text.ends_with("/s")) {
    rate = in_units(std::string_view(text).substr(0, text.size() - 2), byte_units);
  }
  if (!rate || !(*rate > 0)) refuse("--rate", text, "a rate above 0 such as 1Gbps or 125MB/s");
  return *rate;
}

double parse_throttle(const std::string& text) {
  const auto amount = split_amount(text);
  double share = amount ? amount->first : 0;
  if (amount && amount->second == "%") share /= 100;
  if (!amount || (amount->second != "" && amount->second != "%") || !(share > 0 && share <= 1)) {
    refuse("--throttle", text, "a share above 0 and up to 1, such as 25% or 0.25");
  }
  return share;
}

/// Returns three digits and a decimal unit.
std::string bytes_text(double bytes) {
  std::size_t unit = 0;
  while (unit < 6 && bytes >= 999.5 * byte_units[unit].factor) ++unit;
  const double amount = bytes / byte_units[unit].factor;
  const int decimals = unit == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  return fixed(amount, decimals) + ' ' + std::string(byte_units[unit].name);
}

/// Returns a duration in one or two units: 12.3 s, 5 min 20 s, 17 h 4 min, 3 d 7 h.
std::string duration_text(double seconds) {
  const auto in = [](double count, double per_large, const char* large, const char* small) {
    const double rounded = std::round(count);
    const double whole = std::floor(rounded / per_large);
    return fixed(whole, 0) + ' ' + large + ' ' + fixed(rounded - whole * per_large, 0) + ' ' +
           small;
  };
  if (seconds < 59.95) return fixed(seconds, 1) + " s";
  if (seconds < 3599.5) return in(seconds, 60, "min", "s");
  if (seconds < 48 * 3600 - 30) return in(seconds / 60, 60, "h", "min");
  return in(seconds / 3600, 24, "d", "h");
}

// --- The plan -----------------------------------------------------------------------------------

template <class AnyRing>
std::size_t owning_nodes(const AnyRing& ring) {
  std::size_t count = 0;
  for (const auto& member : ring.members()) count += member.vnodes > 0 ? 1u : 0u;
  return count;
}

template <class AnyRing>
std::size_t changes_between(const AnyRing& before, const AnyRing& after) {
  std::size_t changes = 0;
  for (const auto& member : before.members()) changes += after.contains(member.node) ? 0u : 1u;
  for (const auto& member : after.members()) {
    const auto index = before.index_of(member.node);
    changes += index == AnyRing::npos || before.members()[index].weight != member.weight ? 1u : 0u;
  }
  return changes;
}

template <class Hash>
PlanReport make_report(const PlanOptions& options, const Fleet& fleet_before,
                       const Fleet& fleet_after, const Hash& hash) {
  const auto before = make_ring(fleet_before, options.placement, hash);
  const auto after = make_ring(fleet_after, options.placement, hash);
  const auto dead = dead_nodes(options.replication, fleet_before);
  const auto can_send = [&](const std::string& node) { return dead.count(node) == 0; };
  PlanReport report;
  report.nodes_before = owning_nodes(before);
  report.nodes_after = owning_nodes(after);
  report.plan = clockwise::plan_migration(before, after, options.migration, can_send);
  const auto copies =
      after
          .preference_list("", options.migration.replicas,
                           options.migration.spread.value_or(after.default_spread()))
          .size();
  report.stored = options.migration.bytes * static_cast<double>(copies);
  report.mod_n_bytes =
      report.stored * theory::mod_n_movement(report.nodes_before, report.nodes_after);
  report.nodes = report.plan.nodes();
  std::stable_sort(report.nodes.begin(), report.nodes.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  const std::size_t changes = changes_between(before, after);
  if (changes > 1 && changes <= most_changes && dead.empty()) {
    OneByOne sum{changes, 0, 0};
    for (const Plan& plan : clockwise::plan_one_by_one(before, after, options.migration)) {
      sum.bytes += plan.bytes();
      sum.seconds += plan.seconds();
    }
    report.one_by_one = sum;
  }
  return report;
}

// --- Text, CSV and JSON -------------------------------------------------------------------------

std::string throttle_text(const MigrationOptions& options) {
  const double used = options.bytes_per_second * options.throttle;
  const std::string rate = bytes_text(options.bytes_per_second) + "/s per network card";
  return options.throttle == 1 ? rate
                               : rate + ", of which " + exact(100 * options.throttle) + "% is " +
                                     bytes_text(used) + "/s";
}

void print_text(const PlanReport& report, const PlanOptions& options) {
  const Plan& plan = report.plan;
  Output out;
  out << options.before << " -> " << options.after << ": " << grouped(report.nodes_before) << " -> "
      << counted(report.nodes_after, "node") << ", " << hash_name(options.placement) << "\n"
      << bytes_text(options.migration.bytes) << " in each of "
      << counted(options.migration.replicas, "replica") << ", " << throttle_text(options.migration)
      << "\n\n";
  const auto share = [&](double bytes) {
    return report.stored > 0 ? percent(bytes / report.stored) : percent(0);
  };
  Table summary({"", ">moves", ">of all", ">takes"});
  summary.add(
      {"this plan", bytes_text(plan.bytes()), share(plan.bytes()), duration_text(plan.seconds())});
  if (report.one_by_one) {
    summary.add({"one by one", bytes_text(report.one_by_one->bytes),
                 share(report.one_by_one->bytes), duration_text(report.one_by_one->seconds)});
  }
  summary.add({"mod N", bytes_text(report.mod_n_bytes), share(report.mod_n_bytes)});
  summary.print(out);
  if (plan.lost_bytes() > 0) {
    out << "\nLOST: " << bytes_text(plan.lost_bytes())
        << " have no live copy; restore them from elsewhere.\n";
  }
  if (!plan.critical()) {
    out << "\nNothing moves.\n";
    out.flush();
    return;
  }
  out << "\n"
      << counted(plan.steps().size(), "step") << "; --format csv lists them in order.\n"
      << "Critical: " << shown(plan.critical()->node) << "; its card limits the plan.\n\n";
  Table table({"node", ">sends", ">receives", ">takes"});
  const std::size_t shown_nodes = static_cast<std::size_t>(
      (std::min)(options.top, static_cast<std::uint64_t>(report.nodes.size())));
  for (std::size_t i = 0; i < shown_nodes; ++i) {
    const auto& node = report.nodes[i];
    table.add({shown(node.node), bytes_text(node.egress_bytes), bytes_text(node.ingress_bytes),
               duration_text(node.seconds)},
              {node.seconds, std::nullopt});
  }
  table.print(out);
  if (shown_nodes < report.nodes.size()) {
    out << "  and " << counted(report.nodes.size() - shown_nodes, "more node")
        << ": --top all shows them\n";
  }
  out.flush();
}

void print_csv(const PlanReport& report) {
  Output out;
  out << "step,after,last,from,source,to,bytes\n";
  std::size_t number = 0;
  for (const auto& step : report.plan.steps()) {
    out << std::to_string(number++) << "," << std::to_string(step.arc.after) << ","
        << std::to_string(step.arc.last) << "," << (step.replaces ? csv_field(step.from) : "")
        << "," << csv_field(step.source) << "," << csv_field(step.to) << "," << exact(step.bytes)
        << "\n";
  }
  out.flush();
}

void print_json(const PlanReport& report, const PlanOptions& options) {
  const Plan& plan = report.plan;
  Json nodes = Json::array();
  for (const auto& node : report.nodes) {
    nodes.push_back({{"id", json_value(node.node)},
                     {"egress_bytes", node.egress_bytes},
                     {"ingress_bytes", node.ingress_bytes},
                     {"seconds", node.seconds}});
  }
  Json one_by_one;
  if (report.one_by_one) {
    one_by_one = {{"changes", report.one_by_one->changes},
                  {"bytes", report.one_by_one->bytes},
                  {"seconds", report.one_by_one->seconds}};
  }
  const auto critical = plan.critical();
  const Json document{
      {"hash", hash_name(options.placement)},
      {"vnodes", options.placement.vnodes},
      {"before", {{"fleet", json_value(options.before)}, {"nodes", report.nodes_before}}},
      {"after", {{"fleet", json_value(options.after)}, {"nodes", report.nodes_after}}},
      {"replicas", options.migration.replicas},
      {"bytes", options.migration.bytes},
      {"stored_bytes", report.stored},
      {"bytes_per_second", options.migration.bytes_per_second},
      {"throttle", options.migration.throttle},
      {"steps", plan.steps().size()},
      {"moved_bytes", plan.bytes()},
      {"lost_bytes", plan.lost_bytes()},
      {"seconds", plan.seconds()},
      {"critical", critical ? json_value(critical->node) : Json()},
      {"one_by_one", std::move(one_by_one)},
      {"mod_n_bytes", report.mod_n_bytes},
      {"nodes", std::move(nodes)}};
  print_document(document);
}

void run_plan(PlanOptions options) {
  options.migration.replicas = options.replication.replicas;
  options.migration.spread = options.replication.spread;
  check_one_standard_input({options.before, options.after});
  const Fleet before = read_fleet(options.before);
  const Fleet after = read_fleet(options.after);
  PlanReport report;
  with_hash(options.placement,
            [&](auto hash) { report = make_report(options, before, after, hash); });
  print_as(
      options.format, [&] { print_text(report, options); }, [&] { print_csv(report); },
      [&] { print_json(report, options); });
}

}  // namespace

void add_plan(CLI::App& app) {
  auto* const command = app.add_subcommand("plan", "Plan a change: steps, bytes and hours");
  const auto options = std::make_shared<PlanOptions>();
  add_change_arguments(*command, options->before, options->after);
  const auto add = [&](const char* name, auto parse, const char* help, const char* type) {
    return command->add_option_function<std::string>(name, parse, help)->type_name(type);
  };
  add(
      "--bytes",
      [options](const std::string& text) {
        options->migration.bytes = parse_bytes("--bytes", text);
      },
      "Size of one copy of all data: 10.88TB", "SIZE")
      ->required();
  add(
      "--rate",
      [options](const std::string& text) {
        options->migration.bytes_per_second = parse_rate(text);
      },
      "Rate per node, each way: 10Gbps, 125MB/s [1Gbps]", "RATE");
  add(
      "--throttle",
      [options](const std::string& text) { options->migration.throttle = parse_throttle(text); },
      "Share of the rate to use, as in 25% [100%]", "SHARE");
  add(
      "--batch",
      [options](const std::string& text) {
        options->migration.batch_bytes = parse_bytes("--batch", text);
      },
      "Maximum bytes per step [whole arcs]", "SIZE");
  command->add_flag_function(
      "--replaced",
      [options](std::int64_t) { options->migration.stream_from = clockwise::StreamFrom::replaced; },
      "Stream from the node being replaced, not from the\n"
      "holder that has sent the least");
  add_replication_options(*command, options->replication);
  add_placement_options(*command, options->placement);
  add(
      "--top",
      [options](const std::string& text) {
        options->top = text == "all" ? all_nodes : parse_count(text, "--top", 0, all_nodes);
      },
      "Nodes to show in text, or all [20]", "N");
  add_format_option(*command, options->format);
  command->footer(
      R"(Network cards send and receive at once: a node takes as long as its busier
direction, the plan as long as its slowest node. --dead nodes do not send. "One
by one" makes the same change one member at a time, for up to 32 changes.
mod N: hash(key) mod N, with each replica placed separately.

CSV has one row per step, ordered to keep cards busy: `source` sends `to` the
keys with hashes in (after, last], which wraps if last is smaller, and `from`
drops them. JSON has the totals and each node.

  ringctl plan before.csv after.csv --replicas 3 --bytes 10.88TB --throttle 25%
)");
  command->callback([options] { run_plan(*options); });
}

}  // namespace ringctl
