// SPDX-License-Identifier: MIT
#include "clockwise/multi_probe.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "clockwise/balance.hpp"
#include "clockwise/concepts.hpp"
#include "support/hashes.hpp"
#include "support/keys.hpp"
#include "support/scheme_laws.hpp"

namespace multi_probe_test {

using namespace clockwise_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::MultiProbe;
using clockwise::MultiProbeOptions;

static_assert(clockwise::Partitioner<MultiProbe<>>);
static_assert(clockwise::RemovesAny<MultiProbe<>>);

namespace {

MultiProbe<> fleet(std::size_t nodes, std::uint32_t probes = 21) {
  MultiProbe<> result(MultiProbeOptions{probes});
  for (const auto& name : numbered("node", nodes)) result.add(name);
  return result;
}

}  // namespace

TEST_CASE("The owner is the node at the smallest distance from a probe") {
  // Compared with a search of every node for every probe.
  const auto nodes = fleet(30, 5);
  for (const auto& key : real_keys(2000)) {
    const auto hash = static_cast<std::uint64_t>(nodes.position_of(key));
    std::uint64_t state = hash;
    std::uint64_t least = ~std::uint64_t{0};
    std::string owner;
    for (int i = 0; i < 5; ++i) {
      // SplitMix64, as its authors published it.
      std::uint64_t z = (state += 0x9e3779b97f4a7c15);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      z = z ^ (z >> 31);
      for (const auto& member : nodes.members()) {
        const auto position = static_cast<std::uint64_t>(nodes.position_of(member.node));
        if (position - z < least) {
          least = position - z;
          owner = member.node;
        }
      }
    }
    if (nodes.lookup(key) != owner) FAIL(key);
  }
}

TEST_CASE("load_shares match counted keys") {
  const auto keys = real_keys(200000);
  for (const std::uint32_t probes : {1u, 2u, 21u}) {
    const auto nodes = fleet(16, probes);
    auto counts = loads(nodes, keys);
    double sum = 0;
    for (const auto& [id, share] : nodes.load_shares()) {
      INFO(id << " with " << probes << " probes: " << counts[id] << " keys, share " << share);
      CHECK(plausible(counts[id], keys.size(), share));
      sum += share;
    }
    CHECK(std::abs(sum - 1) < 1e-9);
  }
  CHECK(MultiProbe<>({"alone"}).load_shares()[0].second == 1.0);
  CHECK(MultiProbe<>{}.load_shares().empty());
}

TEST_CASE("21 probes bring the hottest node to about 1.05 times the mean") {
  // With random positions S(d) is about exp(-N d), so the most that a node can win, with an
  // infinite arc, is K / (K - 1) of the mean: 1.05. Four standard errors of the mean over 100
  // fleets, whose peaks have a standard deviation of 0.021 (measured over 200).
  double sum = 0;
  double one_probe = 0;
  for (int fleet_number = 0; fleet_number < 100; ++fleet_number) {
    MultiProbe<> nodes;
    MultiProbe<> single(MultiProbeOptions{1});
    for (const auto& name : numbered("fleet" + std::to_string(fleet_number) + "-", 100)) {
      nodes.add(name);
      single.add(name);
    }
    sum += clockwise::balance(nodes).peak_to_mean;
    one_probe += clockwise::balance(single).peak_to_mean;
  }
  INFO("mean peak " << sum / 100 << ", with one probe " << one_probe / 100);
  CHECK(std::abs(sum / 100 - 21.0 / 20) < 4 * 0.021 / 10);
  CHECK(one_probe / 100 > 4);  // one probe is a ring of one vnode: H_100 = 5.19
}

TEST_CASE("A join moves keys only to the joiner; a leave is the inverse") {
  const auto keys = real_keys(100000);
  const auto before = fleet(16);
  auto after = before;
  after.add("joiner");
  const double share = after.load_shares()[after.index_of("joiner")].second;
  CHECK(std::abs(share - 1.0 / 17) < 0.01);
  CHECK(plausible(keys_moved_to("joiner", before, after, keys), keys.size(), share));
  CHECK(after.remove("joiner"));
  check_same_owners(before, after, keys);
}

TEST_CASE("Order and history of multi-probe do not matter") {
  auto names = numbered("node", 10);
  const auto straight = fleet(10);
  MultiProbe<> wandering;
  for (auto name = names.rbegin(); name != names.rend(); ++name) wandering.add(*name);
  wandering.add("guest");
  CHECK(wandering.remove("node3"));
  wandering.add("node3");
  CHECK(wandering.remove("guest"));
  check_same_owners(straight, wandering, real_keys(10000));
}

TEST_CASE("If all nodes share a position, the smallest id owns") {
  std::vector<std::string> ids{"a", "b", "c"};
  do {
    MultiProbe<ConstantHash> nodes;
    for (const auto& id : ids) nodes.add(id);
    CHECK(nodes.lookup("key") == "a");
    const auto list = nodes.preference_list("key", 3);
    CHECK(list[1] == "b");
    CHECK(list[2] == "c");
    CHECK(nodes.load_shares()[0].second == 1.0);
  } while (std::next_permutation(ids.begin(), ids.end()));
}

TEST_CASE("The preference list of multi-probe is the order of inheritance") {
  const auto nodes = fleet(12);
  check_preference_lists(nodes, 12, real_keys(300));
  for (const std::string key : {"a", "user:42", "x"}) {
    auto left = nodes;
    for (const std::string& node : nodes.preference_list(key, 12)) {
      CHECK(left.lookup(key) == node);
      CHECK(left.remove(node));
    }
    CHECK(left.try_lookup(key) == nullptr);
  }
}

TEST_CASE("Bad input to multi-probe is named and changes nothing") {
  for (const std::uint32_t probes : {0u, 4097u}) {
    CHECK_THROWS_MATCHES(MultiProbe<>(MultiProbeOptions{probes}), std::invalid_argument,
                         MessageMatches(ContainsSubstring("got " + std::to_string(probes))));
  }
  auto nodes = fleet(3);
  CHECK_THROWS_MATCHES(nodes.add("node1"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("\"node1\" is already a member")));
  CHECK_THROWS_AS(nodes.add(""), std::invalid_argument);
  CHECK_FALSE(nodes.remove("stranger"));
  check_same_owners(fleet(3), nodes, real_keys(1000));
  const MultiProbe<> none;
  CHECK_THROWS_AS(none.lookup("key"), std::out_of_range);
}

}  // namespace multi_probe_test
