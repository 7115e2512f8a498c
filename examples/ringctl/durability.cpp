// SPDX-License-Identifier: MIT

// ringctl durability: what the failure of nodes and racks costs.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <clockwise/durability.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "error.hpp"
#include "fleet.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "replicas.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

using clockwise::Availability;
using clockwise::LossProbability;
using clockwise::Quorum;
using clockwise::ReplicaSets;
using clockwise::Spread;

struct DurabilityOptions {
  std::string fleet;
  Placement placement;
  Replication replication;
  Format format = Format::text;
  std::size_t failures = 3;
  std::optional<std::size_t> reads;  ///< A majority by default.
  std::optional<std::size_t> writes;
};

/// The probability of loss at one vnode count.
struct Odds {
  std::uint32_t vnodes;
  std::uint64_t distinct;
  double scatter;
  double fewest;
  LossProbability loss;
  double loss_given_any;  ///< The share of the key space lost, if any is.
};

struct DomainRow {
  clockwise::DomainLoss loss;
  Availability left;
};

struct Report {
  ReplicaSets sets;
  std::vector<Odds> odds;  ///< The ring's own vnode count comes last.
  std::vector<DomainRow> racks;
  std::vector<DomainRow> datacenters;
  Quorum quorum;
  Spread spread = Spread::nodes;
  std::size_t positions = 0;
  std::size_t dead = 0;
  double dead_lost = 0;  ///< With the nodes of --dead down.
  Availability dead_left;
};

template <class AnyRing>
std::vector<DomainRow> domain_rows(const AnyRing& ring, clockwise::DomainLosses losses,
                                   const Quorum& quorum, Spread spread) {
  std::vector<DomainRow> rows;
  for (auto& domain : losses.domains) {
    std::vector<std::string> down;
    for (const auto& member : ring.members()) {
      if (member.datacenter == domain.datacenter &&
          (domain.rack.empty() || member.rack == domain.rack)) {
        down.push_back(member.node);
      }
    }
    const Availability left = quorum.available(ring, down, spread);
    rows.push_back({std::move(domain), left});
  }
  return rows;
}

Odds odds_of(const ReplicaSets& sets, std::uint32_t vnodes, std::size_t failures) {
  Odds odds{vnodes, sets.distinct, sets.scatter_width(), 0, sets.loss(failures), 0};
  odds.fewest = sets.fewest_sets(odds.scatter);
  if (odds.loss.value > 0) odds.loss_given_any = sets.expected_loss(failures) / odds.loss.value;
  return odds;
}

template <class Hash>
Report make_report(const Fleet& fleet, const DurabilityOptions& options, const Hash& hash) {
  const auto ring = make_ring(fleet, options.placement, hash);
  const std::size_t r = options.replication.replicas;
  Report report;
  report.spread = options.replication.spread.value_or(ring.default_spread());
  report.quorum = {r, options.reads.value_or(r / 2 + 1), options.writes.value_or(r / 2 + 1)};
  report.sets = clockwise::replica_sets(ring, r, report.spread);
  report.positions = ring.vnode_count();

  for (std::uint32_t vnodes : {1u, 4u, 16u, 64u, 256u, options.placement.vnodes}) {
    const bool own = vnodes == options.placement.vnodes;
    if (vnodes > options.placement.vnodes ||
        (own && !report.odds.empty() && report.odds.back().vnodes == vnodes)) {
      continue;
    }
    Placement other = options.placement;
    other.vnodes = vnodes;
    report.odds.push_back(
        own ? odds_of(report.sets, vnodes, options.failures)
            : odds_of(clockwise::replica_sets(make_ring(fleet, other, hash), r, report.spread),
                      vnodes, options.failures));
  }

  report.racks = domain_rows(ring, clockwise::rack_losses(ring, r, report.spread), report.quorum,
                             report.spread);
  if (ring.members().front().datacenter != ring.members().back().datacenter ||
      std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                  [](const FleetNode& node) { return !node.options.datacenter.empty(); })) {
    report.datacenters = domain_rows(ring, clockwise::datacenter_losses(ring, r, report.spread),
                                     report.quorum, report.spread);
  }
  const auto dead = dead_nodes(options.replication, fleet);
  report.dead = dead.size();
  report.dead_lost = 1 - Quorum{r, 1, 1}.available(ring, dead, report.spread).readable;
  report.dead_left = report.quorum.available(ring, dead, report.spread);
  return report;
}

