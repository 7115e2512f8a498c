// SPDX-License-Identifier: MIT
#include "model/redis_change.hpp"

#include <algorithm>
#include <clockwise/compat/redis_slot_map.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/engines.hpp"

namespace ringctl {

namespace {

using clockwise::redis_slot_count;
using clockwise::RedisSlotMap;

/// A master while slots are moved.
struct Master {
  std::string name;
  bool stays = true;
  std::vector<std::uint16_t> slots;  ///< Ascending.
};

/// Moves slots as redis-cli does: the share of every master that stays is the mean, rounded down.
/// The masters that lack the most slots get slots from the masters with the largest excess, the
/// lowest slots first. Nothing moves if every master is within 2% of its share.
void rebalance(std::vector<Master>& masters) {
  constexpr double threshold = 2;  // percent
  const auto staying = static_cast<std::size_t>(std::count_if(
      masters.begin(), masters.end(), [](const Master& master) { return master.stays; }));
  if (staying == 0) return;
  const float share = static_cast<float>(redis_slot_count) / static_cast<float>(staying);
  std::vector<std::int64_t> surplus;
  std::int64_t total = 0;
  bool any_far = false;
  for (const Master& master : masters) {
    const auto has = static_cast<std::int64_t>(master.slots.size());
    const auto expected = static_cast<std::int64_t>(master.stays ? share : 0.0f);
    surplus.push_back(has - expected);
    total += has - expected;
    any_far = any_far || (has > 0 ? std::fabs(100 - 100.0 * static_cast<double>(expected) /
                                                        static_cast<double>(has)) > threshold
                                  : expected > 1);
  }
  if (!any_far) return;
  while (total > 0) {  // the remainder goes to masters without an excess
    for (std::int64_t& own : surplus) {
      if (own > 0 || total == 0) continue;
      --own;
      --total;
    }
  }
  std::vector<std::size_t> order(masters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return surplus[a] < surplus[b]; });
  for (std::size_t to = 0, from = order.size() - 1; to < from;) {
    Master& receiver = masters[order[to]];
    Master& giver = masters[order[from]];
    std::int64_t& lack = surplus[order[to]];
    std::int64_t& excess = surplus[order[from]];
    if (lack >= 0 || excess <= 0) break;  // only if slots have no master
    const std::int64_t count = (std::min)(-lack, excess);
    const auto end = giver.slots.begin() + count;
    receiver.slots.insert(receiver.slots.end(), giver.slots.begin(), end);
    std::sort(receiver.slots.begin(), receiver.slots.end());
    giver.slots.erase(giver.slots.begin(), end);
    lack += count;
    excess -= count;
    if (lack == 0) ++to;
    if (excess == 0) --from;
  }
}

bool lists_slots(const Fleet& fleet) {
  return std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                     [](const FleetNode& node) { return node.traits.contains("slots"); });
}

/// Returns the masters of `after` in file order, then the masters of `before` that leave, with the
/// slots that each has before any are moved.
std::vector<Master> masters_before_moves(const RedisSlotMap& before, const Fleet& after,
                                         const RedisSlotMap& listed, bool lists) {
  std::vector<Master> masters;
  std::map<std::string_view, std::size_t> number;
  for (const FleetNode& node : after.nodes) {
    if (node.traits.contains("replica_of")) continue;
    number.emplace(node.id, masters.size());
    masters.push_back({node.id, true, {}});
  }
  const auto master_of = [&](const std::string& old) -> std::size_t {
    if (const auto same = number.find(old); same != number.end()) return same->second;
    for (const auto& node : before.nodes()) {
      if (node.name != old) continue;
      for (const std::string& replica : node.replicas) {
        const auto heir = number.find(replica);
        if (heir != number.end()) return number.emplace(node.name, heir->second).first->second;
      }
      number.emplace(node.name, masters.size());
      masters.push_back({old, false, {}});
      return masters.size() - 1;
    }
    return masters.size();  // not reached: `old` is a node
  };
  for (std::uint32_t slot = 0; slot < redis_slot_count; ++slot) {
    const auto narrow = static_cast<std::uint16_t>(slot);
    const std::string* owner = lists ? listed.owner_of(narrow) : nullptr;
    if (owner == nullptr) owner = before.owner_of(narrow);
    if (owner != nullptr) masters[master_of(*owner)].slots.push_back(narrow);
  }
  return masters;
}

}  // namespace

RedisChange redis_change(const Fleet& fleet_before, const Fleet& fleet_after) {
  RedisChange change{redis_slots(fleet_before), redis_slots(fleet_after), false};
  const bool lists = lists_slots(fleet_after);
  std::vector<Master> masters =
      masters_before_moves(change.before, fleet_after, change.after, lists);
  change.rebalanced =
      !lists || std::any_of(masters.begin(), masters.end(), [&](const Master& master) {
        const bool is_new = !change.before.contains(master.name);
        return master.stays ? is_new && master.slots.empty() : !master.slots.empty();
      });
  if (change.rebalanced) rebalance(masters);
  change.after.unassign({0, redis_slot_count - 1});
  for (const Master& master : masters) {
    if (!master.stays) continue;
    for (const std::uint16_t slot : master.slots) change.after.assign({slot, slot}, master.name);
  }
  return change;
}

}  // namespace ringctl
