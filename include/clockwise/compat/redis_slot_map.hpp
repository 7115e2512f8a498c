// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_REDIS_SLOT_MAP_HPP
#define CLOCKWISE_COMPAT_REDIS_SLOT_MAP_HPP

// Redis Cluster and Valkey: 16,384 slots, and the map of their owners.
//
//   static_assert(clockwise::redis_slot("{user:42}:cart") == clockwise::redis_slot("user:42"));
//
//   clockwise::RedisSlotMap map({"10.0.0.1:6379", "10.0.0.2:6379", "10.0.0.3:6379"});
//   map.lookup("user:42");                        // "10.0.0.1:6379"
//   map.migrate(42, "10.0.0.2:6379");             // slot 42 is migrating
//
// Source: the Redis Cluster specification.

#include <algorithm>         // adjacent_find, any_of, count, fill, find, lower_bound, max, min, ...
#include <array>             // array
#include <concepts>          // invocable
#include <cstddef>           // nullptr_t, ptrdiff_t, size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <cstring>           // memcpy
#include <initializer_list>  // initializer_list
#include <map>               // map
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <type_traits>       // is_constant_evaluated
#include <utility>           // forward, move, pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/ieee.hpp"
#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/digest/crc16.hpp"
#include "clockwise/detail/scheme/moving_slots.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

// Qt has a macro `slots`. It is back after this header.
#pragma push_macro("slots")
#undef slots

namespace clockwise {

inline constexpr std::uint32_t redis_slot_count = 16384;

namespace detail {

/// False only if `key` contains no '{', checked eight bytes at a time; also true for a few keys
/// without one, such as some with bytes above 127.
constexpr bool may_have_hash_tag(std::string_view key) {
  if (std::is_constant_evaluated() || key.size() < 8) return key.find('{') != key.npos;
  constexpr std::uint64_t ones = 0x0101010101010101;
  const auto look_at = [&](std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, key.data() + at, 8);
    return (word ^ ones * '{') - ones;  // a byte that was '{' borrows, which sets its top bit
  };
  std::uint64_t found = look_at(0) | look_at(key.size() - 8);
  for (std::size_t at = 8; at + 8 < key.size(); at += 8) found |= look_at(at);
  return (found & ones << 7) != 0;
}

}  // namespace detail

/// Returns the part of a key that decides its slot: the text between the first '{' and the next
/// '}', or the whole key if there is no such text.
constexpr std::string_view redis_hash_tag(std::string_view key) {
  if (!detail::may_have_hash_tag(key)) return key;
  const std::size_t open = key.find('{');
  if (open == key.npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == key.npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

/// Returns the slot of a key, 0 to 16383: CRC-16/XMODEM of its hash tag, modulo 16384. O(length).
constexpr std::uint16_t redis_slot(std::string_view key) {
  return detail::crc16(redis_hash_tag(key)) % redis_slot_count;
}
std::uint16_t redis_slot(std::nullptr_t) = delete;  // it would be read as a text

/// Slots `first` to `last`, both included, as in `CLUSTER SLOTS`.
struct RedisSlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  friend constexpr bool operator==(const RedisSlotRange&, const RedisSlotRange&) = default;
};

/// A node's health, as agreed by the cluster.
enum class RedisHealth : unsigned char {
  online,
  loading,  ///< A replica that lacks its master's data.
  failed,
};

/// A master, its replicas and its slots. Nodes are named "host:port".
struct RedisShard {
  std::vector<RedisSlotRange> slots;
  std::string master;
  std::vector<std::string> replicas;
  std::vector<std::string> loading = {};  ///< Which of these nodes are loading,
  std::vector<std::string> failed = {};   ///< and which have failed. The others are online.
};

/// Returns the slots of each of `masters` masters as `redis-cli --cluster create` assigns them: in
/// order, with bounds rounded in single precision. Throws std::invalid_argument for 0 and for more
/// masters than slots.
inline std::vector<RedisSlotRange> redis_even_split(std::uint32_t masters) {
  if (masters == 0 || masters > redis_slot_count) {
    detail::fail_invalid("masters must be between 1 and " + std::to_string(redis_slot_count) +
                         ", got " + std::to_string(masters));
  }
  const detail::Single each = detail::Single(redis_slot_count) / detail::Single(masters);
  std::vector<RedisSlotRange> ranges;
  detail::Single end;
  std::uint32_t first = 0;
  for (std::uint32_t i = 1; i <= masters; ++i) {
    end = end + each;
    // redis-cli subtracts the 1 before rounding; it is exact, so the order does not matter.
    std::uint32_t last = static_cast<std::uint32_t>(end.round()) - 1;
    if (i == masters) last = redis_slot_count - 1;
    last = (std::max)(last, first);
    ranges.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)});
    first = last + 1;
  }
  return ranges;
}

