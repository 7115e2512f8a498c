// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_HASH_HPP
#define CLOCKWISE_HASH_HPP

// Hash policies, positions and the bytes of a key. A ring hashes keys and vnode labels with one
// policy; std::hash never decides placement: it can differ between programs.

#include <array>        // array
#include <compare>      // strong_ordering
#include <concepts>     // same_as
#include <cstddef>      // byte, size_t
#include <cstdint>      // uint64_t
#include <span>         // span, as_bytes
#include <string>       // string
#include <string_view>  // string_view, u8string_view
#include <type_traits>  // is_enum_v, underlying_type_t

#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/hash_function.hpp"

// xxHash is compiled into the caller, so a short key costs a few instructions and no call.
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#include <xxhash.h>
#undef XXH_INLINE_ALL
#else
#include <xxhash.h>
#endif

namespace clockwise {

/// A position on the circle of 64-bit unsigned integers: a hash computed earlier. Lookups accept it
/// as a key and skip hashing.
enum class Position : std::uint64_t {};

inline std::uint64_t Xxh3::operator()(std::span<const std::byte> bytes) const noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

inline std::uint64_t Xxh64::operator()(std::span<const std::byte> bytes) const noexcept {
  return XXH64(bytes.data(), bytes.size(), seed);
}

/// 128 bits that tell whether two programs place keys alike.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend constexpr auto operator<=>(const Fingerprint&, const Fingerprint&) = default;

  /// 32 lower-case hexadecimal digits, `high` first.
  friend std::string to_string(const Fingerprint& fingerprint) {
    std::string text;
    for (const std::uint64_t half : {fingerprint.high, fingerprint.low}) {
      for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[half >> shift & 15];
    }
    return text;
  }
};

namespace detail {

template <class T>
inline constexpr bool always_false = false;

/// Returns the hash of `key`'s bytes under the placement contract: text as its characters, bytes
/// unchanged, an integer or enum widened to 64 bits and written little-endian. A Position is
/// returned unchanged.
template <HashFunction Hash, class Key>
std::uint64_t hash_key(const Hash& hash, const Key& key) noexcept {
  if constexpr (std::same_as<Key, Position>) {
    return static_cast<std::uint64_t>(key);
  } else if constexpr (Text<Key>) {
    const std::string_view text = detail::characters_of<char>(key);
    return hash(std::as_bytes(std::span(text.data(), text.size())));
  } else if constexpr (Utf8Text<Key>) {
    const std::u8string_view text = detail::characters_of<char8_t>(key);
    return hash(std::as_bytes(std::span(text.data(), text.size())));
  } else if constexpr (Bytes<Key>) {
    return hash(detail::bytes_of(key));
  } else if constexpr (std::is_enum_v<Key>) {
    return detail::hash_key(hash, static_cast<std::underlying_type_t<Key>>(key));
  } else if constexpr (PortableInteger<Key>) {
    const auto wide = static_cast<std::uint64_t>(key);
    std::array<std::byte, 8> bytes;
    for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(wide >> (8 * i) & 0xff);
    return hash(bytes);
  } else {
    static_assert(always_false<Key>,
                  "clockwise: a key must be text, contiguous bytes, an integer or enum of up to "
                  "64 bits (not bool, nor plain char or wchar_t, which differ between platforms), "
                  "or a Position");
    return 0;
  }
}

/// Returns a 128-bit digest for fingerprints and checksums, the same on every platform.
inline Fingerprint digest(std::string_view bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

/// Identifies a configured policy: its hash of a fixed text, which a seed changes.
template <HashFunction Hash>
std::uint64_t policy_probe(const Hash& hash) noexcept {
  return detail::hash_key(hash, std::string_view("clockwise policy probe"));
}

}  // namespace detail

/// Returns the position of `key` by a hash policy, as in every scheme with this policy. For your
/// own rings, and for keys that are hashed once and looked up several times.
template <HashFunction Hash, class Key>
Position position_of(const Hash& hash, const Key& key) noexcept {
  return Position{detail::hash_key(hash, key)};
}

}  // namespace clockwise

#endif  // CLOCKWISE_HASH_HPP
