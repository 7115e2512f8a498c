// SPDX-License-Identifier: MIT
#include "output/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"
#include "output/table.hpp"

namespace ringctl {

namespace {

/// Returns the nodes to list: all by id, or the `top` that are furthest above their fair share.
std::vector<NodeShare> listed(const Shares& shares, std::uint64_t top) {
  std::vector<NodeShare> nodes = shares.nodes;
  if (nodes.size() <= top) return nodes;
  std::stable_sort(nodes.begin(), nodes.end(), [](const NodeShare& a, const NodeShare& b) {
    return a.share_to_fair().value_or(0) > b.share_to_fair().value_or(0);
  });
  nodes.resize(static_cast<std::size_t>(top));
  return nodes;
}

void print_text(const Shares& shares, std::uint64_t top) {
  const int decimals = percent_decimals(shares.balance.mean);
  Table table({"node", ">weight", ">vnodes", ">share", ">vs fair"});
  const std::vector<NodeShare> nodes = listed(shares, top);
  for (const NodeShare& node : nodes) {
    const auto ratio = node.share_to_fair();
    table.add({node.id, plain(node.weight), grouped(node.vnodes), percent(node.share, decimals),
               ratio ? fixed(*ratio, 3) : ""},
              {node.share, ratio ? std::optional(node.fair) : std::nullopt});
  }
  Table summary({"", ">this ring", ">expected"});
  summary.add({"peak/mean", fixed(shares.balance.peak_to_mean, 3),
               shares.expected.peak_to_mean ? fixed(*shares.expected.peak_to_mean, 3) : "-"});
  summary.add({"min/mean", fixed(shares.balance.min_to_mean, 3), "-"});
  summary.add({"CV", percent(shares.balance.cv), percent(shares.expected.cv)});

  TextOutput out;
  out << counted(shares.nodes.size(), "node") << ", "
      << counted(shares.positions, shares.has_tokens ? "token" : "vnode");
  if (!shares.has_tokens) out << " (" << grouped(shares.placement.vnodes) << " at weight 1)";
  out << ", " << placement_text(shares.placement) << "\n\n";
  table.print(out);
  if (nodes.size() < shares.nodes.size()) {
    out << "  and " << counted(shares.nodes.size() - nodes.size(), "node")
        << " with less for their weight: --top all shows them\n";
  }
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
       {"vnodes", shares.has_tokens ? Json() : Json(shares.placement.vnodes)},
       {"weight_unit", shares.placement.weight_unit},
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

void print_shares(const Shares& shares, Format format, std::uint64_t top) {
  print_as(
      format, [&] { print_text(shares, top); }, [&] { print_csv(shares); },
      [&] { print_json(shares); });
}

}  // namespace ringctl
