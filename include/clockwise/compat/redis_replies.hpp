// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_REDIS_REPLIES_HPP
#define CLOCKWISE_COMPAT_REDIS_REPLIES_HPP

// The replies of a node of a Redis or Valkey cluster to CLUSTER SLOTS, CLUSTER SHARDS and CLUSTER
// NODES, and its redirections.
//
//   clockwise::RedisReplyOptions options{.replied_by = "10.0.0.1"};   // the host queried
//   clockwise::RedisSlotMap map(clockwise::parse_cluster_shards(reply, options));
//   if (const auto redirect = clockwise::parse_redirect(error, options)) map.apply(*redirect);
//
// Every reply names nodes by the same rule, so a redirection finds the node that a map knows:
//
// - A name is "host:port". The port follows the last colon; an IPv6 address has no brackets.
// - An empty or null endpoint is the host that replied: RedisReplyOptions::replied_by, or nothing,
//   as in ":6379", if that is not given. It is never replaced by an address of the node.
// - The endpoint "?" is a node that should have a hostname and has none. It stays "?": the name is
//   the same in each reply, and leads nowhere.
// - A node whose port is missing or 0 cannot be reached: for example, a node that came back at its
//   address with another id, or a node without TLS for a client with TLS. It is left out, and its
//   slots have no owner.
// - Of two nodes with the same name, one that has failed is left out. If neither has failed, a map
//   could not distinguish them: the reply is refused.
//
// The bytes are untrusted: parsing takes O(n log n) time and O(n) memory for n of them.
//
// Source: the Redis Cluster specification, the replies of redis-server 7.0 and valkey-server 8.0.

#include <charconv>          // from_chars
#include <cstddef>           // size_t
#include <cstdint>           // int64_t, uint16_t
#include <initializer_list>  // a loop over two values
#include <map>               // map
#include <optional>          // nullopt, optional
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <system_error>      // errc
#include <utility>           // move
#include <vector>            // vector

#include "clockwise/compat/redis_slot_map.hpp"
#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/wire/resp.hpp"

// Qt has a macro `slots`. It is back after this header.
#pragma push_macro("slots")
#undef slots

namespace clockwise {

/// Which endpoint names a node: the values of the server's cluster-preferred-endpoint-type.
enum class RedisEndpointType : unsigned char {
  preferred,         ///< The server's choice. CLUSTER NODES does not report it: there, the ip.
  ip,                ///< Its IP address.
  hostname,          ///< Its hostname; "?" if it has none.
  unknown_endpoint,  ///< None: every node is at the host that replied.
};

/// How nodes in replies are named. Redirections carry only the server's choice, so a map that
/// applies them needs it too: an `endpoint` other than `preferred` is for CLUSTER NODES, and for
/// maps of nodes that lack a hostname.
struct RedisReplyOptions {
  std::string replied_by = {};  ///< The host, without a port, that the request was sent to.
  RedisEndpointType endpoint = RedisEndpointType::preferred;
  /// Whether CLUSTER SHARDS, the only reply that lists both ports, is read for a client with TLS. A
  /// node that has only one port gets that port. Other replies have the port that suits the
  /// connection.
  bool tls = false;
};

namespace detail {

/// A node, as a reply describes it.
struct RedisAddress {
  std::string_view id;  ///< Empty if the reply has none.
  std::string_view endpoint;
  std::string_view ip;
  std::string_view hostname;
  std::uint16_t port = 0;
};

/// Names the nodes of one reply. All must be added before the first is named; the node of a
/// redirection need not be added.
class RedisNames {
 public:
  explicit RedisNames(const RedisReplyOptions& options) : options_(options) {
    const std::size_t colon = options.replied_by.find(':');
    if (colon != std::string::npos && colon == options.replied_by.rfind(':')) {
      detail::fail_invalid("replied_by must be a host without a port, got " +
                           detail::quoted(options.replied_by));
    }
  }

  void add(const RedisAddress& node, RedisHealth health) {
    if (node.port == 0) return;
    const Known added{node.id, health == RedisHealth::failed};
    const auto [at, is_new] = known_.try_emplace(full_name(node), added);
    Known& known = at->second;
    if (is_new || known.id == added.id || added.has_failed) return;
    if (!known.has_failed) {
      detail::fail_invalid("nodes " + detail::quoted(known.id) + " and " +
                           detail::quoted(added.id) + " of a cluster are both named " +
                           detail::quoted(at->first) +
                           "; another RedisEndpointType can distinguish them");
    }
    known = added;
  }

