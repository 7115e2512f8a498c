// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_LISTED_RING_HPP
#define CLOCKWISE_LISTED_RING_HPP

// What the rings of other engines have in common: a list of servers, whose order breaks ties and
// whose weights can each move all points, so a change rebuilds the table.

#include <algorithm>         // sort, unique
#include <cstddef>           // size_t
#include <cstdint>           // uint16_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <span>              // span
#include <string>            // string, to_string
#include <string_view>       // string_view
#include <type_traits>       // is_arithmetic_v, is_convertible_v
#include <utility>           // forward, move, pair
#include <vector>            // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/scheme/ring_base.hpp"
#include "clockwise/detail/ring/topology.hpp"
#include "clockwise/node.hpp"

namespace clockwise::detail {

/// For engines that place a server by its row of the node table alone.
struct NoTrait {};

/// A server as the engine's configuration lists it. `Trait`: what places it, in addition to name
/// and weight.
template <class Trait>
struct ListedServer {
  std::string name;
  NodeOptions options;
  std::uint32_t weight = 1;  // options.weight as an integer, as engines require
  [[no_unique_address]] Trait trait{};
};

/// A point of server number `server` in the list.
struct ListedPoint {
  std::uint64_t position;
  std::uint32_t server;
};

/// The write side of such a ring. Nodes are strings: servers as the engine's configuration names
/// them. The ring flavour offers
///
///   label(server)             what the engine hashes for it; equal labels are refused
///   weights()                 the weights that the engine accepts, first and last
///   points_at_most(servers)   an upper bound, as 64 bits, used before any allocation
///   append_points(servers, points)
///   static engine             its name, for messages
///
/// If positions are equal, the server listed first keeps the point, as in the engine.
///
/// Every mutator is all or nothing and costs as much as building the ring: O(M log M).
template <class Ring, class Trait = NoTrait>
class ListedRing : public RingBase<Ring, std::string, std::uint16_t> {
  using Base = RingBase<Ring, std::string, std::uint16_t>;

 public:
  using Server = ListedServer<Trait>;
  using Servers = std::span<const Server>;

  // --- Membership: a server that joins goes to the end of the list ------------------------------

  void add(std::string server) { add(std::move(server), NodeOptions{}); }
  template <class Weight>
    requires std::is_arithmetic_v<Weight>
  void add(std::string server, Weight weight) {
    add(std::move(server), NodeOptions{static_cast<double>(weight), {}, {}});
  }
  void add(std::string server, const NodeOptions& options, Trait trait = {}) {
    update([&](Edit& edit) { edit.add(std::move(server), options, std::move(trait)); });
  }

  /// Adds servers in one change: names, or pairs of a name and a weight or NodeOptions.
  template <class List>
  void add_all(const List& servers) {
    update([&](Edit& edit) {
      for (const auto& server : servers) {
        if constexpr (requires { edit.add(server.first, server.second); }) {
          edit.add(server.first, server.second);
        } else {
          edit.add(std::string(server));
        }
      }
    });
  }

  /// Removes a server; returns false if absent.
  bool remove(std::string_view server) {
    bool removed = false;
    update([&](Edit& edit) { removed = edit.remove(server); });
    return removed;
  }

  /// Sets a server's weight; it keeps its place in the list.
  void set_weight(std::string_view server, double weight) {
    update([&](Edit& edit) { edit.set_weight(server, weight); });
  }

  /// Applies several changes as one: fn(edit) calls add, remove and set_weight on edit, each seeing
  /// the earlier ones. If fn or the change throws, the ring is unchanged.
  template <class Fn>
  void update(Fn&& fn) {
    Edit edit(static_cast<const Ring&>(*this));
    std::forward<Fn>(fn)(edit);
    if (edit.changed_) build(std::move(edit.servers_));
  }

  void clear() noexcept {
    servers_.clear();
    this->members_.clear();
    this->table_ = {};
    this->topology_ = {};
  }

  class Edit {
   public:
    void add(std::string server) { add(std::move(server), NodeOptions{}); }
    template <class Weight>
      requires std::is_arithmetic_v<Weight>
    void add(std::string server, Weight weight) {
      add(std::move(server), NodeOptions{static_cast<double>(weight), {}, {}});
    }
    void add(std::string server, const NodeOptions& options, Trait trait = {}) {
      check_id(server);
      const std::uint32_t weight = ring_.checked_weight(server, options.weight);
      servers_.push_back({std::move(server), options, weight, std::move(trait)});
      changed_ = true;
    }
    bool remove(std::string_view server) {
      const std::size_t place = place_of(server);
      if (place == servers_.size()) return false;
      servers_.erase(servers_.begin() + static_cast<std::ptrdiff_t>(place));
      changed_ = true;
      return true;
    }
    void set_weight(std::string_view server, double weight) {
      const std::size_t place = place_of(server);
      if (place == servers_.size()) {
        fail_range("set_weight: " + quoted(server) + " is not a member");
      }
      servers_[place].weight = ring_.checked_weight(server, weight);
      servers_[place].options.weight = weight;
      changed_ = true;
    }

