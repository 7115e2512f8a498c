// SPDX-License-Identifier: MIT
// What a change moves of each replica, compared with lists at single positions.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/compat/ketama.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/token_ring.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"

namespace movement_replicas_test {

using clockwise::Arc;
using clockwise::DatacenterReplicas;
using clockwise::HashRing;
using clockwise::KeyMovement;
using clockwise::Movement;
using clockwise::movement;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::TokenRing;
using clockwise::Width;
using clockwise_test::fails_with;
using clockwise_test::numbered;

namespace {

using Ids = std::set<std::string>;

template <class List>
Ids ids(const List& list) {
  return {list.begin(), list.end()};
}
Ids without(const Ids& all, const Ids& some) {
  Ids result;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(),
                      std::inserter(result, result.end()));
  return result;
}

/// Every arc on which neither ring changes owner, by its last position, and some more positions.
template <class Before, class After>
std::vector<std::uint64_t> boundaries(const Before& before, const After& after) {
  std::vector<std::uint64_t> positions(before.positions().begin(), before.positions().end());
  positions.insert(positions.end(), after.positions().begin(), after.positions().end());
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

/// Compares a movement with list(before, position) and list(after, position).
template <class Before, class After, class List>
void check_against_lists(const Before& before, const After& after,
                         const Movement<std::string>& moved, const List& list) {
  const auto ends = boundaries(before, after);
  REQUIRE_FALSE(ends.empty());
  std::vector<std::uint64_t> asked = ends;
  for (const std::uint64_t end : ends) asked.push_back(end + 1);
  std::mt19937_64 random(ends.size());
  for (int i = 0; i < 50; ++i) asked.push_back(random());

  std::size_t wrong = 0;
  for (const std::uint64_t at : asked) {
    const Ids had = ids(list(before, at));
    const Ids has = ids(list(after, at));
    Ids givers = without(had, has);
    Ids takers = without(has, had);
    std::vector<std::string> others;
    for (const auto& [arc, from, to] : moved.transfers()) {
      if (!arc.contains(at)) continue;
      wrong += takers.erase(to) == 1 ? 0u : 1u;  // each once, and no others
      if (givers.erase(from) == 0) others.push_back(from);
    }
    // From the nodes that give up copies; when none are left, from any holder.
    if (!others.empty()) wrong += givers.size();
    for (const std::string& from : others) wrong += had.count(from) == 1 ? 0u : 1u;
    wrong += takers.size();
  }
  CHECK(wrong == 0);

  Width exact;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Arc arc{i == 0 ? ends.back() : ends[i - 1], ends[i]};
    const auto gained = without(ids(list(after, arc.last)), ids(list(before, arc.last)));
    for (std::size_t copy = 0; copy < gained.size(); ++copy) exact += arc.width();
  }
  CHECK(moved.width() == exact);
  Width sum;
  for (const auto& transfer : moved.transfers()) sum += transfer.arc.width();
  CHECK(sum == exact);

  // The list has the full length; fraction() is a share of all stored data.
  const std::size_t copies = list(after, 0).size();
  CHECK(moved.replicas() == copies);
  if (copies > 0) {
    CHECK(moved.fraction() == exact.fraction() / static_cast<double>(copies));
    CHECK(moved.fraction() <= 1);
  }
  double in = 0;
  double out = 0;
  for (const auto& [node, share] : moved.incoming()) in += share;
  for (const auto& [node, share] : moved.outgoing()) out += share;
  CHECK(std::abs(in - exact.fraction()) < 1e-12);
  CHECK(std::abs(out - exact.fraction()) < 1e-12);

  // As few as possible: no transfer continues another between the same two nodes.
  std::set<std::pair<std::pair<std::string, std::string>, std::uint64_t>> begins;
  for (const auto& [arc, from, to] : moved.transfers()) begins.insert({{from, to}, arc.after});
  std::size_t split = 0;
  for (const auto& [arc, from, to] : moved.transfers()) {
    if (!arc.is_whole_circle()) split += begins.count({{from, to}, arc.last});
  }
  CHECK(split == 0);
}

NodeOptions random_options(std::mt19937_64& random) {
  return {static_cast<double>(random() % 5) / 2, "r" + std::to_string(random() % 3),
          random() % 2 == 0 ? "east" : "west"};
}

template <class Ring>
constexpr bool has_tokens = requires(Ring& ring) { ring.set_tokens("id", {1}); };

/// A change of a few members, of one of the possible kinds.
template <class Ring>
void change(Ring& ring, std::mt19937_64& random) {
  const std::string id = "node" + std::to_string(random() % 12);
  if (!ring.contains(id)) {
    NodeOptions options = random_options(random);
    if constexpr (!has_tokens<Ring>) {
      ring.add(id, options);
    } else {
      options.weight = 1;
      std::set<std::uint64_t> tokens;
      while (tokens.size() < 4) tokens.insert(random() >> 58 << 58);  // with ties
      ring.add(id, options, std::vector<std::uint64_t>(tokens.begin(), tokens.end()));
    }
  } else if (random() % 3 == 0) {
    ring.remove(id);
  } else if constexpr (!has_tokens<Ring>) {
    ring.set_weight(id, static_cast<double>(random() % 5) / 2);
  } else {
    ring.set_tokens(id, {random(), random()});
  }
}

template <class Before, class After>
void check_every_rule(const Before& before, const After& after, std::size_t r) {
  if (before.vnode_count() == 0 || after.vnode_count() == 0) return;
  check_against_lists(
      before, after, movement(before, after, r),
      [&](const auto& ring, std::uint64_t at) { return ring.preference_list(Position{at}, r); });
  for (const Spread spread : {Spread::nodes, Spread::racks, Spread::racks_only}) {
    check_against_lists(before, after, movement(before, after, {r, spread}),
                        [&](const auto& ring, std::uint64_t at) {
                          return ring.preference_list(Position{at}, r, spread);
                        });
  }
  const DatacenterReplicas wanted{{"east", r}, {"west", 2}, {"nowhere", 1}};
  check_against_lists(before, after, movement(before, after, wanted),
                      [&](const auto& ring, std::uint64_t at) {
                        return ring.preference_list(Position{at}, wanted);
                      });
}

}  // namespace