  /// Returns the node's name; empty if the node is left out.
  std::string operator()(const RedisAddress& node) const {
    if (node.port == 0) return {};
    std::string name = full_name(node);
    const auto at = known_.find(name);
    if (at != known_.end() && at->second.id != node.id) return {};
    return name;
  }

 private:
  struct Known {
    std::string_view id;
    bool has_failed;
  };

  std::string full_name(const RedisAddress& node) const {
    std::string_view host = chosen(node);
    if (host.empty()) host = options_.replied_by;
    return std::string(host) + ":" + std::to_string(node.port);
  }
  std::string_view chosen(const RedisAddress& node) const {
    switch (options_.endpoint) {
      case RedisEndpointType::ip:
        return node.ip;
      case RedisEndpointType::hostname:
        return node.hostname.empty() ? "?" : node.hostname;
      case RedisEndpointType::unknown_endpoint:
        return {};
      case RedisEndpointType::preferred:
        break;
    }
    return node.endpoint;
  }

  const RedisReplyOptions& options_;
  std::map<std::string, Known> known_;  // by name
};

inline void put_health(RedisShard& shard, const std::string& name, RedisHealth health) {
  if (health == RedisHealth::loading) shard.loading.push_back(name);
  if (health == RedisHealth::failed) shard.failed.push_back(name);
}

template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// Returns the text before the first `separator`, or all of it, and removes both from `text`.
inline std::string_view cut(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return head;
}

inline RedisSlotRange checked_slots(std::int64_t first, std::int64_t last) {
  for (const std::int64_t slot : {first, last}) {
    if (slot < 0 || slot >= std::int64_t{redis_slot_count}) {
      detail::fail_invalid("a slot in a cluster map must be between 0 and 16383, got " +
                           std::to_string(slot));
    }
  }
  if (first > last) {
    detail::fail_invalid("slots in a cluster map must ascend, got " + std::to_string(first) +
                         " to " + std::to_string(last));
  }
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
}

// --- Values of CLUSTER SLOTS and CLUSTER SHARDS --------------------------------------------------

inline RedisSlotRange slots_in(const RespValue& first, const RespValue& last) {
  if (first.kind != RespValue::Kind::integer || last.kind != RespValue::Kind::integer) {
    detail::fail_invalid("a slot in a cluster map must be a number");
  }
  return detail::checked_slots(first.integer, last.integer);
}

inline const std::vector<RespValue>& items_in(const RespValue& value, std::size_t least) {
  if (value.kind != RespValue::Kind::list || value.items.size() < least) {
    detail::fail_invalid("a cluster map lacks a list of at least " + std::to_string(least) +
                         " items");
  }
  return value.items;
}

/// Returns a text; empty if it is null.
inline std::string_view text_in(const RespValue& value) {
  if (value.kind != RespValue::Kind::text && value.kind != RespValue::Kind::null) {
    detail::fail_invalid("an endpoint, id, role or health in a cluster map must be text");
  }
  return value.text;
}

inline std::uint16_t port_in(const RespValue& port) {
  if (port.kind != RespValue::Kind::integer || port.integer < 0 || port.integer > 65535) {
    detail::fail_invalid("a port in a cluster map must be a number between 0 and 65535" +
                         (port.kind == RespValue::Kind::integer
                              ? ", got " + std::to_string(port.integer)
                              : std::string()));
  }
  return static_cast<std::uint16_t>(port.integer);
}

/// A map written as key, value, key, value.
class RespMap {
 public:
  explicit RespMap(const RespValue& value) : items_(detail::items_in(value, 0)) {}

  /// Returns the value of `name`; nullptr if absent.
  const RespValue* find(std::string_view name) const {
    for (std::size_t i = 0; i + 1 < items_.size(); i += 2) {
      if (items_[i].text == name) return &items_[i + 1];
    }
    return nullptr;
  }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string_view text(std::string_view name) const {
    const RespValue* const value = find(name);
    return value == nullptr ? std::string_view() : detail::text_in(*value);
  }
  std::uint16_t port(std::string_view name) const {
    const RespValue* const value = find(name);
    return value == nullptr ? std::uint16_t{0} : detail::port_in(*value);
  }

