// SPDX-License-Identifier: MIT
#include "model/diff.hpp"

#include <algorithm>
#include <clockwise/mod_n.hpp>
#include <clockwise/movement.hpp>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/own_ring.hpp"

namespace ringctl {

namespace {

/// One scheme before and after, and its exact movement.
template <class Scheme>
struct Difference {
  const Scheme& before;
  const Scheme& after;
  double share = 0;
  std::optional<Flows> flows;  ///< Nothing if there are too many.
};

template <clockwise::Ring AnyRing>
Difference<AnyRing> compare(const AnyRing& before, const AnyRing& after) {
  const auto moved = clockwise::movement(before, after);
  Difference<AnyRing> result{before, after, moved.fraction(), Flows{}};
  for (const auto& [arc, from, to] : moved.transfers()) {
    result.flows->between(from, to).share += arc.fraction();
    if (result.flows->size() > most_pairs) {
      result.flows.reset();
      break;
    }
  }
  return result;
}

template <class Hash>
using Modulo = clockwise::ModN<Hash, std::string>;

template <class Hash>
Difference<Modulo<Hash>> compare(const Modulo<Hash>& before, const Modulo<Hash>& after) {
  const auto moved = clockwise::movement(before, after);
  Difference<Modulo<Hash>> result{before, after, moved.fraction(), std::nullopt};
  if (moved.moved > most_pairs) return result;
  result.flows.emplace();
  // One of the residues modulo lcm(N, M) is i modulo N and j modulo M if gcd(N, M) divides i - j;
  // otherwise none is.
  const std::size_t common = std::gcd(before.size(), after.size());
  const double share = 1 / static_cast<double>(moved.residues);
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = i % common; j < after.size(); j += common) {
      if (before.node(i) != after.node(j)) {
        result.flows->between(before.node(i), after.node(j)).share = share;
      }
    }
  }
  return result;
}

/// Counts the keys that move.
template <class Scheme>
class KeyCount {
 public:
  explicit KeyCount(Difference<Scheme> difference)
      : difference_(std::move(difference)), movement_(difference_.before, difference_.after) {}

  void observe(clockwise::Position key) {
    if (difference_.flows) {
      movement_.observe(key);
    } else if (difference_.before.lookup(key) != difference_.after.lookup(key)) {
      ++moved_;  // without sender and receiver, so that memory does not grow with the keys
    }
  }

  Moves take() && {
    Moves moves{difference_.share, movement_.moved() + moved_, std::nullopt};
    if (!difference_.flows) return moves;
    for (const auto& flow : movement_.flows()) {
      difference_.flows->between(flow.from, flow.to).keys += flow.keys;
    }
    moves.flows = difference_.flows->sorted();
    return moves;
  }

 private:
  Difference<Scheme> difference_;
  clockwise::KeyMovement<Scheme, Scheme> movement_;
  std::uint64_t moved_ = 0;
};

template <class AnyRing>
double total_weight(const AnyRing& ring) {
  double total = 0;
  for (const auto& member : ring.members()) total += member.weight;
  return total;
}

template <class AnyRing>
Changes changes_of(const AnyRing& before, const AnyRing& after) {
  Changes changes;
  const double total_before = total_weight(before);
  const double total_after = total_weight(after);
  for (const auto& member : before.members()) {
    if (!after.contains(member.node)) changes.left.push_back(member.node);
  }
  for (const auto& member : after.members()) {
    double had = 0;
    if (const auto index = before.index_of(member.node); index == AnyRing::npos) {
      changes.joined.push_back(member.node);
    } else {
      had = before.members()[index].weight;
      if (had != member.weight) changes.reweighted.push_back({member.node, had, member.weight});
    }
    changes.ideal += (std::max)(0.0, member.weight / total_after - had / total_before);
  }
  return changes;
}

/// mod N has no weights: all nodes that are not drained count alike.
template <class AnyRing>
auto modulo_of(const AnyRing& ring) {
  Modulo<std::remove_cvref_t<decltype(ring.hash())>> modulo(ring.hash());
  modulo.update([&](auto& edit) {  // one by one, this would take quadratic time
    for (const auto& member : ring.members()) {
      if (member.vnodes > 0) edit.add(member.node);
    }
  });
  return modulo;
}

}  // namespace

Diff diff_of(const Fleet& fleet_before, const Fleet& fleet_after, const NextKey& next_key) {
  return with_rings(fleet_before, fleet_after, [&](const auto& before, const auto& after) {
    const auto modulo_before = modulo_of(before);
    const auto modulo_after = modulo_of(after);
    KeyCount ring(compare(before, after));
    KeyCount modulo(compare(modulo_before, modulo_after));

    Diff diff;
    diff.placement = fleet_before.placement;
    diff.before = {fleet_before.name, before.size(), before.vnode_count()};
    diff.after = {fleet_after.name, after.size(), after.vnode_count()};
    diff.changes = changes_of(before, after);
    if (next_key) {
      std::uint64_t keys = 0;
      for (std::string_view key; next_key(key); ++keys) {
        const auto position = before.position_of(key);
        ring.observe(position);
        modulo.observe(position);
      }
      diff.keys = keys;
    }
    diff.ring = std::move(ring).take();
    diff.mod_n = std::move(modulo).take();
    return diff;
  });
}

}  // namespace ringctl
