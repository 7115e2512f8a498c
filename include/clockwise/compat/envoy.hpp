// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_COMPAT_ENVOY_HPP
#define CLOCKWISE_COMPAT_ENVOY_HPP

// Envoy's RING_HASH and MAGLEV load balancers, and gRPC's ring_hash.
//
//   clockwise::EnvoyRing ring({"10.0.0.1:80", "10.0.0.2:80"});
//   ring.lookup("user-42");                       // the value that the route's hash policy hashes
//   clockwise::EnvoyMaglev table({"10.0.0.1:80", "10.0.0.2:80"});
//   const auto up = table.without({"10.0.0.2:80"});    // while that host is unhealthy
//
// A host's name is the text that Envoy hashes for it: its address and port, its host name if
// use_hostname_for_hashing is set, or its hash_key metadata. A key's position is its XXH64, as a
// route with one hash policy computes it. (Several policies are combined: pass the combined hash as
// a Position.) Locality weights and hash_balance_factor are not modelled.
//
// gRPC has one ring_hash per language. EnvoyRingOptions::grpc() is that of C-core (C++, Python and
// others), grpc_go() that of Go, which sorts endpoints by name. Java's ring differs: it hashes
// Java's text of an address, "/10.0.0.1:80" (formerly "[/10.0.0.1:80]"), which can be given as the
// host's name; but it sums over the hosts in the order of a hash map, which is not modelled.

#include <algorithm>         // max, min, pop_heap, push_heap, sort
#include <charconv>          // to_chars
#include <cstddef>           // byte, ptrdiff_t, size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <iterator>          // begin, end
#include <span>              // as_bytes, span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <utility>           // move, pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/ieee.hpp"
#include "clockwise/detail/digest/murmur2.hpp"
#include "clockwise/detail/scheme/maglev_base.hpp"
#include "clockwise/detail/scheme/without_down.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/listed_ring.hpp"
#include "clockwise/node.hpp"
#include "clockwise/replication.hpp"

namespace clockwise {

namespace detail {

inline void check_envoy_total(std::uint64_t total) {
  if (total > 0xffffffff) {
    fail_invalid("the sum of the hosts' weights must be at most 4294967295 for Envoy, got " +
                 std::to_string(total));
  }
}

}  // namespace detail

/// Returns whether Envoy panics, and balances over all hosts as if none were down. It panics if
/// fewer than `threshold` percent of the hosts are healthy (healthy_panic_threshold, 50 by default;
/// 0: never), and fewer than 5 of 7. For a cluster with one priority and the default
/// overprovisioning factor, 1.4.
constexpr bool envoy_panics(std::uint64_t healthy, std::uint64_t hosts,
                            std::uint32_t threshold = 50) noexcept {
  return 7 * healthy < 5 * hosts && 100 * healthy < threshold * hosts;
}

/// The hash of a host's points. Keys are hashed with XXH64 either way.
enum class EnvoyHashFunction : unsigned char { xx_hash, murmur_hash_2 };

/// The order in which the hosts' points are numbered.
enum class EnvoyOrder : unsigned char {
  listed,  ///< As listed: Envoy, gRPC's C-core.
  sorted,  ///< By name, byte by byte: gRPC in Go.
};

/// Options of an EnvoyRing. They affect the placement.
struct EnvoyRingOptions {
  std::uint64_t minimum_ring_size = 1024;
  std::uint64_t maximum_ring_size = 8388608;
  EnvoyHashFunction hash_function = EnvoyHashFunction::xx_hash;
  EnvoyOrder order = EnvoyOrder::listed;

