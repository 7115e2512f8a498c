// SPDX-License-Identifier: MIT
#include "engine.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <clockwise/compat/cassandra.hpp>
#include <clockwise/compat/envoy.hpp>
#include <clockwise/compat/haproxy.hpp>
#include <clockwise/compat/ketama.hpp>
#include <clockwise/compat/nginx.hpp>
#include <clockwise/compat/redis_cluster.hpp>
#include <clockwise/hash_ring.hpp>
#include <cstdint>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "error.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

using clockwise::Spread;

/// A copy of any ring's table, so that any two rings can be compared.
class Snapshot : public clockwise::detail::RingBase<Snapshot, std::string, std::uint16_t> {
 public:
  using Table = clockwise::detail::RingTable<std::uint16_t>;

  Snapshot(std::span<const clockwise::Member<std::string>> members, const Table& table,
           std::uint64_t circle)
      : circle_(circle) {
    members_.assign(members.begin(), members.end());
    table_ = table;
  }
  template <class Key>
  clockwise::Position position_of(const Key& key) const noexcept {
    return clockwise::Position{key};
  }
  std::uint64_t circle() const noexcept { return circle_; }

 private:
  std::uint64_t circle_;
};

/// An engine that may have such a copy.
class Comparable : public Engine {
 public:
  virtual std::optional<Snapshot> snapshot() const { return std::nullopt; }

  std::optional<clockwise::Movement<std::string>> movement_to(const Engine& after) const override {
    const auto from = snapshot();
    const auto to = dynamic_cast<const Comparable&>(after).snapshot();
    if (!from || !to || from->circle() != to->circle()) return std::nullopt;
    return clockwise::movement(*from, *to);
  }
};

template <class Ring>
class RingEngine final : public Comparable {
 public:
  explicit RingEngine(Ring ring) : ring_(std::move(ring)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& member : ring_.members()) members.push_back({member.node, member.weight});
    return members;
  }
  std::size_t positions() const override { return ring_.vnode_count(); }
  const std::string& lookup(std::string_view key) const override { return ring_.lookup(key); }
  Spread default_spread() const override { return ring_.default_spread(); }
  Replicas preference_list(std::string_view key, std::size_t r, Spread spread) const override {
    return ring_.preference_list(key, r, spread);
  }
  Replicas preference_list(std::string_view key, std::size_t r, Spread spread,
                           const IsLive& is_live) const override {
    return ring_.preference_list(key, r, spread, is_live);
  }
  std::optional<Snapshot> snapshot() const override {
    return Snapshot(ring_.members(), ring_.table(), ring_.circle());
  }

 private:
  Ring ring_;
};

/// An engine without a circle; it ignores racks.
class TableEngine : public Comparable {
 public:
  Spread default_spread() const override { return Spread::nodes; }
  Replicas preference_list(std::string_view key, std::size_t r, Spread spread) const override {
    if (spread != Spread::nodes) {
      throw InputError("--spread must be nodes for this scheme, which ignores racks");
    }
    return order(key, r);
  }
  Replicas preference_list(std::string_view key, std::size_t r, Spread spread,
                           const IsLive& is_live) const override {
    const Replicas natural = preference_list(key, r, spread);
    const Replicas all = order(key, members().size());
    Replicas live(r);
    for (std::size_t i = 0; i < all.size() && live.size() < r; ++i) {
      if (!is_live(all[i])) continue;
      if (i < natural.size()) {
        live.push_back(all[i]);
      } else {
        live.push_back_substitute(all[i]);
      }
    }
    return live;
  }

 private:
  virtual Replicas order(std::string_view key, std::size_t r) const = 0;
};

class MaglevEngine final : public TableEngine {
 public:
  explicit MaglevEngine(clockwise::EnvoyMaglev table) : table_(std::move(table)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& member : table_.members()) members.push_back({member.node, member.weight});
    return members;
  }
  std::size_t positions() const override { return table_.table_size(); }
  const std::string& lookup(std::string_view key) const override { return table_.lookup(key); }

 private:
  Replicas order(std::string_view key, std::size_t r) const override {
    return table_.preference_list(key, r);
  }

  clockwise::EnvoyMaglev table_;
};

class RedisEngine final : public TableEngine {
 public:
  explicit RedisEngine(clockwise::RedisSlotMap map) : map_(std::move(map)) {}

  std::vector<Member> members() const override {
    std::vector<Member> members;
    for (const auto& node : map_.nodes()) members.push_back({node.name, 1});
    return members;
  }
  std::size_t positions() const override { return clockwise::redis_slot_count; }
  const std::string& lookup(std::string_view key) const override { return map_.lookup(key); }

  /// Slots as arcs of equal length, in slot order.
  std::optional<Snapshot> snapshot() const override {
    if (!map_.complete()) return std::nullopt;
    std::vector<clockwise::Member<std::string>> members;
    Snapshot::Table::Change change;
    for (const auto& node : map_.nodes()) {
      for (const auto& slots : map_.slots_of(node.name)) {
        change.added.push_back({((std::uint64_t{slots.last} + 1) << 50) - 1,
                                static_cast<std::uint16_t>(members.size())});
      }
      members.push_back({node.name, 1, {}, {}, 0});
    }
    return Snapshot(members, Snapshot::Table().after(std::move(change)), 0x7265646973);
  }

