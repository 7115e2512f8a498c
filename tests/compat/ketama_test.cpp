// SPDX-License-Identifier: MIT
#include "clockwise/compat/ketama.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cfloat>
#include <cstdint>
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
#include "clockwise/detail/digest/md5.hpp"
#include "clockwise/movement.hpp"

namespace ketama_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using clockwise::KetamaFlavour;
using clockwise::KetamaHash;
using clockwise::KetamaRing;
using clockwise::Position;
using clockwise_test::fails_with;
using clockwise_test::numbered;
using clockwise_test::real_keys;

static_assert(clockwise::Partitioner<KetamaRing>);

std::string md5_hex(std::string_view text) {
  std::string hex;
  for (const std::uint32_t word : clockwise::detail::Md5::of(std::as_bytes(std::span(text)))) {
    for (int byte = 0; byte < 4; ++byte) {
      const std::uint32_t value = word >> (8 * byte) & 0xff;
      hex += "0123456789abcdef"[value >> 4];
      hex += "0123456789abcdef"[value & 15];
    }
  }
  return hex;
}

std::uint32_t vnodes_of(const KetamaRing& ring, std::string_view server) {
  return ring.members()[ring.index_of(server)].vnodes;
}

Position point(std::uint32_t value) { return Position{std::uint64_t{value} << 32}; }

const std::vector<std::pair<std::string, int>> weighted_fleet{
    {"10.0.1.1:11211", 600}, {"10.0.1.2:11211", 300},  {"10.0.1.3:11211", 200},
    {"10.0.1.4:11211", 350}, {"10.0.1.5:11211", 1000}, {"10.0.1.6:11211", 800},
    {"10.0.1.7:11211", 950}, {"10.0.1.8:11211", 100}};

