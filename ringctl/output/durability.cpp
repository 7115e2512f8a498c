// SPDX-License-Identifier: MIT
#include "output/durability.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"
#include "output/table.hpp"

namespace ringctl {

namespace {

// --- Text ---------------------------------------------------------------------------------------

std::string share(double value) { return percent(value, percent_decimals(value)); }

void print_heading(TextOutput& out, const Durability& result) {
  const std::size_t failures = result.failures;
  out << counted(result.nodes, "node") << " with data, "
      << counted(result.positions, result.has_tokens ? "token" : "vnode") << ", "
      << placement_text(result.placement) << "; " << std::to_string(result.quorum.replicas)
      << (result.quorum.replicas == 1 ? " replica" : " replicas") << " of each key, spread "
      << spread_name(result.spread) << "\n"
      << (result.nodes < result.quorum.replicas
              ? "With " + counted(result.nodes, "node") + ", no key has so many.\n"
              : "")
      << "Replica sets: " << grouped(result.sets) << " of " << grouped(result.possible_sets)
      << " possible\n\n"
      << "If " << counted(failures, "random node") << (failures == 1 ? " fails" : " fail at once")
      << ", by vnode count\n\n";
}

void print_odds(TextOutput& out, const Durability& result) {
  Table table(
      {">vnodes", ">sets", ">loss of data", ">share lost then", ">scatter width", ">fewest sets"});
  bool estimated = false;
  for (const LossOdds& row : result.odds) {
    estimated = estimated || !row.loss.exact;
    table.add({row.vnodes == 0 ? "tokens" : grouped(row.vnodes), grouped(row.sets),
               share(row.loss.value) + (row.loss.exact ? "" : "~"), share(row.loss_given_any),
               fixed(row.scatter_width, 1), fixed(row.fewest_sets, 0)});
  }
  table.print(out);
  out << "\nOn average " << share(result.expected_loss)
      << " of the key space is lost, for any vnode count.\n";
  if (estimated) {
    out << "~ is estimated; the ring's own value is between " << share(result.odds.back().loss.low)
        << " and " << share(result.odds.back().loss.high) << " with 95% confidence.\n";
  }
}

std::string dash_if_empty(const std::string& name) { return name.empty() ? "-" : name; }

void print_domains(TextOutput& out, const char* heading, const std::vector<DomainFailure>& domains,
                   bool racks) {
  if (domains.empty()) return;
  const bool several = std::any_of(domains.begin(), domains.end(), [&](const DomainFailure& one) {
    return one.datacenter != domains.front().datacenter;
  });
  Table table({heading, ">nodes", ">lost with it", ">still readable", ">still writable"});
  for (const DomainFailure& domain : domains) {
    const std::string name = !racks    ? domain.datacenter
                             : several ? domain.datacenter + '/' + domain.rack
                                       : domain.rack;
    table.add({dash_if_empty(name), grouped(domain.nodes), share(domain.lost),
               share(domain.left.readable), share(domain.left.writable)});
  }
  out << "\n";
  table.print(out);
}

void print_quorum(TextOutput& out, const Durability& result) {
  const QuorumReport& quorum = result.quorum;
  out << "\nReads of " << std::to_string(quorum.reads) << " and writes of "
      << std::to_string(quorum.writes) << ": a read "
      << (quorum.reads_see_latest_write ? "sees" : "may miss")
      << " the latest write. Of a key's nodes,\n"
      << std::to_string(quorum.read_failures) << " can be down for reads, "
      << std::to_string(quorum.write_failures) << " for writes.\n";
  if (result.dead > 0) {
    out << "\nWith " << counted(result.dead, "node") << " dead, " << share(result.dead_lost)
        << " of the key space has no live replica;\n"
        << share(result.dead_left.readable) << " can be read, " << share(result.dead_left.writable)
        << " written.\n";
  }
}

void print_text(const Durability& result) {
  TextOutput out;
  print_heading(out, result);
  print_odds(out, result);
  print_domains(out, "rack", result.racks, true);
  print_domains(out, "datacenter", result.datacenters, false);
  print_quorum(out, result);
  out.flush();
}

// --- CSV and JSON -------------------------------------------------------------------------------

void print_csv(const Durability& result) {
  Output out;
  out << "vnodes,sets,possible,loss_probability,low,high,exact,share_lost_then,scatter_width,"
         "fewest_sets\n";
  for (const LossOdds& row : result.odds) {
    out << std::to_string(row.vnodes) << "," << std::to_string(row.sets) << ","
        << std::to_string(result.possible_sets) << "," << exact(row.loss.value) << ","
        << exact(row.loss.low) << "," << exact(row.loss.high) << ","
        << (row.loss.exact ? "true" : "false") << "," << exact(row.loss_given_any) << ","
        << exact(row.scatter_width) << "," << exact(row.fewest_sets) << "\n";
  }
  out.flush();
}

Json odds_json(const std::vector<LossOdds>& odds) {
  Json list = Json::array();
  for (const LossOdds& row : odds) {
    list.push_back({{"vnodes", row.vnodes},
                    {"sets", row.sets},
                    {"loss_probability", row.loss.value},
                    {"low", row.loss.low},
                    {"high", row.loss.high},
                    {"exact", row.loss.exact},
                    {"share_lost_then", row.loss_given_any},
                    {"scatter_width", row.scatter_width},
                    {"fewest_sets", row.fewest_sets}});
  }
  return list;
}

Json domains_json(const std::vector<DomainFailure>& domains) {
  Json list = Json::array();
  for (const DomainFailure& domain : domains) {
    list.push_back({{"datacenter", json_value(domain.datacenter)},
                    {"rack", json_value(domain.rack)},
                    {"nodes", domain.nodes},
                    {"lost", domain.lost},
                    {"readable", domain.left.readable},
                    {"writable", domain.left.writable}});
  }
  return list;
}

void print_json(const Durability& result) {
  const QuorumReport& quorum = result.quorum;
  print_document({{"nodes", result.nodes},
                  {"vnodes", result.has_tokens ? Json() : Json(result.placement.vnodes)},
                  {"weight_unit", result.placement.weight_unit},
                  {"hash", hash_name(result.placement)},
                  {"replicas", quorum.replicas},
                  {"spread", spread_name(result.spread)},
                  {"failures", result.failures},
                  {"sets", result.sets},
                  {"possible", result.possible_sets},
                  {"expected_loss", result.expected_loss},
                  {"by_vnodes", odds_json(result.odds)},
                  {"racks", domains_json(result.racks)},
                  {"datacenters", domains_json(result.datacenters)},
                  {"quorum",
                   {{"r", quorum.reads},
                    {"w", quorum.writes},
                    {"reads_see_latest_write", quorum.reads_see_latest_write},
                    {"read_failures", quorum.read_failures},
                    {"write_failures", quorum.write_failures}}},
                  {"dead",
                   {{"nodes", result.dead},
                    {"lost", result.dead_lost},
                    {"readable", result.dead_left.readable},
                    {"writable", result.dead_left.writable}}}});
}

}  // namespace

void print_durability(const Durability& durability, Format format) {
  print_as(
      format, [&] { print_text(durability); }, [&] { print_csv(durability); },
      [&] { print_json(durability); });
}

}  // namespace ringctl
