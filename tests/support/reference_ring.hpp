// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_REFERENCE_RING_HPP
#define CLOCKWISE_TESTS_SUPPORT_REFERENCE_RING_HPP

// A second implementation of the placement contract, as simple as possible: strings in a sorted
// vector, read from end to end for each query. It shares no code with the library except the hash
// policy, whose values the golden vectors pin, and Width, which is only a 128-bit sum.

#include <algorithm>    // any_of, count, find, sort
#include <cmath>        // llround
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <map>          // map
#include <set>          // set
#include <span>         // span, as_bytes
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // move, pair
#include <vector>       // vector

#include "clockwise/arc.hpp"

namespace clockwise_test {

template <class Hash>
class ReferenceRing {
 public:
  struct Row {
    double weight = 1;
    std::string rack;
    std::string datacenter;
  };
  struct Point {
    std::uint64_t position;
    std::string id;
    bool operator<(const Point& other) const {
      return position != other.position ? position < other.position : id < other.id;
    }
  };
  enum class Rule { nodes, racks, racks_only };
  using Ids = std::vector<std::string>;

  explicit ReferenceRing(std::uint64_t vnodes, Hash hash = {})
      : vnodes_(vnodes), hash_(std::move(hash)) {}

  /// The members, which can be changed in any way; build() then recomputes the points.
  std::map<std::string, Row> members;

  void build() {
    points.clear();
    for (const auto& [id, row] : members) {
      for (long long i = 0; i < vnodes_of(row.weight); ++i) {
        points.push_back({hash_of(id + "#" + std::to_string(i)), id});
      }
    }
    std::sort(points.begin(), points.end());
  }

  std::vector<Point> points;

  long long vnodes_of(double weight) const {
    if (weight == 0) return 0;
    const long long rounded = std::llround(weight * static_cast<double>(vnodes_));
    return rounded < 1 ? 1 : rounded;
  }

  std::uint64_t hash_of(std::string_view text) const {
    return hash_(std::as_bytes(std::span(text.data(), text.size())));
  }

  /// Empty if nothing is owned.
  std::string owner(std::uint64_t position) const {
    for (const Point& point : points) {
      if (point.position >= position) return point.id;
    }
    return points.empty() ? "" : points.front().id;
  }

  /// Every node that owns something, in order clockwise from `position`.
  Ids clockwise_from(std::uint64_t position) const {
    Ids ids;
    const auto see = [&](const std::string& id) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    };
    for (const Point& point : points) {
      if (point.position >= position) see(point.id);
    }
    for (const Point& point : points) {
      if (point.position < position) see(point.id);
    }
    return ids;
  }

  Ids replicas(std::uint64_t position, std::size_t r, Rule rule) const {
    return pick(clockwise_from(position), r, rule);
  }

  /// The list if the nodes in `down` are down: the replicas that are up, in order, then the nodes
  /// that the rule picks among the nodes that are up, except those replicas.
  Ids live_replicas(std::uint64_t position, std::size_t r, Rule rule,
                    const std::set<std::string>& down) const {
    const Ids natural = replicas(position, r, rule);
    Ids result = without(natural, down);
    if (result.size() == natural.size()) return natural;
    for (const std::string& id : pick(without(clockwise_from(position), down), r, rule)) {
      if (std::find(natural.begin(), natural.end(), id) == natural.end()) result.push_back(id);
    }
    return result;
  }

  /// In clockwise order, over all datacenters.
  Ids datacenter_replicas(std::uint64_t position,
                          const std::map<std::string, std::size_t>& wanted) const {
    const Ids order = clockwise_from(position);
    std::set<std::string> taken;
    for (const auto& [datacenter, r] : wanted) {
      Ids local;
      for (const std::string& id : order) {
        if (members.at(id).datacenter == datacenter) local.push_back(id);
      }
      for (const std::string& id : pick(local, r, Rule::racks)) taken.insert(id);
    }
    Ids result;
    for (const std::string& id : order) {
      if (taken.count(id) != 0) result.push_back(id);
    }
    return result;
  }

  /// Including members that own nothing.
  std::map<std::string, clockwise::Width> widths() const {
    std::map<std::string, clockwise::Width> result;
    for (const auto& [id, row] : members) result[id] = {};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == 0) {
        const std::uint64_t last = points.back().position;
        // From the last point to the first: the whole circle if all are at one position.
        result[points[0].id] += points[0].position == last
                                    ? clockwise::Width::whole_circle()
                                    : clockwise::Width(points[0].position - last);
      } else {
        result[points[i].id] += clockwise::Width(points[i].position - points[i - 1].position);
      }
    }
    return result;
  }

 private:
  static Ids without(const Ids& ids, const std::set<std::string>& left_out) {
    Ids result;
    for (const std::string& id : ids) {
      if (left_out.count(id) == 0) result.push_back(id);
    }
    return result;
  }

  // A rack belongs to one datacenter; a member without a rack is a separate rack.
  std::string domain_of(const std::string& id) const {
    const Row& row = members.at(id);
    return row.rack.empty() ? "node " + id
                            : "rack " + std::to_string(row.datacenter.size()) + " " +
                                  row.datacenter + " " + row.rack;
  }

  // The candidates are all nodes that can be chosen, in order of preference.
  Ids pick(const Ids& candidates, std::size_t r, Rule rule) const {
    std::set<std::string> all_domains;
    for (const std::string& id : candidates) {
      all_domains.insert(rule == Rule::nodes ? id : domain_of(id));
    }
    std::size_t budget = 0;
    if (rule == Rule::racks && r > all_domains.size()) budget = r - all_domains.size();
    std::set<std::string> used;
    Ids result;
    for (const std::string& id : candidates) {
      if (result.size() == r) break;
      if (used.insert(rule == Rule::nodes ? id : domain_of(id)).second) {
        result.push_back(id);
      } else if (budget > 0) {
        --budget;
        result.push_back(id);
      }
    }
    return result;
  }

  std::uint64_t vnodes_;
  Hash hash_;
};

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_REFERENCE_RING_HPP
