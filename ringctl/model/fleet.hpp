// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_FLEET_HPP
#define RINGCTL_MODEL_FLEET_HPP

#include <clockwise/node.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ringctl {

/// One line of a fleet file.
struct FleetNode {
  std::string id;
  clockwise::NodeOptions options;
  std::map<std::string, std::string> traits;  ///< The fields that only engines read, by column.
  std::size_t line = 0;
};

struct Fleet {
  std::string name;              ///< The file's name for messages.
  std::vector<FleetNode> nodes;  ///< In file order.
};

/// Throws InputError, with the line, unless ids are unique and at least one weight is above 0.
void check_fleet(const Fleet& fleet);

/// Throws InputError with the node's line and `why`.
[[noreturn]] void fail_at(const Fleet& fleet, const FleetNode& node, const std::string& why);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_FLEET_HPP
