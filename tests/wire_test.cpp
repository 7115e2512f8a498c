// SPDX-License-Identifier: MIT
#include "clockwise/wire.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/compat/cassandra.hpp"
#include "clockwise/compat/ketama.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/slot_map.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/wire/difference.hpp"
#include "support/errors.hpp"

namespace {

std::size_t allocated = 0;  // bytes in total

}  // namespace

// Not inlined, so that the compiler does not see free() meet new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated += size;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using clockwise::HashRing;
using clockwise::TokenRing;
using clockwise::Xxh3;
using clockwise::Xxh64;
using clockwise_test::fails_with;
namespace wire = clockwise::wire;

using Bytes = std::vector<std::byte>;

static_assert(wire::Encodable<HashRing<>>);
static_assert(wire::Encodable<HashRing<Xxh64, int, std::uint32_t, clockwise::NoIndex>>);
static_assert(wire::Encodable<TokenRing<>>);
// These depend on more than a membership contains.
static_assert(!wire::Encodable<clockwise::SlotMap<>>);
static_assert(!wire::Encodable<clockwise::Rendezvous<>>);
static_assert(!wire::Encodable<clockwise::KetamaRing>);
static_assert(!wire::Encodable<clockwise::CassandraRing>);

Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// The same bytes with a correct checksum, so that they are decoded.
Bytes sealed(Bytes bytes) {
  bytes.resize(bytes.size() - 8);
  const std::uint64_t sum = clockwise::detail::wire_checksum(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(sum >> shift));
  return bytes;
}

std::string error_of(const Bytes& bytes) {
  const auto membership = wire::parse(bytes);
  const wire::Error& error = membership.error();
  return membership ? "" : std::to_string(error.offset) + ": " + error.reason;
}

// Bytes of format 1, made from its description by tests/support/wire_vectors.py. They must always
// load; released programs cannot read a ring written differently.
struct {
  std::string_view empty, three_caches, two_datacenters, tokens;
} const format_1 = {
    "6377726701010007787868332d363401000000000000000081aaf11e4a96bc65c8010000ec4e0dfb"
    "fb98118d",
    "6377726701010007787868332d363401000000000000000081aaf11e4a96bc65c801010000030763"
    "616368652d61000763616368652d620100000000000004400763616368652d630100000000000000"
    "00fbd5dca64f2a916b",
    "6377726701010007787868332d363401000000000000000081aaf11e4a96bc651003046561737402"
    "72310465617374027232047765737402723103036100620403610063017b14ae47e17a743fc8017a"
    "7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a"
    "7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a"
    "7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a"
    "7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a"
    "7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a02"
    "8812a670b9317d1e",
    "6377726701010107787868332d363401000000000000000081aaf11e4a96bc650002000003646331"
    "057261636b3103026e31020300000000000000002800000000000000ffffffffffffffff026e3203"
    "0000000000000040012800000000000000026e3301000000000000000000ee19d0d9f0eabd3f",
};

HashRing<> three_caches() {
  HashRing<> ring{"cache-a"};
  ring.add("cache-b", 2.5);
  ring.add("cache-c", 0);
  return ring;
}

HashRing<> two_datacenters() {
  HashRing<> ring(clockwise::RingOptions{16});
  ring.add(std::string(200, 'z'), {.weight = 1, .rack = "r2", .datacenter = "east"});
  ring.add(std::string("a\0b", 3), {.weight = 1, .rack = "r1", .datacenter = "west"});
  ring.add(std::string("a\0c", 3), {.weight = 0.005, .rack = "r1", .datacenter = "east"});
  return ring;
}

TokenRing<> tokens() {
  TokenRing<> ring;
  ring.add("n1", {.weight = 1, .rack = "rack1", .datacenter = "dc1"},
           {0, 40, (std::numeric_limits<std::uint64_t>::max)()});
  ring.add("n2", {.weight = 2, .rack = "rack1", .datacenter = "dc1"}, {40});
  ring.add("n3", {.weight = 0}, {});
  return ring;
}

template <class Ring>
void check_vector(std::string_view hex, const Ring& ring) {
  const Bytes bytes = from_hex(hex);
  const Ring decoded = wire::decode<Ring>(bytes);
  CHECK(decoded == ring);
  CHECK(decoded.fingerprint() == ring.fingerprint());
  CHECK(wire::encode(ring) == bytes);
}

}  // namespace

TEST_CASE("Bytes of format 1 load, and rings are written as format 1") {
  check_vector(format_1.empty, HashRing<>());
  check_vector(format_1.three_caches, three_caches());
  check_vector(format_1.two_datacenters, two_datacenters());
  check_vector(format_1.tokens, tokens());
}

