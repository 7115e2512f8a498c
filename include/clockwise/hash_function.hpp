// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_HASH_FUNCTION_HPP
#define CLOCKWISE_HASH_FUNCTION_HPP

// The hash policies without xxHash itself, so that fwd.hpp can name HashRing<> at no cost.

#include <concepts>     // convertible_to, copy_constructible, same_as
#include <cstddef>      // byte
#include <cstdint>      // uint64_t
#include <span>         // span
#include <string_view>  // string_view

namespace clockwise {

/// A hash policy: `h(bytes)` is noexcept and returns 64 bits, the same on every platform; `H::name`
/// names the function and is part of fingerprints. A policy can have a seed. Assigning a scheme
/// assigns its policy, which must not throw.
template <class H>
concept HashFunction =
    std::copy_constructible<H> && requires(const H& hash, std::span<const std::byte> bytes) {
      { hash(bytes) } noexcept -> std::same_as<std::uint64_t>;
      { H::name } -> std::convertible_to<std::string_view>;
    };

/// XXH3, 64 bits: the default. Source: the xxHash specification.
struct Xxh3 {
  std::uint64_t seed = 0;
  static constexpr std::string_view name = "xxh3-64";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept;
};

/// XXH64, for fleets that already use it (Envoy, gRPC and others). Source: the xxHash
/// specification.
struct Xxh64 {
  std::uint64_t seed = 0;
  static constexpr std::string_view name = "xxh64";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept;
};

}  // namespace clockwise

#endif  // CLOCKWISE_HASH_FUNCTION_HPP
