// SPDX-License-Identifier: MIT

// ringctl diff: what a change of the fleet moves, on a ring and under hash mod N.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <clockwise/mod_n.hpp>
#include <clockwise/movement.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "engine.hpp"
#include "engine_diff.hpp"
#include "fleet.hpp"
#include "keys.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

/// If more pairs of nodes than this exchange keys, only their total is counted: mod N can have as
/// many pairs as the least common multiple of both node counts.
constexpr std::size_t most_pairs = 100'000;
constexpr std::uint64_t all_pairs = ~std::uint64_t{0};

struct DiffOptions {
  std::string before;
  std::string after;
  KeySource keys;
  Placement placement;
  std::string scheme = own_scheme;
  std::string scheme_after;  ///< If empty, the same.
  Format format = Format::text;
  std::uint64_t top = 20;
};

/// The keys that move from one node to another.
struct Flow {
  std::string from;
  std::string to;
  double share = 0;  ///< Of the key space.
  std::uint64_t keys = 0;
};

/// What one scheme moves.
struct Moves {
  double share = 0;
  std::uint64_t keys = 0;
  std::optional<std::vector<Flow>> flows;  ///< The largest first; nothing if there are too many.
};

struct WeightChange {
  std::string id;
  double before;
  double after;
};

struct Changes {
  std::vector<std::string> joined;
  std::vector<std::string> left;
  std::vector<WeightChange> reweighted;
  double ideal = 0;  ///< The least that moves if shares are fair before and after.
};

struct Side {
  std::string name;
  std::size_t nodes = 0;
  std::size_t positions = 0;
};

struct Diff {
  Side before;
  Side after;
  Changes changes;
  std::optional<std::uint64_t> keys;
  Moves ring;
  Moves mod_n;
};

/// By from and to.
using FlowMap = std::map<std::pair<std::string, std::string>, Flow>;

/// One scheme before and after, and its exact movement.
template <class Scheme>
struct Difference {
  const Scheme& before;
  const Scheme& after;
  double share = 0;
  std::optional<FlowMap> flows;  ///< Nothing if there are too many.
};

template <class Hash>
Difference<Ring<Hash>> compare(const Ring<Hash>& before, const Ring<Hash>& after) {
  const auto moved = clockwise::movement(before, after);
  Difference<Ring<Hash>> result{before, after, moved.fraction(), FlowMap{}};
  for (const auto& [arc, from, to] : moved.transfers()) {
    (*result.flows)[{from, to}].share += arc.fraction();
    if (result.flows->size() > most_pairs) {
      result.flows.reset();
      break;
    }
  }
  return result;
}

template <class Hash>
using Modulo = clockwise::ModN<Hash, std::string>;

template <class Hash>
Difference<Modulo<Hash>> compare(const Modulo<Hash>& before, const Modulo<Hash>& after) {
  const auto moved = clockwise::movement(before, after);
  Difference<Modulo<Hash>> result{before, after, moved.fraction(), std::nullopt};
  if (moved.moved > most_pairs) return result;
  result.flows.emplace();
  // Of the residues modulo lcm(N, M), one is i modulo N and j modulo M if gcd(N, M) divides their
  // difference; otherwise none is.
  const std::size_t common = std::gcd(before.size(), after.size());
  const double share = 1 / static_cast<double>(moved.residues);
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = i % common; j < after.size(); j += common) {
      if (before.node(i) != after.node(j)) {
        (*result.flows)[{before.node(i), after.node(j)}].share = share;
      }
    }
  }
  return result;
}

/// Counts the keys that move.
template <class Scheme>
class KeyCount {
 public:
  explicit KeyCount(Difference<Scheme> comparison)
      : comparison_(std::move(comparison)), movement_(comparison_.before, comparison_.after) {}

  void observe(clockwise::Position key) {
    if (comparison_.flows) {
      movement_.observe(key);
    } else if (comparison_.before.lookup(key) != comparison_.after.lookup(key)) {
      ++moved_;  // without sender and receiver, so that memory does not grow with the keys
    }
  }

  Moves take() && {
    Moves moves{comparison_.share, movement_.moved() + moved_, std::nullopt};
    if (!comparison_.flows) return moves;
    for (const auto& flow : movement_.flows()) {
      (*comparison_.flows)[{flow.from, flow.to}].keys += flow.keys;
    }
    moves.flows.emplace();
    for (auto& [pair, flow] : *comparison_.flows) {
      moves.flows->push_back({pair.first, pair.second, flow.share, flow.keys});
    }
    std::stable_sort(moves.flows->begin(), moves.flows->end(), [](const Flow& a, const Flow& b) {
      return std::tie(a.share, a.keys) > std::tie(b.share, b.keys);
    });
    return moves;
  }

 private:
  Difference<Scheme> comparison_;
  clockwise::KeyMovement<Scheme, Scheme> movement_;
  std::uint64_t moved_ = 0;
};

template <class AnyRing>
double total_weight(const AnyRing& ring) {
  double total = 0;
  for (const auto& member : ring.members()) total += member.weight;
  return total;
}

