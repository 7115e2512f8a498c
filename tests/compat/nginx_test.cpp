// SPDX-License-Identifier: MIT
#include "clockwise/compat/nginx.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/keys.hpp"
#include "clockwise/concepts.hpp"
#include "clockwise/movement.hpp"

namespace nginx_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::NginxRing;

static_assert(clockwise::Partitioner<NginxRing>);

std::uint32_t bitwise_crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

/// A slow model: every point of every server, each from the whole text; a scan finds the owner.
class Model {
 public:
  void add(const std::string& server, const std::string& host, const std::string& port,
           int weight) {
    std::uint32_t point = 0;
    for (int i = 0; i < 160 * weight; ++i) {
      std::string text = host + '\0' + port;
      for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(point >> (8 * byte) & 0xff);
      point = bitwise_crc32(text);
      points_.emplace_back(point, server);
    }
  }
  const std::string& owner(std::string_view key) const {
    const std::uint32_t hash = bitwise_crc32(key);
    const std::pair<std::uint32_t, std::string>* best = nullptr;  // at or after the key
    const std::pair<std::uint32_t, std::string>* lowest = nullptr;
    for (const auto& point : points_) {
      if (lowest == nullptr || point.first < lowest->first) lowest = &point;
      if (point.first >= hash && (best == nullptr || point.first < best->first)) best = &point;
    }
    return (best != nullptr ? best : lowest)->second;
  }

  /// The servers of the points from the key on; equal points count once.
  std::vector<std::string> from(std::string_view key) const {
    auto points = points_;
    const auto lower = [](const auto& a, const auto& b) { return a.first < b.first; };
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    std::stable_sort(points.begin(), points.end(), lower);
    points.erase(std::unique(points.begin(), points.end(), same), points.end());
    std::stable_partition(points.begin(), points.end(),
                          [&](const auto& point) { return point.first >= bitwise_crc32(key); });
    std::vector<std::string> servers;
    for (const auto& point : points) servers.push_back(point.second);
    return servers;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::string>> points_;  // as listed
};

TEST_CASE("CRC-32's check value") {
  const std::string_view digits = "123456789";
  CHECK(clockwise::detail::Crc32().update(std::as_bytes(std::span(digits))).value() == 0xcbf43926);
}

TEST_CASE("owners match a slow model") {
  Model model;
  NginxRing ring;
  const auto add = [&](const std::string& server, const std::string& host, const std::string& port,
                       int weight) {
    model.add(server, host, port, weight);
    ring.add(server, weight);
  };
  add("10.0.1.1:8080", "10.0.1.1", "8080", 1);
  add("10.0.1.1", "10.0.1.1", "", 2);
  add("backend7", "backend7", "", 1);
  add("backend.example:80", "backend.example", "80", 3);
  add("unix:/run/app.sock", "/run/app.sock", "", 1);
  add("UNIX:/run/app:90", "/run/app:90", "", 1);
  add("[::1]:8081", "[::1]", "8081", 1);
  add("[::1]", "[::1]", "", 1);
  add("12345", "12345", "", 1);
  add("host:", "host", "", 1);
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::string key = clockwise_test::real_key(i);
    REQUIRE(ring.lookup(key) == model.owner(key));
  }
}

TEST_CASE("the server listed first owns equal points") {
  // 64,000 points each in a space of 2^32: about one is shared, here by these two names.
  const std::string a = "10.0.0.1:80";
  std::string b;
  std::uint64_t shared = 0;
  NginxRing alone;
  alone.add(a, 400);
  for (int i = 2; b.empty() && i < 50; ++i) {
    NginxRing other;
    other.add("10.0.0." + std::to_string(i) + ":80", 400);
    std::vector<std::uint64_t> both;
    std::set_intersection(alone.positions().begin(), alone.positions().end(),
                          other.positions().begin(), other.positions().end(),
                          std::back_inserter(both));
    if (both.empty()) continue;
    b = other.node(0);
    shared = both.front();
  }
  REQUIRE_FALSE(b.empty());
  for (const bool a_first : {true, false}) {
    NginxRing ring;
    ring.add(a_first ? a : b, 400);
    ring.add(a_first ? b : a, 400);
    CHECK(ring.lookup(clockwise::Position{shared}) == (a_first ? a : b));
    CHECK(ring.remove(a_first ? a : b));
    CHECK(ring.lookup(clockwise::Position{shared}) == (a_first ? b : a));
  }
}

