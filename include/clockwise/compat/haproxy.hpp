// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_HAPROXY_HPP
#define CLOCKWISE_COMPAT_HAPROXY_HPP

// HAProxy's `hash-type consistent`.
//
//   clockwise::HaproxyRing ring({"web1", "web2"});      // server names, as the backend lists them
//   ring.add("web3", 50, 7);                            // server web3 … weight 50 id 7
//   ring.lookup("/index.html");                         // the text that `balance uri` … hashes
//   const auto up = ring.without({"web2"});             // while web2 is down

#include <algorithm>         // binary_search, sort
#include <concepts>          // integral
#include <cstddef>           // byte, size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin, end
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // forward, in_range, move, pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/detail/digest/crc32.hpp"
#include "clockwise/detail/scheme/without_down.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/listed_ring.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The function of `hash-type consistent <function>`.
enum class HaproxyHash : unsigned char { sdbm, djb2, wt6, crc32 };

/// The defaults are those of `hash-type consistent` alone: sdbm with avalanche. If it names a
/// function, avalanche is on only if the directive also lists it.
struct HaproxyOptions {
  HaproxyHash function = HaproxyHash::sdbm;
  bool avalanche = true;
};

/// The `id` of a server line; 0 if it has none and HAProxy numbers the server.
struct HaproxyId {
  std::uint32_t value = 0;
};

