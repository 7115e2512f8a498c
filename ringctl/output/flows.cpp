// SPDX-License-Identifier: MIT
#include "output/flows.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "model/text.hpp"
#include "output/table.hpp"

namespace ringctl {

void print_flows(TextOutput& out, const std::vector<Flow>& flows, const FlowColumns& columns,
                 std::uint64_t top) {
  std::vector<std::string> headings{"from", "to"};
  if (columns.share) headings.push_back(">share");
  if (columns.keys) headings.push_back(">keys");
  Table table(std::move(headings));
  const auto rows =
      static_cast<std::size_t>((std::min)(top, static_cast<std::uint64_t>(flows.size())));
  for (std::size_t i = 0; i < rows; ++i) {
    const Flow& flow = flows[i];
    std::vector<std::string> cells{flow.from, flow.to};
    if (columns.share) cells.push_back(percent(flow.share, columns.share_decimals));
    if (columns.keys) cells.push_back(grouped(flow.keys));
    table.add(std::move(cells),
              {columns.share ? flow.share : static_cast<double>(flow.keys), std::nullopt});
  }
  table.print(out);
  if (rows < flows.size()) {
    out << "  and " << counted(flows.size() - rows, "more pair") << ": --top all shows them\n";
  }
}

Json flows_json(const std::vector<Flow>& flows, bool share, bool keys) {
  Json list = Json::array();
  for (const Flow& flow : flows) {
    list.push_back({{"from", json_value(flow.from)},
                    {"to", json_value(flow.to)},
                    {"share", share ? Json(flow.share) : Json()},
                    {"keys", keys ? Json(flow.keys) : Json()}});
  }
  return list;
}

}  // namespace ringctl
