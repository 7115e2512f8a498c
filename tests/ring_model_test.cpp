// SPDX-License-Identifier: MIT
// Random rings compared with a plain reference: every answer of the ring, after every change.

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/ring/ring_table.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/movement.hpp"
#include "support/hashes.hpp"
#include "support/reference_ring.hpp"

namespace ring_model_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::Width;
using clockwise_test::CoarseHash;
using clockwise_test::ConstantHash;
using clockwise_test::ReferenceRing;

namespace {

template <class HashType, class IndexType>
struct Kind {
  using Hash = HashType;
  using Index = IndexType;
};

using Ids = std::vector<std::string>;

template <class List>
Ids ids_of(const List& list) {
  return Ids(list.begin(), list.end());
}

// One ring and its model, changed together.
template <class Hash, class Index>
class Pair {
 public:
  using Ring = HashRing<Hash, std::string, Index>;
  using Model = ReferenceRing<Hash>;
  using Rule = typename Model::Rule;

  explicit Pair(std::uint32_t seed)
      : random_(seed),
        vnodes_(pick({1u, 2u, 5u, 16u})),
        ring_(RingOptions{vnodes_}),
        model_(vnodes_) {}

  void change() {
    const Ring before = ring_;
    switch (below(5)) {
      case 0: {  // many at once
        std::vector<std::pair<std::string, NodeOptions>> joining;
        for (unsigned count = below(6); count > 0; --count) {
          const std::string id = fresh_id();
          if (id.empty()) continue;
          joining.emplace_back(id, options());
          model_.members[id] = row(joining.back().second);
        }
        ring_.add_all(joining);
        break;
      }
      case 1: {
        const std::string id = fresh_id();
        if (id.empty()) break;
        const NodeOptions chosen = options();
        model_.members[id] = row(chosen);
        ring_.add(id, chosen);
        break;
      }
      case 2: {
        const std::string id = some_id();
        check(ring_.remove(id) == (model_.members.erase(id) == 1));
        break;
      }
      case 3: {
        const std::string id = some_id();
        if (model_.members.count(id) == 0) break;
        const double chosen = weight();
        model_.members[id].weight = chosen;
        ring_.set_weight(id, chosen);
        break;
      }
      default:  // a few changes as one
        ring_.update([&](auto& edit) {
          for (unsigned count = below(6); count > 0; --count) {
            const std::string id = some_id();
            check(edit.contains(id) == (model_.members.count(id) == 1));
            if (!edit.contains(id)) {
              const NodeOptions chosen = options();
              model_.members[id] = row(chosen);
              edit.add(id, chosen);
            } else if (below(2) == 0) {
              check(edit.remove(id));
              model_.members.erase(id);
            } else {
              const double chosen = weight();
              edit.set_weight(id, chosen);
              model_.members[id].weight = chosen;
            }
          }
        });
    }
    const auto old_points = model_.points;
    model_.build();
    compare_tables();
    compare_answers();
    compare_movement(before, old_points);
  }

  std::size_t wrong() const { return wrong_; }

 private:
  void check(bool as_it_should_be) { wrong_ += as_it_should_be ? 0u : 1u; }

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[random_() % choices.size()];
  }

  // A small pool, with ids that are prefixes of one another or contain '#', zeros and high bytes.
  std::string some_id() {
    static const Ids pool{"a",
                          "a#1",
                          "a#1#",
                          "b",
                          "c",
                          "n1",
                          "n10",
                          "n2",
                          "z",
                          "\xc3\xa9",
                          "\xff",
                          std::string("q\0r", 3),
                          std::string("q\0s", 3)};
    return pool[random_() % pool.size()];
  }
  std::string fresh_id() {
    const std::string id = some_id();
    return model_.members.count(id) == 0 ? id : "";
  }
  double weight() { return pick({0.0, 0.01, 0.5, 1.0, 1.0, 1.0, 1.3, 3.0}); }
  NodeOptions options() {
    return {weight(), pick<const char*>({"", "r1", "r1", "r2", "r3"}),
            pick<const char*>({"", "east", "east", "west"})};
  }
  static typename Model::Row row(const NodeOptions& options) {
    return {options.weight, options.rack, options.datacenter};
  }

  void compare_tables() {
    check(ring_.size() == model_.members.size());
    check(ring_.vnode_count() == model_.points.size());
    if (ring_.size() != model_.members.size() || ring_.vnode_count() != model_.points.size())
      return;
    std::size_t number = 0;
    for (const auto& [id, row] : model_.members) {
      const auto& member = ring_.members()[number];
      check(member.node == id && member.weight == row.weight && member.rack == row.rack &&
            member.datacenter == row.datacenter &&
            member.vnodes == static_cast<std::uint32_t>(model_.vnodes_of(row.weight)));
      check(ring_.index_of(id) == number && ring_.contains(id));
      ++number;
    }
    for (std::size_t rank = 0; rank < model_.points.size(); ++rank) {
      check(ring_.positions()[rank] == model_.points[rank].position);
      check(ring_.node(ring_.owners()[rank]) == model_.points[rank].id);
    }
    const auto widths = ring_.widths();
    number = 0;
    for (const auto& [id, width] : model_.widths()) check(widths[number++] == width);
  }

  // Random positions, and those at and next to vnodes, where off-by-one errors occur.
  std::uint64_t some_position() {
    if (model_.points.empty() || below(2) == 0) return random_();
    return model_.points[random_() % model_.points.size()].position + below(3) - 1;
  }

