// SPDX-License-Identifier: MIT
// The bounds of docs/security.md that no other test shows: the figures themselves, the memory that
// bytes from outside can request, and what chosen keys and ids can do.

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/bounded_assignment.hpp"
#include "clockwise/bounded_load.hpp"
#include "clockwise/compat/redis_cluster.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/hot_key.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/maglev.hpp"
#include "clockwise/migration.hpp"
#include "clockwise/multi_probe.hpp"
#include "clockwise/node.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/slot_map.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/wire.hpp"
#include "support/errors.hpp"

namespace {

std::size_t live = 0;  // bytes of heap memory
std::size_t peak = 0;

}  // namespace

// Each block begins with its size. Not inlined, so that the compiler does not see free() meet new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  constexpr std::size_t head = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  char* const memory = static_cast<char*>(std::malloc(size + head));
  if (memory == nullptr) throw std::bad_alloc();
  *reinterpret_cast<std::size_t*>(memory) = size;
  live += size;
  peak = (std::max)(peak, live);
  return memory + head;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  char* const begin = static_cast<char*>(memory) - __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  live -= *reinterpret_cast<std::size_t*>(begin);
  std::free(begin);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace {

using clockwise::HashRing;
using clockwise::Position;
using clockwise_test::fails_with;

// The figures of the table.
static_assert(clockwise::max_vnodes_per_node == 16'777'216);
static_assert(clockwise::max_positions == 4'294'967'295);
static_assert(clockwise::max_migration_batches == 16'777'216);
static_assert(clockwise::wire::Limits{}.positions == 4'194'304);
static_assert(clockwise::wire::Limits{}.domain_bytes == 67'108'864);
static_assert(clockwise::HeavyHitters::max_key_bytes == 1024);
static_assert(HashRing<>::npos == 65'535);

/// The most heap memory that `action` has at once.
template <class Action>
std::size_t memory_of(Action action) {
  peak = live;
  const std::size_t before = live;
  action();
  return peak - before;
}

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back("node-" + std::to_string(i));
  return result;
}

/// Keys of one arc: they have the same owner and the same preference list.
std::vector<Position> keys_of_one_arc(const HashRing<>& ring, std::size_t count) {
  const clockwise::Arc arc = ring.arc_of(Position{0x4000000000000000});
  const std::uint64_t step = (arc.last - arc.after) / count;
  std::vector<Position> keys;
  for (std::size_t i = 1; i <= count; ++i) keys.push_back(Position{arc.after + i * step});
  return keys;
}

TEST_CASE("A Redis reply takes at most 64 bytes of memory per byte, however it is nested") {
  const auto parse = [](const std::string& reply) {
    return memory_of([&] {
      try {
        (void)clockwise::parse_cluster_slots(reply);
      } catch (const std::invalid_argument&) {
      }
      try {
        (void)clockwise::parse_cluster_shards(reply);
      } catch (const std::invalid_argument&) {
      }
    });
  };
  for (const std::size_t items : {1u, 1000u, 32'769u, 65'536u, 100'000u}) {
    CAPTURE(items);
    std::string flat = "*" + std::to_string(items) + "\r\n";
    for (std::size_t i = 0; i < items; ++i) flat += "_\r\n";
    CHECK(parse(flat) < 64 * flat.size() + 1024);

    std::string empty_lists = "*" + std::to_string(items) + "\r\n";
    for (std::size_t i = 0; i < items; ++i) empty_lists += "*0\r\n";
    CHECK(parse(empty_lists) < 64 * empty_lists.size() + 1024);
  }
  // Each level claims all bytes that are left.
  std::string nested;
  for (int level = 0; level < 8; ++level) nested += "*100000\r\n";
  for (int i = 0; i < 300'000; ++i) nested += '\n';
  CHECK(parse(nested) < 64 * nested.size());
  // Nesting is refused before it costs a stack.
  std::string deep;
  for (int level = 0; level < 1'000'000; ++level) deep += "*1\r\n";
  CHECK(fails_with<std::invalid_argument>("nested too deeply",
                                          [&] { clockwise::parse_cluster_slots(deep); }));
  CHECK(parse(deep) < 64 * 1024);
}

TEST_CASE("A reply to CLUSTER NODES takes at most 64 bytes of memory per byte") {
  std::string text;
  for (int i = 0; i < 65'000; ++i) {
    const std::string number = std::to_string(i);
    text += number + " h:" + number + (i == 0 ? " master - 0 0 0 x\n" : " slave 0 0 0 0 x\n");
  }
  CHECK(memory_of([&] { (void)clockwise::parse_cluster_nodes(text); }) < 64 * text.size());
  // One line with many slots.
  std::string line = "0 h:1 master - 0 0 0 x";
  for (int i = 0; i < 100'000; ++i) line += " 7";
  CHECK(memory_of([&] { (void)clockwise::parse_cluster_nodes(line); }) < 64 * line.size());
}

TEST_CASE("A Redis map has at most 65,535 nodes") {
  std::vector<clockwise::RedisShard> shards(65'535);
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i].master = "host:" + std::to_string(i);
  CHECK(clockwise::RedisSlotMap(shards).size() == 65'535);
  shards.emplace_back().master = "another";
  CHECK(fails_with<std::length_error>("up to 65535 nodes",
                                      [&] { clockwise::RedisSlotMap map(shards); }));
}

TEST_CASE("A membership takes at most 64 bytes of memory per byte, a ring 64 per position") {
  clockwise::wire::Membership many;
  many.policy = "xxh3-64";
  many.seed = 0;
  many.circle = HashRing<>().circle();
  many.vnodes = 70;
  many.domains.resize(1);
  for (char a = 1; a < 120; ++a) {
    for (char b = 1; b < 120; ++b) many.members.push_back({{a, b}, 1.0, 0, {}});
  }
  const auto bytes = clockwise::wire::encode(many);
  CHECK(memory_of([&] { CHECK(clockwise::wire::parse(bytes)); }) < 64 * bytes.size());
  const std::size_t positions = 70 * many.members.size();
  CHECK(memory_of([&] { CHECK(clockwise::wire::try_decode<HashRing<>>(bytes)); }) <
        64 * positions + 1024 * many.members.size());
}

TEST_CASE("A token ring takes at most 2^24 tokens per node") {
  const std::size_t count = clockwise::max_vnodes_per_node + 1;
  const std::unique_ptr<std::uint64_t[]> tokens(new std::uint64_t[count]);  // which nothing reads
  clockwise::TokenRing<> ring;
  CHECK(fails_with<std::length_error>("16777217 tokens; the maximum is 16777216", [&] {
    ring.add("a", std::span<const std::uint64_t>(tokens.get(), count));
  }));
}

TEST_CASE("Keys of one arc: no node is above its cap, and no request tries a node twice") {
  const HashRing<> ring(names(50));
  clockwise::BoundedLoad balancer(ring);
  std::vector<clockwise::BoundedLoad<HashRing<>>::Token> tokens;
  for (const Position key : keys_of_one_arc(ring, 2000)) {
    tokens.push_back(balancer.acquire(key));
    REQUIRE(tokens.back());
    REQUIRE(tokens.back().probes() <= ring.size());
    REQUIRE(balancer.load(tokens.back().node()) <= balancer.capacity(tokens.back().node()));
  }
  // The next keys have the worst order, and still most nodes are full before the last tries.
  CHECK(tokens.back().probes() > 30);
}

TEST_CASE("Keys of one arc: a stored key moves about as many others as there are nodes") {
  for (const std::size_t nodes : {10u, 50u}) {
    CAPTURE(nodes);
    const HashRing<> ring(names(nodes));
    clockwise::BoundedAssignment<HashRing<>, Position> stored(ring);
    std::vector<Position> keys = keys_of_one_arc(ring, 2000);
    // The worst order: each key comes before all stored keys.
    std::sort(keys.begin(), keys.end(), [](Position a, Position b) {
      return clockwise::detail::mix(static_cast<std::uint64_t>(a)) >
             clockwise::detail::mix(static_cast<std::uint64_t>(b));
    });
    std::size_t moves = 0;
    for (const Position key : keys) {
      const std::size_t moved = stored.insert(key).size();
      REQUIRE(moved <= nodes * nodes);
      moves += moved;
    }
    CHECK(moves <= 3 * nodes * keys.size() / 2);
    for (const auto& member : ring.members()) {
      CHECK(stored.load(member.node) <= stored.capacity(member.node));
    }
  }
}

TEST_CASE("A flood of new keys takes no more memory, and hides no hot key") {
  clockwise::HeavyHitters traffic(256);
  const auto flood = [&](int from, int to) {
    std::string key(clockwise::HeavyHitters::max_key_bytes, 'k');
    for (int i = from; i < to; ++i) {
      const std::string digits = std::to_string(i);
      std::copy(digits.begin(), digits.end(), key.begin());
      traffic.observe(key);
      if (i % 50 == 0) traffic.observe("hot");
    }
  };
  CHECK(memory_of([&] { flood(0, 1000); }) < 256 * (1024 + 256));
  CHECK(memory_of([&] { flood(1000, 50'000); }) < 4096);
  const auto hot = traffic.above(0.01);
  REQUIRE_FALSE(hot.empty());
  CHECK(hot.front().key == "hot");
  CHECK(traffic.max_error() <= traffic.total() / 256);
}

/// Puts every key and every label at one place.
struct OnePlace {
  static constexpr std::string_view name = "one place";
  std::uint64_t operator()(std::span<const std::byte>) const noexcept { return 42; }
};

template <class Scheme>
void check_one_place() {
  Scheme scheme;
  scheme.add_all(names(100));
  const std::string owner = scheme.lookup("a");
  CHECK(scheme.lookup("b") == owner);
  CHECK(scheme.preference_list("c", 100).size() <= 100);
  scheme.add("another");
  CHECK(scheme.contains(scheme.lookup("a")));
}

TEST_CASE("If all hashes collide, only balance suffers") {
  check_one_place<HashRing<OnePlace>>();
  check_one_place<clockwise::Rendezvous<OnePlace>>();
  check_one_place<clockwise::MultiProbe<OnePlace>>();
  check_one_place<clockwise::JumpHash<OnePlace>>();
  check_one_place<clockwise::JumpBackHash<OnePlace>>();
  check_one_place<clockwise::Maglev<OnePlace>>();
  check_one_place<clockwise::SlotMap<OnePlace>>();
}

TEST_CASE("A seed moves the keys of every scheme, and is in the fingerprint and the bytes") {
  const HashRing<> plain(names(10));
  const HashRing<> seeded(names(10), {}, clockwise::Xxh3{0x1234567890abcdef});
  int same = 0;
  for (int key = 0; key < 2000; ++key) same += plain.lookup(key) == seeded.lookup(key) ? 1 : 0;
  // A tenth, and six standard errors of sqrt(0.1 * 0.9 / 2000) around it.
  CHECK(same > 120);
  CHECK(same < 280);
  CHECK(plain.fingerprint() != seeded.fingerprint());
  const auto bytes = clockwise::wire::encode(seeded);
  const auto membership = clockwise::wire::parse(bytes);
  REQUIRE(membership);
  CHECK(membership->seed == 0x1234567890abcdef);  // unencrypted
  CHECK(clockwise::wire::decode<HashRing<>>(bytes).hash().seed == 0x1234567890abcdef);
}

/// A user's keyed policy, whose key is not in the bytes.
struct Keyed {
  std::array<std::uint64_t, 2> key{};
  static constexpr std::string_view name = "keyed";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
    return clockwise::Xxh3{clockwise::Xxh3{key[0]}(bytes) ^ key[1]}(bytes);
  }
};

TEST_CASE("Bytes of a user's policy with another key are refused, and do not contain the key") {
  const HashRing<Keyed> ring(names(3), {}, Keyed{{1, 2}});
  const auto bytes = clockwise::wire::encode(ring);
  CHECK_FALSE(clockwise::wire::parse(bytes)->seed);
  const auto decoded = clockwise::wire::try_decode<HashRing<Keyed>>(bytes);
  REQUIRE_FALSE(decoded);
  CHECK(decoded.error().reason == "hash policy \"keyed\" hashes differently at the sender");
}

TEST_CASE("A chosen id takes over a given key after few tries") {
  const HashRing<> ring(names(20));
  for (int key = 0; key < 5; ++key) {
    int tries = 0;
    HashRing<> taken = ring;
    std::string id;
    do {
      if (!id.empty()) taken.remove(id);
      id = "chosen-" + std::to_string(tries++);
      taken.add(id);
    } while (taken.lookup(key) != id);
    // One id in 21 takes over an average key; a key whose owner is close takes more tries.
    CHECK(tries < 10'000);
  }
}

}  // namespace
