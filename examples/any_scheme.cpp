// SPDX-License-Identifier: MIT

// One function for every scheme: how even is it, and how many keys does a join move?

#include <clockwise/clockwise.hpp>
#include <cstdio>
#include <string>

constexpr int nodes = 16;

template <clockwise::Partitioner Scheme>
void report(const char* name) {
  Scheme scheme;
  scheme.update([](auto& edit) {  // one change, so that no scheme builds its tables 16 times
    for (int i = 1; i <= nodes; ++i) edit.add("node-" + std::to_string(i));
  });
  const Scheme before = scheme;
  scheme.add("node-17");

  clockwise::KeyMovement moved(before, scheme);
  for (int key = 0; key < 100'000; ++key) moved.observe(key);
  std::printf("%-10s %20.3f %17.1f%%\n", name, balance(before).peak_to_mean,
              100 * moved.fraction());
}

int main() {
  std::printf("%d nodes   hottest node / mean  keys a join moves\n", nodes);
  report<clockwise::HashRing<>>("HashRing");
  report<clockwise::Rendezvous<>>("Rendezvous");
  report<clockwise::Maglev<>>("Maglev");
  report<clockwise::SlotMap<>>("SlotMap");
  report<clockwise::ModN<>>("ModN");
}