/// A redirection in a node's reply.
struct RedisRedirect {
  enum class Kind : unsigned char {
    moved,  ///< `node` owns the slot from now on.
    ask,    ///< Send this one request to `node`, after an ASKING; the slot keeps its owner.
  };
  Kind kind = Kind::moved;
  std::uint16_t slot = 0;
  std::string node;

  friend bool operator==(const RedisRedirect&, const RedisRedirect&) = default;
};

/// The node that serves each slot: clients cache this map, nodes answer from it.
///
/// A lookup is one read of a table of 16,384 entries. A slot can have no owner. Masters without
/// slots, and replicas, are members that own nothing. Mutators are all or nothing. They throw
/// std::invalid_argument for a node that is empty, already known or of the wrong kind, and
/// std::out_of_range for a node that is unknown or a slot above 16383.
///
/// A moved-from map has no nodes. Thread safety: that of a standard container. A model of
/// Placement, but not of Partitioner: a master that joins gets no slots, because in Redis an
/// operator moves them, one by one.
class RedisSlotMap {
 public:
  using node_type = std::string;

  /// A map without nodes, in which no slot has an owner.
  RedisSlotMap() noexcept { owners_.fill(none); }
  /// Assigns the slots evenly, in the order of `masters`: see redis_even_split.
  RedisSlotMap(std::initializer_list<detail::ListedText> masters)
      : RedisSlotMap(even_shards(detail::ids_in(masters))) {}
  template <IdRange Masters>
  explicit RedisSlotMap(Masters&& masters) : RedisSlotMap(even_shards(detail::ids_in(masters))) {}
  /// Takes shards as parse_cluster_slots, parse_cluster_shards and parse_cluster_nodes return them.
  /// Throws std::invalid_argument if a slot is in two of them. O(N log N).
  explicit RedisSlotMap(std::span<const RedisShard> shards) : RedisSlotMap() {
    std::map<std::string_view, std::uint16_t> listed;  // by name: its number in nodes_, as listed
    const auto number_of = [&](const std::string& name, const std::string& master) {
      const auto at = listed.find(name);
      if (at != listed.end()) return at->second;
      check_name(name);
      check_count();
      const auto number = static_cast<std::uint16_t>(nodes_.size());
      nodes_.push_back({name, master, {}});
      return listed.emplace(name, number).first->second;
    };
    for (const RedisShard& shard : shards) {
      const std::uint16_t number = number_of(shard.master, {});
      for (const RedisSlotRange& range : shard.slots) {
        check_master(number, "RedisSlotMap");
        check_range(range);
        for (std::uint32_t slot = range.first; slot <= range.last; ++slot) {
          if (owners_[slot] != none) {
            detail::fail_invalid("slot " + std::to_string(slot) + " is listed twice, for " +
                                 detail::quoted(nodes_[owners_[slot]].name) + " and " +
                                 detail::quoted(shard.master));
          }
          owners_[slot] = number;
        }
      }
      for (const std::string& replica : shard.replicas) {
        if (listed.count(replica) != 0) continue;  // a shard is listed once per range of slots
        check_master(number, "RedisSlotMap");
        number_of(replica, shard.master);
        nodes_[number].replicas.push_back(replica);
      }
    }
    const auto mark = [&](const std::vector<std::string>& names, RedisHealth health) {
      for (const std::string& name : names) {
        const auto at = listed.find(name);
        if (at == listed.end()) {
          detail::fail_invalid("node " + detail::quoted(name) + " has a health but no shard");
        }
        nodes_[at->second].health = health;
      }
    };
    for (const RedisShard& shard : shards) {
      mark(shard.loading, RedisHealth::loading);
      mark(shard.failed, RedisHealth::failed);
    }

    std::vector<Node> sorted;
    sorted.reserve(nodes_.size());
    std::vector<std::uint16_t> index(nodes_.size());
    for (const auto& [name, number] : listed) {
      index[number] = static_cast<std::uint16_t>(sorted.size());
      sorted.push_back(std::move(nodes_[number]));
    }
    nodes_.swap(sorted);
    renumber([&](std::uint16_t number) { return index[number]; });
  }
  explicit RedisSlotMap(const std::vector<RedisShard>& shards)
      : RedisSlotMap(std::span<const RedisShard>(shards)) {}

