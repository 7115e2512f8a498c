// SPDX-License-Identifier: MIT
// Envoy is not packaged: the vectors come from its own tests, and slow models in the machine's
// doubles cover the rest.
#include "clockwise/compat/envoy.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/errors.hpp"
#include "../support/keys.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/movement.hpp"

namespace envoy_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::EnvoyHashFunction;
using clockwise::EnvoyMaglev;
using clockwise::EnvoyRing;
using clockwise::EnvoyRingOptions;
using clockwise::Position;
using clockwise_test::fails_with;
using clockwise_test::real_key;

static_assert(clockwise::Partitioner<EnvoyRing>);
static_assert(clockwise::Partitioner<EnvoyMaglev>);

using Point = std::pair<std::uint64_t, std::string>;
using Hosts = std::vector<std::pair<std::string, std::uint32_t>>;

std::vector<Point> points_of(const EnvoyRing& ring) {
  std::vector<Point> points;
  for (std::size_t rank = 0; rank < ring.vnode_count(); ++rank) {
    points.emplace_back(ring.positions()[rank], ring.node(ring.owners()[rank]));
  }
  return points;
}

std::vector<std::string> loopback(int first, int last) {
  std::vector<std::string> hosts;
  for (int port = first; port <= last; ++port) hosts.push_back("127.0.0.1:" + std::to_string(port));
  return hosts;
}

std::string at(int port) { return "127.0.0.1:" + std::to_string(port); }

EnvoyRing weighted(const Hosts& hosts, EnvoyRingOptions options) {
  EnvoyRing ring(options);
  ring.add_all(hosts);
  return ring;
}

TEST_CASE("six hosts on a ring of twelve") {
  const EnvoyRing ring(loopback(90, 95), {12, 8388608, EnvoyHashFunction::xx_hash});
  CHECK(points_of(ring) == std::vector<Point>{{833437586790550860u, at(94)},
                                              {928266305478181108u, at(92)},
                                              {1033482794131418490u, at(90)},
                                              {3551244743356806947u, at(95)},
                                              {3851675632748031481u, at(93)},
                                              {5583722120771150861u, at(91)},
                                              {6311230543546372928u, at(91)},
                                              {7700377290971790572u, at(93)},
                                              {13144177310400110813u, at(95)},
                                              {13444792449719432967u, at(92)},
                                              {15516499411664133160u, at(94)},
                                              {16117243373044804889u, at(90)}});
  CHECK(ring.lookup(Position{0}) == at(94));
  CHECK(ring.lookup(Position{std::numeric_limits<std::uint64_t>::max()}) == at(94));
  CHECK(ring.lookup(Position{3551244743356806947u}) == at(95));
  CHECK(ring.lookup(Position{3551244743356806948u}) == at(93));
  CHECK(ring.lookup(Position{16117243373044804880u}) == at(90));

  // A retry goes to the next host in the ring.
  CHECK(ring.preference_list(Position{0}, 2)[1] == at(92));
}

TEST_CASE("MurmurHash2") {
  const EnvoyRing ring(loopback(80, 85), {12, 8388608, EnvoyHashFunction::murmur_hash_2});
  CHECK(points_of(ring) == std::vector<Point>{{1358027074129602068u, at(85)},
                                              {4361834613929391114u, at(83)},
                                              {7224494972555149682u, at(84)},
                                              {7701421856454313576u, at(81)},
                                              {8649315368077433379u, at(82)},
                                              {8739448859063030639u, at(84)},
                                              {9887544217113020895u, at(81)},
                                              {10150910876324007731u, at(82)},
                                              {15168472011420622455u, at(83)},
                                              {15427156902705414897u, at(80)},
                                              {16375050414328759093u, at(85)},
                                              {17613279263364193813u, at(80)}});
#if defined(__GLIBCXX__) && SIZE_MAX > 0xffffffff
  // The GNU C++ library hashes strings with the same function.
  std::string text;
  for (int length = 0; length < 64; ++length) {
    CHECK(clockwise::detail::murmur2(std::as_bytes(std::span(text)), 0xc70f6907) ==
          std::hash<std::string>()(text));
    text += static_cast<char>(length * 37 + 200);
  }
#endif
}

