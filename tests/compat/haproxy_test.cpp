// SPDX-License-Identifier: MIT
#include "clockwise/compat/haproxy.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/errors.hpp"
#include "../support/keys.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/movement.hpp"

namespace haproxy_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::HaproxyHash;
using clockwise::HaproxyOptions;
using clockwise::HaproxyRing;
using clockwise::Position;
using clockwise_test::fails_with;

static_assert(clockwise::Partitioner<HaproxyRing>);

std::uint32_t model_avalanche(std::uint32_t a) {
  a = a + 0x7ed55d16 + (a << 12);
  a = a ^ 0xc761c23c ^ (a >> 19);
  a = a + 0x165667b1 + (a << 5);
  a = (a + 0xd3a2646c) ^ (a << 9);
  a = a + 0xfd7046c5 + (a << 3);
  a = a ^ 0xb55a4f09 ^ (a >> 16);
  return a * 3221225473u;
}

/// A slow model: the nearest of all points, found by a scan.
class Model {
 public:
  void add(const std::string& server, std::uint32_t id, std::uint32_t weight) {
    for (std::uint32_t i = 0; i < 16 * weight; ++i) {
      points_.emplace_back(model_avalanche(id * 4096 + i), server);
    }
  }
  const std::string& owner(std::uint32_t hash) const {
    const Point* next = nullptr;      // the first listed of the nearest at or after the key
    const Point* previous = nullptr;  // the last listed of the nearest before it
    for (const Point& point : points_) {
      if (next == nullptr || point.first - hash < next->first - hash) next = &point;
      // A point at the key counts as a whole circle before it.
      if (previous == nullptr || hash - point.first - 1 <= hash - previous->first - 1) {
        if (point.first != hash || previous == nullptr || previous->first == hash) {
          previous = &point;
        }
      }
    }
    return hash - previous->first <= next->first - hash && previous->first != hash
               ? previous->second
               : next->second;
  }
  const std::vector<std::pair<std::uint32_t, std::string>>& points() const { return points_; }

 private:
  using Point = std::pair<std::uint32_t, std::string>;
  std::vector<Point> points_;
};

Position position(std::uint32_t hash) { return Position{std::uint64_t{hash} << 32}; }