TEST_CASE("replicas: hashed rings with random histories, under every rule") {
  std::mt19937_64 random(21);
  for (int history = 0; history < 12; ++history) {
    HashRing<> ring(RingOptions{4});
    for (int i = 0; i < 8; ++i) change(ring, random);
    for (int i = 0; i < 4; ++i) {
      const HashRing<> before = ring;
      for (std::size_t n = 1 + random() % 3; n > 0; --n) change(ring, random);
      check_every_rule(before, ring, 1 + random() % 4);
    }
  }
}

TEST_CASE("replicas: rings with many ties, and with explicit tokens") {
  std::mt19937_64 random(22);
  for (int history = 0; history < 6; ++history) {
    HashRing<clockwise_test::CoarseHash<5>> coarse(RingOptions{5});
    TokenRing<> tokens;
    for (int i = 0; i < 8; ++i) change(coarse, random);
    for (int i = 0; i < 8; ++i) change(tokens, random);
    for (int i = 0; i < 4; ++i) {
      const auto coarse_before = coarse;
      const auto tokens_before = tokens;
      for (std::size_t n = 1 + random() % 3; n > 0; --n) change(coarse, random);
      for (std::size_t n = 1 + random() % 3; n > 0; --n) change(tokens, random);
      check_every_rule(coarse_before, coarse, 1 + random() % 4);
      check_every_rule(tokens_before, tokens, 1 + random() % 4);
    }
  }
}