 private:
  const std::vector<RespValue>& items_;
};

/// A node in CLUSTER SLOTS: endpoint, port, and since 4.0 its id, since 7.0 its other endpoints.
inline RedisAddress address_in_slots(const RespValue& value) {
  const auto& items = detail::items_in(value, 2);
  RedisAddress node;
  node.endpoint = detail::text_in(items[0]);
  node.port = detail::port_in(items[1]);
  if (items.size() > 2) node.id = detail::text_in(items[2]);
  node.ip = node.endpoint;
  if (items.size() > 3) {
    const RespMap others(items[3]);
    if (others.has("ip")) {
      node.ip = others.text("ip");
      node.hostname = node.endpoint;
    }
    if (others.has("hostname")) node.hostname = others.text("hostname");
  }
  return node;
}

inline RedisAddress address_in_shards(const RespMap& fields, bool tls) {
  RedisAddress node;
  node.id = fields.text("id");
  node.ip = fields.text("ip");
  node.hostname = fields.text("hostname");
  node.endpoint = fields.has("endpoint") ? fields.text("endpoint") : node.ip;
  node.port = fields.port(tls ? "tls-port" : "port");
  if (node.port == 0) node.port = fields.port(tls ? "port" : "tls-port");
  return node;
}

inline RedisHealth health_in_shards(const RespMap& fields) {
  const std::string_view health = fields.text("health");
  if (health == "loading") return RedisHealth::loading;
  return health == "online" || health.empty() ? RedisHealth::online : RedisHealth::failed;
}

/// A shard of CLUSTER SHARDS, with its nodes as described there.
struct RedisShardReply {
  struct Node {
    RedisAddress address;
    RedisHealth health;
    bool is_master;
  };

  RedisShardReply(const RespMap& fields, bool tls) {
    const RespValue* const bounds = fields.find("slots");
    const RespValue* const list = fields.find("nodes");
    if (bounds == nullptr || list == nullptr) {
      detail::fail_invalid("a shard in a cluster map lacks the field slots or nodes");
    }
    const auto& numbers = detail::items_in(*bounds, 0);
    if (numbers.size() % 2 != 0) {
      detail::fail_invalid("the slots of a shard must be an even number of bounds, got " +
                           std::to_string(numbers.size()));
    }
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
      slots.push_back(detail::slots_in(numbers[i], numbers[i + 1]));
    }
    for (const RespValue& description : detail::items_in(*list, 0)) {
      const RespMap node(description);
      nodes.push_back({detail::address_in_shards(node, tls), detail::health_in_shards(node),
                       node.text("role") == "master"});
    }
  }

  std::vector<RedisSlotRange> slots;
  std::vector<Node> nodes;
};

/// Appends the shard, and one without slots for each master that does not have its slots.
inline void append_shards(RedisShardReply& reply, const RedisNames& names,
                          std::vector<RedisShard>& shards) {
  std::vector<std::string> name_of;
  constexpr auto none = static_cast<std::size_t>(-1);
  std::size_t master = none;
  for (const auto& node : reply.nodes) {
    const std::size_t i = name_of.size();
    name_of.push_back(names(node.address));
    if (!node.is_master || name_of[i].empty()) continue;
    if (master == none || node.health < reply.nodes[master].health) master = i;
  }
  if (master == none) return;
  RedisShard shard{std::move(reply.slots), name_of[master], {}};
  std::vector<RedisShard> others;
  for (std::size_t i = 0; i < name_of.size(); ++i) {
    if (name_of[i].empty()) continue;
    const auto& node = reply.nodes[i];
    if (node.is_master && i != master) {
      others.push_back({{}, name_of[i], {}});
      detail::put_health(others.back(), name_of[i], node.health);
      continue;
    }
    if (!node.is_master) shard.replicas.push_back(name_of[i]);
    detail::put_health(shard, name_of[i], node.health);
  }
  shards.push_back(std::move(shard));
  for (RedisShard& other : others) shards.push_back(std::move(other));
}

// --- Lines of CLUSTER NODES ----------------------------------------------------------------------

/// Returns the text of a reply to CLUSTER NODES, which can be given as text already.
inline std::string_view nodes_text(const std::string_view reply) {
  if (reply.empty() || std::string_view("$=-!+:*%_~#,(|").find(reply.front()) == reply.npos)
    return reply;
  const RespValue value = RespReader(reply).whole();
  if (value.kind != RespValue::Kind::text) {
    detail::fail_invalid("the reply to CLUSTER NODES must be text");
  }
  return value.text;
}

struct RedisNodesLine {
  RedisAddress address;
  std::string_view flags;
  std::string_view master;  ///< A replica's master, by id.
  std::vector<RedisSlotRange> slots;