std::string share(double value) { return percent(value, percent_decimals(value)); }

std::string spread_name(Spread spread) {
  return spread == Spread::nodes ? "nodes" : spread == Spread::racks ? "racks" : "racks_only";
}

void print_domains(Output& out, const std::vector<DomainRow>& rows, const std::string& heading,
                   bool racks) {
  if (rows.empty()) return;
  const bool several = std::any_of(rows.begin(), rows.end(), [&](const DomainRow& row) {
    return row.loss.datacenter != rows.front().loss.datacenter;
  });
  Table table({heading, ">nodes", ">lost with it", ">still readable", ">still writable"});
  for (const DomainRow& row : rows) {
    const std::string& datacenter = row.loss.datacenter;
    const std::string name = !racks    ? shown(datacenter)
                             : several ? shown(datacenter) + '/' + shown(row.loss.rack)
                                       : shown(row.loss.rack);
    table.add({name.empty() ? "-" : name, grouped(row.loss.nodes), share(row.loss.lost),
               share(row.left.readable), share(row.left.writable)});
  }
  out << "\n";
  table.print(out);
}

void print_text(const Report& report, const DurabilityOptions& options) {
  const ReplicaSets& sets = report.sets;
  const Quorum& quorum = report.quorum;
  Output out;
  out << counted(sets.nodes, "node") << " with data, " << counted(report.positions, "vnode") << ", "
      << hash_name(options.placement) << "; " << std::to_string(quorum.n)
      << (quorum.n == 1 ? " replica" : " replicas") << " of each key, spread "
      << spread_name(report.spread) << "\n"
      << "Replica sets: " << grouped(sets.distinct) << " of " << grouped(sets.possible)
      << " possible\n\n"
      << "If " << counted(options.failures, "random node") << " "
      << (options.failures == 1 ? "fails" : "fail at once") << ", by vnode count\n\n";
  Table odds(
      {">vnodes", ">sets", ">loss of data", ">share lost then", ">scatter width", ">fewest sets"});
  bool estimated = false;
  for (const Odds& row : report.odds) {
    estimated = estimated || !row.loss.exact;
    odds.add({grouped(row.vnodes), grouped(row.distinct),
              share(row.loss.value) + (row.loss.exact ? "" : "~"), share(row.loss_given_any),
              fixed(row.scatter, 1), fixed(row.fewest, 0)});
  }
  odds.print(out);
  out << "\nOn average " << share(sets.expected_loss(options.failures))
      << " of the key space is lost, for any vnode count.\n";
  if (estimated) {
    out << "~ is estimated; the ring's own value is between " << share(report.odds.back().loss.low)
        << " and " << share(report.odds.back().loss.high) << " with 95% confidence.\n";
  }
  print_domains(out, report.racks, "rack", true);
  print_domains(out, report.datacenters, "datacenter", false);
  out << "\nReads of " << std::to_string(quorum.r) << " and writes of " << std::to_string(quorum.w)
      << ": a read " << (quorum.reads_see_latest_write() ? "sees" : "may miss")
      << " the latest write. Of a key's nodes,\n"
      << std::to_string(quorum.read_failures()) << " can be down for reads, "
      << std::to_string(quorum.write_failures()) << " for writes.\n";
  if (report.dead > 0) {
    out << "\nWith " << counted(report.dead, "node") << " dead, " << share(report.dead_lost)
        << " of the key space has no live replica;\n"
        << share(report.dead_left.readable) << " can be read, " << share(report.dead_left.writable)
        << " written.\n";
  }
  out.flush();
}

void print_csv(const Report& report) {
  Output out;
  out << "vnodes,sets,possible,loss_probability,low,high,exact,share_lost_then,scatter_width,"
         "fewest_sets\n";
  for (const Odds& row : report.odds) {
    out << std::to_string(row.vnodes) << "," << std::to_string(row.distinct) << ","
        << std::to_string(report.sets.possible) << "," << exact(row.loss.value) << ","
        << exact(row.loss.low) << "," << exact(row.loss.high) << ","
        << (row.loss.exact ? "true" : "false") << "," << exact(row.loss_given_any) << ","
        << exact(row.scatter) << "," << exact(row.fewest) << "\n";
  }
  out.flush();
}