template <class AnyRing>
Changes changes_of(const AnyRing& before, const AnyRing& after) {
  Changes changes;
  const double total_before = total_weight(before);
  const double total_after = total_weight(after);
  for (const auto& member : before.members()) {
    if (!after.contains(member.node)) changes.left.push_back(member.node);
  }
  for (const auto& member : after.members()) {
    double had = 0;
    if (const auto index = before.index_of(member.node); index == AnyRing::npos) {
      changes.joined.push_back(member.node);
    } else {
      had = before.members()[index].weight;
      if (had != member.weight) changes.reweighted.push_back({member.node, had, member.weight});
    }
    changes.ideal += (std::max)(0.0, member.weight / total_after - had / total_before);
  }
  return changes;
}

/// mod N has no weights: nodes that are not drained count alike.
template <class Hash>
Modulo<Hash> modulo_of(const Ring<Hash>& ring) {
  Modulo<Hash> modulo(ring.hash());
  for (const auto& member : ring.members()) {
    if (member.vnodes > 0) modulo.add(member.node);
  }
  return modulo;
}

template <class Hash>
Diff make_diff(const DiffOptions& options, const Fleet& fleet_before, const Fleet& fleet_after,
               const Hash& hash) {
  const auto before = make_ring(fleet_before, options.placement, hash);
  const auto after = make_ring(fleet_after, options.placement, hash);
  const auto modulo_before = modulo_of(before);
  const auto modulo_after = modulo_of(after);
  KeyCount ring(compare(before, after));
  KeyCount modulo(compare(modulo_before, modulo_after));

  Diff diff;
  diff.before = {fleet_before.name, before.size(), before.vnode_count()};
  diff.after = {fleet_after.name, after.size(), after.vnode_count()};
  diff.changes = changes_of(before, after);
  if (!options.keys.empty()) {
    Keys keys(options.keys, true);
    for (std::string_view key; keys.next(key);) {
      const auto position = before.position_of(key);
      ring.observe(position);
      modulo.observe(position);
    }
    diff.keys = keys.count();
  }
  diff.ring = std::move(ring).take();
  diff.mod_n = std::move(modulo).take();
  return diff;
}

// --- Text ---------------------------------------------------------------------------------------

/// Prints as many names as fit on one line.
void print_list(Output& out, std::string_view heading, const std::vector<std::string>& names) {
  if (names.empty()) return;
  constexpr std::size_t enough = 66;
  std::string line = padded(std::string(heading), 9);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0 && columns(line) + columns(names[i]) > enough) {
      line += " and " + grouped(names.size() - i) + " more";
      break;
    }
    line += (i > 0 ? ", " : "") + names[i];
  }
  out << line << "\n";
}

void print_flows(Output& out, std::string_view scheme, const Moves& moves,
                 const DiffOptions& options) {
  out << "\n" << scheme << ", by sender and receiver\n";
  if (!moves.flows) {
    out << "  More than " << grouped(most_pairs)
        << " pairs of nodes exchange keys: too many to list.\n";
    return;
  }
  if (moves.flows->empty()) {
    out << "  Nothing moves.\n";
    return;
  }
  std::vector<std::string> headings{"from", "to", ">share"};
  if (!options.keys.empty()) headings.push_back(">keys");
  Table table(std::move(headings));
  const std::size_t shown_flows = static_cast<std::size_t>(
      (std::min)(options.top, static_cast<std::uint64_t>(moves.flows->size())));
  const int decimals = percent_decimals(moves.flows->front().share);
  for (std::size_t i = 0; i < shown_flows; ++i) {
    const Flow& flow = (*moves.flows)[i];
    std::vector<std::string> cells{shown(flow.from), shown(flow.to), percent(flow.share, decimals)};
    if (!options.keys.empty()) cells.push_back(grouped(flow.keys));
    table.add(std::move(cells), {flow.share, std::nullopt});
  }
  table.print(out);
  if (shown_flows < moves.flows->size()) {
    out << "  and " << counted(moves.flows->size() - shown_flows, "more pair")
        << ": --top all shows them\n";
  }
}

