// SPDX-License-Identifier: MIT
#include "model/plan.hpp"

#include <algorithm>
#include <clockwise/theory.hpp>

#include "model/own_ring.hpp"

namespace ringctl {

namespace {

/// With more changes, "one by one" is not computed: each change needs a ring.
constexpr std::size_t most_changes = 32;

template <class AnyRing>
std::size_t owning_nodes(const AnyRing& ring) {
  std::size_t count = 0;
  for (const auto& member : ring.members()) count += member.vnodes > 0 ? 1u : 0u;
  return count;
}

template <class AnyRing>
std::size_t changes_between(const AnyRing& before, const AnyRing& after) {
  std::size_t changes = 0;
  for (const auto& member : before.members()) changes += after.contains(member.node) ? 0u : 1u;
  for (const auto& member : after.members()) {
    const auto index = before.index_of(member.node);
    changes += index == AnyRing::npos || before.members()[index].weight != member.weight ? 1u : 0u;
  }
  return changes;
}

clockwise::MigrationOptions migration_options(const PlanRequest& request) {
  clockwise::MigrationOptions options;
  options.replicas = replication_of(request.replication);
  options.bytes = request.bytes;
  options.bytes_per_second = request.bytes_per_second;
  options.throttle = request.throttle;
  options.batch_bytes = request.batch_bytes;
  if (request.from_replaced) options.stream_from = clockwise::StreamFrom::replaced;
  return options;
}

/// Returns the number of copies of each key that the ring can store.
template <class AnyRing>
std::size_t copies_on(const AnyRing& ring, const ReplicationOptions& replication) {
  return ring.preference_list("", replication_of(replication)).size();
}

}  // namespace

PlanReport plan_of(const Fleet& fleet_before, const Fleet& fleet_after,
                   const PlanRequest& request) {
  return with_rings(fleet_before, fleet_after, [&](const auto& before, const auto& after) {
    const auto options = migration_options(request);
    const auto dead = dead_nodes(request.replication, fleet_before);
    const auto can_send = [&](const std::string& node) { return !dead.contains(node); };

    PlanReport report;
    report.request = request;
    report.placement = fleet_before.placement;
    report.before = {fleet_before.name, owning_nodes(before)};
    report.after = {fleet_after.name, owning_nodes(after)};
    report.plan = clockwise::plan_migration(before, after, options, can_send);
    report.moved = report.plan.bytes();
    report.lost = report.plan.lost_bytes();
    report.seconds = report.plan.seconds();
    if (const auto critical = report.plan.critical()) report.critical = critical->node;
    report.stored = request.bytes * static_cast<double>(copies_on(after, request.replication));
    report.mod_n_bytes =
        report.stored * clockwise::theory::mod_n_movement(report.before.nodes, report.after.nodes);
    report.nodes = report.plan.nodes();
    std::stable_sort(report.nodes.begin(), report.nodes.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });

    const std::size_t changes = changes_between(before, after);
    // Tokens do not imply an order of changes.
    if constexpr (requires { clockwise::plan_one_by_one(before, after, options); }) {
      if (changes > 1 && changes <= most_changes && dead.empty()) {
        OneByOne sum{changes, 0, 0};
        for (const auto& plan : clockwise::plan_one_by_one(before, after, options)) {
          sum.bytes += plan.bytes();
          sum.seconds += plan.seconds();
        }
        report.one_by_one = sum;
      }
    }
    return report;
  });
}

}  // namespace ringctl