TEST_CASE("Equal rings give equal bytes, for any history") {
  HashRing<> ring{"cache-c", "x", "cache-b"};
  ring.remove("x");
  ring.set_weight("cache-c", 0);
  ring.add("cache-a");
  ring.set_weight("cache-b", 2.5);
  CHECK(wire::encode(ring) == wire::encode(three_caches()));
}

TEST_CASE("Random rings are restored exactly") {
  std::mt19937_64 random(2024);
  for (int round = 0; round < 200; ++round) {
    HashRing<> ring(clockwise::RingOptions{static_cast<std::uint32_t>(1 + random() % 8)});
    TokenRing<> tokens;
    for (std::size_t n = random() % 40; n > 0; --n) {
      std::string id;
      for (std::size_t length = 1 + random() % 12; length > 0; --length) {
        id += static_cast<char>(random());
      }
      if (ring.contains(id)) continue;
      const clockwise::NodeOptions options{static_cast<double>(random() % 5) / 2,
                                           "r" + std::to_string(random() % 3),
                                           random() % 2 == 0 ? "east" : ""};
      ring.add(id, options);
      std::vector<std::uint64_t> own(options.weight == 0 ? 0 : random() % 4);
      for (auto& token : own) token = random();
      tokens.add(id, options, own);
    }
    const auto bytes = wire::encode(ring);
    const auto decoded = wire::decode<HashRing<>>(bytes);
    REQUIRE(decoded.fingerprint() == ring.fingerprint());
    REQUIRE(decoded == ring);
    REQUIRE(wire::encode(decoded) == bytes);
    const auto token_bytes = wire::encode(tokens);
    const auto decoded_tokens = wire::decode<TokenRing<>>(token_bytes);
    REQUIRE(decoded_tokens.fingerprint() == tokens.fingerprint());
    REQUIRE(wire::encode(decoded_tokens) == token_bytes);
  }
}

TEST_CASE("Seeds, other policies and other node types are restored") {
  const HashRing<Xxh3> seeded({"a", "b"}, {}, Xxh3{99});
  const auto decoded = wire::decode<HashRing<Xxh3>>(wire::encode(seeded));
  CHECK(decoded == seeded);
  CHECK(decoded.hash().seed == 99);

  const HashRing<Xxh64, int, std::uint32_t> numbered{3, 1, 2};
  CHECK(wire::decode<HashRing<Xxh64, int, std::uint32_t>>(wire::encode(numbered)) == numbered);

  CHECK(fails_with<std::invalid_argument>(
      "the ring's is \"xxh64\"", [&] { wire::decode<HashRing<Xxh64>>(wire::encode(seeded)); }));
  CHECK(fails_with<std::invalid_argument>("id \"a\" does not fit the ring's node type", [&] {
    wire::decode<HashRing<Xxh3, int>>(wire::encode(seeded));
  }));
  CHECK(fails_with<std::invalid_argument>(
      "have no tokens", [&] { wire::decode<TokenRing<>>(wire::encode(seeded)); }));
  CHECK(fails_with<std::invalid_argument>(
      "have tokens", [&] { wire::decode<HashRing<>>(wire::encode(tokens())); }));
}

namespace {

struct Server {
  std::string id;
  std::string address;
};

}  // namespace

TEST_CASE("A user's struct is made from the id") {
  const HashRing<Xxh3, Server> ring{{"a", "10.0.0.1"}, {"b", "10.0.0.2"}};
  const auto decoded = wire::decode<HashRing<Xxh3, Server>>(
      wire::encode(ring), {}, [](std::string_view id) -> std::optional<Server> {
        return Server{std::string(id), "looked up"};
      });
  CHECK(decoded == ring);
  CHECK(decoded.lookup("key").address == "looked up");
}

TEST_CASE("A result is a value or an error") {
  const auto ring = wire::try_decode<HashRing<>>(from_hex(format_1.three_caches));
  REQUIRE(ring);
  CHECK(*ring == three_caches());
  CHECK(ring->size() == 3);
  CHECK(ring.error().reason == "");

  auto refused = wire::try_decode<TokenRing<>>(from_hex(format_1.three_caches));
  CHECK_FALSE(refused);
  CHECK(refused.error().offset == 0);
  CHECK(refused.error().reason == "the ring needs tokens; the members have no tokens");
  const auto torn = wire::try_decode<TokenRing<>>(from_hex("63777268000000000000000000"));
  CHECK_FALSE(torn);
  CHECK(torn.error().reason == "not a ring: it must begin with \"cwrg\"");

  refused = tokens();
  REQUIRE(refused);
  const TokenRing<> taken = *std::move(refused);
  CHECK(taken == tokens());
}

