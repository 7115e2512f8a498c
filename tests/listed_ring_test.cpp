// SPDX-License-Identifier: MIT
// A user's ring from the public base: what it inherits, and what it can define.
#include "clockwise/listed_ring.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/concepts.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/movement.hpp"
#include "support/errors.hpp"

namespace listed_ring_test {

namespace {

using clockwise::ListedPoint;
using clockwise_test::fails_with;

/// Defines only what it must: the points of server 0 are 0, 1000, 2000, the points of server 1 are
/// 1, 1001 and so on.
struct Plain : clockwise::ListedRing<Plain> {
  static constexpr const char* engine = "plain";
  static void append_points(Servers servers, std::vector<ListedPoint>& points) {
    for (std::uint32_t server = 0; server < servers.size(); ++server) {
      for (std::uint64_t i = 0; i < 3; ++i) points.push_back({1000 * i + server, server});
    }
  }
};

/// Defines all that it can, in private.
class Full : public clockwise::ListedRing<Full> {
 public:
  static constexpr const char* engine = "full";
  clockwise::Position position_of(clockwise::Position position) const { return position; }
  clockwise::Position position_of(int key) const {
    return clockwise::Position{static_cast<std::uint64_t>(key)};
  }
  std::uint64_t circle() const { return 1; }

 private:
  friend ListedRing<Full>;
  static std::pair<std::uint32_t, std::uint32_t> weights() { return {0, 9}; }
  static std::uint64_t points_at_most(Servers servers) {
    return servers.size() == 4 ? std::uint64_t{1} << 32 : 0;
  }
  static std::string label(const Server& server) { return server.name.substr(0, 1); }
  static void append_points(Servers servers, std::vector<ListedPoint>& points) {
    for (std::uint32_t server = 0; server < servers.size(); ++server) {
      for (std::uint32_t i = 0; i < servers[server].weight; ++i) {
        points.push_back({10 * i + server, server});
      }
    }
  }
};

static_assert(clockwise::Ring<Plain> && clockwise::Partitioner<Plain>);

}  // namespace

TEST_CASE("a listed ring that defines only its points is a ring on HashRing's circle") {
  Plain ring;
  ring.add_all({"b", "a"});
  CHECK(ring.servers()[0].name == "b");
  CHECK(std::vector(ring.positions().begin(), ring.positions().end()) ==
        std::vector<std::uint64_t>{0, 1, 1000, 1001, 2000, 2001});
  CHECK(ring.lookup(clockwise::Position{1001}) == "a");
  CHECK(ring.lookup(clockwise::Position{3000}) == "b");

  const clockwise::HashRing<> hash_ring({"a", "b"});
  CHECK(ring.circle() == hash_ring.circle());
  CHECK(ring.position_of("key") == hash_ring.position_of("key"));
  CHECK(movement(ring, hash_ring).width() > clockwise::Width());
  CHECK(fails_with<std::invalid_argument>("weight of server \"b\" must be 1 for plain, got 2",
                                          [&] { ring.set_weight("b", 2); }));
}

TEST_CASE("a listed ring's keys, weights, limits and labels replace the defaults") {
  Full ring;
  ring.add("a", 2);
  ring.add("drained", 0);
  CHECK(ring.vnode_count() == 2);
  CHECK(ring.lookup(1) == "a");
  CHECK(ring.lookup_index(ring.position_of(5)) == ring.index_of("a"));
  CHECK(fails_with<std::invalid_argument>("between 0 and 9 for full",
                                          [&] { ring.set_weight("a", 10); }));
  CHECK(fails_with<std::invalid_argument>("are the same to full", [&] { ring.add("also"); }));
  CHECK(fails_with<std::length_error>("4294967296 points", [&] { ring.add_all({"x", "y"}); }));
  CHECK(ring.size() == 2);
}

}  // namespace listed_ring_test
