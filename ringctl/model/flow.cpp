// SPDX-License-Identifier: MIT
#include "model/flow.hpp"

#include <algorithm>
#include <tuple>

namespace ringctl {

std::vector<Flow> Flows::sorted() const {
  std::vector<Flow> flows;
  flows.reserve(flows_.size());
  for (const auto& [pair, flow] : flows_) flows.push_back(flow);
  std::stable_sort(flows.begin(), flows.end(), [](const Flow& a, const Flow& b) {
    return std::tie(a.share, a.keys) > std::tie(b.share, b.keys);
  });
  return flows;
}

}  // namespace ringctl
