// SPDX-License-Identifier: MIT
#include "model/scheme_diff.hpp"

#include <clockwise/movement.hpp>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "model/engines.hpp"
#include "model/error.hpp"
#include "model/redis_change.hpp"
#include "model/schemes.hpp"

namespace ringctl {

namespace {

/// Adds the exact shares to `flows` and returns their sum.
double add_shares(const Arcs& before, const Arcs& after, Flows& flows) {
  const auto moved = clockwise::movement(before.ring, after.ring);
  for (const auto& [arc, from, to] : moved.transfers()) {
    flows.between(from, to).share += arc.fraction();
  }
  return moved.fraction();
}

std::string without_circle(const Fleet& fleet, const std::string& scheme) {
  if (scheme == "redis") return fleet.name + ": some slots have no master";
  return scheme + " has no circle";
}

/// Redis moves slots from the placement of BEFORE; all other schemes place both fleets from
/// scratch.
RedisChange change_of(const Fleet& before, const Fleet& after) {
  try {
    return redis_change(before, after);
  } catch (const std::logic_error& error) {  // of the library
    throw InputError(before.name + " -> " + after.name + ": " + message_of(error));
  }
}

}  // namespace

SchemeDiff scheme_diff_of(const Fleet& fleet_before, const std::string& scheme_before,
                          const Fleet& fleet_after, const std::string& scheme_after,
                          const NextKey& next_key) {
  SchemeDiff diff;
  std::unique_ptr<PlacedFleet> before;
  std::unique_ptr<PlacedFleet> after;
  if (scheme_before == "redis" && scheme_after == "redis") {
    RedisChange change = change_of(fleet_before, fleet_after);
    diff.rebalanced = change.rebalanced;
    before = placed_slots(std::move(change.before));
    after = placed_slots(std::move(change.after));
  } else {
    before = place(fleet_before, scheme_before);
    after = place(fleet_after, scheme_after);
  }
  diff.before = {fleet_before.name, scheme_before, before->members().size()};
  diff.after = {fleet_after.name, scheme_after, after->members().size()};
  Flows flows;
  const auto arcs_before = before->arcs();
  const auto arcs_after = after->arcs();
  if (arcs_before && arcs_after && arcs_before->circle == arcs_after->circle) {
    diff.share = add_shares(*arcs_before, *arcs_after, flows);
  } else if (!next_key) {
    throw InputError((!arcs_before ? without_circle(fleet_before, scheme_before)
                      : !arcs_after
                          ? without_circle(fleet_after, scheme_after)
                          : scheme_before + " and " + scheme_after + " use different circles") +
                     ": give keys to count");
  }
  if (next_key) {
    std::uint64_t keys = 0;
    for (std::string_view key; next_key(key); ++keys) {
      const std::string& from = before->owner(key);
      const std::string& to = after->owner(key);
      if (from == to) continue;
      ++diff.moved;
      ++flows.between(from, to).keys;
    }
    diff.keys = keys;
  }
  diff.flows = flows.sorted();
  return diff;
}

}  // namespace ringctl
