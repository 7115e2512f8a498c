// SPDX-License-Identifier: MIT

// ringctl shares: each node's share of the key space.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <clockwise/balance.hpp>
#include <clockwise/theory.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fleet.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

namespace theory = clockwise::theory;

struct SharesOptions {
  std::string fleet;
  Placement placement;
  Format format = Format::text;
};

struct NodeShare {
  std::string id;
  double weight;
  std::uint32_t vnodes;
  double share;
  double fair;  ///< By weight.
};

/// What theory expects of such a ring, on average over node ids.
struct Expected {
  double cv = 0;
  std::optional<double> peak_to_mean;  ///< The closed form requires equal vnode counts.
};

template <class AnyRing>
std::vector<NodeShare> node_shares(const AnyRing& ring) {
  double total = 0;
  for (const auto& member : ring.members()) total += member.weight;
  std::vector<NodeShare> nodes;
  nodes.reserve(ring.size());
  const auto shares = ring.load_shares();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto& member = ring.members()[i];
    nodes.push_back(
        {member.node, member.weight, member.vnodes, shares[i].second, member.weight / total});
  }
  return nodes;
}

/// Computes the root mean square of share/fair - 1, which has two parts: a share's variance, and
/// the bias of a weight that is not a whole number of vnodes.
Expected expected(const std::vector<NodeShare>& nodes) {
  std::uint64_t positions = 0;
  for (const NodeShare& node : nodes) positions += node.vnodes;
  double squares = 0;
  std::uint64_t members = 0;
  std::uint32_t vnodes = 0;
  bool equal = true;
  for (const NodeShare& node : nodes) {
    if (node.vnodes == 0) continue;
    const double mean =
        static_cast<double>(node.vnodes) / static_cast<double>(positions) / node.fair;
    const double deviation = mean * theory::weighted_share_cv(node.vnodes, positions);
    squares += deviation * deviation + (mean - 1) * (mean - 1);
    equal = equal && (members == 0 || node.vnodes == vnodes);
    vnodes = node.vnodes;
    ++members;
  }
  Expected result;
  result.cv = std::sqrt(squares / static_cast<double>(members));
  if (equal) result.peak_to_mean = theory::peak_to_mean(members, vnodes);
  return result;
}

std::string ratio_to_fair(const NodeShare& node, int decimals) {
  return node.fair > 0 ? fixed(node.share / node.fair, decimals) : "";
}

void print_text(const std::vector<NodeShare>& nodes, const clockwise::Balance& balance,
                const SharesOptions& options, std::size_t positions) {
  const Expected theory = expected(nodes);
  const int decimals = percent_decimals(balance.mean);
  Table table({"node", ">weight", ">vnodes", ">share", ">vs fair"});
  for (const NodeShare& node : nodes) {
    table.add({shown(node.id), exact(node.weight), grouped(node.vnodes),
               percent(node.share, decimals), ratio_to_fair(node, 3)},
              {node.share, node.fair > 0 ? std::optional(node.fair) : std::nullopt});
  }
  Table summary({"", ">this ring", ">expected"});
  summary.add({"peak/mean", fixed(balance.peak_to_mean, 3),
               theory.peak_to_mean ? fixed(*theory.peak_to_mean, 3) : "-"});
  summary.add({"min/mean", fixed(balance.min_to_mean, 3), "-"});
  summary.add({"CV", percent(balance.cv), percent(theory.cv)});

  Output out;
  out << counted(nodes.size(), "node") << ", " << counted(positions, "vnode") << " ("
      << grouped(options.placement.vnodes) << " at weight 1), " << hash_name(options.placement)
      << "\n\n";
  table.print(out);
  out << "\nBars show shares; the line marks the fair share by weight.\n\n";
  summary.print(out);
  out.flush();
}

void print_csv(const std::vector<NodeShare>& nodes) {
  Output out;
  out << "id,weight,vnodes,share,fair,share_to_fair\n";
  for (const NodeShare& node : nodes) {
    out << csv_field(node.id) << "," << exact(node.weight) << "," << std::to_string(node.vnodes)
        << "," << exact(node.share) << "," << exact(node.fair) << ","
        << (node.fair > 0 ? exact(node.share / node.fair) : "") << "\n";
  }
  out.flush();
}

void print_json(const std::vector<NodeShare>& nodes, const clockwise::Balance& balance,
                const SharesOptions& options, std::size_t positions) {
  const Expected theory = expected(nodes);
  Json list = Json::array();
  for (const NodeShare& node : nodes) {
    list.push_back({{"id", json_value(node.id)},
                    {"weight", node.weight},
                    {"vnodes", node.vnodes},
                    {"share", node.share},
                    {"fair", node.fair}});
  }
  const Json document{
      {"hash", hash_name(options.placement)},
      {"vnodes", options.placement.vnodes},
      {"positions", positions},
      {"balance",
       {{"mean", balance.mean},
        {"cv", balance.cv},
        {"peak_to_mean", balance.peak_to_mean},
        {"min_to_mean", balance.min_to_mean}}},
      {"expected",
       {{"cv", theory.cv},
        {"peak_to_mean", theory.peak_to_mean ? Json(*theory.peak_to_mean) : Json()}}},
      {"nodes", std::move(list)}};
  print_document(document);
}

void run_shares(const SharesOptions& options) {
  const Fleet fleet = read_fleet(options.fleet);
  with_hash(options.placement, [&](auto hash) {
    const auto ring = make_ring(fleet, options.placement, hash);
    const auto nodes = node_shares(ring);
    const auto balance = clockwise::balance(ring);
    print_as(
        options.format, [&] { print_text(nodes, balance, options, ring.vnode_count()); },
        [&] { print_csv(nodes); },
        [&] { print_json(nodes, balance, options, ring.vnode_count()); });
  });
}

}  // namespace

void add_shares(CLI::App& app) {
  auto* const command = app.add_subcommand("shares", "Show each node's share of the key space");
  const auto options = std::make_shared<SharesOptions>();
  add_fleet_argument(*command, options->fleet);
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(Shares are exact: arcs of the circle. A node's fair share is its weight over the
sum of weights. peak/mean and min/mean are the largest and smallest ratio of a
share to its fair share; the CV is the root mean square of how far that ratio
deviates from 1. Expected is the average for such a ring, over all node ids.
)");
  command->callback([options] { run_shares(*options); });
}

}  // namespace ringctl