TEST_CASE("owners match a slow model, at every boundary") {
  Model model;
  HaproxyRing ring;
  const auto add = [&](const std::string& server, double weight, std::uint32_t id) {
    model.add(server, id, static_cast<std::uint32_t>(weight));
    ring.add(server, weight, id);
  };
  add("web1", 1, 1);
  add("web2", 3, 9);
  add("drained", 0, 3);
  add("twin of web1", 2, 1 + (1 << 20));  // its first 16 points are web1's
  CHECK(ring.vnode_count() == 16 + 48 + 32);

  std::vector<std::uint32_t> hashes{0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
  for (const auto& [point, server] : model.points()) {
    for (const std::uint32_t near : {point - 1, point, point + 1}) hashes.push_back(near);
  }
  for (const std::uint64_t end : ring.positions()) {
    const auto at = static_cast<std::uint32_t>(end >> 32);
    for (const std::uint32_t near : {at - 1, at, at + 1}) hashes.push_back(near);
  }
  for (std::size_t i = 0; i < 2000; ++i) {
    hashes.push_back(static_cast<std::uint32_t>(
        static_cast<std::uint64_t>(ring.position_of(clockwise_test::real_key(i))) >> 32));
  }
  for (const std::uint32_t hash : hashes) {
    INFO(hash);
    REQUIRE(ring.lookup(position(hash)) == model.owner(hash));
  }
}

TEST_CASE("a lone server, and two on the same points") {
  const HaproxyRing lone({"only"});
  CHECK(lone.lookup("anything") == "only");
  for (const bool reversed : {false, true}) {
    HaproxyRing ring;
    ring.add(reversed ? "b" : "a", 1, 5);
    ring.add(reversed ? "a" : "b", 1, 5 + (1 << 20));
    // Each of 16 points is shared: keys before it go to the first, keys after it to the second.
    const std::string first = reversed ? "b" : "a";
    const std::string second = reversed ? "a" : "b";
    for (std::uint32_t i = 0; i < 16; ++i) {
      const std::uint32_t point = model_avalanche(5 * 4096 + i);
      CHECK(ring.lookup(position(point)) == first);
      CHECK(ring.lookup(position(point - 1)) == first);
      CHECK(ring.lookup(position(point + 1)) == second);
    }
  }
}

TEST_CASE("while servers are down, keys go to the nearest remaining point") {
  HaproxyRing ring;
  const std::vector<std::string> names = clockwise_test::numbered("srv", 10);
  for (const std::string& name : names) ring.add(name, 3);
  const HaproxyRing before = ring;
  for (const std::vector<std::string>& down :
       {std::vector<std::string>{"srv3"}, {"srv0", "srv9"}, {"srv1", "srv2", "srv5", "srv7"}}) {
    Model left;  // the others keep their numbers
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      if (std::find(down.begin(), down.end(), names[i]) == down.end()) left.add(names[i], i + 1, 3);
    }
    const HaproxyRing without = ring.without(down);
    std::size_t lost = 0;
    std::size_t walked_elsewhere = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
      const Position key = ring.position_of(clockwise_test::real_key(i));
      const auto hash = static_cast<std::uint32_t>(static_cast<std::uint64_t>(key) >> 32);
      const std::string& owner = without.lookup(key);
      REQUIRE(owner == left.owner(hash));
      if (std::find(down.begin(), down.end(), ring.lookup(key)) == down.end()) {
        REQUIRE(owner == ring.lookup(key));  // nothing else moves
        continue;
      }
      ++lost;
      for (const std::string& walked : ring.successors(key)) {
        if (std::find(down.begin(), down.end(), walked) != down.end()) continue;
        walked_elsewhere += walked != owner ? 1u : 0u;
        break;
      }
    }
    CHECK(lost > 200);
    CHECK(walked_elsewhere > lost / 4);

    // Like HAProxy's weight 0, which keeps the server in the list.
    HaproxyRing drained = ring;
    for (const std::string& name : down) drained.set_weight(name, 0);
    CHECK(without == drained);
    CHECK(without.fingerprint() == drained.fingerprint());
    CHECK(without.ids() == ring.ids());
    CHECK(without.size() == 10);
    for (const std::string& name : down) drained.set_weight(name, 3);
    CHECK(drained == before);
    CHECK(drained.fingerprint() == before.fingerprint());
  }
  CHECK(ring == before);
  CHECK(ring.without({"srv1"}).without({"srv2"}) == ring.without({"srv2", "srv1", "srv2"}));
  CHECK(ring.without(std::vector<std::string_view>()) == ring);
  const HaproxyRing none = ring.without(names);
  CHECK(none.try_lookup("key") == nullptr);
  CHECK(fails_with<std::out_of_range>("without: \"srv10\" is not a member",
                                      [&] { (void)ring.without({"srv1", "srv10"}); }));
}

TEST_CASE("servers whose ids collide are listed, because all but two of them get nothing") {
  HaproxyRing ring;
  ring.add("a", 2, 3 + (1u << 20));
  ring.add("b", 2);  // number 2
  ring.add("c", 2, 3);
  CHECK(ring.id_collisions() == std::vector<std::vector<std::string>>{{"a", "c"}});
  ring.add("d", 2, 3 + (5u << 20));
  ring.add("e", 2, 2 + (1u << 20));
  CHECK(ring.id_collisions() == std::vector<std::vector<std::string>>{{"b", "e"}, {"a", "c", "d"}});
  for (const auto& [server, share] : ring.load_shares()) CHECK((share == 0) == (server == "c"));
  ring.set_weight("c", 3);  // 16 separate points
  CHECK(ring.load_shares()[2].second > 0);
  CHECK(HaproxyRing(clockwise_test::numbered("srv", 500)).id_collisions().empty());
  CHECK(HaproxyRing().id_collisions().empty());
}

