// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_NODE_HPP
#define CLOCKWISE_NODE_HPP

// What a ring knows of a member: its id, its options and how many vnodes they come to.
//
// A node is a std::string, an integer, or a struct of yours. Its id is, in this order, what
// node_id(node) gives (found by argument-dependent lookup), its member `id` (data or function), the
// text itself, or the decimal digits of an integer. The id alone places the node:
//
//   struct Server { std::string id; std::string address; };
//   clockwise::HashRing<clockwise::Xxh3, Server> ring;      // an address may change, no key moves
//
// Ids are bytes: any length but zero, any value, ordered byte by byte as unsigned.

#include <bit>          // bit_cast, bit_width
#include <cstddef>      // size_t
#include <cstdint>      // uint32_t, uint64_t
#include <string>       // string, to_string
#include <string_view>  // string_view

#include "clockwise/detail/error.hpp"
#include "clockwise/detail/node_id.hpp"

namespace clockwise {

/// How a member takes part.
struct NodeOptions {
  double weight = 1.0;    ///< Share of the load beside the others'; 0 drains it: it owns nothing.
  std::string rack = {};  ///< Failure domain inside its datacenter; empty: one of its own.
  std::string datacenter = {};  ///< Empty where there is only one.
};

/// How a ring is built. A part of the placement: every program has to use the same.
struct RingOptions {
  std::uint32_t vnodes = 200;  ///< Vnodes of a member of weight 1; from 1 to 2^24.
};

/// One row of a ring's node table.
template <class Node>
struct Member {
  Node node;
  double weight = 1.0;
  std::string rack = {};
  std::string datacenter = {};
  std::uint32_t vnodes = 0;  ///< Positions on the ring: vnode_count(weight, options.vnodes).
};

/// A member has at most this many vnodes and a ring at most that many positions; more is refused
/// before any memory is taken.
inline constexpr std::uint64_t max_vnodes_per_node = std::uint64_t{1} << 24;
inline constexpr std::uint64_t max_positions = 0xffffffff;

/// The vnodes of a member: 0 for weight 0, else max(1, llround(weight * vnodes)), the product being
/// the nearest double. Computed in integers, so that every compiler and floating-point unit agrees.
/// `weight` is finite and not negative. Saturates at 2^64 - 1.
constexpr std::uint64_t vnode_count(double weight, std::uint32_t vnodes) {
  const auto bits = std::bit_cast<std::uint64_t>(weight);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  const auto biased_exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t mantissa =
      biased_exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  int exponent = (biased_exponent == 0 ? 1 : biased_exponent) - 1075;
  if (mantissa == 0 || vnodes == 0) return 0;

  // mantissa * vnodes, at most 85 bits, as high * 2^32 + low.
  const std::uint64_t low_product = (mantissa & 0xffffffff) * vnodes;
  const std::uint64_t high = (mantissa >> 32) * vnodes + (low_product >> 32);
  const std::uint64_t low = low_product & 0xffffffff;

  // To 53 significant bits, ties to even: what a double holds.
  std::uint64_t product = 0;
  const int width = high == 0 ? static_cast<int>(std::bit_width(low))
                              : 32 + static_cast<int>(std::bit_width(high));
  if (const int excess = width - 53; excess <= 0) {
    product = high << 32 | low;
  } else {
    // excess <= 32, so what is cut off lies in `low`.
    const std::uint64_t cut = low & ((std::uint64_t{1} << excess) - 1);
    const std::uint64_t half = std::uint64_t{1} << (excess - 1);
    product = high << (32 - excess) | low >> excess;
    if (cut > half || (cut == half && (product & 1) != 0)) ++product;
    exponent += excess;
  }

  // To an integer, halves away from zero.
  if (exponent > 10) return ~std::uint64_t{0};
  if (exponent >= 0) return product << exponent;
  if (exponent < -54) return 1;
  const std::uint64_t rounded = (product + (std::uint64_t{1} << (-exponent - 1))) >> -exponent;
  return rounded == 0 ? 1 : rounded;
}

namespace detail {

/// Members in id order: the place of `id`, or where it would go.
template <class Members>
std::size_t place_of(const Members& members, std::string_view id) {
  std::size_t first = 0;
  for (std::size_t length = members.size(); length > 0;) {
    const std::size_t half = length / 2;
    const auto middle = id_of(members[first + half].node);
    if (std::string_view(middle) < id) {
      first += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return first;
}

inline void check_id(std::string_view id) {
  if (id.empty()) fail_invalid("a node's id is empty");
}

/// Refuses a weight that is negative, NaN or infinite. Reads bits, so that -ffast-math cannot
/// remove the check; -0.0 becomes 0.0, so that equal members have equal bytes.
inline double checked_weight(std::string_view id, double weight) {
  const auto bits = std::bit_cast<std::uint64_t>(weight);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if (bits == sign) return 0.0;
  if ((bits & sign) != 0 || (bits >> 52 & 0x7ff) == 0x7ff) {
    fail_invalid("node " + quoted(id) + " has weight " + std::to_string(weight) +
                 "; a weight is finite and not negative");
  }
  return weight;
}

}  // namespace detail
}  // namespace clockwise

#endif  // CLOCKWISE_NODE_HPP
