// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_NGINX_HPP
#define CLOCKWISE_COMPAT_NGINX_HPP

// nginx's `hash <key> consistent;`, which is also the ring of Cache::Memcached::Fast.
//
//   clockwise::NginxRing ring({"10.0.1.1:8080", "10.0.1.2:8080"});    // as the upstream lists them
//   ring.add("unix:/run/app.sock", 2);                                // server … weight=2;
//   ring.lookup("/index.html");                                       // the value of <key>
//   ring.preference_list("/index.html", 1, is_up);                    // while some are down

#include <array>             // array
#include <concepts>          // same_as
#include <cstddef>           // byte, size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin
#include <span>              // as_bytes, span
#include <string>            // string
#include <string_view>       // string_view
#include <utility>           // pair
#include <vector>            // vector

#include "clockwise/detail/digest/crc32.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/listed_ring.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// nginx's ring: 160 points per server and unit of weight. Each is the CRC-32 of host, a zero byte,
/// port and the previous point, little-endian, starting from 0. If servers share a point, the first
/// listed owns it. A key's position is its CRC-32.
///
/// Servers are named as in the upstream block: "host:port", a name without a port, "unix:/path". A
/// name with several addresses is one server here; nginx balances among them. Backup servers have
/// no points.
///
/// A server that nginx cannot use (marked down, failed max_fails times, full by max_conns, or
/// already tried for the request) keeps its points, and nginx continues to the next point, as
/// preference_list does with a liveness predicate. But nginx leaves the ring for round robin after
/// 21 points, and at once for an empty key: see uses_round_robin().
///
/// ListedRing documents everything else: owners, replicas, shares, members, changes.
///
/// Errors, in addition to those of every ring: std::invalid_argument for a weight that is not a
/// whole number from 1 to 104,857 (just under 2^24 points), and for a server listed twice.
class NginxRing : public ListedRing<NginxRing> {
 public:
  static constexpr std::string_view engine = "nginx";

  NginxRing() = default;
  NginxRing(std::initializer_list<Entry<std::string>> servers) { add_all(servers); }
  template <EntryRange<std::string> Entries>
  explicit NginxRing(Entries&& servers) {
    add_all(servers);
  }

  /// The circle has 32 bits, the upper ones of a Position.
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(KeyHash{}, key)};
  }
  std::uint64_t circle() const noexcept { return detail::policy_probe(KeyHash{}); }

  // --- Round robin instead of the ring -----------------------------------------------------------

  /// Returns whether nginx leaves the ring for `key` and uses the servers that are up by round
  /// robin, so the server cannot be predicted: if the key is empty, or if the 21 points from its
  /// position on all belong to servers that are down. A Position counts as a key that is not empty.
  /// `is_live` as in preference_list.
  template <class Key>
  bool uses_round_robin(const Key& key) const noexcept {
    if constexpr (std::same_as<Key, Position>) {
      return false;
    } else {
      return detail::hash_key(Length{}, key) == 0;
    }
  }
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  bool uses_round_robin(const Key& key, const IsLive& is_live) const {
    if (uses_round_robin(key)) return true;
    if (empty()) return false;
    std::size_t rank = this->table().rank_of(static_cast<std::uint64_t>(position_of(key)));
    for (std::uint32_t passed = 0; passed <= greatest_tries; ++passed) {
      if (detail::is_live(is_live, members()[owners()[rank]])) return false;
      if (++rank == vnode_count()) rank = 0;
    }
    return true;
  }

 private:
  friend ListedRing<NginxRing>;

  struct KeyHash {
    static constexpr std::string_view name = "crc32";
    std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
      return std::uint64_t{detail::Crc32().update(bytes).value()} << 32;
    }
  };

  struct Length {
    static constexpr std::string_view name = "length";
    std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
      return bytes.size();
    }
  };

  static constexpr std::uint32_t points_per_weight = 160;
  static constexpr std::uint32_t greatest_tries = 20;

  static std::pair<std::uint32_t, std::uint32_t> weights() {
    return {1, static_cast<std::uint32_t>(max_vnodes_per_node / points_per_weight)};
  }

  static std::uint64_t points_at_most(Servers servers) {
    std::uint64_t points = 0;
    for (const Server& server : servers) points += points_per_weight * std::uint64_t{server.weight};
    return points;
  }

  static void append_points(Servers servers, std::vector<ListedPoint>& points) {
    points.reserve(static_cast<std::size_t>(points_at_most(servers)));
    for (std::size_t place = 0; place < servers.size(); ++place) {
      const std::string text = label(servers[place]);
      const detail::Crc32 base = detail::Crc32().update(std::as_bytes(std::span(text)));
      std::uint32_t point = 0;
      for (std::uint32_t i = 0; i < points_per_weight * servers[place].weight; ++i) {
        std::array<std::byte, 4> before;
        for (unsigned byte = 0; byte < 4; ++byte) {
          before[byte] = static_cast<std::byte>(point >> (8 * byte) & 0xff);
        }
        point = detail::Crc32(base).update(before).value();
        points.push_back({std::uint64_t{point} << 32, static_cast<std::uint32_t>(place)});
      }
    }
  }

  /// Returns host, a zero byte and port. The port follows the last colon, and is all digits.
  static std::string label(const Server& server) {
    std::string_view host = server.name;
    std::string_view port;
    if (is_unix(host)) {
      host.remove_prefix(5);
    } else {
      const std::size_t last = host.find_last_not_of("0123456789");
      if (last != std::string_view::npos && host[last] == ':') {
        port = host.substr(last + 1);
        host = host.substr(0, last);
      }
    }
    std::string text(host);
    text += '\0';
    text += port;
    return text;
  }

  /// Whether a name begins with "unix:", in upper or lower case.
  static bool is_unix(std::string_view name) {
    constexpr std::string_view prefix = "unix:";
    if (name.size() < prefix.size()) return false;
    for (std::size_t i = 0; i < prefix.size(); ++i) {
      const char c = name[i];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != prefix[i]) return false;
    }
    return true;
  }
};

}  // namespace clockwise

#endif  // CLOCKWISE_COMPAT_NGINX_HPP
