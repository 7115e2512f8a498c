// SPDX-License-Identifier: MIT
#include "output/scheme_diff.hpp"

#include <string>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/flows.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"

namespace ringctl {

namespace {

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  return percent(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole));
}

void print_text(const SchemeDiff& diff, std::uint64_t top) {
  TextOutput out;
  const auto side = [](const SchemeSide& s) { return s.fleet + " (" + s.scheme + ")"; };
  out << side(diff.before) << " -> " << side(diff.after) << "\n"
      << "nodes    " << grouped(diff.before.nodes) << " -> " << grouped(diff.after.nodes) << "\n";
  if (diff.rebalanced) {
    out << "slots    after redis-cli --cluster rebalance --cluster-use-empty-masters\n";
  }
  if (diff.share) out << "moves    " << percent(*diff.share) << " of the key space\n";
  if (diff.keys) {
    out << "keys     " << grouped(diff.moved) << " of " << grouped(*diff.keys) << " move ("
        << share_of(diff.moved, *diff.keys) << ")\n";
  }
  out << "\n";
  if (diff.flows.empty()) {
    out << "Nothing moves.\n";
  } else {
    print_flows(out, diff.flows, {diff.share.has_value(), diff.keys.has_value()}, top);
  }
  out.flush();
}

void print_csv(const SchemeDiff& diff) {
  Output out;
  out << "from,to,share,keys\n";
  for (const Flow& flow : diff.flows) {
    out << csv_field(flow.from) << "," << csv_field(flow.to) << ","
        << (diff.share ? exact(flow.share) : "") << ","
        << (diff.keys ? std::to_string(flow.keys) : "") << "\n";
  }
  out.flush();
}

void print_json(const SchemeDiff& diff) {
  const auto side = [](const SchemeSide& s) {
    return Json{{"fleet", json_value(s.fleet)}, {"scheme", s.scheme}, {"nodes", s.nodes}};
  };
  print_document(
      {{"before", side(diff.before)},
       {"after", side(diff.after)},
       {"rebalanced", diff.rebalanced},
       {"share", diff.share ? Json(*diff.share) : Json()},
       {"keys", diff.keys ? Json(*diff.keys) : Json()},
       {"moved", diff.keys ? Json(diff.moved) : Json()},
       {"flows", flows_json(diff.flows, diff.share.has_value(), diff.keys.has_value())}});
}

}  // namespace

void print_scheme_diff(const SchemeDiff& diff, Format format, std::uint64_t top) {
  print_as(
      format, [&] { print_text(diff, top); }, [&] { print_csv(diff); }, [&] { print_json(diff); });
}

}  // namespace ringctl