TEST_CASE("A parsed membership can be built into a ring") {
  const auto membership = wire::parse(from_hex(format_1.two_datacenters));
  REQUIRE(membership);
  const auto ring = wire::build<HashRing<>>(*membership);
  REQUIRE(ring);
  CHECK(*ring == two_datacenters());
  const auto few = wire::build<HashRing<>>(*membership, {.positions = 10});
  CHECK_FALSE(few);
  CHECK(few.error().reason.find("the limit is 10 positions") == 0);
  const auto none = wire::build<HashRing<Xxh3, Server>>(
      *membership, {}, [](std::string_view) -> std::optional<Server> { return std::nullopt; });
  CHECK_FALSE(none);
  CHECK(none.error().reason.find("does not fit the ring's node type") != std::string::npos);
  const auto all = wire::build<HashRing<Xxh3, Server>>(
      *membership, {}, [](std::string_view id) { return Server{std::string(id), "address"}; });
  REQUIRE(all);
  CHECK(all->fingerprint() == two_datacenters().fingerprint());
}

TEST_CASE("1,000 nodes with ids of 12 bytes take at most 25 KB") {
  HashRing<> ring;
  std::vector<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string digits = std::to_string(i);
    ids.push_back("cache-" + std::string(6 - digits.size(), '0') + digits);
  }
  ring.add_all(ids);
  CHECK(wire::encode(ring).size() <= 25'000);
}

TEST_CASE("Every prefix and every flipped bit is refused") {
  for (const auto hex : {format_1.empty, format_1.three_caches, format_1.tokens}) {
    const Bytes bytes = from_hex(hex);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Bytes prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      CHECK(error_of(prefix) != "");
    }
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      Bytes flipped = bytes;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      CHECK(error_of(flipped) != "");
    }
  }
}

TEST_CASE("An error names the reason and its offset") {
  const auto changed = [](std::string_view hex, std::size_t offset, unsigned value) {
    Bytes bytes = from_hex(hex);
    bytes.at(offset) = static_cast<std::byte>(value);
    return error_of(sealed(bytes));
  };
  const auto ring = format_1.two_datacenters;
  CHECK(error_of({}) == "0: too short for a ring");
  CHECK(changed(ring, 0, 'x') == "0: not a ring: it must begin with \"cwrg\"");
  CHECK(changed(ring, 4, 2) == "4: format 2; only format 1 is supported");
  CHECK(changed(ring, 5, 9) == "5: placement contract 9; only contract 1 is supported");
  CHECK(changed(ring, 6, 2) == "6: kind must be 0 or 1, got 2");
  CHECK(changed(ring, 15, 2) == "15: seed flag must be 0 or 1, got 2");
  CHECK(changed(ring, 32, 0) == "32: vnodes must be between 1 and 16777216, got 0");
  CHECK(changed(ring, 33, 0x7f) == "33: 127 domains do not fit in the 246 bytes left");
  CHECK(changed(ring, 35, 'z').starts_with("42: domain \"east\"/\"r2\" does not come after"));
  CHECK(changed(ring, 58, 0x7f).starts_with("58: 127 members do not fit"));
  CHECK(changed(ring, 59, 0) == "59: an id must not be empty");
  CHECK(changed(ring, 60, 'b') == "64: id \"a\\x00c\" does not come after \"b\\x00b\"");
  CHECK(changed(ring, 63, 6) == "63: domain must be below 3, got 3");
  CHECK(changed(ring, 63, 0) == "33: domain \"west\"/\"r1\" has no member");
  CHECK(changed(ring, 76, 0xff).find("weight of \"a\\x00c\" must be finite and not negative") !=
        std::string::npos);

  Bytes torn = from_hex(ring);
  torn.back() ^= std::byte{1};
  CHECK(error_of(torn) == std::to_string(torn.size() - 8) + ": the checksum does not match");

  Bytes longer = from_hex(ring);
  longer.insert(longer.end() - 8, std::byte{0});
  CHECK(error_of(sealed(longer)) == std::to_string(torn.size() - 8) + ": 1 extra bytes");

  CHECK(fails_with<std::invalid_argument>("ring bytes, at 4: format 2", [&] {
    Bytes bytes = from_hex(ring);
    bytes[4] = std::byte{2};
    wire::decode<HashRing<>>(sealed(bytes));
  }));
}