  /// The bounds of gRPC, which caps both at 4096, for any configuration.
  static constexpr EnvoyRingOptions grpc(std::uint64_t minimum = 1024,
                                         std::uint64_t maximum = 4096) {
    constexpr std::uint64_t cap = 4096;
    return {(std::min)(minimum, cap), (std::min)(maximum, cap)};
  }
  /// The same for gRPC in Go.
  static constexpr EnvoyRingOptions grpc_go(std::uint64_t minimum = 1024,
                                            std::uint64_t maximum = 4096) {
    EnvoyRingOptions options = grpc(minimum, maximum);
    options.order = EnvoyOrder::sorted;
    return options;
  }
};

/// Envoy's ring. Point i of a host is at XXH64("<host>_<i>"). The ring has at least
/// minimum_ring_size points, and the lightest host a whole number of them, unless maximum_ring_size
/// prevents it. A host's number of points follows from sums over the hosts before it, in double
/// precision, so the order of the list matters, unless it is sorted.
///
/// An unhealthy host has no points: see without().
///
/// ListedRing documents everything else: owners, replicas, shares, members, changes.
///
/// Errors, in addition to those of every ring: std::invalid_argument for a weight that is not a
/// whole number from 1 to 2^32 - 1, for weights that sum to more, for a host listed twice, for a
/// minimum of 0 or above the maximum, and for either above 8,388,608.
class EnvoyRing : public ListedRing<EnvoyRing>, public detail::WithoutDown<EnvoyRing> {
  using Base = ListedRing<EnvoyRing>;

 public:
  static constexpr std::string_view engine = "Envoy";

  explicit EnvoyRing(EnvoyRingOptions options = {}) : options_(checked(options)) {}
  EnvoyRing(std::initializer_list<Entry<std::string>> hosts, EnvoyRingOptions options = {})
      : EnvoyRing(options) {
    add_all(hosts);
  }
  template <EntryRange<std::string> Entries>
  explicit EnvoyRing(Entries&& hosts, EnvoyRingOptions options = {}) : EnvoyRing(options) {
    add_all(hosts);
  }

  EnvoyRingOptions options() const noexcept { return options_; }

  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(Xxh64{}, key)};
  }
  /// Same as that of a HashRing<Xxh64>, so movement between the two can be measured exactly.
  std::uint64_t circle() const noexcept { return detail::policy_probe(Xxh64{}); }

  // --- Hosts that are down -----------------------------------------------------------------------

  /// Returns Envoy's ring while the hosts named in `down`, a range of names, are unhealthy: built
  /// from the others, so some keys of hosts that are up move as well. If all are down, the result
  /// owns nothing. With fewer than half of the hosts up, Envoy panics and uses this ring instead:
  /// see envoy_panics.
  ///
  /// In gRPC an endpoint that the control plane reports as unhealthy is left out in the same way.
  /// An unreachable endpoint keeps its points, and its keys go to the next reachable endpoint in
  /// successors(key).
  ///
  /// Throws std::out_of_range for a name that is not a member. O(M log M).
  using WithoutDown::without;

  using Base::preference_list;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // Envoy builds a ring of the hosts that are healthy: without(down)
      const Key&, const Replication&, const IsLive&) const& = delete;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // Envoy builds a ring of the hosts that are healthy: without(down)
      const Key&, std::size_t, Spread, const IsLive&) const& = delete;

 private:
  friend Base;
  friend WithoutDown;

  static void take_down(Edit& edit, std::string_view name) { edit.remove(name); }

  static EnvoyRingOptions checked(EnvoyRingOptions options) {
    constexpr std::uint64_t limit = 8388608;
    if (options.minimum_ring_size == 0 || options.minimum_ring_size > limit ||
        options.maximum_ring_size > limit ||
        options.minimum_ring_size > options.maximum_ring_size) {
      detail::fail_invalid(
          "ring sizes must satisfy 1 <= minimum <= maximum <= " + std::to_string(limit) + ", got " +
          std::to_string(options.minimum_ring_size) + " and " +
          std::to_string(options.maximum_ring_size));
    }
    return options;
  }

  static std::pair<std::uint32_t, std::uint32_t> weights() { return {1, 0xffffffff}; }

  /// The sum of rounded shares can exceed the scale by a point.
  std::uint64_t points_at_most(Servers hosts) const {
    return options_.maximum_ring_size + hosts.size();
  }

  void append_points(Servers hosts, std::vector<ListedPoint>& points) const {
    using detail::Double;
    if (hosts.empty()) return;
    std::uint64_t total = 0;
    std::uint32_t lightest = hosts.front().weight;
    for (const Server& host : hosts) {
      total += host.weight;
      lightest = (std::min)(lightest, host.weight);
    }
    detail::check_envoy_total(total);
    const auto normalized = [total](std::uint32_t weight) {
      return Double(weight) / Double(total);
    };

    const Double least = normalized(lightest);
    const Double wanted = Double((least * Double(options_.minimum_ring_size)).ceil()) / least;
    const Double scale = (std::min)(wanted, Double(options_.maximum_ring_size));
    Double target;
    for (const std::size_t place : order_of(hosts)) {
      target = target + scale * normalized(hosts[place].weight);
      std::string text = hosts[place].name + "_4294967295";
      char* const number = text.data() + text.size() - 10;
      for (std::uint32_t i = 0; points.size() < target.ceil(); ++i) {
        const char* const end = std::to_chars(number, text.data() + text.size(), i).ptr;
        const std::span<const char> bytes(text.data(), static_cast<std::size_t>(end - text.data()));
        points.push_back({point(std::as_bytes(bytes)), static_cast<std::uint32_t>(place)});
      }
    }
  }

  std::vector<std::size_t> order_of(Servers hosts) const {
    std::vector<std::size_t> places(hosts.size());
    for (std::size_t place = 0; place < places.size(); ++place) places[place] = place;
    if (options_.order == EnvoyOrder::sorted) {
      std::sort(places.begin(), places.end(),
                [&](std::size_t a, std::size_t b) { return hosts[a].name < hosts[b].name; });
    }
    return places;
  }

  std::uint64_t point(std::span<const std::byte> text) const noexcept {
    return options_.hash_function == EnvoyHashFunction::xx_hash ? Xxh64{}(text)
                                                                : detail::murmur2(text, 0xc70f6907);
  }

  EnvoyRingOptions options_;
};

