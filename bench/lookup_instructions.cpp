// SPDX-License-Identifier: MIT
// lookup_instructions WHAT NODES VNODES COUNT: runs an operation COUNT times in the function
// `measured`, for tools/count_instructions.py to count its instructions under callgrind. A count
// does not depend on the machine's load.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/replica_table.hpp"

namespace {

using clockwise::HashRing;
using clockwise::Position;
using clockwise::RingOptions;

volatile std::uint64_t result;

template <class Use>
[[gnu::noinline]] void measured(const std::vector<Position>& keys, Use use) {
  std::uint64_t sum = 0;
  for (const Position key : keys) sum += use(key);
  result = sum;
}

std::uint64_t place(const std::string& node) { return reinterpret_cast<std::uintptr_t>(&node); }

template <class Lookup>
int run(std::string_view what, const std::vector<std::string>& names, RingOptions options,
        const std::vector<Position>& keys) {
  using Ring = HashRing<clockwise::Xxh3, std::string, std::uint16_t, Lookup>;
  const Ring ring(names, options);
  const auto positions = ring.positions();
  if (what == "index" || what == "no_index") {
    measured(keys, [&](Position key) { return std::uint64_t{ring.lookup_index(key)}; });
  } else if (what == "lower_bound") {
    measured(keys, [&](Position key) {
      const auto at =
          std::lower_bound(positions.begin(), positions.end(), static_cast<std::uint64_t>(key));
      const bool wraps = at == positions.end();
      return std::uint64_t{ring.owners()[wraps ? 0 : std::size_t(at - positions.begin())]};
    });
  } else if (what == "preference_list") {
    measured(keys, [&](Position key) { return place(ring.preference_list(key, 3).front()); });
  } else if (what == "replica_table") {
    const clockwise::ReplicaTable table(ring, 3);
    measured(keys, [&](Position key) { return place(table.preference_list(key).front()); });
  } else if (what == "nothing") {
    measured(keys, [](Position key) { return static_cast<std::uint64_t>(key); });
  } else {
    std::cerr << "unknown: " << what << '\n';
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "lookup_instructions WHAT NODES VNODES COUNT\n";
    return 2;
  }
  const std::string_view what = argv[1];
  std::vector<std::string> names;
  for (long i = 0; i < std::atol(argv[2]); ++i) names.push_back("cache-" + std::to_string(i));
  const RingOptions options{static_cast<std::uint32_t>(std::atol(argv[3]))};
  std::vector<Position> keys(static_cast<std::size_t>(std::atol(argv[4])));
  std::mt19937_64 random(1);
  for (Position& key : keys) key = Position{random()};
  return what == "no_index" ? run<clockwise::NoIndex>(what, names, options, keys)
                            : run<clockwise::BucketIndex>(what, names, options, keys);
}
