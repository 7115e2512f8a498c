// SPDX-License-Identifier: MIT
// Any bytes, parsed as a reply of a Redis cluster, give std::invalid_argument or shards from which
// a map is made or refused. A map that is made is consistent. The first byte selects the reply's
// kind and how nodes are named; the reply follows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/compat/redis_cluster.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using clockwise::RedisEndpointType;
using clockwise::RedisReplyOptions;
using clockwise::RedisShard;
using clockwise::RedisSlotMap;

std::optional<std::vector<RedisShard>> shards_of(std::uint64_t kind, std::string_view reply,
                                                 const RedisReplyOptions& options) {
  try {
    switch (kind) {
      case 0:
        return clockwise::parse_cluster_slots(reply, options);
      case 1:
        return clockwise::parse_cluster_shards(reply, options);
      default:
        return clockwise::parse_cluster_nodes(reply, options);
    }
  } catch (const std::invalid_argument& error) {
    FUZZ_CHECK(std::string_view(error.what()).size() > 10);
    return std::nullopt;
  }
}

std::optional<RedisSlotMap> map_of(const std::vector<RedisShard>& shards) {
  try {
    return RedisSlotMap(shards);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // two of them have one slot, or one name
  }
}

void check(const RedisSlotMap& map) {
  std::uint32_t owned = 0;
  for (const auto& node : map.nodes()) {
    FUZZ_CHECK(!node.name.empty() && map.contains(node.name));
    const auto slots = map.slots_of(node.name);
    FUZZ_CHECK(node.master.empty() || slots.empty());
    for (const auto& range : slots) {
      FUZZ_CHECK(range.first <= range.last && range.last < clockwise::redis_slot_count);
      owned += range.last - range.first + 1u;
      const std::string* const owner = map.owner_of(range.first);
      FUZZ_CHECK(owner != nullptr && *owner == node.name);
    }
    if (!node.master.empty()) FUZZ_CHECK(map.contains(node.master));
    for (const std::string& replica : node.replicas) FUZZ_CHECK(map.contains(replica));
  }
  FUZZ_CHECK(owned <= clockwise::redis_slot_count);
  FUZZ_CHECK(map.complete() == (owned == clockwise::redis_slot_count));
  for (const std::string_view key : {"a", "{b}c", ""}) {
    const std::string* const owner = map.try_lookup(key);
    const auto list = map.preference_list(key, 3);
    FUZZ_CHECK(list.empty() == (owner == nullptr));
    if (owner != nullptr) FUZZ_CHECK(list.front() == *owner && list.size() <= 3);
  }
  FUZZ_CHECK(clockwise::slot_moves(map, map).empty());
}

}  // namespace

void clockwise_fuzz(std::span<const std::byte> bytes) {
  clockwise_test::FuzzReader in(bytes);
  const std::uint64_t head = in.byte();
  RedisReplyOptions options;
  if (head & 4) options.replied_by = "seed.example";
  options.endpoint = static_cast<RedisEndpointType>(head >> 3 & 3);
  options.tls = (head & 32) != 0;
  const std::string_view reply(reinterpret_cast<const char*>(in.rest().data()), in.rest().size());

  if (head % 4 == 3) {
    const auto redirect = clockwise::parse_redirect(reply, options);
    if (!redirect) return;
    FUZZ_CHECK(redirect->slot < clockwise::redis_slot_count && !redirect->node.empty());
    RedisSlotMap map({"a:1", "b:2"});
    map.apply(*redirect);
    check(map);
    if (redirect->kind == clockwise::RedisRedirect::Kind::moved) {
      FUZZ_CHECK(*map.owner_of(redirect->slot) == redirect->node);
    }
    return;
  }
  const auto shards = shards_of(head % 4, reply, options);
  if (!shards) return;
  for (const RedisShard& shard : *shards) FUZZ_CHECK(!shard.master.empty());
  if (const auto map = map_of(*shards)) check(*map);
}
