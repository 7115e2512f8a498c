// SPDX-License-Identifier: MIT

// Threads read a ring while another changes it. A reader never waits, and never sees a ring that is
// half changed.

#include <clockwise/hash_ring.hpp>
#include <clockwise/shared.hpp>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

int main() {
  clockwise::Shared shared(clockwise::HashRing({"cache-1", "cache-2", "cache-3"}));
  constexpr std::uint64_t last = 6;  // the ring above is version 1; the writer publishes 2 to 6

  std::vector<std::string> reports(2);
  std::vector<std::thread> threads;
  for (std::string& report : reports) {
    threads.emplace_back([&] {
      auto reader = shared.reader();  // each thread has its own
      int wrong = 0;
      do {
        const auto& ring = *reader;  // unchanged until the next *reader
        report = ring.lookup("user:42");
        if (ring.size() != reader.version() + 2) ++wrong;  // version 1 has 3 members
      } while (reader.version() < last);
      report = "user:42 is on " + report + "; half-changed rings: " + std::to_string(wrong);
    });
  }
  for (std::uint64_t version = 2; version <= last; ++version) {
    shared.update([&](auto& next) { next.add("cache-" + std::to_string(version + 2)); });
  }
  for (std::thread& thread : threads) thread.join();
  std::cout << "version " << shared.version() << ", " << shared.snapshot()->size() << " members\n";
  for (const std::string& report : reports) std::cout << report << '\n';
}
