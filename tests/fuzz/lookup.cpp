// SPDX-License-Identifier: MIT
// For any table and any keys, the lookup index answers as a linear scan does.
//
// The bytes are a small program. A position or a key is the previous one plus a step. The step's
// first byte gives its length and the bit at which it is added, so that clusters, gaps of every
// size and equal positions take a few bytes each. One table is small; the other is above the size
// at which the layout changes: the same positions plus filler.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clockwise/detail/ring/lookup_index.hpp"
#include "fuzz/fuzz.hpp"

namespace {

class Reader : public clockwise_test::FuzzReader {
 public:
  using FuzzReader::FuzzReader;
  std::uint64_t step() {
    const std::uint64_t head = byte();
    return (head < 128 ? byte() : byte() << 8 | byte()) << head % 64;
  }
};

template <class Index>
void check(const std::vector<std::uint64_t>& positions, const std::vector<std::uint64_t>& keys) {
  std::vector<Index> owners(positions.size());
  for (std::size_t rank = 0; rank < owners.size(); ++rank) {
    owners[rank] = static_cast<Index>(rank * 2654435761u);
  }
  clockwise::detail::LookupIndex<Index> index;
  index.build(positions, owners);
  std::vector<Index> batch(keys.size());
  index.owners_of(std::span(keys), std::span(batch), positions, owners);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::size_t rank = 0;
    while (rank < positions.size() && positions[rank] < keys[i]) ++rank;
    if (rank == positions.size()) rank = 0;
    FUZZ_CHECK(index.rank(keys[i], positions, {owners.data(), sizeof(Index)}) == rank);
    FUZZ_CHECK(index.owner(keys[i], positions, owners) == owners[rank]);
    FUZZ_CHECK(batch[i] == owners[rank]);
  }
}

}  // namespace

void clockwise_fuzz(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  const std::uint64_t kind = reader.byte();
  std::vector<std::uint64_t> positions;
  std::uint64_t last = 0;
  for (std::uint64_t count = 1 + reader.byte(); count > 0; --count) {
    last += reader.step();
    positions.push_back(last);
  }
  std::vector<std::uint64_t> keys{0, ~std::uint64_t{0}};
  while (!reader.at_end() && keys.size() < 64) {
    last += reader.step();
    keys.push_back(last);
  }
  for (const std::uint64_t position : positions) {
    if (keys.size() >= 256) break;
    keys.insert(keys.end(), {position - 1, position, position + 1});
  }

  // A large table costs a thousand times as much as a small one.
  if (kind % 64 == 63) {
    for (std::uint64_t i = 0; positions.size() < 66'000; ++i) {
      positions.push_back(kind < 128 ? i * 0x9e3779b97f4a7c15 : last + (i << kind % 7));
    }
    keys.resize(std::min<std::size_t>(keys.size(), 24));
  }
  std::sort(positions.begin(), positions.end());
  switch (kind % 3) {
    case 0:
      return check<std::uint8_t>(positions, keys);
    case 1:
      return check<std::uint16_t>(positions, keys);
    default:
      return check<std::uint32_t>(positions, keys);
  }
}