  RedisSlotMap(const RedisSlotMap&) = default;
  RedisSlotMap(RedisSlotMap&& other) noexcept : RedisSlotMap() { swap(other); }
  RedisSlotMap& operator=(RedisSlotMap other) noexcept {
    swap(other);
    return *this;
  }
  ~RedisSlotMap() = default;

  void swap(RedisSlotMap& other) noexcept {
    nodes_.swap(other.nodes_);
    owners_.swap(other.owners_);
    moves_.swap(other.moves_);
  }

  // --- Owners ------------------------------------------------------------------------------------

  /// Returns the master that serves `key`, which is text or bytes. Throws std::out_of_range if its
  /// slot has no owner; a cluster then answers CLUSTERDOWN.
  template <class Key>
  const std::string& lookup(const Key& key) const& {
    const std::uint16_t slot = slot_of(key);
    const std::string* const master = owner_of(slot);
    if (master == nullptr) {
      detail::fail_range("lookup: the key's slot " + std::to_string(slot) + " has no owner");
    }
    return *master;
  }
  template <class Key>
  const std::string& lookup(const Key& key) const&& = delete;  // it would refer to nothing
  template <class Key>
  const std::string* try_lookup(const Key& key) const& noexcept {
    return owner_of(slot_of(key));
  }
  template <class Key>
  const std::string* try_lookup(const Key& key) const&& = delete;  // it would refer to nothing
  /// Returns the slot's owner, or nullptr if it has none. `slot` must be below 16384.
  const std::string* owner_of(std::uint16_t slot) const& noexcept {
    const std::uint16_t owner = owners_[slot];
    return owner == none ? nullptr : &nodes_[owner].name;
  }
  const std::string* owner_of(std::uint16_t slot) const&& = delete;  // it would refer to nothing

