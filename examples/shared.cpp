// SPDX-License-Identifier: MIT

// Threads read a ring while another thread changes it. A reader never waits, and never sees a ring
// that is half changed.

#include <clockwise/hash_ring.hpp>
#include <clockwise/shared.hpp>
#include <cstdint>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

int main() {
  clockwise::Shared shared(clockwise::HashRing<>({"cache-1", "cache-2", "cache-3"}));
  constexpr std::uint64_t last_version = 6;  // the first ring is version 1

  std::vector<std::string> reports(2);
  std::vector<std::thread> threads;
  for (std::string& report : reports) {
    threads.emplace_back([&] {
      auto reader = shared.reader();  // one for each thread
      std::uint64_t wrong = 0;
      do {
        const auto& ring = *reader;  // unchanged until the next *reader
        if (ring.size() != reader.version() + 2 || !ring.contains(ring.lookup("user:42"))) ++wrong;
      } while (reader.version() < last_version);
      report = std::to_string(reader->size()) + " caches at the end, " + std::to_string(wrong) +
               " wrong rings on the way";
    });
  }
  for (std::uint64_t i = shared.version(); i < last_version; ++i) {
    shared.update([&](auto& next) { next.add("cache-" + std::to_string(i + 3)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& report : reports) std::cout << "a reader saw " << report << '\n';
}