  bool has_flag(std::string_view wanted) const {
    for (std::string_view left = flags; !left.empty();) {
      if (detail::cut(left, ',') == wanted) return true;
    }
    return false;
  }
  /// False for an address that another node can have as well.
  bool is_member() const { return !has_flag("handshake"); }
  RedisHealth health() const {
    return has_flag("fail") ? RedisHealth::failed : RedisHealth::online;
  }
};

/// Parses "id ip:port@busport[,hostname[,…]] flags master ping pong epoch link slot…".
inline RedisNodesLine parse_nodes_line(std::string_view line, std::size_t number) {
  const auto refuse = [&](const std::string& what) {
    detail::fail_invalid("line " + std::to_string(number) + " of CLUSTER NODES " + what);
  };
  RedisNodesLine node;
  node.address.id = detail::cut(line, ' ');
  std::string_view hostnames = detail::cut(line, ' ');
  node.flags = detail::cut(line, ' ');
  node.master = detail::cut(line, ' ');
  std::string_view link;
  for (int skipped = 0; skipped < 4; ++skipped) link = detail::cut(line, ' ');
  if (node.address.id.empty() || link.empty()) refuse("must have at least 8 words");

  std::string_view address = detail::cut(hostnames, ',');
  node.address.hostname = detail::cut(hostnames, ',');
  address = address.substr(0, address.rfind('@'));
  const std::size_t colon = address.rfind(':');
  const std::string_view digits = colon == address.npos ? "" : address.substr(colon + 1);
  const auto port = detail::whole_number<std::uint16_t>(digits);
  if (!port) refuse("must have an address with a port, got " + detail::quoted(address));
  node.address.port = *port;
  node.address.ip = address.substr(0, colon);
  node.address.endpoint = node.address.ip;

  while (!line.empty()) {
    const std::string_view slots = detail::cut(line, ' ');
    if (slots.empty() || slots.front() == '[') continue;  // a migrating slot is its owner's
    const std::size_t dash = slots.find('-');
    const auto first = detail::whole_number<std::int64_t>(slots.substr(0, dash));
    const auto last =
        dash == slots.npos ? first : detail::whole_number<std::int64_t>(slots.substr(dash + 1));
    if (!first || !last)
      refuse("must have slots such as 7 or 0-5460, got " + detail::quoted(slots));
    node.slots.push_back(detail::checked_slots(*first, *last));
  }
  return node;
}

}  // namespace detail

