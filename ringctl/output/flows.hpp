// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_FLOWS_HPP
#define RINGCTL_OUTPUT_FLOWS_HPP

#include <cstdint>
#include <vector>

#include "model/flow.hpp"
#include "output/json.hpp"
#include "output/text_output.hpp"

namespace ringctl {

/// Which columns a table of flows has.
struct FlowColumns {
  bool share;
  bool keys;
  int share_decimals = 2;
};

/// Prints a table of the `top` largest flows, and the number of the others.
void print_flows(TextOutput& out, const std::vector<Flow>& flows, const FlowColumns& columns,
                 std::uint64_t top);

/// Returns an array of flows; an unknown column is null.
Json flows_json(const std::vector<Flow>& flows, bool share, bool keys);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_FLOWS_HPP
