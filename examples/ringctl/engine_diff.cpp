// SPDX-License-Identifier: MIT
#include "engine_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "error.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

struct Flow {
  std::string from;
  std::string to;
  double share = 0;  ///< Of the key space, if known.
  std::uint64_t keys = 0;
};

struct Result {
  std::size_t nodes_before = 0;
  std::size_t nodes_after = 0;
  std::optional<double> share;        ///< Of the key space.
  std::optional<std::uint64_t> keys;  ///< All of them, if any were given.
  std::uint64_t moved = 0;            ///< Of the keys.
  std::vector<Flow> flows;            ///< The largest first.
};

Result compared(const EngineDiff& request) {
  const auto before = make_engine(request.before.fleet, request.before.scheme, request.placement);
  const auto after = make_engine(request.after.fleet, request.after.scheme, request.placement);
  Result result;
  result.nodes_before = before->members().size();
  result.nodes_after = after->members().size();
  std::map<std::pair<std::string, std::string>, Flow> flows;
  const auto flow = [&](const std::string& from, const std::string& to) -> Flow& {
    Flow& found = flows[{from, to}];
    found.from = from;
    found.to = to;
    return found;
  };

  if (const auto moved = before->movement_to(*after)) {
    result.share = moved->fraction();
    for (const auto& [arc, from, to] : moved->transfers()) flow(from, to).share += arc.fraction();
  } else if (request.keys.empty()) {
    throw InputError(request.before.scheme + " and " + request.after.scheme +
                     " use different circles: give keys to count");
  }
  if (!request.keys.empty()) {
    Keys keys(request.keys, true);
    for (std::string_view key; keys.next(key);) {
      const std::string& from = before->lookup(key);
      const std::string& to = after->lookup(key);
      if (from == to) continue;
      ++result.moved;
      ++flow(from, to).keys;
    }
    result.keys = keys.count();
  }

  for (auto& [pair, found] : flows) result.flows.push_back(std::move(found));
  std::stable_sort(result.flows.begin(), result.flows.end(), [](const Flow& a, const Flow& b) {
    return a.share != b.share ? a.share > b.share : a.keys > b.keys;
  });
  return result;
}

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  return percent(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole));
}

void print_text(const EngineDiff& request, const Result& result) {
  Output out;
  const auto side = [](const EngineSide& s) { return s.fleet.name + " (" + s.scheme + ")"; };
  out << side(request.before) << " -> " << side(request.after) << "\n"
      << "nodes    " << grouped(result.nodes_before) << " -> " << grouped(result.nodes_after)
      << "\n";
  if (result.share) out << "moves    " << percent(*result.share) << " of the key space\n";
  if (result.keys) {
    out << "keys     " << grouped(result.moved) << " of " << grouped(*result.keys) << " move ("
        << share_of(result.moved, *result.keys) << ")\n";
  }
  if (result.flows.empty()) {
    out << "\nNothing moves.\n";
    out.flush();
    return;
  }
  std::vector<std::string> headings{"from", "to"};
  if (result.share) headings.push_back(">share");
  if (result.keys) headings.push_back(">keys");
  Table table(std::move(headings));
  const auto rows = static_cast<std::size_t>(
      (std::min)(request.top, static_cast<std::uint64_t>(result.flows.size())));
  for (std::size_t i = 0; i < rows; ++i) {
    const Flow& flow = result.flows[i];
    std::vector<std::string> cells{shown(flow.from), shown(flow.to)};
    if (result.share) cells.push_back(percent(flow.share));
    if (result.keys) cells.push_back(grouped(flow.keys));
    table.add(std::move(cells),
              {result.share ? flow.share : static_cast<double>(flow.keys), std::nullopt});
  }
  out << "\n";
  table.print(out);
  if (rows < result.flows.size()) {
    out << "  and " << counted(result.flows.size() - rows, "more pair")
        << ": --top all shows them\n";
  }
  out.flush();
}

void print_csv(const Result& result) {
  Output out;
  out << "from,to,share,keys\n";
  for (const Flow& flow : result.flows) {
    out << csv_field(flow.from) << "," << csv_field(flow.to) << ","
        << (result.share ? exact(flow.share) : "") << ","
        << (result.keys ? std::to_string(flow.keys) : "") << "\n";
  }
  out.flush();
}

void print_json(const EngineDiff& request, const Result& result) {
  const auto side = [](const EngineSide& s, std::size_t nodes) {
    return Json{{"fleet", json_value(s.fleet.name)}, {"scheme", s.scheme}, {"nodes", nodes}};
  };
  Json flows = Json::array();
  for (const Flow& flow : result.flows) {
    flows.push_back({{"from", json_value(flow.from)},
                     {"to", json_value(flow.to)},
                     {"share", result.share ? Json(flow.share) : Json()},
                     {"keys", result.keys ? Json(flow.keys) : Json()}});
  }
  const Json document{{"before", side(request.before, result.nodes_before)},
                      {"after", side(request.after, result.nodes_after)},
                      {"share", result.share ? Json(*result.share) : Json()},
                      {"keys", result.keys ? Json(*result.keys) : Json()},
                      {"moved", result.keys ? Json(result.moved) : Json()},
                      {"flows", std::move(flows)}};
  print_document(document);
}

}  // namespace

void print_engine_diff(const EngineDiff& request) {
  const Result result = compared(request);
  print_as(
      request.format, [&] { print_text(request, result); }, [&] { print_csv(result); },
      [&] { print_json(request, result); });
}

}  // namespace ringctl
