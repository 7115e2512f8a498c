// SPDX-License-Identifier: MIT
#include "model/placed_fleet.hpp"

namespace ringctl {

Arcs make_arcs(std::uint64_t circle, const std::vector<std::string>& nodes,
               const std::vector<std::vector<std::uint64_t>>& tokens) {
  Arcs arcs{circle, {}};
  arcs.ring.update([&](auto& edit) {
    for (std::size_t i = 0; i < nodes.size(); ++i) edit.add(nodes[i], {}, tokens[i]);
  });
  return arcs;
}

}  // namespace ringctl