TEST_CASE("replicas: from hashed positions to explicit ones, and to other widths of index") {
  std::mt19937_64 random(23);
  for (int round = 0; round < 6; ++round) {
    HashRing<> hashed(RingOptions{4});
    TokenRing<clockwise::Xxh3, std::string, std::uint32_t> tokens;
    for (int i = 0; i < 8; ++i) change(hashed, random);
    for (int i = 0; i < 8; ++i) change(tokens, random);
    check_every_rule(hashed, tokens, 1 + random() % 4);
    check_every_rule(tokens, hashed, 1 + random() % 4);
  }
}

TEST_CASE("replicas: the reverse change moves the same arcs in reverse") {
  std::mt19937_64 random(24);
  for (int round = 0; round < 20; ++round) {
    HashRing<> before(RingOptions{4});
    for (const std::string& id : numbered("node", 8)) before.add(id, random_options(random));
    HashRing<> after = before;
    for (int i = 0; i < 3; ++i) change(after, random);
    const std::size_t r = 1 + random() % 3;
    // If both lists are full, as many copies are added as dropped.
    if (movement(before, before, r).replicas() != r || movement(after, after, r).replicas() != r) {
      continue;
    }
    using Row =
        std::pair<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::string, std::string>>;
    std::vector<Row> there;
    std::vector<Row> back;
    for (const auto& [arc, from, to] : movement(before, after, r).transfers()) {
      there.push_back({{arc.after, arc.last}, {from, to}});
    }
    for (const auto& [arc, from, to] : movement(after, before, r).transfers()) {
      back.push_back({{arc.after, arc.last}, {to, from}});
    }
    std::sort(there.begin(), there.end());
    std::sort(back.begin(), back.end());
    CHECK(there == back);
  }
}

TEST_CASE("replicas: a join moves copies only to the joiner, under every rule") {
  std::mt19937_64 random(25);
  for (int round = 0; round < 60; ++round) {
    HashRing<> before(RingOptions{5});
    for (std::size_t i = 0, n = 2 + random() % 8; i < n; ++i) {
      NodeOptions options = random_options(random);
      options.weight = 1;
      if (round % 3 == 0) options.rack = "";
      before.add("node" + std::to_string(i), options);
    }
    HashRing<> after = before;
    NodeOptions options = random_options(random);
    options.weight = 1;
    after.add("joiner", options);
    const std::size_t r = 1 + random() % 4;
    const auto elsewhere = [&](const Movement<std::string>& moved) {
      std::size_t count = 0;
      for (const auto& transfer : moved.transfers()) count += transfer.to == "joiner" ? 0u : 1u;
      return count;
    };
    CHECK(elsewhere(movement(before, after)) == 0);
    CHECK(elsewhere(movement(before, after, {r, Spread::nodes})) == 0);
    CHECK(elsewhere(movement(before, after, {r, Spread::racks})) == 0);
    CHECK(elsewhere(movement(before, after, {r, Spread::racks_only})) == 0);
    CHECK(elsewhere(movement(before, after, {{"east", r}, {"west", 2}})) == 0);
  }
}

TEST_CASE("replicas: one replica moves as the owners do; R replicas move the same share") {
  const HashRing<> before(numbered("node", 16));
  HashRing<> after = before;
  after.add("joiner");
  const auto primaries = movement(before, after);
  const auto one = movement(before, after, 1);
  CHECK(one.width() == primaries.width());
  CHECK(one.transfers().size() == primaries.transfers().size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].arc == primaries[i].arc);
    CHECK(one[i].from == primaries[i].from);
  }
  for (const std::size_t r : {std::size_t{2}, std::size_t{3}, std::size_t{8}}) {
    const auto moved = movement(before, after, r);
    // The joiner gains R/17 of the circle, which is 1/17 of R copies. One vnode brings a sum of up
    // to R stretches, with a spread over its mean no larger than that of one: four sigma of a
    // Beta(V, 16 V) share.
    const double p = 1.0 / 17;
    CHECK(std::abs(moved.fraction() - p) < 4 * std::sqrt(p * (1 - p) / (17.0 * 200 + 1)));
    CHECK(moved.incoming()[0].first == "joiner");
    CHECK(std::abs(moved.incoming()[0].second - moved.fraction() * static_cast<double>(r)) < 1e-12);
  }
}

