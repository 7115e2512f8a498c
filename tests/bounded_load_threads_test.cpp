// SPDX-License-Identifier: MIT
// Balancers under many threads. In a file that replaces no operator new, as ThreadSanitizer does.

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "clockwise/bounded_load.hpp"
#include "clockwise/hash_ring.hpp"
#include "support/keys.hpp"

namespace bounded_load_threads_test {

using clockwise::BoundedLoad;
using clockwise_test::numbered;
using clockwise_test::real_keys;
using Ring = clockwise::HashRing<>;

namespace {

Ring ring_of(std::size_t nodes) { return Ring(numbered("node", nodes), {.vnodes = 100}); }

}  // namespace

TEST_CASE("Many threads acquire and release: no count is lost and no cap broken") {
  constexpr std::uint64_t limit = 9;
  BoundedLoad balancer(ring_of(8), {.c = 1.25, .node_limit = limit});
  std::atomic<bool> broken{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      std::vector<BoundedLoad<Ring>::Token> tokens;
      for (int i = 0; i < 20000; ++i) {
        if (tokens.size() < 16 && random() % 2 == 0) {
          if (auto token = balancer.acquire(random())) {
            if (balancer.load(token.node()) > limit) broken = true;
            tokens.push_back(std::move(token));
          }
        } else if (!tokens.empty()) {
          tokens.pop_back();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_FALSE(broken);
  CHECK(balancer.load() == 0);
  for (const auto& name : numbered("node", 8)) CHECK(balancer.load(name) == 0);
}

TEST_CASE("Tokens can be released while a node leaves") {
  for (int round = 0; round < 50; ++round) {
    BoundedLoad balancer(ring_of(4), {.c = 3});
    std::vector<BoundedLoad<Ring>::Token> tokens;
    for (const auto& key : real_keys(400)) tokens.push_back(balancer.acquire(key));
    std::thread releasing([&] { tokens.clear(); });
    balancer.remove("node2");
    releasing.join();
    CHECK(balancer.load() == 0);
  }
}

}  // namespace bounded_load_threads_test
