// SPDX-License-Identifier: MIT
#include "output/shares.hpp"

#include <optional>
#include <string>
#include <utility>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"
#include "output/table.hpp"

namespace ringctl {

namespace {

void print_text(const Shares& shares) {
  const int decimals = percent_decimals(shares.balance.mean);
  Table table({"node", ">weight", ">vnodes", ">share", ">vs fair"});
  for (const NodeShare& node : shares.nodes) {
    const auto ratio = node.share_to_fair();
    table.add({shown(node.id), exact(node.weight), grouped(node.vnodes),
               percent(node.share, decimals), ratio ? fixed(*ratio, 3) : ""},
              {node.share, ratio ? std::optional(node.fair) : std::nullopt});
  }
  Table summary({"", ">this ring", ">expected"});
  summary.add({"peak/mean", fixed(shares.balance.peak_to_mean, 3),
               shares.expected.peak_to_mean ? fixed(*shares.expected.peak_to_mean, 3) : "-"});
  summary.add({"min/mean", fixed(shares.balance.min_to_mean, 3), "-"});
  summary.add({"CV", percent(shares.balance.cv), percent(shares.expected.cv)});

  Output out;
  out << counted(shares.nodes.size(), "node") << ", " << counted(shares.positions, "vnode") << " ("
      << grouped(shares.placement.vnodes) << " at weight 1), " << hash_name(shares.placement)
      << "\n\n";
  table.print(out);
  out << "\nBars show shares; the line marks the fair share by weight.\n\n";
  summary.print(out);
  out.flush();
}

void print_csv(const Shares& shares) {
  Output out;
  out << "id,weight,vnodes,share,fair,share_to_fair\n";
  for (const NodeShare& node : shares.nodes) {
    const auto ratio = node.share_to_fair();
    out << csv_field(node.id) << "," << exact(node.weight) << "," << std::to_string(node.vnodes)
        << "," << exact(node.share) << "," << exact(node.fair) << ","
        << (ratio ? exact(*ratio) : "") << "\n";
  }
  out.flush();
}

void print_json(const Shares& shares) {
  Json nodes = Json::array();
  for (const NodeShare& node : shares.nodes) {
    nodes.push_back({{"id", json_value(node.id)},
                     {"weight", node.weight},
                     {"vnodes", node.vnodes},
                     {"share", node.share},
                     {"fair", node.fair}});
  }
  const auto& peak = shares.expected.peak_to_mean;
  print_document(
      {{"hash", hash_name(shares.placement)},
       {"vnodes", shares.placement.vnodes},
       {"positions", shares.positions},
       {"balance",
        {{"mean", shares.balance.mean},
         {"cv", shares.balance.cv},
         {"peak_to_mean", shares.balance.peak_to_mean},
         {"min_to_mean", shares.balance.min_to_mean}}},
       {"expected", {{"cv", shares.expected.cv}, {"peak_to_mean", peak ? Json(*peak) : Json()}}},
       {"nodes", std::move(nodes)}});
}

}  // namespace

void print_shares(const Shares& shares, Format format) {
  print_as(
      format, [&] { print_text(shares); }, [&] { print_csv(shares); }, [&] { print_json(shares); });
}

}  // namespace ringctl