  template <class Key>
  static std::uint16_t slot_of(const Key& key) noexcept {
    if constexpr (detail::Text<Key>) {
      return clockwise::redis_slot(detail::characters_of<char>(key));
    } else {
      static_assert(detail::Bytes<Key>, "clockwise: a Redis key must be text or contiguous bytes");
      const auto bytes = detail::bytes_of(key);
      return clockwise::redis_slot({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }

  /// Returns the master and its online replicas, in the order listed, up to `r` nodes. The master
  /// is first in any health: it owns the slot until another node does. No spread
  /// applies: the operator chooses a master's replicas.
  template <class Key>
  ReplicaList<std::string> preference_list(const Key& key, ReplicaCount r) const& {
    ReplicaList<std::string> list(r);
    const std::uint16_t owner = owners_[slot_of(key)];
    if (owner == none || r == 0) return list;
    list.push_back(nodes_[owner].name);
    for (const std::string& replica : nodes_[owner].replicas) {
      if (list.size() == r) break;
      const Node& node = nodes_[index_of(replica)];
      if (node.health == RedisHealth::online) list.push_back(node.name);
    }
    return list;
  }
  template <class Key>
  void preference_list(const Key&, ReplicaCount) const&& = delete;  // it would refer to nothing

  /// Returns each node's share of the 16,384 slots, in id order. The sum is the share with owners.
  std::vector<std::pair<std::string, double>> load_shares() const {
    std::vector<std::uint32_t> slots(nodes_.size());
    for (const std::uint16_t owner : owners_) {
      if (owner != none) ++slots[owner];
    }
    std::vector<std::pair<std::string, double>> shares;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      shares.emplace_back(nodes_[i].name, static_cast<double>(slots[i]) / redis_slot_count);
    }
    return shares;
  }

  /// Returns the slots of a node, ascending; none for a replica.
  std::vector<RedisSlotRange> slots_of(std::string_view node) const {
    const std::uint16_t index = known(node, "slots_of");
    std::vector<RedisSlotRange> ranges;
    for (std::uint32_t slot = 0; slot < redis_slot_count; ++slot) {
      if (owners_[slot] != index) continue;
      const auto narrow = static_cast<std::uint16_t>(slot);
      if (!ranges.empty() && ranges.back().last + 1u == slot) {
        ranges.back().last = narrow;
      } else {
        ranges.push_back({narrow, narrow});
      }
    }
    return ranges;
  }

  struct Node {
    std::string name;
    std::string master;                 ///< A replica's master; empty for a master.
    std::vector<std::string> replicas;  ///< A master's replicas, in the order listed.
    RedisHealth health = RedisHealth::online;

    friend bool operator==(const Node&, const Node&) = default;
  };
  /// The nodes, in id order.
  std::span<const Node> nodes() const& noexcept { return nodes_; }
  std::span<const Node> nodes() const&& = delete;  // it would refer to nothing
  std::size_t size() const noexcept { return nodes_.size(); }
  bool empty() const noexcept { return nodes_.empty(); }
  bool contains(std::string_view node) const { return index_of(node) != none; }
  RedisHealth health_of(std::string_view node) const {
    return nodes_[known(node, "health_of")].health;
  }
  /// Returns the heap memory of the node table, without that of names and replicas. O(1).
  std::size_t memory_bytes() const noexcept {
    return nodes_.capacity() * sizeof(Node) + moves_.bytes();
  }
  /// The same owners, masters, replicas and health, so every key has the same owner and the same
  /// preference list on both. Migrations do not count.
  friend bool operator==(const RedisSlotMap& a, const RedisSlotMap& b) {
    return a.nodes_ == b.nodes_ && a.owners_ == b.owners_;
  }
  /// Whether every slot has an owner. Otherwise, a cluster with cluster-require-full-coverage
  /// serves no requests.
  bool complete() const { return std::find(owners_.begin(), owners_.end(), none) == owners_.end(); }

  // --- Members -----------------------------------------------------------------------------------

  /// Adds a master without slots, as CLUSTER MEET does.
  void add(std::string master) { insert({std::move(master), {}, {}}); }
  /// Adds several as one change.
  template <IdRange Masters>
  void add_all(Masters&& masters) {
    update([&](RedisSlotMap& edit) {
      for (std::string& name : detail::ids_in(masters)) edit.add(std::move(name));
    });
  }
  void add_all(std::initializer_list<detail::ListedText> masters) {
    add_all(detail::ids_in(masters));
  }
  void add_replica(std::string replica, std::string_view master) {
    std::uint16_t index = master_known(master, "add_replica");
    std::vector<std::string>& replicas = nodes_[index].replicas;
    if (replicas.size() == replicas.capacity()) replicas.reserve(2 * replicas.size() + 1);
    const std::uint16_t at = insert({replica, nodes_[index].name, {}});
    // Nothing below throws.
    if (at <= index) ++index;
    nodes_[index].replicas.push_back(std::move(replica));
  }
  /// Removes a node; returns false if absent. Throws std::invalid_argument for a master with slots
  /// or replicas, which redis-cli also refuses, and for one that imports a slot.
  bool remove(std::string_view node) {
    const std::uint16_t index = index_of(node);
    if (index == none) return false;
    const auto slots = std::count(owners_.begin(), owners_.end(), index);
    if (slots > 0 || !nodes_[index].replicas.empty() || is_target(index)) {
      detail::fail_invalid("remove: " + detail::quoted(node) + " still has " +
                           std::to_string(slots) + " slots and " +
                           std::to_string(nodes_[index].replicas.size()) +
                           " replicas, or imports a slot");
    }
    if (!nodes_[index].master.empty()) {
      std::erase(nodes_[index_of(nodes_[index].master)].replicas, nodes_[index].name);
    }
    nodes_.erase(nodes_.begin() + index);
    renumber([index](std::uint16_t old) { return old > index ? old - 1 : old; });
    return true;
  }

  /// Makes several changes as one: fn(edit) calls mutators of this class on `edit`, a copy. If one
  /// throws, the map is unchanged.
  template <std::invocable<RedisSlotMap&> Fn>
  void update(Fn&& fn) {
    RedisSlotMap edit = *this;
    std::forward<Fn>(fn)(edit);
    swap(edit);
  }
  /// Removes all nodes.
  void clear() noexcept { RedisSlotMap().swap(*this); }

  template <class Id>
  void set_weight(const Id&, double) = delete;  // Redis has no weights: assign(slots, master)

  /// Sets the health of a node: preference lists leave out a replica that is not online. Moves no
  /// slot.
  void set_health(std::string_view node, RedisHealth health) {
    nodes_[known(node, "set_health")].health = health;
  }

  /// Makes `master` the owner of these slots, which ends their migration.
  void assign(RedisSlotRange slots, std::string_view master) {
    const std::uint16_t index = master_known(master, "assign");
    check_range(slots);
    set_owner(slots, index);
  }
  /// Leaves these slots without an owner, which ends their migration.
  void unassign(RedisSlotRange slots) {
    check_range(slots);
    set_owner(slots, none);
  }

  // --- Redirections and migration ----------------------------------------------------------------

  /// Applies a redirection: MOVED changes the slot's owner, which can be a node not yet in the map;
  /// ASK concerns one request and changes nothing.
  void apply(const RedisRedirect& redirect) {
    if (redirect.kind == RedisRedirect::Kind::ask) return;
    check_range({redirect.slot, redirect.slot});
    std::uint16_t index = index_of(redirect.node);
    if (index == none) {
      index = insert({redirect.node, {}, {}});
    } else {
      promote(redirect.node);
    }
    set_owner({redirect.slot, redirect.slot}, index);
  }

  /// Fails over: a replica takes its master's slots and is online, and the master becomes its
  /// replica with unchanged health. No effect on a master. O(N).
  void promote(std::string_view node) {
    const std::uint16_t index = known(node, "promote");
    if (nodes_[index].master.empty()) return;
    const std::uint16_t former = index_of(nodes_[index].master);
    std::vector<Node> nodes = nodes_;
    Node& chosen = nodes[index];
    Node& master = nodes[former];
    chosen.master.clear();
    chosen.health = RedisHealth::online;
    chosen.replicas.swap(master.replicas);  // a replica has none
    std::replace(chosen.replicas.begin(), chosen.replicas.end(), chosen.name, master.name);
    for (const std::string& replica : chosen.replicas) {
      nodes[index_of(replica)].master = chosen.name;
    }
    // Nothing below throws.
    nodes_.swap(nodes);
    renumber([&](std::uint16_t old) { return old == former ? index : old; });
  }

  /// Starts the move of a slot to the master `to`: CLUSTER SETSLOT MIGRATING on its owner,
  /// IMPORTING on `to`. If already moving, it gets a new target. assign() or unassign() ends it.
  /// Throws std::invalid_argument if the slot has no owner or `to` already owns it.
  void migrate(std::uint16_t slot, std::string_view to) {
    const std::uint16_t target = master_known(to, "migrate");
    check_range({slot, slot});
    if (owners_[slot] == none || owners_[slot] == target) {
      const std::string number = "slot " + std::to_string(slot);
      detail::fail_invalid("migrate: " + (owners_[slot] == none
                                              ? number + " has no owner"
                                              : detail::quoted(to) + " already owns " + number));
    }
    moves_.start(slot, target);
  }
  /// Ends a slot's migration without effect, as CLUSTER SETSLOT STABLE does.
  void cancel(std::uint16_t slot) noexcept { moves_.stop(slot, slot); }
  /// Returns the node that the slot is migrating to; nullptr if it is not migrating. O(log S) for S
  /// moving slots.
  const std::string* migrating_to(std::uint16_t slot) const& noexcept {
    const std::uint16_t* const target = moves_.target_of(slot);
    return target == nullptr ? nullptr : &nodes_[*target].name;
  }
  const std::string* migrating_to(std::uint16_t slot) const&& =
      delete;  // it would refer to nothing

  /// A request for one key, as seen by the node that receives it.
  struct Request {
    bool key_present = true;  ///< The node has the key, which matters while the slot migrates away.
    bool asking = false;      ///< The client sent ASKING before the request.
  };

  struct Answer {
    enum class Kind : unsigned char {
      serve,
      moved,        ///< To the slot's owner.
      ask,          ///< To the slot's target.
      cluster_down  ///< The slot has no owner.
    };
    Kind kind = Kind::serve;
    const std::string* node = nullptr;  ///< The node that the client is sent to.
  };

  /// Returns the reply of the master `node` to a request for one key of `slot`.
  Answer answer(std::string_view node, std::uint16_t slot, Request request) const& {
    const std::uint16_t index = master_known(node, "answer");
    check_range({slot, slot});
    const std::string* const target = migrating_to(slot);
    if (owners_[slot] == none) return {Answer::Kind::cluster_down, nullptr};
    if (owners_[slot] == index) {
      if (target != nullptr && !request.key_present) return {Answer::Kind::ask, target};
      return {Answer::Kind::serve, nullptr};
    }
    if (request.asking && target == &nodes_[index].name) return {Answer::Kind::serve, nullptr};
    return {Answer::Kind::moved, owner_of(slot)};
  }
  void answer(std::string_view, std::uint16_t,
              Request) const&& = delete;  // it would refer to nothing

 private:
  static constexpr std::uint16_t none = 0xffff;

  static std::vector<RedisShard> even_shards(const std::vector<std::string>& masters) {
    std::vector<RedisShard> shards;
    if (masters.empty()) return shards;
    const auto ranges = redis_even_split(
        static_cast<std::uint32_t>((std::min)(masters.size(), std::size_t{0xffffffff})));
    std::vector<std::string_view> names(masters.begin(), masters.end());
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin != names.end()) fail_known(*twin);
    shards.reserve(masters.size());
    for (std::size_t i = 0; i < masters.size(); ++i)
      shards.push_back({{ranges[i]}, masters[i], {}});
    return shards;
  }

  /// Returns the index of a node, or the index where it would be inserted.
  std::size_t lower_index(std::string_view name) const {
    const auto at = std::lower_bound(
        nodes_.begin(), nodes_.end(), name,
        [](const Node& node, std::string_view wanted) { return node.name < wanted; });
    return static_cast<std::size_t>(at - nodes_.begin());
  }
  std::uint16_t index_of(std::string_view name) const {
    const std::size_t index = lower_index(name);
    return index < nodes_.size() && nodes_[index].name == name ? static_cast<std::uint16_t>(index)
                                                               : none;
  }
  std::uint16_t known(std::string_view name, const char* caller) const {
    const std::uint16_t index = index_of(name);
    if (index == none) {
      detail::fail_range(std::string(caller) + ": " + detail::quoted(name) +
                         " is not in the cluster");
    }
    return index;
  }
  std::uint16_t master_known(std::string_view name, const char* caller) const {
    const std::uint16_t index = known(name, caller);
    check_master(index, caller);
    return index;
  }
  void check_master(std::uint16_t index, const char* caller) const {
    const Node& node = nodes_[index];
    if (!node.master.empty()) {
      detail::fail_invalid(std::string(caller) + ": " + detail::quoted(node.name) +
                           " is a replica of " + detail::quoted(node.master));
    }
  }
  [[noreturn]] static void fail_known(std::string_view name) {
    detail::fail_invalid("node " + detail::quoted(name) + " is already in the cluster");
  }
  static void check_name(std::string_view name) {
    if (name.empty()) detail::fail_invalid("a node's id must not be empty");
  }
  void check_count() const {
    if (nodes_.size() == none) {
      detail::fail_length("a cluster can have up to " + std::to_string(none) + " nodes, got " +
                          std::to_string(nodes_.size() + 1));
    }
  }
  static void check_range(RedisSlotRange slots) {
    if (slots.last >= redis_slot_count || slots.first > slots.last) {
      detail::fail_range("slots must be between 0 and 16383, got " + std::to_string(slots.first) +
                         " to " + std::to_string(slots.last));
    }
  }

  /// Returns the index of the new node.
  std::uint16_t insert(Node node) {
    check_name(node.name);
    if (contains(node.name)) fail_known(node.name);
    check_count();
    const std::size_t index = lower_index(node.name);
    nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(index), std::move(node));
    renumber([index](std::uint16_t old) { return old >= index ? old + 1 : old; });
    return static_cast<std::uint16_t>(index);
  }

