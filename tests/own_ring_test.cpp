// SPDX-License-Identifier: MIT
// Functions of rings need only what the concept Ring requires.

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/balance.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/durability.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/migration.hpp"
#include "clockwise/movement.hpp"
#include "clockwise/replica_table.hpp"
#include "clockwise/token_allocator.hpp"
#include "clockwise/transition.hpp"
#include "support/keys.hpp"

namespace own_ring_test {

using clockwise::Arc;
using clockwise::HashRing;
using clockwise::Position;
using clockwise::Replication;
using clockwise::RingOptions;
using clockwise::Spread;

namespace {

/// A ring that offers only what the concept requires.
class OwnRing {
 public:
  using node_type = std::string;
  using index_type = std::uint16_t;

  explicit OwnRing(HashRing<> ring) : ring_(std::move(ring)) {}

  template <class Key>
  const std::string& lookup(const Key& key) const {
    return ring_.lookup(key);
  }
  template <class Key>
  clockwise::ReplicaList<std::string> preference_list(const Key& key,
                                                      const Replication& replication) const {
    return ring_.preference_list(key, replication);
  }
  std::vector<std::pair<std::string, double>> load_shares() const { return ring_.load_shares(); }
  std::span<const std::uint64_t> positions() const { return ring_.positions(); }
  std::span<const std::uint16_t> owners() const { return ring_.owners(); }
  std::span<const clockwise::Member<std::string>> members() const { return ring_.members(); }
  const std::string& node(std::uint16_t index) const { return ring_.node(index); }
  std::uint16_t index_of(const std::string& id) const { return ring_.index_of(id); }
  std::uint16_t lookup_index(Position position) const { return ring_.lookup_index(position); }
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return ring_.position_of(key);
  }
  std::uint64_t circle() const { return ring_.circle(); }

 private:
  HashRing<> ring_;
};
static_assert(clockwise::Ring<OwnRing>);
static_assert(!clockwise::Partitioner<OwnRing>);

HashRing<> fleet(int nodes, int racks) {
  HashRing<> ring(RingOptions{8});
  for (int i = 0; i < nodes; ++i) {
    ring.add("n" + std::to_string(i),
             {1.0 + i % 2, racks == 0 ? "" : "r" + std::to_string(i % racks),
              i % 3 == 0 ? "east" : "west"});
  }
  return ring;
}

std::vector<Replication> replications() {
  return {1, 3, {2, Spread::nodes}, {3, Spread::racks_only}, {{"east", 2}, {"west", 1}}};
}

template <class List>
std::vector<std::string> ids(const List& list) {
  return {list.begin(), list.end()};
}

template <class Moved>
std::vector<std::string> text(const Moved& moved) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    result.push_back(std::to_string(moved[i].arc.after) + "-" + std::to_string(moved[i].arc.last) +
                     ":" + moved[i].from + ">" + moved[i].to);
  }
  return result;
}

}  // namespace

TEST_CASE("movement, plans and transitions work on a user's ring, also to the library's") {
  for (const int racks : {0, 3}) {
    const HashRing<> before = fleet(7, racks);
    HashRing<> after = before;
    after.add("joiner", {1, "r9", "east"});
    after.remove("n2");
    const OwnRing own_before(before);
    const OwnRing own_after(after);
    for (const Replication& replication : replications()) {
      const auto moved = text(clockwise::movement(before, after, replication));
      CHECK(text(clockwise::movement(own_before, own_after, replication)) == moved);
      CHECK(text(clockwise::movement(before, own_after, replication)) == moved);
      const clockwise::MigrationOptions options{.replicas = replication, .bytes = 1e9};
      CHECK(text(clockwise::plan_migration(own_before, own_after, options)) ==
            text(clockwise::plan_migration(before, after, options)));

      clockwise::Transition move(before, after, replication);
      clockwise::Transition own_move(own_before, own_after, replication);
      CHECK(own_move.pending("joiner") == move.pending("joiner"));
      CHECK(own_move.pending("n2").empty());
      const auto agree = [&] {
        std::size_t differ = 0;
        for (const std::string& key : clockwise_test::real_keys(100)) {
          differ += ids(own_move.read_from(key)) == ids(move.read_from(key)) ? 0u : 1u;
          differ += ids(own_move.write_to(key)) == ids(move.write_to(key)) ? 0u : 1u;
        }
        return differ == 0;
      };
      CHECK(agree());
      const Arc half{0, std::uint64_t{1} << 63};
      CHECK(own_move.complete(half, "joiner") == move.complete(half, "joiner"));
      CHECK(agree());
    }
  }
}

TEST_CASE("tables, balance, durability and tokens work on a user's ring") {
  for (const int racks : {0, 3}) {
    const HashRing<> ring = fleet(7, racks);
    const OwnRing own(ring);
    const std::vector<std::string> dead{"n1", "n4"};
    for (const Replication& replication : replications()) {
      const clockwise::ReplicaTable table(own, replication);
      std::size_t differ = 0;
      std::vector<std::uint64_t> asked{0, ~std::uint64_t{0}};
      for (const std::uint64_t position : ring.positions()) {
        for (const std::uint64_t at : {position - 1, position, position + 1}) asked.push_back(at);
      }
      for (const std::uint64_t at : asked) {
        differ += ids(table.preference_list(Position{at})) ==
                          ids(ring.preference_list(Position{at}, replication))
                      ? 0u
                      : 1u;
      }
      CHECK(differ == 0);
      CHECK(clockwise::balance(own, replication).cv == clockwise::balance(ring, replication).cv);
      CHECK(clockwise::replica_sets(own, replication).distinct ==
            clockwise::replica_sets(ring, replication).distinct);
      CHECK(clockwise::rack_losses(own, replication).worst() ==
            clockwise::rack_losses(ring, replication).worst());
      CHECK(clockwise::datacenter_losses(own, replication).worst() ==
            clockwise::datacenter_losses(ring, replication).worst());
      const clockwise::Quorum quorum{replication.requested(), 1, 1};
      CHECK(quorum.available(own, dead, replication).readable ==
            quorum.available(ring, dead, replication).readable);
    }
    CHECK(clockwise::balance(own).cv == clockwise::balance(ring).cv);
    CHECK(clockwise::allocate_tokens(own, {1, "r1", "east"}) ==
          clockwise::allocate_tokens(ring, {1, "r1", "east"}));
  }
}

}  // namespace own_ring_test
