// SPDX-License-Identifier: MIT
// A request allocates nothing: lookups, and preference lists of up to 8 nodes.

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/mod_n.hpp"
#include "support/keys.hpp"

namespace {
std::size_t allocations = 0;
// Results are stored here, so that no compiler omits an allocation.
volatile std::size_t used = 0;
void* volatile used_memory = nullptr;
}  // namespace

// Not inlined, so that the compiler does not see free() meet new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;

template <class Action>
std::size_t allocations_of(Action action) {
  const std::size_t before = allocations;
  for (std::uint64_t i = 0; i < 200; ++i) action(Position{i * 0x9e3779b97f4a7c15});
  return allocations - before;
}

struct Server {
  std::string id;
};

HashRing<clockwise::Xxh3, Server> fleet() {
  HashRing<clockwise::Xxh3, Server> ring(RingOptions{16});
  for (int i = 0; i < 24; ++i) {
    ring.add({"a-server-with-a-name-too-long-for-a-small-string-" + std::to_string(i)},
             {1, "r" + std::to_string(i % 6), i % 2 == 0 ? "east" : "west"});
  }
  return ring;
}

}  // namespace

TEST_CASE("the counter counts allocations") {
  CHECK(allocations_of([](Position) {
          used_memory = ::operator new(8);
          ::operator delete(used_memory);
        }) == 200);
}

TEST_CASE("lookups do not allocate") {
  const auto ring = fleet();
  const clockwise::ModN<> plain({"a", "b"});
  const std::string key = "a key that is too long for the small-string buffer of any library";
  std::vector<Position> positions(100);
  std::vector<std::uint16_t> owners(100);
  CHECK(allocations_of([&](Position position) {
          used = ring.lookup(position).id.size();
          used = ring.lookup(key).id.size();
          used = ring.lookup(std::string_view(key)).id.size();
          used = ring.lookup(42).id.size();
          used = ring.try_lookup(key)->id.size();
          used = ring.lookup_index(position);
          used = ring.arc_of(position).contains(position) ? 1u : 0u;
          ring.lookup_batch(positions, owners);
          used = ring.contains("b") ? 1u : 0u;
          used = ring.index_of(std::string_view(key));
          used = plain.lookup(key).size();
          used = plain.contains(key) ? 1u : 0u;
        }) == 0);
}

TEST_CASE("preference lists of up to 8 nodes do not allocate, by any rule") {
  const auto ring = fleet();
  const clockwise::ModN<> plain({"a", "b"});
  const clockwise::Replication wanted{{"east", 3}, {"west", 5}, {"north", 1}};
  for (std::size_t r = 0; r <= 8; ++r) {
    CHECK(allocations_of([&](Position position) {
            used = ring.preference_list(position, r).size();
            used = ring.preference_list(position, r, Spread::nodes).size();
            used = ring.preference_list(position, r, Spread::racks).size();
            used = ring.preference_list(position, r, Spread::racks_only).size();
            used = ring.preference_list(position, wanted).size();
            used = plain.preference_list(position, r).size();
          }) == 0);
  }
}

TEST_CASE("preference lists with dead nodes do not allocate") {
  const auto ring = fleet();
  const clockwise::Replication wanted{{"east", 3}, {"west", 5}};
  const auto all_up = [](const Server&) { return true; };
  const auto half_up = [](const Server& server) { return server.id.back() % 2 == 0; };
  const auto none_up = [](const Server&) { return false; };
  for (std::size_t r = 0; r <= 8; ++r) {
    CHECK(allocations_of([&](Position position) {
            for (const Spread spread : {Spread::nodes, Spread::racks, Spread::racks_only}) {
              used = ring.preference_list(position, r, spread, all_up).size();
              used = ring.preference_list(position, r, spread, half_up).size();
              used = ring.preference_list(position, r, spread, none_up).size();
            }
            used = ring.preference_list(position, wanted, all_up).size();
            used = ring.preference_list(position, wanted, half_up).size();
          }) == 0);
  }
}

TEST_CASE("successors do not allocate") {
  const auto ring = fleet();
  std::size_t met = 0;
  CHECK(allocations_of([&](Position position) {
          for ([[maybe_unused]] const Server& server : ring.successors(position)) ++met;
        }) == 0);
  CHECK(met == 200 * 24);
}
