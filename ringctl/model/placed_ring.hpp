// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_PLACED_RING_HPP
#define RINGCTL_MODEL_PLACED_RING_HPP

#include <memory>
#include <utility>

#include "model/fleet.hpp"
#include "model/placed_fleet.hpp"

namespace ringctl {

/// Any ring of the library as a PlacedFleet.
template <class AnyRing>
class PlacedRing final : public PlacedFleet {
 public:
  explicit PlacedRing(AnyRing ring) : ring_(std::move(ring)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& member : ring_.members()) members.push_back({member.node, member.weight});
    return members;
  }
  const std::string& owner(std::string_view key) const override { return ring_.lookup(key); }
  Spread default_spread() const override { return ring_.default_spread(); }
  Route route(std::string_view key, std::size_t replicas, Spread spread,
              const IsLive& is_live) const override {
    const auto position = ring_.position_of(key);
    return {&ring_.lookup(position),
            is_live ? ring_.preference_list(position, replicas, spread, is_live)
                    : ring_.preference_list(position, replicas, spread)};
  }

  std::optional<Arcs> arcs() const override {
    std::vector<std::string> nodes;
    for (const auto& member : ring_.members()) nodes.push_back(member.node);
    std::vector<std::vector<std::uint64_t>> tokens(nodes.size());
    const auto positions = ring_.positions();
    const auto owners = ring_.owners();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      // Of several vnodes at one position the first owns the arc, by the engine's own tie rule.
      if (i == 0 || positions[i] != positions[i - 1]) tokens[owners[i]].push_back(positions[i]);
    }
    return make_arcs(ring_.circle(), nodes, tokens);
  }

 private:
  AnyRing ring_;
};

template <class AnyRing>
std::unique_ptr<PlacedFleet> placed(AnyRing ring) {
  return std::make_unique<PlacedRing<AnyRing>>(std::move(ring));
}

/// Adds the fleet's nodes to the ring.
template <class AnyRing>
AnyRing filled(AnyRing ring, const Fleet& fleet) {
  ring.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) edit.add(node.id, node.options);
  });
  return ring;
}

}  // namespace ringctl

#endif  // RINGCTL_MODEL_PLACED_RING_HPP