TEST_CASE("A ring has only one encoding") {
  // "vnodes 200" as c8 81 00 instead of c8 01.
  Bytes stretched = from_hex(format_1.three_caches);
  REQUIRE(stretched[33] == std::byte{1});
  stretched[33] = std::byte{0x81};
  stretched.insert(stretched.begin() + 34, std::byte{0});
  CHECK(error_of(sealed(stretched)) == "32: vnodes is not in its shortest form");

  // A weight of 1 written out.
  Bytes weighed = from_hex(format_1.three_caches);
  const auto weight = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{0x4004000000000000});
  const auto at = std::search(weighed.begin(), weighed.end(), weight.begin(), weight.end());
  if constexpr (std::endian::native == std::endian::little) {
    REQUIRE(at != weighed.end());
    const auto one = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{0x3ff0000000000000});
    std::copy(one.begin(), one.end(), at);
    CHECK(error_of(sealed(weighed)).find("must be omitted if it is 1") != std::string::npos);
  }
}

TEST_CASE("Few bytes cannot request much memory") {
  // 2^24 members are announced, but 20 bytes follow.
  Bytes bytes = from_hex(format_1.empty);
  bytes.resize(bytes.size() - 9);
  for (const unsigned byte : {0x80u, 0x80u, 0x80u, 0x08u}) {
    bytes.push_back(static_cast<std::byte>(byte));
  }
  bytes.resize(bytes.size() + 28);
  const std::size_t before = allocated;
  CHECK(error_of(sealed(bytes)).find("16777216 members do not fit") != std::string::npos);
  CHECK(allocated - before < 4096);

  // The most that n bytes can request: as many members as fit.
  wire::Membership many;
  many.policy = "xxh3-64";
  many.vnodes = 1;
  many.domains.resize(1);
  for (char a = 1; a < 120; ++a) {
    for (char b = 1; b < 120; ++b) many.members.push_back({{a, b}, 1.0, 0, {}});
  }
  const auto dense = wire::encode(many);
  const std::size_t before_dense = allocated;
  CHECK(error_of(dense) == "");
  CHECK(allocated - before_dense < 64 * dense.size());

  // A member with too many vnodes is refused before they are built, unless the limit allows it.
  HashRing<> heavy(clockwise::RingOptions{1 << 20});
  heavy.add("a", 5);
  const auto heavy_bytes = wire::encode(heavy);
  const std::size_t before_heavy = allocated;
  CHECK(fails_with<std::invalid_argument>("the limit is 4194304 positions",
                                          [&] { wire::decode<HashRing<>>(heavy_bytes); }));
  CHECK(allocated - before_heavy < 8192);
  CHECK(wire::decode<HashRing<>>(heavy_bytes, {.positions = 5 << 20}).vnode_count() == 5 << 20);

  // A rack's name, which every member repeats.
  HashRing<> wordy(clockwise::RingOptions{1});
  const std::string rack(10'000, 'r');
  for (int i = 0; i < 100; ++i) {
    wordy.add(std::to_string(i), {.weight = 1, .rack = rack, .datacenter = ""});
  }
  CHECK(fails_with<std::invalid_argument>("the limit is 100000 bytes of racks", [&] {
    wire::decode<HashRing<>>(wire::encode(wordy), {.domain_bytes = 100'000});
  }));
}

TEST_CASE("The difference of two memberships lists what differs") {
  HashRing<> first = two_datacenters();
  HashRing<> second = first;
  CHECK(wire::difference(wire::membership_of(first), wire::membership_of(second)).empty());

  second.remove(std::string(200, 'z'));
  second.add("new");
  second.set_weight(std::string_view("a\0c", 3), 2);
  const auto one = wire::membership_of(first);
  const auto two = wire::membership_of(second);
  const auto difference = wire::difference(one, two);
  CHECK_FALSE(difference.placement);
  REQUIRE(difference.only_first.size() == 1);
  CHECK(one.members[difference.only_first[0]].id == std::string(200, 'z'));
  REQUIRE(difference.only_second.size() == 1);
  CHECK(two.members[difference.only_second[0]].id == "new");
  REQUIRE(difference.changed.size() == 1);
  CHECK(one.members[difference.changed[0].first].weight == 0.005);
  CHECK(two.members[difference.changed[0].second].weight == 2);

  CHECK(wire::difference(one, wire::membership_of(three_caches())).placement);

  TokenRing<> tokens;
  tokens.add("a", {10, 20});
  tokens.add("b", {30});
  TokenRing<> moved = tokens;
  moved.set_tokens("b", {31});
  const auto changed =
      wire::difference(wire::membership_of(tokens), wire::membership_of(moved)).changed;
  REQUIRE(changed.size() == 1);
  CHECK(changed[0] == std::pair(std::size_t{1}, std::size_t{1}));
}