TEST_CASE("replicas: no replicas, and lists that cannot be filled") {
  const HashRing<> two(numbered("node", 2));
  const HashRing<> three(numbered("node", 3));
  CHECK(movement(two, three, 0).transfers().empty());
  CHECK(movement(two, three, 0).fraction() == 0);
  // Two copies become three: the third is new, and is a third of the data stored afterwards.
  const auto grown = movement(two, three, 5);
  CHECK(grown.replicas() == 3);
  CHECK(grown.width() == Width::whole_circle());
  CHECK(grown.fraction() == 1.0 / 3);
  CHECK(movement(three, two, 5).transfers().empty());
}

TEST_CASE("movement between hash policies is refused, and counted over keys instead") {
  const HashRing<clockwise::Xxh64> old_ring(numbered("node", 16));
  const HashRing<> new_ring(numbered("node", 16));
  CHECK(fails_with<std::invalid_argument>("KeyMovement", [&] { movement(old_ring, new_ring); }));
  CHECK(fails_with<std::invalid_argument>("KeyMovement", [&] { movement(old_ring, new_ring, 3); }));
  KeyMovement moved(old_ring, new_ring);
  constexpr std::size_t keys = 20'000;
  for (std::size_t i = 0; i < keys; ++i) moved.observe(clockwise_test::real_key(i));
  // Two independent placements agree on the sum of the products of their shares. The keys are a
  // sample of that: four sigma.
  const auto agreement = [](const auto& a, const auto& b) {
    double same = 0;
    for (const auto& [node, share] : a.load_shares()) {
      for (const auto& [other, its_share] : b.load_shares()) {
        if (node == other) same += share * its_share;
      }
    }
    return same;
  };
  const double p = 1 - agreement(old_ring, new_ring);
  CHECK(std::abs(moved.fraction() - p) < 4 * std::sqrt(p * (1 - p) / keys));
}

TEST_CASE("the keys that move on a switch from ketama, rendezvous, jump hash or mod N") {
  const std::vector<std::string> ids = numbered("10.0.0.", 8);
  const HashRing<> ring(ids);
  constexpr std::size_t keys = 20'000;
  const auto cost = [&](const auto& from) {
    KeyMovement moved(from, ring);
    std::map<std::pair<std::string, std::string>, std::uint64_t> expected;
    for (std::size_t i = 0; i < keys; ++i) {
      const std::string key = clockwise_test::real_key(i);
      moved.observe(key);
      if (from.lookup(key) != ring.lookup(key)) ++expected[{from.lookup(key), ring.lookup(key)}];
    }
    std::uint64_t counted = 0;
    for (const auto& flow : moved.flows()) {
      CHECK(expected[{flow.from, flow.to}] == flow.keys);
      counted += flow.keys;
    }
    CHECK(counted == moved.moved());
    CHECK(moved.keys() == keys);
    // Independent placements of 8 even nodes agree on 1 key in 8. The bound is four sigma, plus the
    // joint unevenness of the ring's and the other's shares, which is below 0.1 of that.
    CHECK(std::abs(moved.fraction() - 7.0 / 8) < 4 * std::sqrt(7.0 / 64 / keys) + 0.0125);
  };
  clockwise::KetamaRing ketama;
  for (const std::string& id : ids) ketama.add(id);
  cost(ketama);
  clockwise::Rendezvous<> rendezvous;
  clockwise::JumpHash<> jump;
  clockwise::ModN<> mod_n;
  for (const std::string& id : ids) {
    rendezvous.add(id);
    jump.add(id);
    mod_n.add(id);
  }
  cost(rendezvous);
  cost(jump);
  cost(mod_n);
}

}  // namespace movement_replicas_test