Json domain_json(const std::vector<DomainRow>& rows) {
  Json list = Json::array();
  for (const DomainRow& row : rows) {
    list.push_back({{"datacenter", json_value(row.loss.datacenter)},
                    {"rack", json_value(row.loss.rack)},
                    {"nodes", row.loss.nodes},
                    {"lost", row.loss.lost},
                    {"readable", row.left.readable},
                    {"writable", row.left.writable}});
  }
  return list;
}

void print_json(const Report& report, const DurabilityOptions& options) {
  Json odds = Json::array();
  for (const Odds& row : report.odds) {
    odds.push_back({{"vnodes", row.vnodes},
                    {"sets", row.distinct},
                    {"loss_probability", row.loss.value},
                    {"low", row.loss.low},
                    {"high", row.loss.high},
                    {"exact", row.loss.exact},
                    {"share_lost_then", row.loss_given_any},
                    {"scatter_width", row.scatter},
                    {"fewest_sets", row.fewest}});
  }
  const Json document{{"nodes", report.sets.nodes},
                      {"vnodes", options.placement.vnodes},
                      {"hash", hash_name(options.placement)},
                      {"replicas", report.quorum.n},
                      {"spread", spread_name(report.spread)},
                      {"failures", options.failures},
                      {"sets", report.sets.distinct},
                      {"possible", report.sets.possible},
                      {"expected_loss", report.sets.expected_loss(options.failures)},
                      {"by_vnodes", std::move(odds)},
                      {"racks", domain_json(report.racks)},
                      {"datacenters", domain_json(report.datacenters)},
                      {"quorum",
                       {{"r", report.quorum.r},
                        {"w", report.quorum.w},
                        {"reads_see_latest_write", report.quorum.reads_see_latest_write()},
                        {"read_failures", report.quorum.read_failures()},
                        {"write_failures", report.quorum.write_failures()}}},
                      {"dead",
                       {{"nodes", report.dead},
                        {"lost", report.dead_lost},
                        {"readable", report.dead_left.readable},
                        {"writable", report.dead_left.writable}}}};
  print_document(document);
}

void run_durability(const DurabilityOptions& options) {
  const std::size_t r = options.replication.replicas;
  for (const auto& [name, quorum] : {std::pair("--read", options.reads.value_or(1)),
                                     std::pair("--write", options.writes.value_or(1))}) {
    if (quorum > r) {
      throw InputError(std::string(name) + " must be at most " + std::to_string(r) + ", got " +
                       std::to_string(quorum));
    }
  }
  const Fleet fleet = read_fleet(options.fleet);
  with_hash(options.placement, [&](auto hash) {
    const Report report = make_report(fleet, options, hash);
    print_as(
        options.format, [&] { print_text(report, options); }, [&] { print_csv(report); },
        [&] { print_json(report, options); });
  });
}

}  // namespace

void add_durability(CLI::App& app) {
  auto* const command = app.add_subcommand("durability", "Show what node and rack failures cost");
  const auto options = std::make_shared<DurabilityOptions>();
  add_fleet_argument(*command, options->fleet);
  command
      ->add_option_function<std::string>(
          "-f,--failures",
          [options](const std::string& text) {
            options->failures = parse_count(text, "--failures", 1, 1'000'000);
          },
          "Random nodes failing at once [3]")
      ->type_name("F");
  add_replication_options(*command, options->replication);
  const auto add_quorum = [&](const std::string& name, std::optional<std::size_t>& quorum,
                              const std::string& help) {
    command
        ->add_option_function<std::string>(
            name,
            [&quorum, name](const std::string& text) { quorum = parse_count(text, name, 1, 1000); },
            help)
        ->type_name("N");
  };
  add_quorum("--read", options->reads, "Replicas a read asks [majority]");
  add_quorum("--write", options->writes, "Replicas a write waits for [majority]");
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(Data is lost when all nodes that hold a key fail. More vnodes mean more sets of
nodes that hold a key, so a few random failures are likelier to hit one, but
lose less. Racks keep the sets few and the replicas apart.

Scatter width: how many other nodes share keys with a node. "Fewest sets": how
few sets could give it. csv has only the table by vnode count.

  ringctl durability fleet.csv --replicas 3 --failures 3
  ringctl durability fleet.csv --dead db-03,db-07 --read 1 --write 3
)");
  command->callback([options] { run_durability(*options); });
}

}  // namespace ringctl