   private:
    friend ListedRing;
    explicit Edit(const Ring& ring) : ring_(ring), servers_(ring.servers_) {}

    std::size_t place_of(std::string_view server) const {
      std::size_t place = 0;
      while (place < servers_.size() && servers_[place].name != server) ++place;
      return place;
    }

    const Ring& ring_;
    std::vector<Server> servers_;
    bool changed_ = false;
  };

  /// The servers in the order of the list.
  Servers servers() const noexcept { return servers_; }

 private:
  using Index = typename Base::index_type;
  using Table = typename Base::Table;

  const Ring& flavour() const { return static_cast<const Ring&>(*this); }

  std::uint32_t checked_weight(std::string_view server, double weight) const {
    const auto [first, last] = flavour().weights();
    const double whole = clockwise::detail::checked_weight(server, weight);
    const std::uint32_t number =
        whole <= static_cast<double>(last) ? static_cast<std::uint32_t>(whole) : last;
    if (static_cast<double>(number) != whole || number < first) {
      fail_invalid("weight of server " + quoted(server) + " must be a whole number between " +
                   std::to_string(first) + " and " + std::to_string(last) + " for " +
                   std::string(Ring::engine) + ", got " + std::to_string(weight));
    }
    return number;
  }

  /// Everything that can fail works on copies; the ring itself changes in the last lines.
  void build(std::vector<Server> servers) {
    check(servers);

    std::vector<std::uint32_t> by_id(servers.size());
    for (std::size_t i = 0; i < servers.size(); ++i) by_id[i] = static_cast<std::uint32_t>(i);
    std::sort(by_id.begin(), by_id.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::string_view(servers[a].name) < std::string_view(servers[b].name);
    });
    std::vector<Index> numbers(servers.size());
    std::vector<Member<std::string>> members;
    std::vector<const Member<std::string>*> rows;
    members.reserve(servers.size());
    for (const std::uint32_t place : by_id) {
      const Server& server = servers[place];
      numbers[place] = static_cast<Index>(members.size());
      members.push_back(
          {server.name, server.options.weight, server.options.rack, server.options.datacenter, 0});
      rows.push_back(&members.back());
    }

    std::vector<ListedPoint> points;
    flavour().append_points(Servers(servers), points);
    std::sort(points.begin(), points.end(), [](const ListedPoint& a, const ListedPoint& b) {
      return a.position != b.position ? a.position < b.position : a.server < b.server;
    });
    points.erase(std::unique(points.begin(), points.end(),
                             [](const ListedPoint& a, const ListedPoint& b) {
                               return a.position == b.position;
                             }),
                 points.end());
    typename Table::Change change;
    change.added.reserve(points.size());
    for (const ListedPoint& point : points) {
      const Index owner = numbers[point.server];
      change.added.push_back({point.position, owner});
      ++members[owner].vnodes;
    }
    Table table = Table().after(std::move(change));
    Topology topology(rows);

    servers_ = std::move(servers);
    this->members_ = std::move(members);
    this->table_ = std::move(table);
    this->topology_ = std::move(topology);
  }

  void check(const std::vector<Server>& servers) const {
    if (servers.size() > Base::npos) {
      fail_length("a ring can have up to " + std::to_string(Base::npos) + " servers, got " +
                  std::to_string(servers.size()));
    }
    const std::uint64_t points = flavour().points_at_most(Servers(servers));
    if (points > max_positions) {
      fail_length("the servers' weights need " + std::to_string(points) +
                  " points; the maximum is " + std::to_string(max_positions));
    }
    std::vector<std::pair<std::string, std::string_view>> labels;
    labels.reserve(servers.size());
    for (const Server& server : servers) labels.emplace_back(flavour().label(server), server.name);
    std::sort(labels.begin(), labels.end());
    for (std::size_t i = 1; i < labels.size(); ++i) {
      if (labels[i].first != labels[i - 1].first) continue;
      fail_invalid("servers " + quoted(labels[i - 1].second) + " and " + quoted(labels[i].second) +
                   " are the same to " + std::string(Ring::engine));
    }
  }

  std::vector<Server> servers_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_LISTED_RING_HPP