/// HAProxy's ring. A server of weight w has 16 w points, which follow from its id. A key takes the
/// nearest point in either direction; in a tie, the one before it.
///
/// In the table of every ring, a vnode owns the arc that ends at its position. So a position here
/// is not a point but the end of that point's arc, halfway to the next point: owners, shares and
/// movement are HAProxy's.
///
/// Servers without an id are numbered by their order in the list, from 1, skipping ids in use:
/// removing a server from the middle renumbers the servers after it and moves their keys, as in
/// HAProxy. `balance` decides which part of a request is hashed. `balance source` hashes no text:
/// pass a Position with the hash in its upper 32 bits. `hash-balance-factor`, slow start, backup
/// servers and `hash-key addr` of HAProxy 3.0 are not modelled.
///
/// HAProxy removes a server that is down from its tree: see without().
///
/// ListedRing documents everything else: owners, replicas, shares, members, changes.
///
/// Errors, in addition to those of every ring: std::invalid_argument for a weight that is not a
/// whole number from 0 to 256, for an id above 2^31 - 1 and for an id or a name listed twice.
class HaproxyRing : public ListedRing<HaproxyRing, HaproxyId>,
                    public detail::WithoutDown<HaproxyRing> {
  using Base = ListedRing<HaproxyRing, HaproxyId>;

 public:
  static constexpr std::string_view engine = "HAProxy";

  explicit HaproxyRing(HaproxyOptions options = {}) : options_(options) {}
  HaproxyRing(std::initializer_list<Entry<std::string>> servers, HaproxyOptions options = {})
      : HaproxyRing(options) {
    add_all(servers);
  }
  template <EntryRange<std::string> Entries>
  explicit HaproxyRing(Entries&& servers, HaproxyOptions options = {}) : HaproxyRing(options) {
    add_all(servers);
  }

  using Base::add;
  /// A server with an `id`; in update(), edit.add({server, weight}, HaproxyId{id}).
  template <NodeLike<std::string> N, Weight W, std::integral Id>
    requires(!detail::CharacterOrBool<Id>)
  void add(N&& server, W weight, Id id) {
    Entry<std::string> entry(std::forward<N>(server), weight);
    if (!std::in_range<std::uint32_t>(id)) fail_id(entry.node, std::to_string(id));
    update(
        [&](Edit& edit) { edit.add(std::move(entry), HaproxyId{static_cast<std::uint32_t>(id)}); });
  }

  HaproxyOptions options() const noexcept { return options_; }

  /// Returns the ids of servers(), as HAProxy numbers them.
  std::vector<std::uint32_t> ids() const { return ids_of(servers()); }

  /// Returns the servers whose ids collide, in groups, each in list order. Ids that are equal
  /// modulo 2^20 have the same points. HAProxy does not warn of them. In a group, the server listed
  /// first gets the keys just before each point, and the server listed last the keys just after it.
  /// Any other server gets nothing, unless its weight gives it points that the rest lack. Empty for
  /// a sound configuration. O(N log N).
  std::vector<std::vector<std::string>> id_collisions() const {
    const std::vector<std::uint32_t> ids = ids_of(servers());
    std::vector<std::pair<std::uint32_t, std::size_t>> places;
    places.reserve(ids.size());
    for (std::size_t place = 0; place < ids.size(); ++place) {
      places.emplace_back(seed_of(ids[place]), place);
    }
    std::sort(places.begin(), places.end());
    std::vector<std::vector<std::string>> groups;
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i].first != places[i - 1].first) continue;
      if (i == 1 || places[i].first != places[i - 2].first) {
        groups.push_back({servers()[places[i - 1].second].name});
      }
      groups.back().push_back(servers()[places[i].second].name);
    }
    return groups;
  }

  // --- Servers that are down ---------------------------------------------------------------------

  /// Returns HAProxy's ring while the servers named in `down`, a range of names, are down, in
  /// maintenance or drained. HAProxy removes them from its tree, so their keys go to the nearest
  /// remaining point, in either direction; no other key moves. Here they get weight 0, which has
  /// the same effect, and stay members with their ids. (Removing them would renumber the servers
  /// listed after them.) If all are down, the result owns nothing.
  ///
  /// A server that comes up again gets its points and keys back, except at points that it shares
  /// with another server: there HAProxy now puts it last, until HAProxy restarts.
  ///
  /// Throws std::out_of_range for a name that is not a member. O(M log M).
  using WithoutDown::without;

  using Base::preference_list;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // HAProxy takes the nearest point left, not the next: without(down)
      const Key&, const Replication&, const IsLive&) const& = delete;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // HAProxy takes the nearest point left, not the next: without(down)
      const Key&, std::size_t, Spread, const IsLive&) const& = delete;

  /// The circle has 32 bits, the upper ones of a Position.
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(KeyHash{options_}, key)};
  }
  std::uint64_t circle() const noexcept { return detail::policy_probe(KeyHash{options_}); }

 private:
  friend Base;
  friend WithoutDown;

  static constexpr std::uint32_t points_per_weight = 16;
  static constexpr std::uint32_t greatest_weight = 256;

  /// A permutation of the 32-bit numbers: after Bob Jenkins, then spread by a prime.
  static constexpr std::uint32_t avalanche(std::uint32_t a) {
    a = (a + 0x7ed55d16) + (a << 12);
    a = (a ^ 0xc761c23c) ^ (a >> 19);
    a = (a + 0x165667b1) + (a << 5);
    a = (a + 0xd3a2646c) ^ (a << 9);
    a = (a + 0xfd7046c5) + (a << 3);
    a = (a ^ 0xb55a4f09) ^ (a >> 16);
    return a * 3221225473u;
  }

  struct KeyHash {
    HaproxyOptions options;
    static constexpr std::string_view name = "haproxy";

    std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
      const std::uint32_t hash = plain(bytes);
      return std::uint64_t{options.avalanche ? avalanche(hash) : hash} << 32;
    }

   private:
    std::uint32_t plain(std::span<const std::byte> bytes) const noexcept {
      switch (options.function) {
        case HaproxyHash::crc32:
          return detail::Crc32().update(bytes).value();
        case HaproxyHash::djb2: {
          std::uint32_t hash = 5381;
          for (const std::byte byte : bytes)
            hash = hash * 33 + std::to_integer<std::uint32_t>(byte);
          return hash;
        }
        case HaproxyHash::wt6:
          return wt6(bytes);
        case HaproxyHash::sdbm:
          break;
      }
      std::uint32_t hash = 0;
      for (const std::byte byte : bytes) hash = hash * 65599 + std::to_integer<std::uint32_t>(byte);
      return hash;
    }

    static std::uint32_t wt6(std::span<const std::byte> bytes) noexcept {
      std::uint32_t h0 = 0xa53c965a;
      std::uint32_t h1 = 0x5ca6953a;
      std::uint32_t step0 = 6;
      std::uint32_t step1 = 18;
      for (const std::byte byte : bytes) {
        const auto value = std::to_integer<std::uint32_t>(byte);
        h0 = ~(h0 ^ value);
        h1 = ~(h1 + value);
        const std::uint32_t turned = rotated(h1, step0);
        h1 = rotated(h0, step1);
        h0 = turned;
        const std::uint32_t steps = (h0 >> 16 ^ h1) & 0xffff;
        step0 = steps & 0x1f;
        step1 = steps >> 11;
      }
      return h0 ^ h1;
    }

    /// std::rotl takes an int in one standard library and an unsigned in another.
    static constexpr std::uint32_t rotated(std::uint32_t value, std::uint32_t steps) noexcept {
      return value << steps | value >> (-steps & 31);
    }
  };

  static std::pair<std::uint32_t, std::uint32_t> weights() { return {0, greatest_weight}; }

  static std::uint64_t points_at_most(Servers servers) {
    std::uint64_t points = 0;
    for (const Server& server : servers) points += points_per_weight * std::uint64_t{server.weight};
    return points;
  }

  static void take_down(Edit& edit, std::string_view name) { edit.set_weight(name, 0); }

  /// The number whose avalanche is a server's first point; the other points follow from it. Equal
  /// for ids that are equal modulo 2^20.
  static constexpr std::uint32_t seed_of(std::uint32_t id) {
    return id * (greatest_weight * points_per_weight);
  }

  static std::vector<std::uint32_t> ids_of(Servers servers) {
    std::vector<std::uint32_t> taken;
    for (const Server& server : servers) {
      if (server.trait.value != 0) taken.push_back(server.trait.value);
    }
    std::sort(taken.begin(), taken.end());
    std::vector<std::uint32_t> ids;
    std::uint32_t next = 1;
    for (const Server& server : servers) {
      std::uint32_t id = server.trait.value;
      if (id == 0) {
        while (std::binary_search(taken.begin(), taken.end(), next)) ++next;
        id = next;
      }
      ids.push_back(id);
      ++next;
    }
    return ids;
  }

  [[noreturn]] static void fail_id(std::string_view server, const std::string& id) {
    detail::fail_invalid("id of server " + detail::quoted(server) +
                         " must be between 1 and 2147483647, got " + id);
  }

  static void check_ids(Servers servers) {
    std::vector<std::pair<std::uint32_t, std::string_view>> ids;
    for (const Server& server : servers) {
      if (server.trait.value == 0) continue;
      if (server.trait.value > 0x7fffffff) {
        fail_id(server.name, std::to_string(server.trait.value));
      }
      ids.emplace_back(server.trait.value, server.name);
    }
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 1; i < ids.size(); ++i) {
      if (ids[i].first != ids[i - 1].first) continue;
      detail::fail_invalid("servers " + detail::quoted(ids[i - 1].second) + " and " +
                           detail::quoted(ids[i].second) + " both have id " +
                           std::to_string(ids[i].first));
    }
  }

  /// Points that coincide are in list order (ids equal modulo 2^20 share all points): keys before
  /// them go to the first, keys after them to the last.
  ///
  ///        previous        point            next
  ///   ---------x--------|----xx-------|-------x---
  ///                     (first](last  ]
  static void append_points(Servers servers, std::vector<ListedPoint>& ends) {
    check_ids(servers);
    struct Point {
      std::uint32_t at;
      std::uint32_t server;
      bool operator<(const Point& other) const {
        return at != other.at ? at < other.at : server < other.server;
      }
    };
    const std::vector<std::uint32_t> ids = ids_of(servers);
    std::vector<Point> points;
    points.reserve(static_cast<std::size_t>(points_at_most(servers)));
    for (std::size_t place = 0; place < servers.size(); ++place) {
      const std::uint32_t base = seed_of(ids[place]);
      for (std::uint32_t i = 0; i < servers[place].weight * points_per_weight; ++i) {
        points.push_back({avalanche(base + i), static_cast<std::uint32_t>(place)});
      }
    }
    std::sort(points.begin(), points.end());

    ends.reserve(points.size());
    const auto end_at = [&](std::uint32_t at, std::uint32_t server) {
      ends.push_back({std::uint64_t{at} << 32, server});
    };
    for (std::size_t first = 0, last = 0; first < points.size(); first = last + 1) {
      last = first;
      while (last + 1 < points.size() && points[last + 1].at == points[first].at) ++last;
      const std::uint32_t at = points[first].at;
      const std::uint32_t next = points[last + 1 < points.size() ? last + 1 : 0].at;
      // The next point of a lone point is itself, a whole circle away.
      const std::uint32_t half = next == at ? 0x80000000 : (next - at) / 2;
      const bool shared = points[first].server != points[last].server;
      if (shared) end_at(at, points[first].server);
      if (!shared || half > 0) end_at(at + half, points[last].server);
    }
  }

  HaproxyOptions options_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_COMPAT_HAPROXY_HPP
