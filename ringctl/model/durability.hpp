// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_DURABILITY_HPP
#define RINGCTL_MODEL_DURABILITY_HPP

#include <clockwise/durability.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.hpp"
#include "model/replication.hpp"

namespace ringctl {

struct DurabilityRequest {
  ReplicationOptions replication;
  std::optional<std::size_t> failures;  ///< Random nodes that fail at once; 3, or all, by default.
  std::optional<std::size_t> reads;     ///< A majority by default.
  std::optional<std::size_t> writes;    ///< A majority by default.
};

/// The probability of loss at one vnode count.
struct LossOdds {
  std::uint32_t vnodes = 0;  ///< At weight 1; 0 for tokens.
  std::uint64_t sets = 0;    ///< Distinct replica sets.
  double scatter_width = 0;
  double fewest_sets = 0;
  clockwise::LossProbability loss;
  double loss_given_any = 0;  ///< The share of the key space lost, if any is.
};

/// The numbers of replicas that a read queries and a write waits for.
struct QuorumReport {
  std::size_t replicas = 0;
  std::size_t reads = 0;
  std::size_t writes = 0;
  bool reads_see_latest_write = false;
  std::size_t read_failures = 0;  ///< How many of a key's nodes can be down for reads.
  std::size_t write_failures = 0;
};

/// A rack or datacenter that fails as a whole.
struct DomainFailure {
  std::string datacenter;
  std::string rack;  ///< Empty for a datacenter, and for nodes without a rack.
  std::size_t nodes = 0;
  double lost = 0;  ///< Share of the key space.
  clockwise::Availability left;
};

/// What `ringctl durability` prints.
struct Durability {
  Placement placement;
  bool has_tokens = false;  ///< Tokens place the nodes, not vnodes by weight.
  std::size_t failures = 0;
  Spread spread = Spread::nodes;
  QuorumReport quorum;
  std::size_t nodes = 0;  ///< With data.
  std::size_t positions = 0;
  std::uint64_t sets = 0;
  std::uint64_t possible_sets = 0;
  double expected_loss = 0;    ///< For any vnode count.
  std::vector<LossOdds> odds;  ///< The ring's own vnode count comes last, for tokens alone.
  std::vector<DomainFailure> racks;
  std::vector<DomainFailure> datacenters;  ///< Empty unless a node names one.
  std::size_t dead = 0;
  double dead_lost = 0;  ///< With the dead nodes down.
  clockwise::Availability dead_left;
};

/// Computes what node and rack failures cost. Throws InputError.
Durability durability_of(const Fleet& fleet, const DurabilityRequest& request);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_DURABILITY_HPP