  void compare_answers() {
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t place = some_position();
      const Position position{place};
      const std::string owner = model_.owner(place);
      const std::string* const found = ring_.try_lookup(position);
      check(found == nullptr ? owner.empty() : *found == owner);
      if (!owner.empty()) check(ring_.arc_of(position).contains(position));

      const Ids order = model_.clockwise_from(place);
      Ids successors;
      for (const std::string& node : ring_.successors(position)) successors.push_back(node);
      check(successors == order);

      const std::size_t r = pick({0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 12u, 40u});
      std::set<std::string> down;
      for (const std::string& id : order) {
        if (below(3) == 0) down.insert(id);
      }
      const auto is_live = [&](const std::string& id) { return down.count(id) == 0; };
      for (const auto& [spread, rule] :
           {std::pair(Spread::nodes, Rule::nodes), std::pair(Spread::racks, Rule::racks),
            std::pair(Spread::racks_only, Rule::racks_only)}) {
        const auto list = ring_.preference_list(position, r, spread);
        check(ids_of(list) == model_.replicas(place, r, rule));
        check(list.requested() == r && list.complete() == (list.size() == r));
        const auto live = ring_.preference_list(position, r, spread, is_live);
        check(ids_of(live) == model_.live_replicas(place, r, rule, down));
        std::size_t natural = 0;
        for (const std::string& id : live) natural += list.contains(id) ? 1u : 0u;
        check(live.first_substitute() == natural);
      }
      bool any_rack = false;
      for (const auto& [id, row] : model_.members) any_rack = any_rack || !row.rack.empty();
      check(ids_of(ring_.preference_list(position, r)) ==
            model_.replicas(place, r, any_rack ? Rule::racks : Rule::nodes));
      const std::size_t east = below(5);
      const std::size_t west = below(12);
      check(ids_of(ring_.preference_list(position, {{"west", west}, {"east", east}, {"", 1}})) ==
            model_.datacenter_replicas(place, {{"east", east}, {"west", west}, {"", 1}}));
    }
  }

  static std::string owner_among(const std::vector<typename Model::Point>& points,
                                 std::uint64_t position) {
    for (const auto& point : points) {
      if (point.position >= position) return point.id;
    }
    return points.empty() ? "" : points.front().id;
  }

  // Nothing changes between neighbouring points of either ring, so the last position of each
  // stretch represents all of it.
  void compare_movement(const Ring& before, const std::vector<typename Model::Point>& old_points) {
    const auto moved = clockwise::movement(before, ring_);
    Width expected;
    if (!old_points.empty() && !model_.points.empty()) {
      std::set<std::uint64_t> ends;
      for (const auto& point : old_points) ends.insert(point.position);
      for (const auto& point : model_.points) ends.insert(point.position);
      std::uint64_t after = *ends.rbegin();
      for (const std::uint64_t last : ends) {
        if (owner_among(old_points, last) != model_.owner(last))
          expected += Arc{after, last}.width();
        after = last;
      }
    }
    check(moved.width() == expected);
    Width sum;
    for (const auto& [arc, from, to] : moved.transfers()) {
      sum += arc.width();
      check(owner_among(old_points, arc.last) == from && model_.owner(arc.last) == to);
      check(owner_among(old_points, arc.after + 1) == from && model_.owner(arc.after + 1) == to);
    }
    check(sum == expected);
  }

  std::mt19937 random_;
  std::uint32_t vnodes_;
  Ring ring_;
  Model model_;
  std::size_t wrong_ = 0;
};

TEST_CASE("a table sorts any positions") {
  using Table = clockwise::detail::RingTable<std::uint16_t, clockwise::NoIndex>;
  const auto draw = [](std::uint64_t i) { return clockwise::detail::mix(i); };
  const std::vector<std::pair<std::string, std::function<std::uint64_t(std::uint64_t)>>> kinds{
      {"uniform", draw},
      {"of 32 bits", [&](std::uint64_t i) { return draw(i) >> 32 << 32; }},
      {"below 1000", [&](std::uint64_t i) { return draw(i) % 1000; }},
      {"all equal", [](std::uint64_t) { return ~std::uint64_t{0}; }},
      {"ascending", [](std::uint64_t i) { return i; }},
      {"descending", [](std::uint64_t i) { return ~i; }},
      {"in 40 heaps", [&](std::uint64_t i) { return draw(i % 40) + draw(i) % 200; }},
      {"half in one heap", [&](std::uint64_t i) { return i % 2 == 0 ? draw(i) : draw(i) % 50; }},
  };
  for (const auto& [kind, position_of] : kinds) {
    for (const std::size_t size : {1u, 63u, 64u, 65u, 255u, 256u, 5000u, 100000u}) {
      Table::Change change;
      for (std::uint64_t i = 0; i < size; ++i) {
        change.added.push_back({position_of(i), static_cast<std::uint16_t>(draw(~i) % 7)});
      }
      auto sorted = change.added;
      std::sort(sorted.begin(), sorted.end());
      const Table table = Table().after(std::move(change));
      INFO(size << " positions, " << kind);
      REQUIRE(table.size() == size);
      bool same = true;
      for (std::size_t i = 0; i < size; ++i) {
        same = same && table.positions()[i] == sorted[i].position &&
               table.owners()[i] == sorted[i].owner;
      }
      REQUIRE(same);
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("random rings match the reference", "", (Kind<clockwise::Xxh3, std::uint16_t>),
                   (Kind<CoarseHash<3>, std::uint16_t>), (Kind<CoarseHash<6>, std::uint32_t>),
                   (Kind<CoarseHash<2>, std::uint8_t>), (Kind<ConstantHash, std::uint8_t>)) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    Pair<typename TestType::Hash, typename TestType::Index> pair(seed);
    for (int step = 0; step < 25; ++step) {
      pair.change();
      INFO("seed " << seed << ", step " << step);
      REQUIRE(pair.wrong() == 0);
    }
  }
}

}  // namespace ring_model_test
