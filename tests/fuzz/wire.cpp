// SPDX-License-Identifier: MIT
// Any bytes, decoded as a ring, give an error with its offset or a ring that encodes to them.

#include "clockwise/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/wire/difference.hpp"
#include "fuzz/fuzz.hpp"

namespace {

namespace wire = clockwise::wire;

template <class Ring>
void check_ring(const wire::Membership& membership, std::span<const std::byte> bytes) {
  const wire::Limits limits{.positions = 4096, .domain_bytes = 1 << 16};
  const auto ring = wire::try_decode<Ring>(bytes, limits);
  FUZZ_CHECK(static_cast<bool>(ring) == ring.error().reason.empty());
  if (!ring) return;
  FUZZ_CHECK(ring->size() == membership.members.size());
  const auto written = wire::encode(*ring);
  FUZZ_CHECK(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()));
}

void check(std::span<const std::byte> bytes) {
  const auto membership = wire::parse(bytes);
  if (!membership) {
    FUZZ_CHECK(membership.error().offset <= bytes.size());
    FUZZ_CHECK(!membership.error().reason.empty());
    return;
  }
  const auto written = wire::encode(*membership);
  FUZZ_CHECK(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()));
  FUZZ_CHECK(wire::difference(*membership, *membership).empty());
  check_ring<clockwise::HashRing<>>(*membership, bytes);
  check_ring<clockwise::HashRing<clockwise::Xxh64>>(*membership, bytes);
  check_ring<clockwise::TokenRing<>>(*membership, bytes);
}

}  // namespace

void clockwise_fuzz(std::span<const std::byte> bytes) {
  check(bytes);
  // Again with a correct checksum; otherwise the code after that check would never run.
  if (bytes.size() < 8) return;
  std::vector<std::byte> sealed(bytes.begin(), bytes.end() - 8);
  const std::uint64_t sum = clockwise::detail::wire_checksum(
      std::string_view(reinterpret_cast<const char*>(sealed.data()), sealed.size()));
  for (int shift = 0; shift < 64; shift += 8) {
    sealed.push_back(static_cast<std::byte>(sum >> shift & 0xff));
  }
  check(sealed);
}