/// Envoy's Maglev table. Entry XXH64(key) mod table_size names the host. A host's sequence of
/// entries starts at XXH64(host) and continues in steps of XXH64(host, seed 1). Hosts take turns in
/// the order of their names, so the list's order does not matter. A light host skips turns, counted
/// in double precision. An unhealthy host takes no turn: see without().
///
///   std::invalid_argument  a table size that is 0, composite or above 5,000,011; an empty name, a
///                          host that is a member already, a weight that is not a whole number from
///                          1 to 2^32 - 1, weights that sum to more
///   std::length_error      more hosts than entries, or than 65,535
///   std::out_of_range      set_weight of a host that is not a member, lookup without hosts
///
/// Mutators refill the table: add many hosts with add_all. All or nothing. Memory: 2 bytes per
/// entry. Thread safety: that of a standard container. A model of Partitioner.
class EnvoyMaglev : public detail::MaglevBase<EnvoyMaglev, Xxh64, std::string>,
                    public detail::WithoutDown<EnvoyMaglev> {
  using Base = detail::MaglevBase<EnvoyMaglev, Xxh64, std::string>;

 public:
  static constexpr std::uint32_t default_table_size = 65537;

  explicit EnvoyMaglev(std::uint32_t table_size = default_table_size) : Base(table_size) {}
  EnvoyMaglev(std::initializer_list<Entry<std::string>> hosts,
              std::uint32_t table_size = default_table_size)
      : EnvoyMaglev(table_size) {
    add_all(hosts);
  }
  template <EntryRange<std::string> Entries>
  explicit EnvoyMaglev(Entries&& hosts, std::uint32_t table_size = default_table_size)
      : EnvoyMaglev(table_size) {
    add_all(hosts);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Xxh64>::position_of;

  using Base::lookup_index;

  // --- Replicas: by Replication, or `r` and a Spread ---------------------------------------------

  using Base::default_spread;
  using Base::preference_list;

  // --- Hosts that are down -----------------------------------------------------------------------

  /// Returns Envoy's table while the hosts named in `down`, a range of names, are unhealthy: filled
  /// by the others, so some keys of hosts that are up move as well. If all are down, the result
  /// owns nothing. With fewer than half of the hosts up, Envoy panics and uses this table instead:
  /// see envoy_panics. Throws std::out_of_range for a name that is not a member. As a change, it
  /// refills the table.
  using WithoutDown::without;

  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // Envoy fills a table with the hosts that are healthy: without(down)
      const Key&, const Replication&, const IsLive&) const& = delete;
  template <class Key, class IsLive>
    requires Liveness<IsLive, std::string>
  void preference_list(  // Envoy fills a table with the hosts that are healthy: without(down)
      const Key&, std::size_t, Spread, const IsLive&) const& = delete;

  // --- Members and shares ------------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::load_shares;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::size;

  using Base::table;  // the owner of each entry
  using Base::table_size;

  // --- Changes -----------------------------------------------------------------------------------

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, EnvoyMaglev, std::string> {
    using detail::Edit<Edit, EnvoyMaglev, std::string>::Edit;
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Xxh64>::circle;
  using detail::Hashed<Xxh64>::hash;

  /// Returns 128 bits that are equal if and only if table size and hosts (name, weight, rack,
  /// datacenter) are equal, regardless of order; the same on every platform. O(N).
  Fingerprint fingerprint() const { return fingerprint_of("clockwise Envoy Maglev, version 1"); }

  /// The same placement: names, racks, datacenters and tables are equal. O(table_size).
  friend bool operator==(const EnvoyMaglev& a, const EnvoyMaglev& b) { return a.places_like(b); }

 private:
  friend Base;
  friend Base::SurfaceType;
  friend WithoutDown;

  static void take_down(Edit& edit, std::string_view name) { edit.remove(name); }

  static double accepted_weight(std::string_view host, double weight) {
    const double checked = detail::checked_weight(host, weight);
    if (checked < 1 || checked > 4294967295.0 ||
        static_cast<double>(static_cast<std::uint32_t>(checked)) != checked) {
      detail::fail_invalid("weight of host " + detail::quoted(host) +
                           " must be a whole number from 1 to 4294967295, got " +
                           std::to_string(weight));
    }
    return checked;
  }

  /// A host's next turn is in the first round that is not below its target. The original visits all
  /// hosts in every round, which gives the same order.
  class Turn {
   public:
    Turn(detail::Double weight, Table::Cursor cursor) : cursor_(cursor), weight_(weight) {}

    Table::Cursor& cursor() { return cursor_; }
    std::uint64_t round() const { return round_; }
    void end(detail::Double largest) {
      target_ = target_ + largest;
      if (!is_early(++round_)) return;
      // Close, but not always exact: the quotient is rounded, and so is the product that decides.
      const std::uint64_t next = round_;
      round_ = (std::max)(next, (target_ / weight_).ceil());
      while (round_ > next && !is_early(round_ - 1)) --round_;
      while (is_early(round_)) ++round_;
    }

   private:
    bool is_early(std::uint64_t round) const { return detail::Double(round) * weight_ < target_; }

    Table::Cursor cursor_;
    detail::Double weight_;
    detail::Double target_;
    std::uint64_t round_ = 1;
  };

  static void fill(Table& into, const std::vector<detail::MaglevOwner<std::string>>& hosts) {
    using detail::Double;
    std::uint64_t total = 0;
    double heaviest = 0;
    for (const auto& host : hosts) {
      total += static_cast<std::uint64_t>(host.member->weight);
      heaviest = (std::max)(heaviest, host.member->weight);
    }
    detail::check_envoy_total(total);
    const auto normalized = [total](double weight) {
      return Double(static_cast<std::uint64_t>(weight)) / Double(total);
    };
    const auto entries = static_cast<std::uint32_t>(into.size());
    const Double largest = normalized(heaviest);
    std::vector<Turn> turns;
    std::vector<std::pair<std::uint64_t, std::size_t>> due;  // by round, then by host
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      turns.emplace_back(normalized(hosts[i].member->weight),
                         Table::Cursor(detail::hash_key(Xxh64{}, hosts[i].member->node),
                                       detail::hash_key(Xxh64{1}, hosts[i].member->node), entries));
      due.emplace_back(1, i);
    }
    const auto later = [](const auto& a, const auto& b) { return b < a; };
    while (!into.full()) {
      std::pop_heap(due.begin(), due.end(), later);
      auto& [round, i] = due.back();
      into.take(turns[i].cursor(), hosts[i].index);
      turns[i].end(largest);
      round = turns[i].round();
      std::push_heap(due.begin(), due.end(), later);
    }
  }
};

}  // namespace clockwise

#endif  // CLOCKWISE_COMPAT_ENVOY_HPP