TEST_CASE("hosts can have names other than addresses") {
  const EnvoyRing ring({"90", "91", "92", "93", "94", "95"},
                       {12, 8388608, EnvoyHashFunction::xx_hash});
  CHECK(ring.positions()[0] == 1975508444536362413u);
  CHECK(ring.lookup(Position{7225015537174310577u}) == "92");
  CHECK(ring.lookup(Position{6803900775736438537u}) == "93");
}

TEST_CASE("rings whose size is not a multiple of the hosts") {
  const EnvoyRing first(loopback(80, 81), {3, 8388608, EnvoyHashFunction::xx_hash});
  CHECK(points_of(first) == std::vector<Point>{{5454692015285649509u, at(80)},
                                               {7859399908942313493u, at(81)},
                                               {13838424394637650569u, at(80)},
                                               {16064866803292627174u, at(81)}});
  const EnvoyRing second(loopback(81, 82), {3, 8388608, EnvoyHashFunction::xx_hash});
  CHECK(points_of(second) == std::vector<Point>{{7859399908942313493u, at(81)},
                                                {8241336090459785962u, at(82)},
                                                {12882406409176325258u, at(82)},
                                                {16064866803292627174u, at(81)}});
}

TEST_CASE("weighted rings match Envoy's") {
  const Hosts hosts{{at(90), 1}, {at(91), 2}, {at(92), 3}};
  const EnvoyRing tiny = weighted(hosts, {6, 6, EnvoyHashFunction::xx_hash});
  CHECK(points_of(tiny) == std::vector<Point>{{928266305478181108u, at(92)},
                                              {4443673547860492590u, at(92)},
                                              {5583722120771150861u, at(91)},
                                              {6311230543546372928u, at(91)},
                                              {13444792449719432967u, at(92)},
                                              {16117243373044804889u, at(90)}});

  const EnvoyRing large = weighted(hosts, {6144, 8388608, EnvoyHashFunction::xx_hash});
  CHECK(large.members()[0].vnodes == 1024);
  CHECK(large.members()[1].vnodes == 2048);
  CHECK(large.members()[2].vnodes == 3072);
  std::map<std::string, int> hits;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    ++hits[large.lookup(Position{i * (std::numeric_limits<std::uint64_t>::max() / 6000)})];
  }
  CHECK(hits == std::map<std::string, int>{{at(90), 987}, {at(91), 1932}, {at(92), 3081}});
}

