// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLACED_RING_HPP
#define RINGCTL_MODEL_PLACED_RING_HPP

#include <clockwise/concepts.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/fleet.hpp"
#include "model/placed_fleet.hpp"

namespace ringctl {

/// Engines that place keys only by the nodes that are up offer without(names). Its answer is
/// theirs; a walk past the dead nodes is not.
template <class Scheme>
concept RebuiltWithoutDead =
    requires(const Scheme& scheme, const std::vector<std::string>& dead) { scheme.without(dead); };

/// nginx, which leaves the ring for round robin if it finds no server soon.
template <class Scheme>
concept UsesRoundRobin = requires(const Scheme& scheme, std::string_view key) {
  { scheme.uses_round_robin(key) } -> std::same_as<bool>;
};

/// Any partitioner of the library as a PlacedFleet; one that is not a ring has no racks and no
/// arcs.
template <class Scheme>
class PlacedRing final : public PlacedFleet {
 public:
  PlacedRing(Scheme scheme, const DeadNodes& dead, std::string note)
      : scheme_(std::move(scheme)), dead_(dead), note_(std::move(note)) {
    if constexpr (RebuiltWithoutDead<Scheme>) {
      if (dead_.empty()) return;
      without_dead_.emplace(scheme_.without(std::vector<std::string>(dead_.begin(), dead_.end())));
      for (const auto& member : without_dead_->members()) {
        nodes_.push_back(&scheme_.node(scheme_.index_of(member.node)));
      }
    }
  }

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& member : scheme_.members()) members.push_back({member.node, member.weight});
    return members;
  }
  const std::string& owner(std::string_view key) const override { return scheme_.lookup(key); }
  Spread default_spread() const override {
    if constexpr (!clockwise::Ring<Scheme>) return Spread::nodes;
    return scheme_.default_spread();
  }

  Route route(std::string_view key, std::size_t replicas, Spread spread) const override {
    if (!clockwise::Ring<Scheme> && spread != Spread::nodes) {
      throw InputError("--spread must be nodes for this scheme, which ignores racks");
    }
    const auto position = scheme_.position_of(key);
    const auto is_live = [this](const std::string& node) { return !dead_.contains(node); };
    if constexpr (UsesRoundRobin<Scheme>) {
      if (scheme_.uses_round_robin(key, is_live)) {  // the engine names no server
        return {&scheme_.lookup(position), Replicas(replicas)};
      }
    }
    if (dead_.empty()) {
      Route route{nullptr, scheme_.preference_list(position, replicas, spread)};
      route.owner = route.replicas.empty() ? &scheme_.lookup(position) : &route.replicas.front();
      return route;
    }
    if constexpr (RebuiltWithoutDead<Scheme>) {
      return {&scheme_.lookup(position), left_for(position, replicas, spread)};
    } else {
      return {&scheme_.lookup(position),
              scheme_.preference_list(position, replicas, spread, is_live)};
    }
  }

  std::string note() const override { return note_; }

  std::optional<Arcs> arcs() const override {
    if constexpr (clockwise::Ring<Scheme>) {
      std::vector<std::string> nodes;
      for (const auto& member : scheme_.members()) nodes.push_back(member.node);
      std::vector<std::vector<std::uint64_t>> tokens(nodes.size());
      const auto positions = scheme_.positions();
      const auto owners = scheme_.owners();
      for (std::size_t i = 0; i < positions.size(); ++i) {
        // Of several vnodes at one position the first owns the arc, by the engine's own tie rule.
        if (i == 0 || positions[i] != positions[i - 1]) tokens[owners[i]].push_back(positions[i]);
      }
      return make_arcs(scheme_.circle(), nodes, tokens);
    } else {
      return std::nullopt;
    }
  }

 private:
  /// Returns the list of the fleet without the dead nodes, as nodes of this fleet.
  Replicas left_for(clockwise::Position position, std::size_t replicas, Spread spread) const {
    Replicas list(replicas);
    if (without_dead_->try_lookup(position) == nullptr) return list;  // all are dead
    for (const std::string& node : without_dead_->preference_list(position, replicas, spread)) {
      list.push_back(*nodes_[without_dead_->index_of(node)]);
    }
    return list;
  }

  Scheme scheme_;
  DeadNodes dead_;
  std::string note_;
  std::optional<Scheme> without_dead_;
  std::vector<const std::string*> nodes_;  // of scheme_, for each member without the dead ones
};

template <class Scheme>
std::unique_ptr<PlacedFleet> placed(Scheme scheme, const DeadNodes& dead, std::string note = {}) {
  return std::make_unique<PlacedRing<Scheme>>(std::move(scheme), dead, std::move(note));
}

/// Adds the fleet's nodes to the scheme.
template <class Scheme>
Scheme filled(Scheme scheme, const Fleet& fleet) {
  scheme.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) edit.add(node.id, node.options);
  });
  return scheme;
}

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLACED_RING_HPP
