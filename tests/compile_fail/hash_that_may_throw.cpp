// SPDX-License-Identifier: MIT
// expect: is not .noexcept|may throw an exception
#include <clockwise/hash_ring.hpp>

#if CLOCKWISE_TEST_MISUSE
constexpr bool may_throw = true;
#else
constexpr bool may_throw = false;
#endif

struct Fnv1a {
  static constexpr std::string_view name = "fnv1a-64";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept(!may_throw) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::byte byte : bytes) {
      hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
    }
    return hash;
  }
};

const std::string& owner(const clockwise::HashRing<Fnv1a>& ring) { return ring.lookup("key"); }
