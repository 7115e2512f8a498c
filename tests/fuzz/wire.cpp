// SPDX-License-Identifier: MIT
// Any bytes, decoded as a ring, give an error with its offset or a ring that encodes to them.

#include "clockwise/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace {

namespace wire = clockwise::wire;

template <class Ring>
void check_ring(const wire::Membership& membership, std::span<const std::byte> bytes) {
  const wire::Limits limits{.positions = 4096, .domain_bytes = 1 << 16};
  std::optional<wire::Error> error;
  const auto ring = wire::try_decode<Ring>(bytes, error, limits);
  FUZZ_CHECK(ring.has_value() != error.has_value());
  if (!ring) return;
  FUZZ_CHECK(ring->size() == membership.members.size());
  const auto written = wire::encode(*ring);
  FUZZ_CHECK(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()));
}

void check(std::span<const std::byte> bytes) {
  std::optional<wire::Error> error;
  const wire::Membership membership = wire::parse(bytes, error);
  if (error) {
    FUZZ_CHECK(error->offset <= bytes.size());
    FUZZ_CHECK(!error->reason.empty());
    return;
  }
  const auto written = wire::encode(membership);
  FUZZ_CHECK(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end()));
  check_ring<clockwise::HashRing<>>(membership, bytes);
  check_ring<clockwise::TokenRing<>>(membership, bytes);
}

}  // namespace

void clockwise_fuzz(std::span<const std::byte> bytes) {
  check(bytes);
  // Again with a correct checksum, or the code after that check would never run.
  if (bytes.size() < 8) return;
  std::vector<std::byte> sealed(bytes.begin(), bytes.end() - 8);
  const std::uint64_t sum = wire::detail::checksum(
      std::string_view(reinterpret_cast<const char*>(sealed.data()), sealed.size()));
  for (int shift = 0; shift < 64; shift += 8) {
    sealed.push_back(static_cast<std::byte>(sum >> shift & 0xff));
  }
  check(sealed);
}