TEST_CASE("servers are numbered past ids that are in use") {
  HaproxyRing ring;
  ring.add("a", 1, 2);
  ring.add("b");
  ring.add("c");
  ring.add("d", 1, 1);
  ring.add("e");
  // A server with an id also advances the count.
  CHECK(ring.ids() == std::vector<std::uint32_t>{2, 3, 4, 1, 6});
  // Removing a server from the middle renumbers the servers after it.
  ring.remove("b");
  CHECK(ring.ids() == std::vector<std::uint32_t>{2, 3, 1, 5});
}

TEST_CASE("hash functions of keys") {
  const auto hash = [](HaproxyHash function, bool avalanche, std::string_view key) {
    const HaproxyRing ring(HaproxyOptions{function, avalanche});
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(ring.position_of(key)) >> 32);
  };
  CHECK(hash(HaproxyHash::sdbm, false, "ab") == 'a' * 65599u + 'b');
  CHECK(hash(HaproxyHash::djb2, false, "ab") == (5381u * 33 + 'a') * 33 + 'b');
  CHECK(hash(HaproxyHash::crc32, false, "123456789") == 0xcbf43926);
  CHECK(hash(HaproxyHash::wt6, false, "") == (0xa53c965a ^ 0x5ca6953a));
  for (const auto function :
       {HaproxyHash::sdbm, HaproxyHash::djb2, HaproxyHash::wt6, HaproxyHash::crc32}) {
    CHECK(hash(function, true, "/index.html") ==
          model_avalanche(hash(function, false, "/index.html")));
  }
}

TEST_CASE("shares and movement are exact") {
  HaproxyRing before;
  for (std::uint32_t i = 1; i <= 8; ++i) before.add("web" + std::to_string(i), 10, i);
  HaproxyRing after = before;
  after.add("web9", 10, 9);
  const auto moved = clockwise::movement(before, after);
  for (const auto& transfer : moved.transfers()) REQUIRE(transfer.to == "web9");
  // Arcs here are means of two gaps, so a share varies less than Beta(160, 1280), whose standard
  // deviation is 0.0083.
  CHECK(moved.fraction() > 1.0 / 9 - 4 * 0.0083);
  CHECK(moved.fraction() < 1.0 / 9 + 4 * 0.0083);
  double sum = 0;
  for (const auto& [server, share] : after.load_shares()) sum += share;
  CHECK(sum == 1.0);
}

TEST_CASE("input that HAProxy refuses changes nothing") {
  HaproxyRing ring;
  ring.add("a", 1, 7);
  const auto refuses = [&](const std::string& server, double weight, std::uint32_t id,
                           const std::string& reason) {
    CHECK_THROWS_MATCHES(ring.add(server, weight, id), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
    CHECK(ring.size() == 1);
    CHECK(ring.vnode_count() == 16);
  };
  refuses("b", 257, 0, "between 0 and 256");
  refuses("b", 1.25, 0, "got 1.25");
  refuses("b", 1, 7, "both have id 7");
  refuses("b", 1, 0x80000000, "between 1 and 2147483647, got 2147483648");
  CHECK(fails_with<std::invalid_argument>(
      "id of server \"b\" must be between 1 and 2147483647, got -1",
      [&] { ring.add("b", 1, -1); }));
  CHECK(fails_with<std::invalid_argument>("got 4294967303",
                                          [&] { ring.add("b", 1, (std::int64_t{1} << 32) + 7); }));
  refuses("a", 1, 0, "\"a\" is already a member");
  refuses("", 1, 0, "id must not be empty");
  HaproxyRing drained;
  drained.add("a", 0);
  CHECK(drained.try_lookup("key") == nullptr);
}

}  // namespace

}  // namespace haproxy_test
