// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_KETAMA_HPP
#define CLOCKWISE_COMPAT_KETAMA_HPP

// Ketama: the ring of memcached clients, point for point.
//
//   clockwise::KetamaRing ring({"10.0.1.1", "10.0.1.2:11212"});       // as libmemcached does
//   ring.lookup("user:42");
//
//   clockwise::KetamaRing proxy(clockwise::KetamaFlavour::twemproxy);
//   proxy.add("cache-a", 2);
//   proxy.add("cache-b");
//   const auto up = proxy.without({"cache-b"});                       // while it is ejected
//
// An MD5 of "<server>-<i>" gives four points, its four words. A key's position is the first word of
// its own MD5, and the first point at or after it owns it. The ketama flavours differ in how they
// name a server and in how they round its share of the points.

#include <charconv>          // from_chars, to_chars
#include <cstddef>           // byte, size_t
#include <cstdint>           // uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin
#include <span>              // as_bytes, span
#include <string>            // string
#include <string_view>       // string_view
#include <system_error>      // errc
#include <utility>           // pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/ieee.hpp"
#include "clockwise/detail/digest/md5.hpp"
#include "clockwise/detail/scheme/without_down.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/listed_ring.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

/// The implementation to follow.
enum class KetamaFlavour : unsigned char {
  libmemcached,  ///< MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED. Servers: "host", "host:port", "/socket".
  spy,           ///< The same with MEMCACHED_BEHAVIOR_KETAMA_COMPAT set to spymemcached's labels.
  rj,            ///< Richard Jones's libketama. Servers: "address:port", as in its file.
  twemproxy,     ///< nutcracker, `distribution: ketama`. Servers: the name, or "host:port".
};

/// The hash of keys. libmemcached and libketama use MD5, twemproxy its pool's `hash`.
enum class KetamaHash : unsigned char {
  md5,
  fnv1a_64,  ///< twemproxy's default: FNV-1a, computed in its low 32 bits.
};

/// Errors, in addition to those of every ring: std::invalid_argument for a weight that the ketama
/// flavour does not allow (whole numbers from 1 to 2^32 - 1; twemproxy: to 2^31 - 1, and a sum of
/// at most 2^32 - 1), for a server listed twice, in any spelling, for a port above 65535 and for a
/// name longer than the flavour's buffer, which would truncate it.
///
/// Weight 0 does not drain. libmemcached treats it as 1, so it becomes 1 here (in PHP's addServer,
/// 0 is the default); the other flavours refuse it, as their originals do. A server that is down
/// can be ejected: see without().
///
/// ListedRing documents everything else: owners, replicas, shares, members, changes.
///
/// Weights are relative: one of n servers, with weight w, gets about 160 n w / sum(w) points, so
/// one server's weight moves points of all servers. The number is computed in single precision, as
/// in the originals, on every platform: 160 points each for 7 equal servers, 156 for 25.
///
/// If two servers share a point, the server listed first owns it. (libmemcached uses qsort, which
/// can order equal points arbitrarily; this is the GNU C library's order.)
class KetamaRing : public ListedRing<KetamaRing>, public detail::WithoutDown<KetamaRing> {
  using Base = ListedRing<KetamaRing>;

 public:
  static constexpr std::string_view engine = "ketama";

  explicit KetamaRing(KetamaFlavour flavour = KetamaFlavour::libmemcached,
                      KetamaHash hash = KetamaHash::md5)
      : flavour_(flavour), hash_(hash) {}
  KetamaRing(std::initializer_list<Entry<std::string>> servers,
             KetamaFlavour flavour = KetamaFlavour::libmemcached, KetamaHash hash = KetamaHash::md5)
      : KetamaRing(flavour, hash) {
    add_all(servers);
  }
  template <EntryRange<std::string> Entries>
  explicit KetamaRing(Entries&& servers, KetamaFlavour flavour = KetamaFlavour::libmemcached,
                      KetamaHash hash = KetamaHash::md5)
      : KetamaRing(flavour, hash) {
    add_all(servers);
  }

  KetamaFlavour flavour() const noexcept { return flavour_; }
  KetamaHash hash() const noexcept { return hash_; }

