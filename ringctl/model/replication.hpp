// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_REPLICATION_HPP
#define RINGCTL_MODEL_REPLICATION_HPP

#include <clockwise/replication.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/fleet.hpp"

namespace ringctl {

using clockwise::Spread;

/// How many replicas a key has, how they are spread, and which nodes are down.
struct ReplicationOptions {
  std::size_t replicas = 3;
  std::optional<Spread> spread;   ///< By default racks, if any node names one.
  std::vector<std::string> dead;  ///< Ids.
};

/// Returns replicas and spread as the library takes them.
clockwise::Replication replication_of(const ReplicationOptions& options);

/// Returns the spread as --spread takes it: "nodes", "racks", "racks_only".
std::string_view spread_name(Spread spread);
/// Returns the spread with that name; nothing if no spread has it.
std::optional<Spread> spread_of(std::string_view name);

using DeadNodes = std::unordered_set<std::string>;

/// Returns the dead nodes. Throws InputError if one is not in the fleet.
DeadNodes dead_nodes(const ReplicationOptions& options, const Fleet& fleet);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_REPLICATION_HPP