 private:
  Replicas order(std::string_view key, std::size_t r) const override {
    return map_.preference_list(key, r);
  }

  clockwise::RedisSlotMap map_;
};

// --- Fleets -------------------------------------------------------------------------------------

[[noreturn]] void fail_at(const Fleet& fleet, const FleetNode& node, const std::string& why) {
  throw InputError(fleet.name + ':' + std::to_string(node.line) + ": " + why);
}

template <class Integer>
Integer number_in(const Fleet& fleet, const FleetNode& node, std::string_view column,
                  std::string_view text) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || parsed != end) {
    fail_at(fleet, node,
            std::string(column) + " must be a whole number in range, got \"" + shown(text) + '"');
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

template <class Ring>
std::unique_ptr<Engine> ring_engine(Ring ring) {
  return std::make_unique<RingEngine<Ring>>(std::move(ring));
}

template <class Ring>
Ring filled(Ring ring, const Fleet& fleet) {
  ring.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) edit.add(node.id, node.options);
  });
  return ring;
}

std::unique_ptr<Engine> cassandra(const Fleet& fleet) {
  clockwise::CassandraRing ring;
  ring.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) {
      if (!node.traits.contains("tokens")) {
        fail_at(fleet, node, "the node has no tokens; Cassandra requires a column tokens");
      }
      clockwise::CassandraTokens tokens;
      for (const std::string_view word : words(node.traits.at("tokens"))) {
        tokens.tokens.push_back(number_in<std::int64_t>(fleet, node, "token", word));
      }
      edit.add(node.id, node.options, std::move(tokens));
    }
  });
  return ring_engine(std::move(ring));
}

std::unique_ptr<Engine> haproxy(const Fleet& fleet, const clockwise::HaproxyOptions& options) {
  clockwise::HaproxyRing ring(options);
  ring.update([&](auto& edit) {
    for (const FleetNode& node : fleet.nodes) {
      clockwise::HaproxyId id;
      if (const auto at = node.traits.find("server_id"); at != node.traits.end()) {
        id.value = number_in<std::uint32_t>(fleet, node, "server_id", at->second);
      }
      edit.add(node.id, node.options, id);
    }
  });
  return ring_engine(std::move(ring));
}

std::unique_ptr<Engine> envoy_maglev(const Fleet& fleet) {
  std::vector<std::pair<std::string, double>> hosts;
  for (const FleetNode& node : fleet.nodes) hosts.emplace_back(node.id, node.options.weight);
  return std::make_unique<MaglevEngine>(clockwise::EnvoyMaglev(hosts));
}

/// Slots as listed, "0-5460 6000"; if no node lists any, redis-cli's even split.
std::unique_ptr<Engine> redis(const Fleet& fleet) {
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
      const std::size_t dash = word.find('-');
      const auto first = number_in<std::uint16_t>(fleet, node, "slot", word.substr(0, dash));
      const auto last = dash == word.npos
                            ? first
                            : number_in<std::uint16_t>(fleet, node, "slot", word.substr(dash + 1));
      shards.back().slots.push_back({first, last});
    }
  }
  for (const FleetNode& node : fleet.nodes) {
    const auto master = node.traits.find("replica_of");
    if (master == node.traits.end()) continue;
    const auto shard = shard_of.find(master->second);
    if (shard == shard_of.end()) {
      fail_at(fleet, node, "replica_of must name a master, got \"" + shown(master->second) + '"');
    }
    shards[shard->second].replicas.push_back(node.id);
  }
  if (!any_slots) {
    const auto split = clockwise::redis_even_split(static_cast<std::uint32_t>(shards.size()));
    for (std::size_t i = 0; i < shards.size(); ++i) shards[i].slots = {split[i]};
  }
  return std::make_unique<RedisEngine>(clockwise::RedisSlotMap(shards));
}

std::unique_ptr<Engine> own_ring(const Fleet& fleet, const Placement& placement) {
  std::unique_ptr<Engine> engine;
  check_positions(fleet, placement);
  with_hash(placement, [&](auto hash) {
    using Ring = clockwise::HashRing<decltype(hash), std::string, std::uint16_t>;
    engine = ring_engine(filled(Ring(clockwise::RingOptions{placement.vnodes}, hash), fleet));
  });
  return engine;
}

// --- Schemes ------------------------------------------------------------------------------------

using Make = std::unique_ptr<Engine> (*)(const Fleet&, const Placement&);