void print_text(const Diff& diff, const DiffOptions& options) {
  Output out;
  const auto change = [](std::uint64_t before, std::uint64_t after) {
    return grouped(before) + " -> " + grouped(after);
  };
  out << diff.before.name << " -> " << diff.after.name << "\n"
      << "nodes    " << change(diff.before.nodes, diff.after.nodes) << "\n"
      << "vnodes   " << change(diff.before.positions, diff.after.positions) << ", "
      << hash_name(options.placement) << "\n";
  const auto shown_names = [](const std::vector<std::string>& ids) {
    std::vector<std::string> names;
    for (const std::string& id : ids) names.push_back(shown(id));
    return names;
  };
  print_list(out, "joined", shown_names(diff.changes.joined));
  print_list(out, "left", shown_names(diff.changes.left));
  std::vector<std::string> weights;
  for (const WeightChange& node : diff.changes.reweighted) {
    weights.push_back(shown(node.id) + ' ' + exact(node.before) + " -> " + exact(node.after));
  }
  print_list(out, "weight", weights);
  out << "\n";

  std::vector<std::string> headings{"moves", ">key space"};
  if (diff.keys) {
    headings.push_back(">of keys");
    headings.push_back(">keys");
  }
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
  print_flows(out, "Ring", diff.ring, options);
  print_flows(out, "mod N", diff.mod_n, options);
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

Json json_of(const Side& side) {
  return {{"fleet", json_value(side.name)}, {"nodes", side.nodes}, {"positions", side.positions}};
}

Json json_of(const std::vector<std::string>& ids) {
  Json list = Json::array();
  for (const std::string& id : ids) list.push_back(json_value(id));
  return list;
}

void print_json(const Diff& diff, const DiffOptions& options) {
  const auto keys = [&](std::uint64_t count) { return diff.keys ? Json(count) : Json(); };
  const auto moves_of = [&](const Moves& moves) {
    Json flows;
    if (moves.flows) flows = Json::array();
    for (const Flow& flow : moves.flows.value_or(std::vector<Flow>{})) {
      flows.push_back({{"from", json_value(flow.from)},
                       {"to", json_value(flow.to)},
                       {"share", flow.share},
                       {"keys", keys(flow.keys)}});
    }
    return Json{{"share", moves.share}, {"keys", keys(moves.keys)}, {"flows", std::move(flows)}};
  };
  Json reweighted = Json::array();
  for (const WeightChange& node : diff.changes.reweighted) {
    reweighted.push_back(
        {{"id", json_value(node.id)}, {"before", node.before}, {"after", node.after}});
  }
  const Json document{{"hash", hash_name(options.placement)},
                      {"vnodes", options.placement.vnodes},
                      {"before", json_of(diff.before)},
                      {"after", json_of(diff.after)},
                      {"joined", json_of(diff.changes.joined)},
                      {"left", json_of(diff.changes.left)},
                      {"reweighted", std::move(reweighted)},
                      {"keys", keys(diff.keys.value_or(0))},
                      {"ideal", diff.changes.ideal},
                      {"ring", moves_of(diff.ring)},
                      {"mod_n", moves_of(diff.mod_n)}};
  print_document(document);
}

void run_diff(const DiffOptions& options) {
  auto inputs = options.keys.files;
  inputs.push_back(options.before);
  inputs.push_back(options.after);
  check_one_standard_input(inputs);

  const Fleet before = read_fleet(options.before);
  const Fleet after = read_fleet(options.after);
  const std::string& scheme_after =
      options.scheme_after.empty() ? options.scheme : options.scheme_after;
  if (options.scheme != own_scheme || scheme_after != own_scheme) {
    print_engine_diff({{before, options.scheme},
                       {after, scheme_after},
                       options.keys,
                       options.placement,
                       options.format,
                       options.top});
    return;
  }
  Diff diff;
  with_hash(options.placement, [&](auto hash) { diff = make_diff(options, before, after, hash); });
  print_as(
      options.format, [&] { print_text(diff, options); }, [&] { print_csv(diff); },
      [&] { print_json(diff, options); });
}

}  // namespace

void add_diff(CLI::App& app) {
  auto* const command =
      app.add_subcommand("diff", "Show what a change moves, on a ring and under mod N");
  const auto options = std::make_shared<DiffOptions>();
  add_change_arguments(*command, options->before, options->after);
  add_key_options(*command, options->keys);
  add_placement_options(*command, options->placement);
  add_scheme_option(*command, "--scheme",
                    "Placement: clockwise, or an engine listed below\n"
                    "[clockwise]",
                    options->scheme);
  add_scheme_option(*command, "--scheme-after", "Placement of AFTER, if different",
                    options->scheme_after);
  command
      ->add_option_function<std::string>(
          "--top",
          [options](const std::string& text) {
            options->top = text == "all" ? all_pairs : parse_count(text, "--top", 0, all_pairs);
          },
          "Pairs of nodes to show in text, or all [20]")
      ->type_name("N");
  add_format_option(*command, options->format);
  command->footer(
      R"(The key space is compared exactly. If keys are given, those that move are counted
too. mod N is hash(key) mod N with the same hash and the nodes numbered in the
order of their ids. It leaves out nodes of weight 0 and ignores other weights.

  ringctl diff before.csv after.csv
  ringctl diff before.csv after.csv keys.txt --format json
  find /srv -print0 | ringctl diff before.csv after.csv -0 -
  ringctl diff now.csv now.csv keys.txt --scheme ketama --scheme-after clockwise

Other schemes are compared without mod N, and only over the keys if the two
circles differ.

)" + std::string(scheme_help));
  command->callback([options, command] {
    check_placement_options(
        *command,
        {options->scheme, options->scheme_after.empty() ? options->scheme : options->scheme_after});
    run_diff(*options);
  });
}

}  // namespace ringctl
