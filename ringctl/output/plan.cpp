// SPDX-License-Identifier: MIT
#include "output/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "model/text.hpp"
#include "output/amounts.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"
#include "output/table.hpp"

namespace ringctl {

namespace {

// --- Text ---------------------------------------------------------------------------------------

std::string throttle_text(const PlanRequest& request) {
  const double used = request.bytes_per_second * request.throttle;
  const std::string rate = bytes_text(request.bytes_per_second) + "/s per network card";
  return request.throttle == 1 ? rate
                               : rate + ", of which " + exact(100 * request.throttle) + "% is " +
                                     bytes_text(used) + "/s";
}

void print_heading(TextOutput& out, const PlanReport& report) {
  const PlanRequest& request = report.request;
  out << report.before.name << " -> " << report.after.name << ": " << grouped(report.before.nodes)
      << " -> " << counted(report.after.nodes, "node") << ", " << placement_text(report.placement)
      << "\n"
      << bytes_text(request.bytes) << " in each of "
      << counted(request.replication.replicas, "replica") << ", " << throttle_text(request)
      << "\n\n";
}

void print_totals(TextOutput& out, const PlanReport& report) {
  const auto share = [&](double bytes) {
    return report.stored > 0 ? percent(bytes / report.stored) : percent(0);
  };
  Table totals({"", ">moves", ">of all", ">takes"});
  totals.add(
      {"this plan", bytes_text(report.moved), share(report.moved), duration_text(report.seconds)});
  if (report.one_by_one) {
    totals.add({"one by one", bytes_text(report.one_by_one->bytes), share(report.one_by_one->bytes),
                duration_text(report.one_by_one->seconds)});
  }
  totals.add({"mod N", bytes_text(report.mod_n_bytes), share(report.mod_n_bytes)});
  totals.print(out);
  if (report.lost > 0) {
    out << "\nLOST: " << bytes_text(report.lost)
        << " have no live copy; restore them from elsewhere.\n";
  }
}

void print_nodes(TextOutput& out, const PlanReport& report, std::uint64_t top) {
  Table table({"node", ">sends", ">receives", ">takes"});
  const auto rows =
      static_cast<std::size_t>((std::min)(top, static_cast<std::uint64_t>(report.nodes.size())));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto& node = report.nodes[i];
    table.add({node.node, bytes_text(node.egress_bytes), bytes_text(node.ingress_bytes),
               duration_text(node.seconds)},
              {node.seconds, std::nullopt});
  }
  table.print(out);
  if (rows < report.nodes.size()) {
    out << "  and " << counted(report.nodes.size() - rows, "more node")
        << ": --top all shows them\n";
  }
}

void print_text(const PlanReport& report, std::uint64_t top) {
  TextOutput out;
  print_heading(out, report);
  print_totals(out, report);
  if (report.critical) {
    out << "\n"
        << counted(report.plan.steps().size(), "step") << "; --format csv lists them in order.\n"
        << "Critical: " << *report.critical << "; its card limits the plan.\n\n";
    print_nodes(out, report, top);
  } else {
    out << "\nNothing moves.\n";
  }
  out.flush();
}

// --- CSV and JSON -------------------------------------------------------------------------------

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

void print_json(const PlanReport& report) {
  const PlanRequest& request = report.request;
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
  const auto side = [](const PlanSide& s) {
    return Json{{"fleet", json_value(s.name)}, {"nodes", s.nodes}};
  };
  print_document({{"hash", hash_name(report.placement)},
                  {"vnodes", report.placement.vnodes},
                  {"weight_unit", report.placement.weight_unit},
                  {"before", side(report.before)},
                  {"after", side(report.after)},
                  {"replicas", request.replication.replicas},
                  {"bytes", request.bytes},
                  {"stored_bytes", report.stored},
                  {"bytes_per_second", request.bytes_per_second},
                  {"throttle", request.throttle},
                  {"steps", report.plan.steps().size()},
                  {"moved_bytes", report.moved},
                  {"lost_bytes", report.lost},
                  {"seconds", report.seconds},
                  {"critical", report.critical ? json_value(*report.critical) : Json()},
                  {"one_by_one", std::move(one_by_one)},
                  {"mod_n_bytes", report.mod_n_bytes},
                  {"nodes", std::move(nodes)}});
}

}  // namespace

void print_plan(const PlanReport& report, Format format, std::uint64_t top) {
  print_as(
      format, [&] { print_text(report, top); }, [&] { print_csv(report); },
      [&] { print_json(report); });
}

}  // namespace ringctl