TEST_CASE("gRPC caps a ring at 4,096 points") {
  std::vector<std::string> hosts = clockwise_test::numbered("10.0.0.", 5000);
  const EnvoyRing grpc(hosts, EnvoyRingOptions::grpc());
  CHECK(grpc.vnode_count() == 4096);
  CHECK(EnvoyRing(loopback(1, 10), EnvoyRingOptions::grpc(1024, 8388608)).vnode_count() == 1030);
  CHECK(EnvoyRing(loopback(1, 10), EnvoyRingOptions::grpc(100000, 8388608)).vnode_count() == 4096);
  CHECK(EnvoyRing(loopback(1, 10)).vnode_count() == 1030);
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0 && !defined(__FAST_MATH__)
/// Weights from equal to far apart, with exact multiples and thirds.
Hosts random_hosts(std::uint64_t& state, std::uint64_t most) {
  const auto next = [&] { return state = state * 6364136223846793005 + 1442695040888963407; };
  Hosts hosts;
  const std::uint64_t range = 1 + (next() >> 32) % ((next() >> 32) % 3 == 0 ? 7 : 1000);
  for (std::uint64_t i = 0, n = 1 + (next() >> 32) % most; i < n; ++i) {
    hosts.emplace_back("10.0.0." + std::to_string((next() >> 40) * 100 + i),
                       static_cast<std::uint32_t>(1 + (next() >> 32) % range));
  }
  return hosts;
}

TEST_CASE("points of a ring match the machine's doubles") {
  std::uint64_t state = 7;
  for (int round = 0; round < 200; ++round) {
    const Hosts hosts = random_hosts(state, 60);
    const double minimum = round % 2 == 0 ? 1024 : 1 + round;
    const double maximum = round % 5 == 0 ? 1200 + round : 8388608;
    double sum = 0;
    for (const auto& [host, weight] : hosts) sum += weight;
    double least = 1;
    for (const auto& [host, weight] : hosts) least = std::min(least, weight / sum);
    const double scale = std::min(std::ceil(least * minimum) / least, maximum);
    std::map<std::string, std::uint32_t> expected;
    volatile double target = 0;
    double current = 0;
    for (const auto& [host, weight] : hosts) {
      const volatile double share = scale * (weight / sum);  // not fused with the sum
      target = target + share;
      for (; current < target; ++current) ++expected[host];
    }
    const EnvoyRing ring =
        weighted(hosts, {static_cast<std::uint64_t>(minimum), static_cast<std::uint64_t>(maximum),
                         EnvoyHashFunction::xx_hash});
    for (const auto& member : ring.members()) {
      INFO("round " << round << ", host " << member.node);
      REQUIRE(member.vnodes == expected[member.node]);
    }
  }
}

/// A Maglev table as in the paper's listing: every host, in the order of names, is visited in every
/// round. The entries are indices in `hosts`.
std::vector<int> model_table(const Hosts& hosts, std::uint32_t size) {
  double sum = 0;
  double largest = 0;
  for (const auto& [host, weight] : hosts) sum += weight;
  for (const auto& [host, weight] : hosts) largest = std::max(largest, weight / sum);
  struct Way {
    std::uint64_t offset, skip, next;
    double weight, target;
  };
  std::vector<Way> ways;
  for (const auto& [host, weight] : hosts) {
    const auto bytes = std::as_bytes(std::span(host));
    ways.push_back({clockwise::Xxh64{}(bytes) % size, clockwise::Xxh64{1}(bytes) % (size - 1) + 1,
                    0, weight / sum, 0});
  }
  std::vector<int> expected(size, -1);
  std::uint32_t filled = 0;
  for (std::uint32_t iteration = 1; filled < size; ++iteration) {
    for (std::size_t i = 0; i < ways.size() && filled < size; ++i) {
      Way& way = ways[i];
      if (iteration * way.weight < way.target) continue;
      way.target += largest;
      const auto entry = [&] {
        return static_cast<std::size_t>((way.offset + way.skip * way.next) % size);
      };
      while (expected[entry()] >= 0) ++way.next;
      expected[entry()] = static_cast<int>(i);
      ++way.next;
      ++filled;
    }
  }
  return expected;
}

/// A ring in the machine's doubles: all points, found by a scan.
class ModelRing {
 public:
  explicit ModelRing(const Hosts& hosts, double minimum = 1024, double maximum = 8388608) {
    double sum = 0;
    for (const auto& [host, weight] : hosts) sum += weight;
    double least = 1;
    for (const auto& [host, weight] : hosts) least = std::min(least, weight / sum);
    const double scale = std::min(std::ceil(least * minimum) / least, maximum);
    volatile double target = 0;
    double current = 0;
    for (const auto& [host, weight] : hosts) {
      const volatile double share = scale * (weight / sum);  // not fused with the sum
      target = target + share;
      for (int i = 0; current < target; ++current, ++i) {
        const std::string label = host + "_" + std::to_string(i);
        points_.emplace_back(clockwise::Xxh64{}(std::as_bytes(std::span(label))), host);
      }
    }
  }
  const std::string& owner(std::string_view key) const {
    const std::uint64_t hash = clockwise::Xxh64{}(std::as_bytes(std::span(key)));
    const Point* best = &points_.front();  // clockwise from the key
    for (const Point& point : points_) {
      if (point.first - hash < best->first - hash) best = &point;
    }
    return best->second;
  }
  std::size_t points_of(const std::string& host) const {
    std::size_t points = 0;
    for (const Point& point : points_) points += point.second == host ? 1u : 0u;
    return points;
  }

 private:
  std::vector<Point> points_;
};

Hosts healthy(const Hosts& hosts, const std::vector<std::string>& down) {
  Hosts up;
  for (const auto& host : hosts) {
    if (std::find(down.begin(), down.end(), host.first) == down.end()) up.push_back(host);
  }
  return up;
}

TEST_CASE("a Maglev table matches the machine's doubles") {
  std::vector<std::pair<Hosts, std::uint32_t>> cases;
  std::uint64_t state = 11;
  for (int round = 0; round < 60; ++round) {
    cases.emplace_back(random_hosts(state, 30), round % 3 == 0 ? 65537 : 1009);
  }
  // Rounds whose product equals the target although the quotient is just above; in small tables, a
  // host that is late finds its entry in use.
  for (const std::uint32_t size : {13u, 17u, 19u, 23u, 29u, 31u, 37u, 41u, 43u, 47u}) {
    cases.push_back({{{"a", 1}, {"b", 4}}, size});
    cases.push_back({{{"a", 2}, {"b", 3}}, size});
    cases.push_back({{{"a", 4}, {"b", 5}}, size});
  }
  for (auto& [hosts, table_size] : cases) {
    const std::uint32_t size = table_size;  // a lambda below cannot capture a structured binding
    EnvoyMaglev table(size);
    table.add_all(hosts);

    std::sort(hosts.begin(), hosts.end());
    const std::vector<int> expected = model_table(hosts, size);
    INFO("round " << round);
    REQUIRE(
        std::equal(expected.begin(), expected.end(), table.table().begin(), table.table().end()));
  }
}

TEST_CASE("a ring without unhealthy hosts equals the healthy hosts' ring") {
  Hosts hosts;
  for (std::uint32_t i = 0; i < 12; ++i) {
    hosts.emplace_back("10.0.0." + std::to_string(i) + ":80", i % 4 + 1);
  }
  const EnvoyRing ring = weighted(hosts, {});
  int lost = 0;
  int walked_elsewhere = 0;
  int survivors_moved = 0;
  for (const std::vector<std::string>& down : {std::vector<std::string>{hosts[4].first},
                                               {hosts[0].first, hosts[7].first},
                                               {hosts[3].first, hosts[5].first, hosts[11].first}}) {
    const ModelRing model(healthy(hosts, down));
    const EnvoyRing without = ring.without(down);
    const auto is_up = [&](const std::string& host) {
      return std::find(down.begin(), down.end(), host) == down.end();
    };
    for (std::size_t i = 0; i < 5000; ++i) {
      const std::string key = real_key(i);
      const std::string& owner = without.lookup(key);
      REQUIRE(owner == model.owner(key));
      const auto walked = ring.preference_list(key, 4);
      if (is_up(walked[0])) {
        survivors_moved += walked[0] != owner ? 1 : 0;
      } else {
        ++lost;
        walked_elsewhere += *std::find_if(walked.begin(), walked.end(), is_up) != owner ? 1 : 0;
      }
    }
  }
  CHECK(lost > 1000);
  CHECK(walked_elsewhere > 20);
  CHECK(survivors_moved > 200);
  CHECK(ring.without({}) == ring);
  CHECK(ring.without({hosts[1].first}).fingerprint() != ring.fingerprint());
  std::vector<std::string> all;
  for (const auto& [host, weight] : hosts) all.push_back(host);
  const EnvoyRing none = ring.without(all);
  CHECK(none.try_lookup("key") == nullptr);
  CHECK(fails_with<std::out_of_range>("without: \"10.0.0.12:80\" is not a member",
                                      [&] { (void)ring.without({"10.0.0.12:80"}); }));
}

TEST_CASE("a Maglev table without unhealthy hosts equals the healthy hosts' table") {
  Hosts hosts;
  for (std::uint32_t i = 10; i < 22; ++i) {
    hosts.emplace_back("10.0.0." + std::to_string(i) + ":80", i % 3 + 1);
  }
  EnvoyMaglev table(5003);
  table.add_all(hosts);
  for (const std::vector<std::string>& down :
       {std::vector<std::string>{hosts[4].first}, {hosts[0].first, hosts[7].first}}) {
    const Hosts up = healthy(hosts, down);
    const std::vector<int> model = model_table(up, 5003);
    const EnvoyMaglev without = table.without(down);
    std::size_t lost = 0;
    std::size_t walked_elsewhere = 0;
    for (std::size_t entry = 0; entry < model.size(); ++entry) {
      const Position position{entry};
      const std::string& owner = without.lookup(position);
      REQUIRE(owner == up[static_cast<std::size_t>(model[entry])].first);
      if (std::find(down.begin(), down.end(), table.lookup(position)) == down.end()) continue;
      ++lost;
      for (const std::string& walked : table.preference_list(position, 3)) {
        if (std::find(down.begin(), down.end(), walked) != down.end()) continue;
        walked_elsewhere += walked != owner ? 1u : 0u;
        break;
      }
    }
    CHECK(lost > 300);
    CHECK(walked_elsewhere > lost / 2);
  }
  CHECK(table.without({}) == table);
  CHECK(fails_with<std::out_of_range>("without: \"10.0.0.9:80\" is not a member",
                                      [&] { (void)table.without({"10.0.0.9:80"}); }));
}

TEST_CASE("gRPC in Go numbers points in the order of names") {
  std::uint64_t state = 23;
  int order_matters = 0;
  for (int round = 0; round < 40; ++round) {
    Hosts hosts = random_hosts(state, 30);
    const auto options = EnvoyRingOptions::grpc_go(round % 2 == 0 ? 1024 : 64);
    const EnvoyRing go = weighted(hosts, options);
    const EnvoyRing listed = weighted(hosts, EnvoyRingOptions::grpc(options.minimum_ring_size));
    std::reverse(hosts.begin(), hosts.end());
    CHECK(weighted(hosts, options) == go);

    std::sort(hosts.begin(), hosts.end());
    const ModelRing model(hosts, static_cast<double>(options.minimum_ring_size), 4096);
    for (const auto& member : go.members()) {
      REQUIRE(member.vnodes == model.points_of(member.node));
    }
    for (std::size_t i = 0; i < 100; ++i) {
      REQUIRE(go.lookup(real_key(i)) == model.owner(real_key(i)));
    }
    order_matters += listed == go ? 0 : 1;
  }
  CHECK(order_matters > 10);

  // Weights whose running sums end inside a point: the first in order gets it.
  const Hosts listed{{"c", 1}, {"a", 1}, {"b", 1}};
  const auto points = [&](const EnvoyRing& ring) {
    return std::vector<std::uint32_t>{ring.members()[0].vnodes, ring.members()[1].vnodes,
                                      ring.members()[2].vnodes};
  };
  CHECK(points(weighted(listed, EnvoyRingOptions::grpc(4, 4))) ==
        std::vector<std::uint32_t>{1, 1, 2});
  CHECK(points(weighted(listed, EnvoyRingOptions::grpc_go(4, 4))) ==
        std::vector<std::uint32_t>{2, 1, 1});
}
#endif

TEST_CASE("Envoy panics, and uses all hosts, if too few are healthy") {
  using clockwise::envoy_panics;
  CHECK_FALSE(envoy_panics(10, 10));
  CHECK_FALSE(envoy_panics(5, 10));
  CHECK(envoy_panics(4, 10));
  CHECK(envoy_panics(0, 10));
  CHECK(envoy_panics(49, 100));
  CHECK_FALSE(envoy_panics(0, 0));
  CHECK_FALSE(envoy_panics(0, 10, 0));  // panic is off
  CHECK_FALSE(envoy_panics(3, 10, 30));
  CHECK(envoy_panics(2, 10, 30));
  // At 5 of 7, 1.4 times the healthy hosts are 100%, for any threshold.
  CHECK(envoy_panics(70, 100, 100));
  CHECK_FALSE(envoy_panics(72, 100, 100));
  CHECK_FALSE(envoy_panics(5, 7, 90));
  static_assert(envoy_panics(1, 3));
}

TEST_CASE("Maglev tables of seven and seventeen") {
  const std::array<std::size_t, 7> expected{2, 4, 0, 1, 5, 0, 3};
  std::vector<std::string> hosts = loopback(90, 95);
  for (int order = 0; order < 6; ++order) {
    const EnvoyMaglev table(hosts, 7);
    for (std::uint64_t hash = 0; hash < 21; ++hash) {
      CHECK(table.lookup(Position{hash}) == at(90 + static_cast<int>(expected[hash % 7])));
    }
    std::rotate(hosts.begin(), hosts.begin() + 1, hosts.end());
  }

  EnvoyMaglev weights(17);
  weights.add(at(90), 1);
  weights.add(at(91), 2);
  const std::vector<std::uint16_t> seventeen{1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1};
  CHECK(std::vector<std::uint16_t>(weights.table().begin(), weights.table().end()) == seventeen);
  CHECK(weights.load_shares()[0].second == 6.0 / 17);
  weights.set_weight(at(91), 1);
  weights.set_weight(at(91), 2);
  CHECK(std::vector<std::uint16_t>(weights.table().begin(), weights.table().end()) == seventeen);
}

TEST_CASE("Maglev keys, replicas and changes") {
  EnvoyMaglev table(loopback(1, 10));
  const auto before = table;
  std::map<std::string, int> keys;
  for (std::size_t i = 0; i < 20000; ++i) ++keys[table.lookup(real_key(i))];
  for (const auto& [host, count] : keys) {
    // Each host has 6,553 or 6,554 of 65,537 entries; 4 standard errors of 2,000 keys are 170.
    CHECK(std::abs(count - 2000) < 170);
  }
  const auto copies = table.preference_list("user:42", 3);
  REQUIRE(copies.complete());
  CHECK(copies[0] == table.lookup("user:42"));
  CHECK(copies[1] != copies[0]);
  CHECK_FALSE(table.preference_list("user:42", 11).complete());

  table.add("10.0.0.1:80", 3);
  CHECK(table.remove("10.0.0.1:80"));
  CHECK_FALSE(table.remove("10.0.0.1:80"));
  CHECK(std::equal(before.table().begin(), before.table().end(), table.table().begin()));
}

TEST_CASE("a moved-from EnvoyMaglev has no hosts and can be refilled") {
  EnvoyMaglev from({"x", "y"}, 7);
  const EnvoyMaglev to = std::move(from);
  CHECK(to.size() == 2);
  CHECK(from.try_lookup("key") == nullptr);  // NOLINT: a moved-from table must be well-behaved
  CHECK(from.load_shares().empty());
  CHECK(from.table().empty());
  from.add("z");
  CHECK(from.lookup("key") == "z");
}

TEST_CASE("the movement from Envoy's ring to another is exact") {
  const EnvoyRing envoy(loopback(1, 8));
  const clockwise::HashRing<clockwise::Xxh64> native(loopback(1, 8));
  const double exact = clockwise::movement(envoy, native).fraction();
  clockwise::KeyMovement counted(envoy, native);
  for (std::size_t i = 0; i < 40000; ++i) counted.observe(real_key(i));
  // 4 standard errors of a share near 7/8 among 40,000 keys.
  CHECK(std::abs(counted.fraction() - exact) < 0.0067);
}

TEST_CASE("input that Envoy refuses changes nothing") {
  EnvoyRing ring(loopback(90, 91));
  const auto refuses = [&](auto change, const std::string& reason) {
    const auto before = points_of(ring);
    CHECK_THROWS_MATCHES(change(), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
    CHECK(points_of(ring) == before);
  };
  refuses([&] { ring.add(at(92), 0); }, "between 1 and 4294967295");
  refuses([&] { ring.add(at(92), 2.5); }, "got 2.5");
  refuses([&] { ring.add(at(92), 4294967295.0); }, "at most 4294967295 for Envoy, got 4294967297");
  refuses([&] { ring.add(at(91)); }, "is already a member");
  const auto hash = EnvoyHashFunction::xx_hash;
  CHECK_THROWS_AS(EnvoyRing(EnvoyRingOptions{5, 4, hash}), std::invalid_argument);
  CHECK_THROWS_AS(EnvoyRing(EnvoyRingOptions{0, 4, hash}), std::invalid_argument);
  CHECK_THROWS_AS(EnvoyRing(EnvoyRingOptions{1, 8388609, hash}), std::invalid_argument);

  for (const std::uint32_t size : {0u, 1u, 8u, 65536u, 5000027u, 4294967291u}) {
    CHECK_THROWS_AS(EnvoyMaglev(size), std::invalid_argument);
  }
  EnvoyMaglev table({"a", "b"}, 3);
  CHECK_THROWS_AS(table.add("a"), std::invalid_argument);
  CHECK_THROWS_AS(table.add(""), std::invalid_argument);
  CHECK_THROWS_AS(table.add("c", 0), std::invalid_argument);
  CHECK_THROWS_AS(table.add("c", 1.5), std::invalid_argument);
  CHECK_THROWS_AS(table.add("c", 4294967295.0), std::invalid_argument);
  CHECK_THROWS_AS(table.set_weight("c", 1), std::out_of_range);
  table.add("c");
  CHECK_THROWS_AS(table.add("d"), std::length_error);
  CHECK(table.size() == 3);
  const EnvoyMaglev none;
  CHECK(none.try_lookup("key") == nullptr);
  CHECK_THROWS_AS(none.lookup("key"), std::out_of_range);
}

}  // namespace

}  // namespace envoy_test
