// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_FLEET_HPP
#define RINGCTL_MODEL_FLEET_HPP

#include <clockwise/node.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/placement.hpp"

namespace ringctl {

/// One node of a fleet file.
struct FleetNode {
  std::string id;
  clockwise::NodeOptions options;
  std::map<std::string, std::string> traits;  ///< The fields that only engines read, by column.
  std::vector<std::uint64_t> tokens;          ///< Of a token ring.
  std::size_t line = 0;                       ///< In the file; 0 if it has no lines.
};

/// A fleet in any form that ringctl reads, and how its keys are placed.
struct Fleet {
  std::string name;              ///< The file's name for messages.
  std::vector<FleetNode> nodes;  ///< In file order.
  Placement placement;
  bool names_placement = false;  ///< The file itself says how keys are placed.
  bool has_tokens = false;       ///< A token ring: tokens place the nodes, not vnodes.
};

/// Throws InputError, with the line, unless ids are unique.
void check_ids(const Fleet& fleet);

/// Throws InputError if no node has a weight above 0.
void check_owns(const Fleet& fleet);

/// Throws InputError with the node's line and `why`.
[[noreturn]] void fail_at(const Fleet& fleet, const FleetNode& node, const std::string& why);

/// Returns the mean weight of the nodes that are not drained; 1 if all are.
double mean_weight(const Fleet& fleet);
/// Divides every weight by `unit`, as clockwise::relative_weights does. Throws InputError if a
/// quotient is out of range.
void scale_weights(Fleet& fleet, double unit);

/// Suggests the node's id that `id` most likely means, as did_you_mean does.
std::string did_you_mean_node(const Fleet& fleet, std::string_view id);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_FLEET_HPP
