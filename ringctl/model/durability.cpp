// SPDX-License-Identifier: MIT
#include "model/durability.hpp"

#include <algorithm>
#include <clockwise/durability.hpp>
#include <utility>

#include "model/error.hpp"
#include "model/own_ring.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

using clockwise::Quorum;
using clockwise::ReplicaSets;
using clockwise::Replication;

void check_quorum(const char* option, std::optional<std::size_t> quorum, std::size_t replicas) {
  if (quorum && *quorum > replicas) {
    throw InputError(std::string(option) + " must be at most " + std::to_string(replicas) +
                     ", got " + std::to_string(*quorum));
  }
}

LossOdds odds_of(const ReplicaSets& sets, std::uint32_t vnodes, std::size_t failures) {
  LossOdds odds;
  odds.vnodes = vnodes;
  odds.sets = sets.distinct;
  odds.scatter_width = sets.scatter_width();
  odds.fewest_sets = sets.fewest_sets(odds.scatter_width);
  odds.loss = sets.loss(failures);
  if (odds.loss.value > 0) odds.loss_given_any = sets.expected_loss(failures) / odds.loss.value;
  return odds;
}

/// Returns the odds at other vnode counts, powers of 4 below the ring's own.
std::vector<LossOdds> other_odds(const Fleet& fleet, const Replication& replication,
                                 std::size_t failures) {
  std::vector<LossOdds> odds;
  if (fleet.has_tokens) return odds;
  for (const std::uint32_t vnodes : {1u, 4u, 16u, 64u, 256u}) {
    if (vnodes >= fleet.placement.vnodes) break;
    Fleet other = fleet;
    other.placement.vnodes = vnodes;
    with_ring(other, [&](const auto& ring) {
      odds.push_back(odds_of(clockwise::replica_sets(ring, replication), vnodes, failures));
    });
  }
  return odds;
}

/// More failures than nodes are a mistake, unless the number is the default.
std::size_t checked_failures(const DurabilityRequest& request, std::size_t nodes) {
  constexpr std::size_t usual = 3;
  if (!request.failures) return (std::min)(usual, nodes);
  if (*request.failures > nodes) {
    throw InputError("--failures must be at most " + grouped(nodes) +
                     ", the number of nodes that own data, got " + grouped(*request.failures));
  }
  return *request.failures;
}

template <class AnyRing>
std::vector<DomainFailure> domain_failures(const AnyRing& ring,
                                           const clockwise::DomainLosses& losses,
                                           const Quorum& quorum, const Replication& replication) {
  std::vector<DomainFailure> failures;
  for (const auto& domain : losses.domains) {
    std::vector<std::string> down;
    for (const auto& member : ring.members()) {
      if (member.datacenter == domain.datacenter &&
          (domain.rack.empty() || member.rack == domain.rack)) {
        down.push_back(member.node);
      }
    }
    failures.push_back({domain.datacenter, domain.rack, domain.nodes, domain.lost,
                        quorum.available(ring, down, replication)});
  }
  return failures;
}

}  // namespace

Durability durability_of(const Fleet& fleet, const DurabilityRequest& request) {
  const std::size_t r = request.replication.replicas;
  check_quorum("--read", request.reads, r);
  check_quorum("--write", request.writes, r);
  return with_ring(fleet, [&](const auto& ring) {
    const Spread spread = request.replication.spread.value_or(ring.default_spread());
    const Replication replication(r, spread);
    const ReplicaSets sets = clockwise::replica_sets(ring, replication);

    Durability result;
    result.placement = fleet.placement;
    result.has_tokens = fleet.has_tokens;
    result.failures = checked_failures(request, sets.nodes);
    result.spread = spread;
    const std::size_t majority = r / 2 + 1;
    const Quorum quorum{r, request.reads.value_or(majority), request.writes.value_or(majority)};
    result.quorum = {quorum.n,
                     quorum.r,
                     quorum.w,
                     quorum.reads_see_latest_write(),
                     quorum.read_failures(),
                     quorum.write_failures()};
    result.nodes = sets.nodes;
    result.positions = ring.vnode_count();
    result.sets = sets.distinct;
    result.possible_sets = sets.possible;
    result.expected_loss = sets.expected_loss(result.failures);
    result.odds = other_odds(fleet, replication, result.failures);
    result.odds.push_back(
        odds_of(sets, fleet.has_tokens ? 0 : fleet.placement.vnodes, result.failures));

    result.racks =
        domain_failures(ring, clockwise::rack_losses(ring, replication), quorum, replication);
    const bool any_datacenter =
        std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                    [](const FleetNode& node) { return !node.options.datacenter.empty(); });
    if (any_datacenter) {
      result.datacenters = domain_failures(ring, clockwise::datacenter_losses(ring, replication),
                                           quorum, replication);
    }
    const auto dead = dead_nodes(request.replication, fleet);
    result.dead = dead.size();
    result.dead_lost = 1 - Quorum{r, 1, 1}.available(ring, dead, replication).readable;
    result.dead_left = quorum.available(ring, dead, replication);
    return result;
  });
}

}  // namespace ringctl
