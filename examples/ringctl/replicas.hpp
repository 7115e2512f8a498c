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

/// How many copies of a key there are, where, and which nodes are down.
struct Replication {
  std::size_t replicas = 3;
  std::optional<clockwise::Spread> spread;  ///< Else racks where any node names one.
  std::vector<std::string> dead;            ///< As given: "id,id".
};

/// Adds --replicas, --spread and --dead.
void add_replication_options(CLI::App& app, Replication& replication);

/// The ids that --dead names: each value is a line of a CSV file, so that an id may hold a comma.
/// Throws InputError for one that is not in the fleet.
std::unordered_set<std::string> dead_nodes(const Replication& replication, const Fleet& fleet);

}  // namespace ringctl

#endif  // RINGCTL_REPLICAS_HPP