  template <class NewNumber>
  void renumber(NewNumber new_number) noexcept {
    const auto change = [&](std::uint16_t& index) {
      if (index != none) index = static_cast<std::uint16_t>(new_number(index));
    };
    for (std::uint16_t& owner : owners_) change(owner);
    for (auto& move : moves_) change(move.target);
  }

  void set_owner(RedisSlotRange slots, std::uint16_t owner) noexcept {
    moves_.stop(slots.first, slots.last);
    std::fill(owners_.begin() + slots.first, owners_.begin() + slots.last + 1, owner);
  }

  bool is_target(std::uint16_t index) const {
    return std::any_of(moves_.begin(), moves_.end(),
                       [index](const auto& move) { return move.target == index; });
  }

  std::vector<Node> nodes_;                             // in id order
  std::array<std::uint16_t, redis_slot_count> owners_;  // by slot: an index in nodes_, or none
  detail::MovingSlots<std::uint16_t> moves_;            // by the indices of targets in nodes_
};

/// A run of slots that moves; an empty name means no owner.
struct RedisSlotMove {
  RedisSlotRange slots;
  std::string from;
  std::string to;
};

/// Returns the slots that move between two maps, in runs as long as their owners allow. O(16384).
inline std::vector<RedisSlotMove> slot_moves(const RedisSlotMap& before,
                                             const RedisSlotMap& after) {
  std::vector<RedisSlotMove> moves;
  const auto name = [](const std::string* node) { return node == nullptr ? std::string() : *node; };
  for (std::uint32_t slot = 0; slot < redis_slot_count; ++slot) {
    const auto narrow = static_cast<std::uint16_t>(slot);
    std::string from = name(before.owner_of(narrow));
    std::string to = name(after.owner_of(narrow));
    if (from == to) continue;
    if (!moves.empty() && moves.back().slots.last + 1u == slot && moves.back().from == from &&
        moves.back().to == to) {
      moves.back().slots.last = narrow;
    } else {
      moves.push_back({{narrow, narrow}, std::move(from), std::move(to)});
    }
  }
  return moves;
}

}  // namespace clockwise

#pragma pop_macro("slots")

#endif  // CLOCKWISE_COMPAT_REDIS_SLOT_MAP_HPP
