// SPDX-License-Identifier: MIT
#include "model/engines.hpp"

#include <algorithm>
#include <charconv>
#include <clockwise/compat/cassandra.hpp>
#include <clockwise/compat/envoy.hpp>
#include <clockwise/compat/redis_cluster.hpp>
#include <cstdint>
#include <map>
#include <system_error>
#include <utility>

#include "model/error.hpp"
#include "model/placed_ring.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

// --- Engines without a circle -------------------------------------------------------------------

/// An engine without racks, whose substitutes are the next nodes in its own order.
class PlacedTable : public PlacedFleet {
 public:
  Spread default_spread() const override { return Spread::nodes; }

  Route route(std::string_view key, std::size_t replicas, Spread spread,
              const IsLive& is_live) const override {
    if (spread != Spread::nodes) {
      throw InputError("--spread must be nodes for this scheme, which ignores racks");
    }
    const Replicas all_live = preference_list(key, replicas);
    if (!is_live) return {&owner(key), all_live};
    const Replicas every = preference_list(key, members().size());
    Replicas live(replicas);
    for (std::size_t i = 0; i < every.size() && live.size() < replicas; ++i) {
      if (!is_live(every[i])) continue;
      if (i < all_live.size()) {
        live.push_back(every[i]);
      } else {
        live.push_back_substitute(every[i]);
      }
    }
    return {&owner(key), live};
  }

 private:
  virtual Replicas preference_list(std::string_view key, std::size_t r) const = 0;
};

class PlacedMaglev final : public PlacedTable {
 public:
  explicit PlacedMaglev(clockwise::EnvoyMaglev table) : table_(std::move(table)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& member : table_.members()) members.push_back({member.node, member.weight});
    return members;
  }
  const std::string& owner(std::string_view key) const override { return table_.lookup(key); }

 private:
  Replicas preference_list(std::string_view key, std::size_t r) const override {
    return table_.preference_list(key, r);
  }

  clockwise::EnvoyMaglev table_;
};

class PlacedSlots final : public PlacedTable {
 public:
  explicit PlacedSlots(clockwise::RedisSlotMap map) : map_(std::move(map)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& node : map_.nodes()) members.push_back({node.name, 1});
    return members;
  }
  const std::string& owner(std::string_view key) const override { return map_.lookup(key); }

  /// Returns the slots as arcs of equal length, in slot order.
  std::optional<Arcs> arcs() const override {
    if (!map_.complete()) return std::nullopt;
    constexpr std::uint64_t circle = 0x7265646973;  // no ring's
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
  Replicas preference_list(std::string_view key, std::size_t r) const override {
    return map_.preference_list(key, r);
  }

  clockwise::RedisSlotMap map_;
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

std::unique_ptr<PlacedFleet> place_cassandra(const Fleet& fleet) {
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
  return placed(std::move(ring));
}

std::unique_ptr<PlacedFleet> place_haproxy(const Fleet& fleet,
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
  return placed(std::move(ring));
}

std::unique_ptr<PlacedFleet> place_envoy_maglev(const Fleet& fleet) {
  std::vector<std::pair<std::string, double>> hosts;
  for (const FleetNode& node : fleet.nodes) hosts.emplace_back(node.id, node.options.weight);
  return std::make_unique<PlacedMaglev>(clockwise::EnvoyMaglev(hosts));
}

std::unique_ptr<PlacedFleet> place_redis(const Fleet& fleet) {
  std::vector<clockwise::RedisShard> shards;
  std::map<std::string_view, std::size_t> shard_of;
  bool any_slots = false;
  for (const FleetNode& node : fleet.nodes) {
    if (node.options.weight != 1) {
      fail_at(fleet, node, "weight must be 1 for Redis Cluster, got " + exact(node.options.weight));
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
  return std::make_unique<PlacedSlots>(clockwise::RedisSlotMap(shards));
}

}  // namespace ringctl
