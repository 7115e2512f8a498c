// SPDX-License-Identifier: MIT
#include "output/fingerprint.hpp"

#include <cstddef>
#include <utility>

#include "model/text.hpp"
#include "model/wire_form.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/text_output.hpp"

namespace ringctl {

namespace {

// --- Text ---------------------------------------------------------------------------------------

std::string described(const Fleet& fleet, const FleetNode& node) {
  std::string text = node.id + "  weight " + plain(node.options.weight);
  if (!node.options.rack.empty()) text += ", rack " + node.options.rack;
  if (!node.options.datacenter.empty()) text += ", datacenter " + node.options.datacenter;
  if (fleet.has_tokens) text += ", " + counted(node.tokens.size(), "token");
  return text;
}

std::string rules_of(const Fleet& fleet) {
  const Placement& placement = fleet.placement;
  const std::string text = policy_name(placement) + ", seed " + std::to_string(placement.seed);
  return text + (fleet.has_tokens ? ", tokens" : ", " + grouped(placement.vnodes) + " vnodes");
}

void print_nodes(TextOutput& out, const Fleet& fleet, const std::vector<FleetNode>& nodes) {
  if (nodes.empty()) return;
  out << "\nOnly in " << fleet.name << ":\n";
  for (const FleetNode& node : nodes) out << "  " << described(fleet, node) << "\n";
}

void print_difference(TextOutput& out, const Fleet& first, const Fleet& second) {
  const FleetDifference found = difference(first, second);
  if (found.rules) {
    out << "\nKeys are placed by different rules:\n  " << first.name << ": " << rules_of(first)
        << "\n  " << second.name << ": " << rules_of(second) << "\n";
  }
  print_nodes(out, first, found.only_first);
  print_nodes(out, second, found.only_second);
  if (!found.changed.empty()) out << "\nIn both, but different:\n";
  for (const auto& [one, other] : found.changed) {
    out << "  " << described(first, one) << "\n  " << described(second, other) << "\n";
  }
}

void print_text(const std::vector<FingerprintRow>& rows) {
  TextOutput out;
  for (const auto& [fleet, fingerprint] : rows) out << fingerprint << "  " << fleet.name << "\n";
  for (const auto& [fleet, fingerprint] : rows) {
    if (fingerprint != rows.front().fingerprint) print_difference(out, rows.front().fleet, fleet);
  }
  out.flush();
}

// --- CSV and JSON -------------------------------------------------------------------------------

void print_csv(const std::vector<FingerprintRow>& rows) {
  Output out;
  out << "fleet,fingerprint,same\n";
  for (const auto& [fleet, fingerprint] : rows) {
    out << csv_field(fleet.name) << "," << fingerprint << ","
        << (fingerprint == rows.front().fingerprint ? "true" : "false") << "\n";
  }
  out.flush();
}

Json json_of(const FleetNode& node) {
  return {{"id", json_value(node.id)},
          {"weight", node.options.weight},
          {"rack", json_value(node.options.rack)},
          {"datacenter", json_value(node.options.datacenter)},
          {"tokens", node.tokens.size()}};
}

Json json_of(const std::vector<FleetNode>& nodes) {
  Json list = Json::array();
  for (const FleetNode& node : nodes) list.push_back(json_of(node));
  return list;
}

/// Returns how the second fleet differs from the first; null if it does not.
Json difference_json(const FingerprintRow& first, const FingerprintRow& second) {
  if (first.fingerprint == second.fingerprint) return {};
  const FleetDifference found = difference(first.fleet, second.fleet);
  Json changed = Json::array();
  for (const auto& [one, other] : found.changed) {
    changed.push_back({{"first", json_of(one)}, {"this", json_of(other)}});
  }
  return {{"rules", found.rules},
          {"only_first", json_of(found.only_first)},
          {"only_this", json_of(found.only_second)},
          {"changed", std::move(changed)}};
}

void print_json(const std::vector<FingerprintRow>& rows) {
  Json fleets = Json::array();
  bool same = true;
  for (const FingerprintRow& row : rows) {
    const Fleet& fleet = row.fleet;
    same = same && row.fingerprint == rows.front().fingerprint;
    fleets.push_back({{"fleet", json_value(fleet.name)},
                      {"fingerprint", row.fingerprint},
                      {"hash", policy_name(fleet.placement)},
                      {"seed", fleet.placement.seed},
                      {"vnodes", fleet.has_tokens ? Json() : Json(fleet.placement.vnodes)},
                      {"nodes", fleet.nodes.size()},
                      {"difference", difference_json(rows.front(), row)}});
  }
  print_document({{"same", same}, {"fleets", std::move(fleets)}});
}

}  // namespace

void print_fingerprints(const std::vector<FingerprintRow>& rows, Format format) {
  print_as(format, [&] { print_text(rows); }, [&] { print_csv(rows); }, [&] { print_json(rows); });
}

}  // namespace ringctl
