// SPDX-License-Identifier: MIT
#include "model/engines.hpp"

#include <algorithm>
#include <charconv>
#include <clockwise/compat/cassandra.hpp>
#include <cstdint>
#include <map>
#include <system_error>
#include <utility>

#include "model/error.hpp"
#include "model/placed_ring.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

// --- Redis Cluster ------------------------------------------------------------------------------

/// A slot's replicas are its master's, in the order listed.
class PlacedSlots final : public PlacedFleet {
 public:
  PlacedSlots(clockwise::RedisSlotMap map, const DeadNodes& dead)
      : map_(std::move(map)), dead_(dead) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& node : map_.nodes()) members.push_back({node.name, 1});
    return members;
  }
  const std::string& owner(std::string_view key) const override { return map_.lookup(key); }
  Spread default_spread() const override { return Spread::nodes; }

  Route route(std::string_view key, std::size_t replicas, Spread spread) const override {
    if (spread != Spread::nodes) {
      throw InputError("--spread must be nodes for redis, which ignores racks");
    }
    const Replicas usual = map_.preference_list(key, replicas);
    if (dead_.empty()) return {&owner(key), usual};
    const Replicas every = map_.preference_list(key, map_.size());
    Replicas live(replicas);
    for (std::size_t i = 0; i < every.size() && live.size() < replicas; ++i) {
      if (dead_.contains(every[i])) continue;
      if (i < usual.size()) {
        live.push_back(every[i]);
      } else {
        live.push_back_substitute(every[i]);
      }
    }
    return {&owner(key), live};
  }

  /// Returns the slots as arcs of equal length, in slot order.
  std::optional<Arcs> arcs() const override {
    if (!map_.complete()) return std::nullopt;
    constexpr std::uint64_t circle = 0x7265646973;  // no ring has this circle
    std::vector<std::string> nodes;
    std::vector<std::vector<std::uint64_t>> tokens;
    for (const auto& node : map_.nodes()) {
      nodes.push_back(node.name);
      tokens.emplace_back();
      for (const auto& slots : map_.slots_of(node.name)) {
        tokens.back().push_back(((std::uint64_t{slots.last} + 1) << 50) - 1);
      }
    }
    return make_arcs(circle, nodes, tokens);
  }

 private:
  clockwise::RedisSlotMap map_;
  DeadNodes dead_;
};

// --- Columns of a fleet file --------------------------------------------------------------------

template <class Integer>
Integer number_in(const Fleet& fleet, const FleetNode& node, std::string_view column,
                  std::string_view text) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || parsed != end) {
    fail_at(fleet, node,
            std::string(column) + " must be a whole number in range, got " + in_quotes(text));
  }
  return value;
}

/// Splits the text at blanks.
std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == text.npos) return words;
    const std::size_t end = (std::min)(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

clockwise::RedisSlotRange slots_in(const Fleet& fleet, const FleetNode& node,
                                   std::string_view word) {
  const std::size_t dash = word.find('-');
  const auto first = number_in<std::uint16_t>(fleet, node, "slot", word.substr(0, dash));
  if (dash == word.npos) return {first, first};
  return {first, number_in<std::uint16_t>(fleet, node, "slot", word.substr(dash + 1))};
}

}  // namespace

std::unique_ptr<PlacedFleet> place_cassandra(const Fleet& fleet, const DeadNodes& dead) {
  clockwise::CassandraRing ring;
  ring.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) {
      if (!node.traits.contains("tokens")) {
        fail_at(fleet, node, "the node has no tokens; Cassandra requires a column tokens");
      }
      std::vector<std::int64_t> tokens;
      for (const std::string_view word : words(node.traits.at("tokens"))) {
        tokens.push_back(number_in<std::int64_t>(fleet, node, "token", word));
      }
      edit.add(node.id, node.options, tokens);
    }
  });
  return placed(std::move(ring), dead);
}

std::unique_ptr<PlacedFleet> place_haproxy(const Fleet& fleet, const DeadNodes& dead,
                                           const clockwise::HaproxyOptions& options) {
  clockwise::HaproxyRing ring(options);
  ring.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) {
      clockwise::HaproxyId id;
      if (const auto at = node.traits.find("server_id"); at != node.traits.end()) {
        id.value = number_in<std::uint32_t>(fleet, node, "server_id", at->second);
      }
      edit.add({node.id, node.options}, id);
    }
  });
  return placed(std::move(ring), dead);
}

clockwise::RedisSlotMap redis_slots(const Fleet& fleet) {
  std::vector<clockwise::RedisShard> shards;
  std::map<std::string_view, std::size_t> shard_of;
  bool any_slots = false;
  for (const FleetNode& node : fleet.nodes) {
    if (node.options.weight != 1) {
      fail_at(fleet, node, "weight must be 1 for Redis Cluster, got " + plain(node.options.weight));
    }
    if (node.traits.contains("replica_of")) continue;
    shard_of[node.id] = shards.size();
    shards.push_back({{}, node.id, {}});
    const auto slots = node.traits.find("slots");
    if (slots == node.traits.end()) continue;
    any_slots = true;
    for (const std::string_view word : words(slots->second)) {
      shards.back().slots.push_back(slots_in(fleet, node, word));
    }
  }
  for (const FleetNode& node : fleet.nodes) {
    const auto master = node.traits.find("replica_of");
    if (master == node.traits.end()) continue;
    const auto shard = shard_of.find(master->second);
    if (shard == shard_of.end()) {
      fail_at(fleet, node, "replica_of must name a master, got " + in_quotes(master->second));
    }
    shards[shard->second].replicas.push_back(node.id);
  }
  if (!any_slots) {
    const auto split = clockwise::redis_even_split(static_cast<std::uint32_t>(shards.size()));
    for (std::size_t i = 0; i < shards.size(); ++i) shards[i].slots = {split[i]};
  }
  return clockwise::RedisSlotMap(shards);
}

std::unique_ptr<PlacedFleet> place_redis(const Fleet& fleet, const DeadNodes& dead) {
  return placed_slots(redis_slots(fleet), dead);
}

std::unique_ptr<PlacedFleet> placed_slots(clockwise::RedisSlotMap map, const DeadNodes& dead) {
  return std::make_unique<PlacedSlots>(std::move(map), dead);
}

}  // namespace ringctl
