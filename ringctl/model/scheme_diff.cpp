// SPDX-License-Identifier: MIT
#include "model/scheme_diff.hpp"

#include <clockwise/movement.hpp>
#include <string_view>

#include "model/error.hpp"
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

}  // namespace

SchemeDiff scheme_diff_of(const Fleet& fleet_before, const std::string& scheme_before,
                          const Fleet& fleet_after, const std::string& scheme_after,
                          const Placement& placement, const NextKey& next_key) {
  const auto before = place(fleet_before, scheme_before, placement);
  const auto after = place(fleet_after, scheme_after, placement);
  SchemeDiff diff;
  diff.before = {fleet_before.name, scheme_before, before->members().size()};
  diff.after = {fleet_after.name, scheme_after, after->members().size()};
  Flows flows;
  const auto arcs_before = before->arcs();
  const auto arcs_after = after->arcs();
  if (arcs_before && arcs_after && arcs_before->circle == arcs_after->circle) {
    diff.share = add_shares(*arcs_before, *arcs_after, flows);
  } else if (!next_key) {
    const std::string why = !arcs_before ? scheme_before + " has no circle"
                            : !arcs_after
                                ? scheme_after + " has no circle"
                                : scheme_before + " and " + scheme_after + " use different circles";
    throw InputError(why + ": give keys to count");
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