  /// The circle has 32 bits, the upper ones of a Position.
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{hash_ == KetamaHash::md5 ? detail::hash_key(Md5Word{}, key)
                                             : detail::hash_key(Fnv1a{}, key)};
  }
  std::uint64_t circle() const noexcept {
    return hash_ == KetamaHash::md5 ? detail::policy_probe(Md5Word{})
                                    : detail::policy_probe(Fnv1a{});
  }

  // --- Servers that are down ---------------------------------------------------------------------

  /// Returns the ring of the client or proxy while the servers named in `down`, a range of names,
  /// are ejected: by libmemcached with MEMCACHED_BEHAVIOR_AUTO_EJECT_HOSTS or
  /// MEMCACHED_BEHAVIOR_REMOVE_FAILED_SERVERS, by twemproxy with auto_eject_hosts. Both build the
  /// ring of the other servers, so some keys of servers that are up move as well if weights differ
  /// or numbers of points are rounded differently. Without these settings, and in libketama, a
  /// server that is down keeps its points, and its keys fail. If all are down, the result owns
  /// nothing; the originals keep the last ring that they had.
  ///
  /// Throws std::out_of_range for a name that is not a member. O(M log M).
  using WithoutDown::without;

  using Base::preference_list;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // ketama clients build a ring of the servers left: without(down)
      const Key&, const Replication&, const IsLive&) const& = delete;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // ketama clients build a ring of the servers left: without(down)
      const Key&, std::size_t, Spread, const IsLive&) const& = delete;

 private:
  friend Base;
  friend Base::SurfaceType;
  friend WithoutDown;

  static void take_down(Edit& edit, std::string_view name) { edit.remove(name); }

  struct Md5Word {
    static constexpr std::string_view name = "ketama md5";
    std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
      return std::uint64_t{detail::Md5::of(bytes)[0]} << 32;
    }
  };

  struct Fnv1a {
    static constexpr std::string_view name = "ketama fnv1a_64";
    std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
      std::uint32_t hash = 0x84222325;  // low half of the 64-bit offset basis; so is the prime
      for (const std::byte byte : bytes) {
        // Bytes from 0x80 up are negative in twemproxy.
        const auto value = std::to_integer<std::uint32_t>(byte);
        hash = (hash ^ (value < 0x80 ? value : value | 0xffffff00)) * 0x1b3;
      }
      return std::uint64_t{hash} << 32;
    }
  };

  static constexpr std::uint32_t digests_per_server = 40;

  std::pair<std::uint32_t, std::uint32_t> weights() const {
    return {1, flavour_ == KetamaFlavour::twemproxy ? 0x7fffffff : 0xffffffff};
  }

  double accepted_weight(std::string_view server, double weight) const {
    if (weight == 0) {
      if (flavour_ == KetamaFlavour::libmemcached || flavour_ == KetamaFlavour::spy) return 1;
      detail::fail_invalid("weight of server " + detail::quoted(server) +
                           " must not be 0: twemproxy and libketama refuse it");
    }
    return Base::accepted_weight(server, weight);
  }

  std::uint64_t points_at_most(Servers servers) const {
    return std::uint64_t{4 * digests_per_server} * servers.size();
  }

  void append_points(Servers servers, std::vector<ListedPoint>& points) const {
    std::uint64_t total = 0;
    for (const Server& server : servers) total += server.weight;
    if (flavour_ == KetamaFlavour::twemproxy && total > 0xffffffff) {
      detail::fail_invalid(
          "the sum of the servers' weights must be at most 4294967295 for twemproxy, got " +
          std::to_string(total));
    }
    points.reserve(static_cast<std::size_t>(points_at_most(servers)));
    for (std::size_t place = 0; place < servers.size(); ++place) {
      std::string text = label(servers[place]) + "-4294967295";
      char* const number = text.data() + text.size() - 10;
      const std::uint64_t digests = digests_of(servers[place].weight, total, servers.size());
      for (std::uint32_t i = 0; i < digests; ++i) {
        const char* const end = std::to_chars(number, text.data() + text.size(), i).ptr;
        const std::span<const char> bytes(text.data(), static_cast<std::size_t>(end - text.data()));
        for (const std::uint32_t word : detail::Md5::of(std::as_bytes(bytes))) {
          points.push_back({std::uint64_t{word} << 32, static_cast<std::uint32_t>(place)});
        }
      }
    }
  }

  /// Each step rounds where the original's does. (libmemcached and twemproxy add 1e-10 at the end.
  /// That is less than half of the last bit of any number from 1/512 up, so it changes no result.)
  std::uint64_t digests_of(std::uint32_t weight, std::uint64_t total, std::size_t servers) const {
    using detail::Single;
    const Single share = Single(weight) / Single(total);
    if (flavour_ != KetamaFlavour::rj) {
      return (share * Single(digests_per_server) * Single(servers)).floor();
    }
    // The original multiplies in double, both times exactly, and rounds to single for floorf.
    return (share * Single(digests_per_server * std::uint64_t{servers})).floor();
  }

  std::string label(const Server& server) const {
    const std::string& name = server.name;
    switch (flavour_) {
      case KetamaFlavour::libmemcached: {
        const auto [host, port] = endpoint(name);
        return port == default_port ? host : host + ":" + std::to_string(port);
      }
      case KetamaFlavour::spy: {
        const auto [host, port] = endpoint(name);
        return "/" + host + ":" + std::to_string(port);
      }
      case KetamaFlavour::rj:
        check_length(name, 21);
        return name;
      case KetamaFlavour::twemproxy: {
        check_length(name, 74);  // plus "-" and ten digits: 85 bytes, the most that are hashed
        constexpr std::string_view suffix = ":11211";
        return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
      }
    }
    return name;
  }

  static void check_length(std::string_view name, std::size_t longest) {
    if (name.size() > longest) {
      detail::fail_invalid("name of server " + detail::quoted(name) + " can have up to " +
                           std::to_string(longest) + " bytes in this ketama flavour, got " +
                           std::to_string(name.size()));
    }
  }

  static constexpr std::uint32_t default_port = 11211;

  /// Splits "host", "host:port", "[address]:port", an IPv6 address without brackets, or "/socket",
  /// which has port 0.
  static std::pair<std::string, std::uint32_t> endpoint(std::string_view name) {
    check_length(name, 1024);
    if (name.front() == '/') return {std::string(name), 0};
    const std::size_t close = name.front() == '[' ? name.find(']') : std::string_view::npos;
    const bool bracketed = close != std::string_view::npos;
    const std::size_t colon = name.find(':', bracketed ? close : 0);
    const bool bare_ipv6 = !bracketed && colon != name.rfind(':');
    if (colon == std::string_view::npos || bare_ipv6) {
      return {std::string(bracketed ? name.substr(1, close - 1) : name), default_port};
    }
    std::uint32_t port = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, port);
    if (error != std::errc() || stop != end || port > 65535) {
      detail::fail_invalid("server " + detail::quoted(name) +
                           " must have a port from 0 to 65535 after its colon");
    }
    return {std::string(bracketed ? name.substr(1, close - 1) : name.substr(0, colon)), port};
  }

  KetamaFlavour flavour_;
  KetamaHash hash_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_COMPAT_KETAMA_HPP