TEST_CASE("MD5: the test suite of RFC 1321") {
  CHECK(md5_hex("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(md5_hex("a") == "0cc175b9c0f1b6a831c399e269772661");
  CHECK(md5_hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(md5_hex("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(md5_hex("abcdefghijklmnopqrstuvwxyz") == "c3fcd3d76192e4007dfb496cca67e13b");
  CHECK(md5_hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") ==
        "d174ab98d277d9f5a5611c2c9f419d9f");
  CHECK(
      md5_hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
      "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("MD5: every length around the ends of blocks") {
  // MD5 of the digests of 'x' * n for n = 0 .. 299, from Python's hashlib.
  std::string digests;
  for (std::size_t n = 0; n < 300; ++n) digests += md5_hex(std::string(n, 'x'));
  CHECK(md5_hex(digests) == "c8cf0aebceae3562833d06d2c1f26d10");
}

TEST_CASE("libmemcached: points of a weighted fleet") {
  KetamaRing ring;
  ring.add_all(weighted_fleet);
  const std::array<std::uint32_t, 8> points{176, 88, 56, 104, 296, 236, 280, 28};
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(vnodes_of(ring, weighted_fleet[i].first) == points[i]);
  }
  CHECK(ring.vnode_count() == 1264);

  CHECK(ring.position_of("VDEAAAAA") == point(0xfffcd1b5));
  CHECK(static_cast<std::uint64_t>(ring.position_of("VDEAAAAA")) > ring.positions().back());
  CHECK(ring.lookup("VDEAAAAA") == "10.0.1.3:11211");
}

TEST_CASE("libmemcached: the server listed first owns a shared point") {
  const std::array<std::string, 2> servers{"10.0.3.100:11211", "10.0.4.1:11211"};
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
    KetamaRing ring;
    ring.add(servers[first]);
    ring.add(servers[1 - first]);
    CHECK(ring.vnode_count() == 319);
    CHECK(ring.lookup(point(295072699)) == servers[first]);
    for (const char* key : {"key2586", "key13443", "key27818"}) {
      INFO(key);
      const auto arc = ring.arc_of(ring.position_of(key));
      CHECK(arc.last == std::uint64_t{295072699} << 32);
      CHECK(ring.lookup(key) == servers[first]);
    }
    ring.remove(servers[first]);
    CHECK(ring.vnode_count() == 160);
    CHECK(ring.lookup(point(295072699)) == servers[1 - first]);
  }
}

TEST_CASE("single precision decides how many points a server gets") {
  const auto each = [](std::size_t servers, KetamaFlavour flavour) {
    const KetamaRing ring(numbered("10.1.0.", servers), flavour);
    for (const auto& member : ring.members()) CHECK(member.vnodes == ring.members()[0].vnodes);
    return ring.members()[0].vnodes;
  };
  for (const KetamaFlavour flavour :
       {KetamaFlavour::libmemcached, KetamaFlavour::spy, KetamaFlavour::twemproxy}) {
    CHECK(each(7, flavour) == 160);
    for (const std::size_t servers : {25u, 47u, 50u, 55u, 61u})
      CHECK(each(servers, flavour) == 156);
  }
  CHECK(each(25, KetamaFlavour::rj) == 160);
  CHECK(each(61, KetamaFlavour::rj) == 156);
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0 && !defined(__FAST_MATH__)
TEST_CASE("points follow the machine's floats for any weights") {
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005 + 1442695040888963407; };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::pair<std::string, std::uint32_t>> fleet;
    std::uint64_t total = 0;
    for (std::size_t i = 0, n = 1 + (next() >> 58); i < n; ++i) {
      const auto weight = static_cast<std::uint32_t>(1 + (next() >> (32 + round / 2)));
      fleet.emplace_back("10.2.0." + std::to_string(i), weight);
      total += weight;
    }
    KetamaRing ring;
    ring.add_all(fleet);
    KetamaRing rj(KetamaFlavour::rj);
    rj.add_all(fleet);
    std::uint64_t missing = 0;
    for (const auto& [server, weight] : fleet) {
      const volatile float share = static_cast<float>(weight) / static_cast<float>(total);
      const volatile float scaled = share * 160;
      const volatile float quarter = scaled / 4;
      const volatile float product = quarter * static_cast<float>(fleet.size());
      const volatile float sum = product + 0.0000000001F;
      const auto points = 4 * static_cast<std::uint32_t>(sum);
      const volatile double wide = share * 40.0 * static_cast<double>(fleet.size());
      const volatile float narrowed = static_cast<float>(wide);
      const auto rj_points = 4 * static_cast<std::uint32_t>(narrowed);
      INFO(server << " of weight " << weight << " in " << total);
      // Points that two servers share are one position, so a few can be missing.
      REQUIRE(vnodes_of(ring, server) <= points);
      REQUIRE(vnodes_of(rj, server) <= rj_points);
      missing += points - vnodes_of(ring, server) + rj_points - vnodes_of(rj, server);
    }
    // 2 * 10,240 points among 2^32: 0.012 collisions expected in each ring.
    CHECK(missing <= 2);
  }
}
#endif

TEST_CASE("labels contain the port only if it is not the default") {
  const KetamaRing usual({"10.0.0.1"});
  const KetamaRing spelled({"10.0.0.1:11211"});
  const KetamaRing other({"10.0.0.1:11212"});
  const auto first_point = [](std::string_view label) {
    return std::uint64_t{clockwise::detail::Md5::of(std::as_bytes(std::span(label)))[0]} << 32;
  };
  const auto has = [](const KetamaRing& ring, std::uint64_t position) {
    for (const std::uint64_t own : ring.positions()) {
      if (own == position) return true;
    }
    return false;
  };
  CHECK(has(usual, first_point("10.0.0.1-0")));
  CHECK(has(spelled, first_point("10.0.0.1-39")));
  CHECK(has(other, first_point("10.0.0.1:11212-0")));
  CHECK(has(KetamaRing({"10.0.0.1"}, KetamaFlavour::spy), first_point("/10.0.0.1:11211-7")));
  CHECK(has(KetamaRing({"10.0.0.1:11211"}, KetamaFlavour::rj), first_point("10.0.0.1:11211-7")));
  CHECK(has(KetamaRing({"10.0.0.1:11211"}, KetamaFlavour::twemproxy), first_point("10.0.0.1-7")));
  CHECK(has(KetamaRing({"[::1]:11212"}), first_point("::1:11212-3")));
  CHECK(has(KetamaRing({"::1"}), first_point("::1-3")));
}

TEST_CASE("RJ ketama: owners of 100,000 keys") {
  const KetamaRing ring(numbered("server", 10), KetamaFlavour::rj);
  std::map<std::string, int> keys;
  for (int i = 0; i < 100000; ++i) ++keys[ring.lookup("foo" + std::to_string(i))];
  const std::vector<int> expected{9478, 9029, 10863, 10011, 9734, 9444, 10756, 10021, 10762, 9902};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(keys["server" + std::to_string(i)] == expected[i]);
  }
}

TEST_CASE("a change gives the ring of the same list built from scratch") {
  KetamaRing ring;
  ring.add_all(weighted_fleet);
  ring.add("10.0.1.9", 77);
  ring.remove("10.0.1.2:11211");
  ring.set_weight("10.0.1.5:11211", 10);
  CHECK_FALSE(ring.remove("10.0.1.2:11211"));

  auto fleet = weighted_fleet;
  fleet.emplace_back("10.0.1.9", 77);
  fleet.erase(fleet.begin() + 1);
  fleet[3].second = 10;
  KetamaRing fresh;
  fresh.add_all(fleet);
  CHECK(ring == fresh);
  CHECK(ring.size() == 8);
  CHECK(clockwise::movement(ring, fresh).fraction() == 0);
}

TEST_CASE("every query of a ring works on ketama's points") {
  const KetamaRing before(numbered("10.3.0.", 16));
  KetamaRing after = before;
  after.add("10.3.0.16");
  // 16 and 17 equal servers get 160 points each, so a join only adds points.
  const auto moved = clockwise::movement(before, after);
  for (const auto& transfer : moved.transfers()) REQUIRE(transfer.to == "10.3.0.16");
  // The joiner's share is Beta(160, 16 * 160): mean 1/17, standard deviation 0.0045.
  CHECK(moved.fraction() > 1.0 / 17 - 4 * 0.0045);
  CHECK(moved.fraction() < 1.0 / 17 + 4 * 0.0045);

  double sum = 0;
  for (const auto& [server, share] : before.load_shares()) sum += share;
  CHECK(sum == 1.0);
  const auto replicas = before.preference_list("user:42", 3);
  CHECK(replicas.complete());
  CHECK(replicas.front() == before.lookup("user:42"));

  // The movement of a switch between ketama flavours on one circle is exact.
  const KetamaRing twemproxy(numbered("cache", 16), KetamaFlavour::twemproxy);
  CHECK(clockwise::movement(before, twemproxy).fraction() == 1.0);
}

TEST_CASE("twemproxy's default hash") {
  const KetamaRing ring({"a", "b"}, KetamaFlavour::twemproxy, KetamaHash::fnv1a_64);
  CHECK(ring.position_of("") == point(0x84222325));
  CHECK(ring.position_of("a") == point((0x84222325u ^ 0x61u) * 0x1b3u));
  CHECK(ring.position_of("\xff") == point((0x84222325u ^ 0xffffffffu) * 0x1b3u));
  CHECK(ring.circle() != KetamaRing().circle());
}

TEST_CASE("libmemcached treats weight 0 as 1") {
  for (const KetamaFlavour flavour : {KetamaFlavour::libmemcached, KetamaFlavour::spy}) {
    KetamaRing zero(flavour);
    zero.add_all({{"10.0.0.1", 0}, {"10.0.0.2", 3}, {"10.0.0.3", {.weight = 0}}});
    KetamaRing one(flavour);
    one.add_all({{"10.0.0.1", 1}, {"10.0.0.2", 3}, {"10.0.0.3", 1}});
    CHECK(zero == one);
    CHECK(zero.fingerprint() == one.fingerprint());
    CHECK(zero.members()[0].weight == 1);
    zero.set_weight("10.0.0.2", 0);
    one.set_weight("10.0.0.2", 1);
    CHECK(zero == one);
  }
}

TEST_CASE("a ring without an ejected server equals the others' ring") {
  KetamaRing ring;
  ring.add_all(weighted_fleet);
  const KetamaRing before = ring;
  for (const std::vector<std::string>& down :
       {std::vector<std::string>{"10.0.1.5:11211"}, {"10.0.1.1:11211", "10.0.1.8:11211"}}) {
    KetamaRing others;
    for (const auto& [server, weight] : weighted_fleet) {
      if (std::find(down.begin(), down.end(), server) == down.end()) others.add(server, weight);
    }
    const KetamaRing without = ring.without(down);
    CHECK(without == others);
    CHECK(without.fingerprint() == others.fingerprint());

    // Not the next points of this ring, and other keys move too: weights are relative.
    std::size_t lost = 0;
    std::size_t walked_elsewhere = 0;
    std::size_t survivors_moved = 0;
    for (const std::string& key : real_keys(20'000)) {
      const auto walked = ring.preference_list(key, 3, clockwise::Spread::nodes);
      const auto is_up = [&](const std::string& server) {
        return std::find(down.begin(), down.end(), server) == down.end();
      };
      if (is_up(walked[0])) {
        survivors_moved += walked[0] != without.lookup(key) ? 1u : 0u;
        continue;
      }
      ++lost;
      walked_elsewhere +=
          *std::find_if(walked.begin(), walked.end(), is_up) != without.lookup(key) ? 1u : 0u;
    }
    CHECK(lost > 1000);
    CHECK(walked_elsewhere > 20);
    CHECK(survivors_moved > 100);
  }
  CHECK(ring == before);
  CHECK(ring.without({}) == before);
  CHECK(ring.without(std::vector<std::string>{"10.0.1.1:11211", "10.0.1.1:11211"}).size() == 7);
  CHECK(fails_with<std::out_of_range>("without: \"10.0.1.1\" is not a member",
                                      [&] { (void)ring.without({"10.0.1.1"}); }));
}

TEST_CASE("input that ketama refuses changes nothing") {
  KetamaRing ring({"10.0.0.1", "10.0.0.2:11212"});
  const auto refuses = [&](const std::string& server, double weight, const std::string& reason) {
    const KetamaRing before = ring;
    CHECK_THROWS_MATCHES(ring.add(server, weight), std::invalid_argument,
                         MessageMatches(ContainsSubstring(reason)));
    CHECK(ring.size() == 2);
    CHECK(ring == before);
  };
  refuses("", 1, "id must not be empty");
  refuses("10.0.0.1", 1, "\"10.0.0.1\" is already a member");
  refuses("10.0.0.1:11211", 1, "\"10.0.0.1\" and \"10.0.0.1:11211\" are the same to ketama");
  refuses("10.0.0.1:11211", 1, "are the same to ketama");
  refuses("10.0.0.3", 1.5, "got 1.5");
  refuses("10.0.0.3", -1, "got -1");
  refuses("10.0.0.3", 4294967296.0, "and 4294967295");
  refuses("10.0.0.3:65536", 1, "65536");
  refuses("10.0.0.3:port", 1, "\"10.0.0.3:port\"");
  refuses("10.0.0.3:", 1, "must have a port");
  refuses(std::string(1025, 'h'), 1, "got 1025");
  CHECK_THROWS_AS(ring.set_weight("10.0.0.9", 2), std::out_of_range);
  CHECK_THROWS_AS(ring.set_weight("10.0.0.1", 0.5), std::invalid_argument);

  KetamaRing rj(KetamaFlavour::rj);
  CHECK_THROWS_MATCHES(rj.add("cache-with-a-long-name:11211"), std::invalid_argument,
                       MessageMatches(ContainsSubstring("up to 21 bytes")));
  KetamaRing empty;
  CHECK(empty.try_lookup("key") == nullptr);
  CHECK_THROWS_AS(empty.lookup("key"), std::out_of_range);

  KetamaRing twemproxy(KetamaFlavour::twemproxy);
  CHECK(fails_with<std::invalid_argument>(
      "weight of server \"a\" must not be 0: twemproxy and libketama refuse it",
      [&] { twemproxy.add("a", 0); }));
  CHECK_THROWS_AS(rj.add("a", 0), std::invalid_argument);
  CHECK_THROWS_AS(twemproxy.add("a", 2147483648.0), std::invalid_argument);
  CHECK_THROWS_AS(twemproxy.add(std::string(75, 'n')), std::invalid_argument);
  twemproxy.add("a", 2147483647);
  twemproxy.add("b", 2147483647);
  CHECK_THROWS_MATCHES(twemproxy.add("c", 2), std::invalid_argument,
                       MessageMatches(ContainsSubstring("for twemproxy, got 4294967296")));
  CHECK(twemproxy.size() == 2);
}

}  // namespace

}  // namespace ketama_test
