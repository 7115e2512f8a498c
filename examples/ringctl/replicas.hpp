// SPDX-License-Identifier: MIT
#ifndef RINGCTL_REPLICAS_HPP
#define RINGCTL_REPLICAS_HPP

#include <clockwise/replica_list.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "fleet.hpp"

namespace CLI {
class App;
}

namespace ringctl {

/// How many replicas a key has, how they are spread, and which nodes are down.
struct Replication {
  std::size_t replicas = 3;
  std::optional<clockwise::Spread> spread;  ///< By default racks, if any node names one.
  std::vector<std::string> dead;            ///< As given: "id,id".
};

/// Adds --replicas, --spread and --dead.
void add_replication_options(CLI::App& app, Replication& replication);

/// Returns the ids of --dead. Each value is read as a line of CSV, so that an id can contain a
/// comma. Throws InputError if an id is not in the fleet.
std::unordered_set<std::string> dead_nodes(const Replication& replication, const Fleet& fleet);

}  // namespace ringctl

#endif  // RINGCTL_REPLICAS_HPP