template <clockwise::KetamaFlavour flavour, clockwise::KetamaHash hash>
std::unique_ptr<Engine> ketama(const Fleet& fleet, const Placement&) {
  return ring_engine(filled(clockwise::KetamaRing(flavour, hash), fleet));
}
template <clockwise::EnvoyHashFunction function, bool grpc>
std::unique_ptr<Engine> envoy(const Fleet& fleet, const Placement&) {
  auto options = grpc ? clockwise::EnvoyRingOptions::grpc() : clockwise::EnvoyRingOptions{};
  options.hash_function = function;
  return ring_engine(filled(clockwise::EnvoyRing(options), fleet));
}
template <clockwise::HaproxyHash function, bool avalanche>
std::unique_ptr<Engine> haproxy_with(const Fleet& fleet, const Placement&) {
  return haproxy(fleet, {function, avalanche});
}

struct Scheme {
  std::string_view name;
  Make make;
};

using clockwise::EnvoyHashFunction;
using clockwise::HaproxyHash;
using clockwise::KetamaFlavour;
using clockwise::KetamaHash;

constexpr std::array schemes{
    Scheme{"clockwise", own_ring},
    Scheme{"ketama", ketama<KetamaFlavour::libmemcached, KetamaHash::md5>},
    Scheme{"ketama:spy", ketama<KetamaFlavour::spy, KetamaHash::md5>},
    Scheme{"ketama:rj", ketama<KetamaFlavour::rj, KetamaHash::md5>},
    Scheme{"twemproxy", ketama<KetamaFlavour::twemproxy, KetamaHash::fnv1a_64>},
    Scheme{"twemproxy:md5", ketama<KetamaFlavour::twemproxy, KetamaHash::md5>},
    Scheme{"nginx",
           [](const Fleet& fleet, const Placement&) {
             return ring_engine(filled(clockwise::NginxRing(), fleet));
           }},
    Scheme{"envoy", envoy<EnvoyHashFunction::xx_hash, false>},
    Scheme{"envoy:murmur2", envoy<EnvoyHashFunction::murmur_hash_2, false>},
    Scheme{"envoy:grpc", envoy<EnvoyHashFunction::xx_hash, true>},
    Scheme{"envoy:maglev",
           [](const Fleet& fleet, const Placement&) { return envoy_maglev(fleet); }},
    Scheme{"redis", [](const Fleet& fleet, const Placement&) { return redis(fleet); }},
    Scheme{"cassandra", [](const Fleet& fleet, const Placement&) { return cassandra(fleet); }},
    Scheme{"haproxy", haproxy_with<HaproxyHash::sdbm, true>},
    Scheme{"haproxy:sdbm", haproxy_with<HaproxyHash::sdbm, false>},
    Scheme{"haproxy:djb2", haproxy_with<HaproxyHash::djb2, false>},
    Scheme{"haproxy:djb2-avalanche", haproxy_with<HaproxyHash::djb2, true>},
    Scheme{"haproxy:wt6", haproxy_with<HaproxyHash::wt6, false>},
    Scheme{"haproxy:wt6-avalanche", haproxy_with<HaproxyHash::wt6, true>},
    Scheme{"haproxy:crc32", haproxy_with<HaproxyHash::crc32, false>},
    Scheme{"haproxy:crc32-avalanche", haproxy_with<HaproxyHash::crc32, true>},
};

const Scheme* find_scheme(std::string_view name) {
  const auto at = std::find_if(schemes.begin(), schemes.end(),
                               [&](const Scheme& scheme) { return scheme.name == name; });
  return at == schemes.end() ? nullptr : &*at;
}

}  // namespace

const char* const own_scheme = "clockwise";

const char* const scheme_help =
    R"(Schemes: clockwise; ketama (libmemcached), ketama:spy, ketama:rj; twemproxy
(fnv1a_64), twemproxy:md5; nginx; envoy (XXH64), envoy:murmur2, envoy:grpc,
envoy:maglev; redis; cassandra; haproxy (sdbm with avalanche), haproxy:F and
haproxy:F-avalanche with F = sdbm, djb2, wt6 or crc32.

List nodes in the order of the engine's configuration. Columns that only engines
read: tokens (cassandra: numbers separated by blanks), slots (redis: "0-5460
6000"; without any, redis-cli's even split), replica_of (redis) and server_id
(haproxy: a server's id).
)";

void add_scheme_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::string& scheme) {
  app.add_option_function<std::string>(
         option,
         [option, &scheme](const std::string& text) {
           if (find_scheme(text) == nullptr) {
             throw CLI::ValidationError(option + " must be a scheme, got \"" + shown(text) + '"');
           }
           scheme = text;
         },
         help)
      ->type_name("SCHEME");
}

void check_placement_options(const CLI::App& app, const std::vector<std::string>& chosen) {
  if (std::find(chosen.begin(), chosen.end(), own_scheme) != chosen.end()) return;
  for (const char* const option : {"--vnodes", "--hash"}) {
    if (app.count(option) > 0) {
      throw InputError(std::string(option) + " applies only to --scheme clockwise, not " +
                       chosen.front());
    }
  }
}

std::unique_ptr<Engine> make_engine(const Fleet& fleet, const std::string& scheme,
                                    const Placement& placement) {
  try {
    return find_scheme(scheme)->make(fleet, placement);
  } catch (const InputError&) {
    throw;
  } catch (const std::logic_error& error) {
    throw InputError(fleet.name + ": " + error.what());
  }
}

}  // namespace ringctl
