// SPDX-License-Identifier: MIT
// Only the members decide, not their history.

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"

namespace ring_order_test {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::RingOptions;
using clockwise_test::numbered;
using clockwise_test::real_key;
using clockwise_test::real_keys;

namespace {

template <class Ring>
bool same_tables(const Ring& a, const Ring& b) {
  return std::equal(a.positions().begin(), a.positions().end(), b.positions().begin(),
                    b.positions().end()) &&
         std::equal(a.owners().begin(), a.owners().end(), b.owners().begin(), b.owners().end());
}

}  // namespace

TEST_CASE("ten nodes in any order, with leaves and joins between, give one ring") {
  std::vector<std::string> ids = numbered("node-", 10);
  const HashRing<> expected(ids);
  const auto keys = real_keys(10'000);
  std::vector<std::string> owners;
  for (const std::string& key : keys) owners.push_back(expected.lookup(key));

  std::mt19937 random(1);
  for (int round = 0; round < 8; ++round) {
    std::shuffle(ids.begin(), ids.end(), random);
    HashRing<> ring;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ring.add(ids[i]);
      if (i % 3 == 2) {
        const std::string& back_and_forth = ids[random() % (i + 1)];
        ring.remove(back_and_forth);
        ring.add("guest", 3);
        ring.add(back_and_forth);
        ring.remove("guest");
      }
    }
    CHECK(ring.fingerprint() == expected.fingerprint());
    CHECK(ring == expected);
    CHECK(same_tables(ring, expected));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      wrong += ring.lookup(keys[i]) == owners[i] ? 0u : 1u;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("1,000 random steps: after each, the ring equals one built from scratch") {
  // Also weak positions: a merge fails at ties first.
  const auto run = [](auto empty_ring) {
    using Ring = decltype(empty_ring);
    Ring ring(RingOptions{12});
    std::vector<std::pair<std::string, NodeOptions>> members;
    std::mt19937 random(2);
    std::size_t wrong = 0;
    for (int step = 0; step < 1000; ++step) {
      const unsigned kind = random() % 4;
      const double weight = static_cast<double>(random() % 9) / 4;
      if (kind < 2 && members.size() < 24) {
        const std::string id = "n" + std::to_string(step);
        members.emplace_back(id, NodeOptions{weight, {}, {}});
        ring.add(id, weight);
      } else if (!members.empty()) {
        const std::size_t victim = random() % members.size();
        if (kind == 2) {
          members[victim].second.weight = weight;
          ring.set_weight(members[victim].first, weight);
        } else {
          ring.remove(members[victim].first);
          members.erase(members.begin() + static_cast<std::ptrdiff_t>(victim));
        }
      }
      const Ring fresh(members, RingOptions{12});
      wrong +=
          same_tables(ring, fresh) && ring == fresh && ring.fingerprint() == fresh.fingerprint()
              ? 0u
              : 1u;
    }
    CHECK(wrong == 0);
    std::shuffle(members.begin(), members.end(), random);
    for (const auto& member : members) CHECK(ring.remove(member.first));
    CHECK(ring.empty());
    CHECK(ring.vnode_count() == 0);
    CHECK(ring.positions().empty());
    CHECK(ring.owners().empty());
    CHECK(ring.fingerprint() == Ring(RingOptions{12}).fingerprint());
  };
  run(HashRing<>());
  run(HashRing<clockwise_test::CoarseHash<5>>());
}

TEST_CASE("1,024 nodes of 512 vnodes in one add_all equal the ring that grew one by one") {
  // One by one costs M per step, so there are few steps; the first adds half of the nodes.
  const auto ids = numbered("node-", 1024);
  HashRing<> grown(RingOptions{512});
  grown.add_all(std::vector<std::string>(ids.begin(), ids.begin() + 512));
  for (std::size_t from = 512; from < 1016; from += 72) {
    grown.add_all(std::vector<std::string>(ids.rbegin() + static_cast<std::ptrdiff_t>(from - 512),
                                           ids.rbegin() + static_cast<std::ptrdiff_t>(from - 440)));
  }
  for (std::size_t i = 512; i < 520; ++i) grown.add(ids[i]);
  const HashRing<> at_once(ids, RingOptions{512});
  CHECK(at_once.vnode_count() == 524'288);
  CHECK(std::is_sorted(at_once.positions().begin(), at_once.positions().end()));
  CHECK(same_tables(grown, at_once));
  CHECK(grown == at_once);
  CHECK(grown.lookup(real_key(1)) == at_once.lookup(real_key(1)));
}

}  // namespace ring_order_test