/// Parses the reply to CLUSTER SLOTS, as received from the server. It has no health: the server
/// does not list replicas that have failed or are loading, and does not say whether a master has
/// failed. Throws std::invalid_argument for any other text; if it is not RESP, with the offset.
inline std::vector<RedisShard> parse_cluster_slots(std::string_view reply,
                                                   const RedisReplyOptions& options = {}) {
  const detail::RespValue value = detail::RespReader(reply).whole();
  struct Row {
    RedisSlotRange slots;
    std::vector<detail::RedisAddress> nodes;
  };
  detail::RedisNames names(options);
  std::vector<Row> rows;
  for (const detail::RespValue& row : detail::items_in(value, 0)) {
    const auto& items = detail::items_in(row, 3);
    rows.push_back({detail::slots_in(items[0], items[1]), {}});
    for (std::size_t i = 2; i < items.size(); ++i) {
      rows.back().nodes.push_back(detail::address_in_slots(items[i]));
      names.add(rows.back().nodes.back(), RedisHealth::online);
    }
  }
  std::vector<RedisShard> shards;
  for (const Row& row : rows) {
    RedisShard shard{{row.slots}, names(row.nodes.front()), {}};
    if (shard.master.empty()) continue;
    for (std::size_t i = 1; i < row.nodes.size(); ++i) {
      std::string name = names(row.nodes[i]);
      if (!name.empty()) shard.replicas.push_back(std::move(name));
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

/// Parses the reply to CLUSTER SHARDS, in either version of the protocol; otherwise as
/// parse_cluster_slots. A health other than online or loading is failed. Of several masters in one
/// shard, the first in the best health has its slots and replicas; the others are masters without
/// slots. A shard without a master is left out.
inline std::vector<RedisShard> parse_cluster_shards(std::string_view reply,
                                                    const RedisReplyOptions& options = {}) {
  const detail::RespValue value = detail::RespReader(reply).whole();
  detail::RedisNames names(options);
  std::vector<detail::RedisShardReply> rows;
  for (const detail::RespValue& row : detail::items_in(value, 0)) {
    rows.emplace_back(detail::RespMap(row), options.tls);
    for (const auto& node : rows.back().nodes) names.add(node.address, node.health);
  }
  std::vector<RedisShard> shards;
  for (detail::RedisShardReply& row : rows) detail::append_shards(row, names, shards);
  return shards;
}

/// Parses the reply to CLUSTER NODES, as received from the server or as the text in it, which
/// redis-cli prints. Nodes flagged `fail` have failed; a node that the server only suspects,
/// `fail?`, is online, as in CLUSTER SHARDS. The text does not say which replicas are loading. A
/// migrating slot is its owner's. Nodes in a handshake are left out, and so are replicas without a
/// master. A replica of a replica counts as a replica of the master. Throws std::invalid_argument
/// for any other text, with the line.
inline std::vector<RedisShard> parse_cluster_nodes(std::string_view reply,
                                                   const RedisReplyOptions& options = {}) {
  std::string_view text = detail::nodes_text(reply);
  detail::RedisNames names(options);
  std::vector<detail::RedisNodesLine> lines;
  std::map<std::string_view, std::size_t> line_of;  // by id
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = detail::cut(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    lines.push_back(detail::parse_nodes_line(line, number));
    if (!line_of.try_emplace(lines.back().address.id, lines.size() - 1).second) {
      detail::fail_invalid("line " + std::to_string(number) + " of CLUSTER NODES repeats the id " +
                           detail::quoted(lines.back().address.id));
    }
    if (lines.back().is_member()) names.add(lines.back().address, lines.back().health());
  }
  if (lines.empty()) detail::fail_invalid("the reply to CLUSTER NODES must list a node");

  std::vector<RedisShard> shards;
  std::map<std::string_view, std::size_t> shard_of;  // by the master's id
  std::vector<std::string> name_of;                  // by line; empty if left out
  for (detail::RedisNodesLine& line : lines) {
    name_of.push_back(line.is_member() ? names(line.address) : std::string());
    if (name_of.back().empty() || !line.has_flag("master")) continue;
    shard_of.emplace(line.address.id, shards.size());
    shards.push_back({std::move(line.slots), name_of.back(), {}});
    detail::put_health(shards.back(), name_of.back(), line.health());
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (name_of[i].empty() || !lines[i].has_flag("slave")) continue;
    std::string_view master = lines[i].master;
    constexpr int longest_chain = 4;
    for (int step = 0; step < longest_chain && shard_of.count(master) == 0; ++step) {
      const auto at = line_of.find(master);
      if (at == line_of.end()) break;
      master = lines[at->second].master;
    }
    const auto shard = shard_of.find(master);
    if (shard == shard_of.end()) continue;
    shards[shard->second].replicas.push_back(name_of[i]);
    detail::put_health(shards[shard->second], name_of[i], lines[i].health());
  }
  return shards;
}

/// Parses an error reply such as "MOVED 3999 127.0.0.1:6381" or "ASK …", with or without the '-'
/// and the line end. Empty for any other error, and for a redirection without a slot below 16384 or
/// without a port from 1 to 65535, which leads nowhere. Of the options, reads only `replied_by`.
inline std::optional<RedisRedirect> parse_redirect(std::string_view error,
                                                   const RedisReplyOptions& options = {}) {
  if (error.starts_with('-')) error.remove_prefix(1);
  if (error.ends_with("\r\n")) error.remove_suffix(2);
  RedisRedirect redirect;
  const std::string_view kind = detail::cut(error, ' ');
  if (kind == "ASK") {
    redirect.kind = RedisRedirect::Kind::ask;
  } else if (kind != "MOVED") {
    return std::nullopt;
  }
  const auto slot = detail::whole_number<std::uint16_t>(detail::cut(error, ' '));
  const std::size_t colon = error.rfind(':');
  if (!slot || *slot >= redis_slot_count || colon == error.npos || error.find(' ') != error.npos) {
    return std::nullopt;
  }
  const auto port = detail::whole_number<std::uint16_t>(error.substr(colon + 1));
  if (!port) return std::nullopt;
  detail::RedisAddress address;
  address.endpoint = error.substr(0, colon);
  address.port = *port;
  RedisReplyOptions as_sent;
  as_sent.replied_by = options.replied_by;
  redirect.slot = *slot;
  redirect.node = detail::RedisNames(as_sent)(address);
  if (redirect.node.empty()) return std::nullopt;
  return redirect;
}

}  // namespace clockwise

#pragma pop_macro("slots")

#endif  // CLOCKWISE_COMPAT_REDIS_REPLIES_HPP
