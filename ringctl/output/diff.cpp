// SPDX-License-Identifier: MIT
#include "output/diff.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/flows.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ringctl {

namespace {

// --- Text ---------------------------------------------------------------------------------------

/// Prints as many names as fit on one line.
void print_list(TextOutput& out, std::string_view heading, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const std::string begin = padded(std::string(heading), 9);
  const auto more = [&](std::size_t count) { return " and " + grouped(count) + " more"; };
  const std::size_t room = output_width() - (std::min)(output_width(), begin.size());
  std::string line;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string next = (i > 0 ? ", " : "") + shown(names[i]);
    const std::size_t after = i + 1 == names.size() ? 0 : more(names.size() - i - 1).size();
    if (cells(line) + cells(next) + after > room) {
      if (i > 0) {
        line += more(names.size() - i);
        break;
      }
      line += fitted(next, room > after ? room - after : 0);
    } else {
      line += next;
    }
  }
  out << begin << line << "\n";
}

void print_changes(TextOutput& out, const Diff& diff) {
  const auto change = [](std::uint64_t before, std::uint64_t after) {
    return grouped(before) + " -> " + grouped(after);
  };
  out << diff.before.name << " -> " << diff.after.name << "\n"
      << "nodes    " << change(diff.before.nodes, diff.after.nodes) << "\n"
      << "vnodes   " << change(diff.before.positions, diff.after.positions) << ", "
      << placement_text(diff.placement) << "\n";
  print_list(out, "joined", diff.changes.joined);
  print_list(out, "left", diff.changes.left);
  std::vector<std::string> weights;
  for (const WeightChange& node : diff.changes.reweighted) {
    weights.push_back(node.id + ' ' + plain(node.before) + " -> " + plain(node.after));
  }
  print_list(out, "weight", weights);
}

void print_totals(TextOutput& out, const Diff& diff) {
  std::vector<std::string> headings{"moves", ">key space"};
  if (diff.keys) headings.insert(headings.end(), {">of keys", ">keys"});
  Table table(std::move(headings));
  double smallest = diff.changes.ideal;
  for (const double share : {diff.ring.share, diff.mod_n.share}) {
    if (share > 0 && (smallest == 0 || share < smallest)) smallest = share;
  }
  const int decimals = percent_decimals(smallest);
  const auto add = [&](const char* scheme, const Moves& moves) {
    std::vector<std::string> cells{scheme, percent(moves.share, decimals)};
    if (diff.keys) {
      const double keys = static_cast<double>((std::max)(*diff.keys, std::uint64_t{1}));
      cells.push_back(percent(static_cast<double>(moves.keys) / keys, decimals));
      cells.push_back(grouped(moves.keys));
    }
    table.add(std::move(cells), {moves.share, std::nullopt});
  };
  add("ring", diff.ring);
  add("mod N", diff.mod_n);
  table.add({"ideal", percent(diff.changes.ideal, decimals)}, {diff.changes.ideal, std::nullopt});
  table.print(out);
  if (diff.keys) out << counted(*diff.keys, "key") << " in all.\n";
  out << "Ideal: the least that moves to give every node its fair share.\n";
}

void print_moves(TextOutput& out, std::string_view scheme, const Moves& moves, bool keys,
                 std::uint64_t top) {
  out << "\n" << scheme << ", by sender and receiver\n";
  if (!moves.flows) {
    out << "  More than " << grouped(most_pairs)
        << " pairs of nodes exchange keys: too many to list.\n";
  } else if (moves.flows->empty()) {
    out << "  Nothing moves.\n";
  } else {
    print_flows(out, *moves.flows, {true, keys, percent_decimals(moves.flows->front().share)}, top);
  }
}

void print_text(const Diff& diff, std::uint64_t top) {
  TextOutput out;
  print_changes(out, diff);
  out << "\n";
  print_totals(out, diff);
  print_moves(out, "Ring", diff.ring, diff.keys.has_value(), top);
  print_moves(out, "mod N", diff.mod_n, diff.keys.has_value(), top);
  out.flush();
}

// --- CSV and JSON -------------------------------------------------------------------------------

void print_csv(const Diff& diff) {
  Output out;
  out << "scheme,from,to,share,keys\n";
  const auto row = [&](std::string_view scheme, const Flow& flow) {
    out << scheme << "," << csv_field(flow.from) << "," << csv_field(flow.to) << ","
        << exact(flow.share) << "," << (diff.keys ? std::to_string(flow.keys) : "") << "\n";
  };
  const auto rows = [&](std::string_view scheme, const Moves& moves) {
    if (!moves.flows) row(scheme, {"", "", moves.share, moves.keys});
    for (const Flow& flow : moves.flows.value_or(std::vector<Flow>{})) row(scheme, flow);
  };
  rows("ring", diff.ring);
  rows("mod_n", diff.mod_n);
  out.flush();
}

Json json_of(const DiffSide& side) {
  return {{"fleet", json_value(side.name)}, {"nodes", side.nodes}, {"positions", side.positions}};
}

Json json_of(const std::vector<std::string>& ids) {
  Json list = Json::array();
  for (const std::string& id : ids) list.push_back(json_value(id));
  return list;
}

Json json_of(const Moves& moves, bool keys) {
  return {{"share", moves.share},
          {"keys", keys ? Json(moves.keys) : Json()},
          {"flows", moves.flows ? flows_json(*moves.flows, true, keys) : Json()}};
}

void print_json(const Diff& diff) {
  const bool keys = diff.keys.has_value();
  Json reweighted = Json::array();
  for (const WeightChange& node : diff.changes.reweighted) {
    reweighted.push_back(
        {{"id", json_value(node.id)}, {"before", node.before}, {"after", node.after}});
  }
  print_document({{"hash", hash_name(diff.placement)},
                  {"vnodes", diff.placement.vnodes},
                  {"weight_unit", diff.placement.weight_unit},
                  {"before", json_of(diff.before)},
                  {"after", json_of(diff.after)},
                  {"joined", json_of(diff.changes.joined)},
                  {"left", json_of(diff.changes.left)},
                  {"reweighted", std::move(reweighted)},
                  {"keys", keys ? Json(*diff.keys) : Json()},
                  {"ideal", diff.changes.ideal},
                  {"ring", json_of(diff.ring, keys)},
                  {"mod_n", json_of(diff.mod_n, keys)}});
}

}  // namespace

void print_diff(const Diff& diff, Format format, std::uint64_t top) {
  print_as(
      format, [&] { print_text(diff, top); }, [&] { print_csv(diff); }, [&] { print_json(diff); });
}

}  // namespace ringctl
