// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLAN_HPP
#define RINGCTL_MODEL_PLAN_HPP

#include <clockwise/migration.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.hpp"
#include "model/replication.hpp"

namespace ringctl {

using MigrationPlan = clockwise::MigrationPlan<std::string>;

/// The data to move and the means to move it.
struct PlanRequest {
  ReplicationOptions replication;
  double bytes = 0;                 ///< In one copy of all keys.
  double bytes_per_second = 125e6;  ///< Of one node's network card, each way.
  double throttle = 1;              ///< Share of that rate to use.
  double batch_bytes = 0;           ///< Maximum bytes per step; 0: whole arcs.
  bool from_replaced = false;       ///< Stream from the node being replaced.
};

/// The same change made one member at a time.
struct OneByOne {
  std::size_t changes = 0;
  double bytes = 0;
  double seconds = 0;
};

struct PlanSide {
  std::string name;       ///< The fleet's.
  std::size_t nodes = 0;  ///< Without drained nodes.
};

/// What `ringctl plan` prints.
struct PlanReport {
  PlanRequest request;
  Placement placement;  ///< Before.
  PlanSide before;
  PlanSide after;
  double stored = 0;  ///< Bytes in all copies together, after the change.
  double moved = 0;   ///< Bytes.
  double lost = 0;    ///< Bytes that have no live copy.
  double seconds = 0;
  std::optional<std::string> critical;  ///< The node that limits the plan; nothing if none moves.
  MigrationPlan plan;
  std::vector<MigrationPlan::NodeLoad> nodes;  ///< The slowest first.
  std::optional<OneByOne>
      one_by_one;  ///< Of 2 to 32 changes, if no node is dead and vnodes place nodes.
  double mod_n_bytes = 0;
};

/// Plans the change of a fleet. Throws InputError for the fleets, and what the library throws for
/// the request.
PlanReport plan_of(const Fleet& before, const Fleet& after, const PlanRequest& request);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLAN_HPP