TEST_CASE("a join moves keys only to the joiner, and weights count") {
  const NginxRing before(clockwise_test::numbered("10.0.0.", 8));
  NginxRing after = before;
  after.add("10.0.0.8", 2);
  const auto moved = clockwise::movement(before, after);
  for (const auto& transfer : moved.transfers()) REQUIRE(transfer.to == "10.0.0.8");
  // 320 of 1,600 points: Beta(320, 1280), mean 0.2, standard deviation 0.01.
  CHECK(moved.fraction() > 0.16);
  CHECK(moved.fraction() < 0.24);
  CHECK(after.members()[8].weight == 2);
}

TEST_CASE("a server that is down is skipped, point by point") {
  const NginxRing ring(clockwise_test::numbered("10.0.0.", 5));
  const auto up = [](const std::string& server) { return server != "10.0.0.3"; };
  for (std::size_t i = 0; i < 500; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const auto list = ring.preference_list(key, 1, clockwise::Spread::nodes, up);
    for (const std::string& server : ring.successors(key)) {
      if (!up(server)) continue;
      REQUIRE(list.front() == server);
      break;
    }
  }
}

TEST_CASE("nginx leaves the ring after 21 points of servers that are down, and for an empty key") {
  Model model;
  NginxRing ring;
  for (int i = 0; i < 16; ++i) {
    const std::string host = "10.0.0." + std::to_string(i);
    model.add(host + ":80", host, "80", 1 + i % 2);
    ring.add(host + ":80", 1 + i % 2);
  }
  std::size_t leave = 0;
  std::size_t passed_20 = 0;
  for (std::size_t i = 0; i < 1500; ++i) {
    const std::string key = clockwise_test::real_key(i);
    const std::size_t up = i % 16;  // one server is up, sometimes two
    const auto is_live = [&](const std::string& server) {
      return server == ring.node(static_cast<std::uint16_t>(up)) ||
             (i % 3 == 0 && server == "10.0.0.1:80");
    };
    const std::vector<std::string> points = model.from(key);
    std::size_t passed = 0;
    while (!is_live(points[passed])) ++passed;
    CHECK_FALSE(ring.uses_round_robin(key));
    REQUIRE(ring.uses_round_robin(key, is_live) == (passed > 20));
    REQUIRE(ring.uses_round_robin(ring.position_of(key), is_live) == (passed > 20));
    leave += passed > 20 ? 1u : 0u;
    passed_20 += passed == 20 || passed == 21 ? 1u : 0u;
    if (passed <= 20) REQUIRE(ring.preference_list(key, 1, is_live).front() == points[passed]);
  }
  CHECK(leave > 100);
  CHECK(leave < 1000);
  CHECK(passed_20 > 5);  // on either side of the limit

  const auto all = [](const clockwise::Member<std::string>&) { return true; };
  const auto none = [](const clockwise::Member<std::string>&) { return false; };
  CHECK(ring.uses_round_robin(""));
  CHECK(ring.uses_round_robin(std::string(), all));
  CHECK(ring.uses_round_robin(std::vector<std::uint8_t>()));
  CHECK_FALSE(ring.uses_round_robin(std::vector<std::uint8_t>{0}));
  CHECK_FALSE(ring.uses_round_robin(0));
  CHECK_FALSE(ring.uses_round_robin(ring.position_of("")));  // equal to another key's
  CHECK(ring.uses_round_robin("key", none));
  CHECK_FALSE(ring.uses_round_robin("key", all));
  CHECK_FALSE(NginxRing().uses_round_robin("key", none));
}

TEST_CASE("input that nginx refuses changes nothing") {
  NginxRing ring({"10.0.0.1:80"});
  const auto refuses = [&](const std::string& server, double weight, const std::string& reason) {
    CHECK_THROWS_MATCHES(ring.add(server, weight), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
    CHECK(ring.vnode_count() == 160);
  };
  refuses("10.0.0.2:80", 0, "between 1 and 104857");
  refuses("10.0.0.2:80", 104858, "between 1 and 104857");
  refuses("10.0.0.2:80", 0.5, "got 0.5");
  refuses("10.0.0.1:80", 1, "\"10.0.0.1:80\" is already a member");
  refuses("", 1, "id must not be empty");

  // 300 servers of the greatest weight: 5 billion points, refused before any memory is allocated.
  std::vector<std::pair<std::string, int>> vast;
  for (const std::string& name : clockwise_test::numbered("10.1.0.", 300)) {
    vast.emplace_back(name, 104857);
  }
  CHECK_THROWS_MATCHES(ring.add_all(vast), std::length_error,
                       MessageMatches(ContainsSubstring("5033136160 points")));
  CHECK(ring.vnode_count() == 160);
}

}  // namespace

}  // namespace nginx_test
