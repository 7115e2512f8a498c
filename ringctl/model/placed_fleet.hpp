// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLACED_FLEET_HPP
#define RINGCTL_MODEL_PLACED_FLEET_HPP

#include <clockwise/replication.hpp>
#include <clockwise/token_ring.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/replication.hpp"

namespace ringctl {

using Replicas = clockwise::ReplicaList<std::string>;

/// A key's owner, dead or not, and its preference list. Refers to nodes of the placed fleet.
struct Route {
  const std::string* owner;
  Replicas replicas;

  bool owner_is_dead() const { return replicas.empty() || &replicas.front() != owner; }
};

/// The arcs of a placement, comparable with those of any other on the same circle.
struct Arcs {
  std::uint64_t circle;  ///< Equal if and only if both place keys at the same positions.
  clockwise::TokenRing<clockwise::Xxh3, std::string, std::uint32_t> ring;
};

/// A fleet as a scheme places it, which is clockwise's own ring or another engine.
class PlacedFleet {
 public:
  struct Member {
    const std::string& node;
    double weight;
  };

  virtual ~PlacedFleet() = default;

  /// Returns the members in id order.
  virtual std::vector<Member> members() const = 0;

  /// Returns the key's owner, one of members().
  virtual const std::string& owner(std::string_view key) const = 0;

  virtual Spread default_spread() const = 0;

  /// Returns the owner and `replicas` nodes that are not dead. If nodes are dead, the scheme
  /// decides which nodes replace them: substitutes after the usual replicas, or the list of a fleet
  /// without the dead nodes. Throws InputError if the scheme does not support the spread.
  virtual Route route(std::string_view key, std::size_t replicas, Spread spread) const = 0;

  /// Returns a message about the dead nodes for the user; nothing for most schemes.
  virtual std::string note() const { return {}; }

  /// Returns the exact arcs; nothing if the scheme has no circle.
  virtual std::optional<Arcs> arcs() const { return std::nullopt; }
};

/// Builds the arcs of nodes whose tokens are the last positions of their arcs.
Arcs make_arcs(std::uint64_t circle, const std::vector<std::string>& nodes,
               const std::vector<std::vector<std::uint64_t>>& tokens);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLACED_FLEET_HPP
