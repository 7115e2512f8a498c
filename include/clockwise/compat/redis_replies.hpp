// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_REDIS_REPLIES_HPP
#define CLOCKWISE_COMPAT_REDIS_REPLIES_HPP

// What a node of a Redis cluster says of it: its replies to CLUSTER SLOTS and CLUSTER SHARDS, and
// its redirections.
//
//   auto map = clockwise::RedisSlotMap(clockwise::parse_cluster_slots(reply));
//   if (const auto redirect = clockwise::parse_redirect(error)) map.apply(*redirect);
//
// Source: the Redis Cluster specification.

#include <charconv>      // from_chars
#include <cstddef>       // size_t
#include <cstdint>       // int64_t, uint16_t, uint32_t
#include <optional>      // nullopt, optional
#include <string>        // string, to_string
#include <string_view>   // string_view
#include <system_error>  // errc
#include <utility>       // move
#include <vector>        // vector

#include "clockwise/compat/redis_slot_map.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/wire/resp.hpp"

// Qt has a macro `slots`. It is back after this header.
#pragma push_macro("slots")
#undef slots

namespace clockwise {

/// Parses an error reply such as "MOVED 3999 127.0.0.1:6381" or "ASK …", with or without the '-'
/// and the line end; empty for any other error. An empty host means the node that replied.
inline std::optional<RedisRedirect> parse_redirect(std::string_view error) {
  if (error.starts_with('-')) error.remove_prefix(1);
  if (error.ends_with("\r\n")) error.remove_suffix(2);
  RedisRedirect redirect;
  if (error.starts_with("MOVED ")) {
    error.remove_prefix(6);
  } else if (error.starts_with("ASK ")) {
    redirect.kind = RedisRedirect::Kind::ask;
    error.remove_prefix(4);
  } else {
    return std::nullopt;
  }
  std::uint32_t slot = 0;
  const auto [stop, failed] = std::from_chars(error.data(), error.data() + error.size(), slot);
  error.remove_prefix(static_cast<std::size_t>(stop - error.data()));
  const bool names_node = error.size() > 1 && error.front() == ' ' &&
                          error.find(':') != error.npos && error.find(' ', 1) == error.npos;
  if (failed != std::errc() || slot >= redis_slot_count || !names_node) return std::nullopt;
  redirect.slot = static_cast<std::uint16_t>(slot);
  redirect.node = error.substr(1);
  return redirect;
}

namespace detail {

/// How a message ends that refuses `value`: its number, if it is one.
inline std::string shown(const RespValue& value) {
  return value.kind == RespValue::Kind::integer ? ", got " + std::to_string(value.integer) : "";
}

inline std::uint16_t slot_in(const RespValue& value) {
  if (value.kind != RespValue::Kind::integer || value.integer < 0 ||
      value.integer >= std::int64_t{redis_slot_count}) {
    fail_invalid("a slot in a cluster map must be a number between 0 and 16383" + shown(value));
  }
  return static_cast<std::uint16_t>(value.integer);
}

inline RedisSlotRange slots_in(const RespValue& first, const RespValue& last) {
  const RedisSlotRange range{slot_in(first), slot_in(last)};
  if (range.first > range.last) {
    fail_invalid("slots in a cluster map must ascend, got " + std::to_string(range.first) + " to " +
                 std::to_string(range.last));
  }
  return range;
}

inline const std::vector<RespValue>& items_in(const RespValue& value, std::size_t least) {
  if (value.kind != RespValue::Kind::list || value.items.size() < least) {
    fail_invalid("a cluster map lacks a list of at least " + std::to_string(least) + " items");
  }
  return value.items;
}

inline std::string endpoint_in(std::string_view host, const RespValue& port) {
  if (port.kind != RespValue::Kind::integer || port.integer < 0 || port.integer > 65535) {
    fail_invalid("a port in a cluster map must be a number between 0 and 65535" + shown(port));
  }
  return std::string(host) + ":" + std::to_string(port.integer);
}

/// Returns the value of `name` in a map written as key, value, key, value; nullptr if absent.
inline const RespValue* field(const std::vector<RespValue>& map, std::string_view name) {
  for (std::size_t i = 0; i + 1 < map.size(); i += 2) {
    if (map[i].text == name) return &map[i + 1];
  }
  return nullptr;
}

}  // namespace detail

/// Parses the reply to CLUSTER SLOTS, as received from the server. An unknown host is empty: it is
/// the node that replied. Throws std::invalid_argument for any other text; if it is not RESP, with
/// the offset.
inline std::vector<RedisShard> parse_cluster_slots(std::string_view reply) {
  const detail::RespValue value = detail::RespReader(reply).whole();
  std::vector<RedisShard> shards;
  for (const detail::RespValue& row : detail::items_in(value, 0)) {
    const auto& items = detail::items_in(row, 3);
    RedisShard shard{{detail::slots_in(items[0], items[1])}, {}, {}};
    for (std::size_t i = 2; i < items.size(); ++i) {
      const auto& node = detail::items_in(items[i], 2);
      std::string name = detail::endpoint_in(node[0].text == "?" ? "" : node[0].text, node[1]);
      if (i == 2) {
        shard.master = std::move(name);
      } else {
        shard.replicas.push_back(std::move(name));
      }
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

/// Parses the reply to CLUSTER SHARDS, in either version of the protocol; otherwise as
/// parse_cluster_slots. A shard without a master is left out.
inline std::vector<RedisShard> parse_cluster_shards(std::string_view reply) {
  const detail::RespValue value = detail::RespReader(reply).whole();
  std::vector<RedisShard> shards;
  for (const detail::RespValue& row : detail::items_in(value, 0)) {
    const auto& fields = detail::items_in(row, 4);
    const detail::RespValue* const slots = detail::field(fields, "slots");
    const detail::RespValue* const nodes = detail::field(fields, "nodes");
    if (slots == nullptr || nodes == nullptr) {
      detail::fail_invalid("a shard in a cluster map lacks the field slots or nodes");
    }
    RedisShard shard;
    const auto& bounds = detail::items_in(*slots, 0);
    for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
      shard.slots.push_back(detail::slots_in(bounds[i], bounds[i + 1]));
    }
    for (const detail::RespValue& node : detail::items_in(*nodes, 0)) {
      const auto& description = detail::items_in(node, 0);
      const auto text = [&](std::string_view name) {
        const detail::RespValue* const found = detail::field(description, name);
        return found == nullptr ? std::string_view() : found->text;
      };
      const detail::RespValue* port = detail::field(description, "port");
      if (port == nullptr) port = detail::field(description, "tls-port");
      std::string_view host = text("endpoint");
      if (host.empty() || host == "?") host = text("ip");
      if (port == nullptr) detail::fail_invalid("a node in a cluster map lacks the field port");
      std::string name = detail::endpoint_in(host, *port);
      if (text("role") == "master") {
        shard.master = std::move(name);
      } else {
        shard.replicas.push_back(std::move(name));
      }
    }
    if (!shard.master.empty()) shards.push_back(std::move(shard));
  }
  return shards;
}

}  // namespace clockwise

#pragma pop_macro("slots")

#endif  // CLOCKWISE_COMPAT_REDIS_REPLIES_HPP
