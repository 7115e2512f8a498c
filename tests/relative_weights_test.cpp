// SPDX-License-Identifier: MIT
#include "clockwise/relative_weights.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/rendezvous.hpp"
#include "support/errors.hpp"

namespace relative_weights_test {

using Catch::Approx;
using clockwise::Entry;
using clockwise::HashRing;
using clockwise::mean_weight;
using clockwise::NodeOptions;
using clockwise::relative_weights;
using clockwise_test::fails_with;

namespace {

using Disks = std::vector<std::pair<std::string, double>>;

/// Ten disks of 4,000 to 22,000 GB.
Disks disks() {
  Disks result;
  for (int i = 0; i < 10; ++i) result.emplace_back("disk-" + std::to_string(i), 4000 + 2000 * i);
  return result;
}

struct Server {
  std::string id;
  std::string address;
};

}  // namespace

TEST_CASE("disks weighted in gigabytes have the vnodes' number of positions, and fair shares") {
  const HashRing ring(relative_weights(disks()));
  static_assert(std::is_same_v<const HashRing<>, decltype(ring)>);
  CHECK(ring.vnode_count() == Approx(2000).margin(5));
  CHECK(ring.memory_bytes() < 100000);
  for (const auto& [disk, share] : ring.load_shares()) {
    CAPTURE(disk);
    const double size = disks()[static_cast<std::size_t>(disk.back() - '0')].second;
    CHECK(share == Approx(size / 130000).epsilon(0.25));  // 3 deviations of 62 vnodes' share
  }
  double sum = 0;
  for (const auto& entry : relative_weights(disks())) sum += entry.options.weight;
  CHECK(sum == Approx(10).epsilon(1e-15));
  CHECK(mean_weight(disks()) == 13000);
}

TEST_CASE("a stored unit moves keys only to or from the members that change") {
  const double unit = mean_weight(disks());
  const HashRing before(relative_weights(disks(), unit));
  HashRing after = before;
  after.add_all(relative_weights({{"disk-new", 22000}}, unit));
  Disks all = disks();
  all.emplace_back("disk-new", 22000);
  CHECK(after == HashRing(relative_weights(all, unit)));
  CHECK(mean_weight(all) != unit);
  CHECK_FALSE(after == HashRing(relative_weights(all)));
}

TEST_CASE("the unit and the weights are the same in any order") {
  Disks shuffled{{"a", 0.1}, {"b", 0.7}, {"c", 1e10}, {"d", 0.3}, {"e", 1e-9}, {"f", 3}};
  std::sort(shuffled.begin(), shuffled.end());
  const double unit = mean_weight(shuffled);
  const HashRing ring(relative_weights(shuffled));
  while (std::next_permutation(shuffled.begin(), shuffled.end())) {
    if (mean_weight(shuffled) != unit) CHECK(mean_weight(shuffled) == unit);
  }
  std::reverse(shuffled.begin(), shuffled.end());
  CHECK(HashRing(relative_weights(shuffled)) == ring);
}

TEST_CASE("anything that makes entries has relative weights, and other options stay") {
  const auto of = [](const auto& entries) { return entries[1].options.weight; };
  CHECK(of(relative_weights({{"a", 1}, {"b", 3}})) == 1.5);
  CHECK(of(relative_weights({"a", "b"})) == 1);
  CHECK(of(relative_weights(std::vector<const char*>{"a", "b"})) == 1);
  CHECK(of(relative_weights(std::vector<Entry<std::string>>{{"a", 1}, {"b", 3}})) == 1.5);
  CHECK(of(relative_weights(std::vector<std::pair<int, double>>{{7, 1}, {8, 3}}, 2)) == 1.5);
  const HashRing weighted({{"a", 1}, {"b", 3}});
  CHECK(of(relative_weights(weighted.members())) == 1.5);

  const std::vector<Entry<Server>> servers{
      {Server{"a", "10.0.0.1"}, {.weight = 10, .rack = "r1", .datacenter = "east"}},
      {Server{"b", "10.0.0.2"}, 30}};
  const HashRing ring(relative_weights(servers));
  static_assert(std::is_same_v<const HashRing<clockwise::Xxh3, Server>, decltype(ring)>);
  CHECK(ring.members()[0].node.address == "10.0.0.1");
  CHECK(ring.members()[0].rack == "r1");
  CHECK(ring.members()[0].datacenter == "east");
  CHECK(ring.members()[0].weight == 0.5);
  CHECK(ring.members()[1].weight == 1.5);

  // If weights are already relative, nothing changes.
  const auto relative = clockwise::Rendezvous(relative_weights(disks())).load_shares();
  const auto plain = clockwise::Rendezvous(disks()).load_shares();
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(relative[i].first == plain[i].first);
    CHECK(relative[i].second == Approx(plain[i].second).epsilon(1e-15));
  }
}

TEST_CASE("drained members stay drained and do not count") {
  const auto entries = relative_weights({{"a", 2}, {"drained", 0}, {"b", 6}});
  CHECK(entries[0].options.weight == 0.5);
  CHECK(entries[1].options.weight == 0);
  CHECK(entries[2].options.weight == 1.5);
  CHECK(relative_weights({{"drained", 0}})[0].options.weight == 0);
  CHECK(mean_weight({{"drained", 0}}) == 1);
  CHECK(mean_weight(std::vector<std::string>{}) == 1);
  CHECK(relative_weights(std::vector<std::string>{}).empty());
}

TEST_CASE("weights and units can have any size") {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  CHECK(mean_weight({{"a", largest}, {"b", largest}, {"c", largest}}) == largest);
  CHECK(mean_weight({{"a", smallest}, {"b", smallest}}) == smallest);
  CHECK(relative_weights({{"a", largest}, {"b", largest}})[1].options.weight == 1);
  CHECK(relative_weights({{"a", smallest}, {"b", largest}})[0].options.weight > 0);
  CHECK(relative_weights({{"a", smallest}}, 1e9)[0].options.weight == smallest);

  for (const double unit : {0.0, -0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(fails_with<std::invalid_argument>("unit must be finite and above 0, got",
                                            [&] { relative_weights({{"a", 1}}, unit); }));
  }
  for (const double weight :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(fails_with<std::invalid_argument>("weight of node \"b\" must be finite",
                                            [&] { mean_weight({{"a", 1}, {"b", weight}}); }));
    CHECK(fails_with<std::invalid_argument>("weight of node \"b\" must be finite", [&] {
      relative_weights({{"a", 1}, {"b", weight}}, 1);
    }));
  }
  CHECK(fails_with<std::invalid_argument>("weight of node \"a\" must be finite",
                                          [&] { relative_weights({{"a", 1e300}}, 1e-300); }));
}

}  // namespace relative_weights_test
