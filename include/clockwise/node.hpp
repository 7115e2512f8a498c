// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_NODE_HPP
#define CLOCKWISE_NODE_HPP

// An Entry is a member to add to a partitioner; a Member is a member as stored: its node, its
// options and the number of its vnodes.
//
// A node is a std::string, an integer, or your own struct. Its id is the first of these that
// exists: node_id(node), found by argument-dependent lookup; its member `id` (data or function);
// the text itself; the decimal digits of an integer. Only the id places the node:
//
//   struct Server { std::string id; std::string address; };
//   clockwise::HashRing<clockwise::Xxh3, Server> ring({{"cache-a", "10.0.0.1"}});
//   ring.set_node({"cache-a", "10.0.0.9"});                 // another address; no key moves
//
// Ids are bytes: any length except zero, any value, compared byte by byte as unsigned.

#include <bit>          // bit_cast, bit_width
#include <concepts>     // constructible_from, convertible_to, invocable, predicate, same_as
#include <cstddef>      // nullptr_t, size_t
#include <cstdint>      // uint32_t, uint64_t
#include <iterator>     // begin, end
#include <limits>       // numeric_limits
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <type_traits>  // is_arithmetic_v, is_array_v, remove_cv_t, remove_cvref_t
#include <utility>      // declval, forward, in_range, move, pair
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/detail/base/node_id.hpp"

namespace clockwise {

/// The options of a member.
struct NodeOptions {
  double weight = 1.0;          ///< Relative share of the load; 0 drains it: it owns nothing.
  std::string rack = {};        ///< Failure domain in its datacenter; empty: its own.
  std::string datacenter = {};  ///< Empty if there is only one.
};

/// How a ring is built. Part of the placement: every program must agree.
struct RingOptions {
  std::uint32_t vnodes = 200;  ///< Vnodes of a member of weight 1: 1 to 2^24.
};

/// One row of a partitioner's node table.
template <class Node>
struct Member {
  Node node;
  double weight = 1.0;
  std::string rack = {};
  std::string datacenter = {};
  std::uint32_t vnodes = 0;  ///< Positions, slots or table entries; in other schemes 1, or 0
                             ///< for a drained member.
};

template <class Node>
struct Entry;

namespace detail {

/// Returns the options that give a member its row.
template <class Node>
NodeOptions options_of(const Member<Node>& member) {
  return {member.weight, member.rack, member.datacenter};
}

template <class T>
struct EntryNode {
  using type = T;
};
template <Text T>
struct EntryNode<T> {
  using type = std::string;
};
template <class First, class Second>
struct EntryNode<std::pair<First, Second>> : EntryNode<std::remove_cv_t<First>> {};
template <class Node>
struct EntryNode<Member<Node>> : EntryNode<Node> {};
template <class Node>
struct EntryNode<Entry<Node>> : EntryNode<Node> {};

}  // namespace detail

/// The arithmetic types that a weight can have. Characters and bool are numbers by accident only.
template <class W>
concept Weight = std::is_arithmetic_v<W> && !detail::CharacterOrBool<W>;

/// `T` can be passed as a Node: it is a Node, or converts to one implicitly and without narrowing.
/// Text converts to text; bool and characters do not convert to numbers.
template <class T, class Node>
concept NodeLike =
    std::same_as<std::remove_cvref_t<T>, Node> ||
    (detail::Text<Node> && detail::Text<std::remove_cvref_t<T>> &&
     std::constructible_from<Node, std::string_view>) ||
    (std::convertible_to<T, Node> && !detail::CharacterOrBool<std::remove_cvref_t<T>> &&
     !std::same_as<std::remove_cvref_t<T>, std::nullptr_t> &&
     (!std::is_arithmetic_v<std::remove_cvref_t<T>> ||
      requires(T&& value) { Node{std::forward<T>(value)}; }));

namespace detail {

/// Integers that are a node only if they fit: in ring.add(7), the argument is an int.
template <class N, class Node>
concept NumberFor =
    PortableInteger<Node> && !CharacterOrBool<Node> && PortableInteger<std::remove_cvref_t<N>> &&
    !CharacterOrBool<std::remove_cvref_t<N>> && !NodeLike<N, Node>;

/// Returns `number` as a node. Throws std::invalid_argument if it does not fit.
template <class Node, class N>
Node number_as(N number) {
  if (!std::in_range<Node>(number)) {
    using Limits = std::numeric_limits<Node>;
    detail::fail_invalid("a node must be between " + std::to_string((Limits::min)()) + " and " +
                         std::to_string((Limits::max)()) + ", got " + std::to_string(number));
  }
  return static_cast<Node>(number);
}

}  // namespace detail

/// A member to add: a node, a node and its weight, or a node and its NodeOptions. Pairs of these
/// and rows of another partitioner's members() convert to it.
///
///   ring.add_all({"a", {"b", 2}, {"c", {.weight = 2, .rack = "r1"}}});
///
/// {"a", "b"} is not an entry: "b" is neither a weight nor options.
template <class Node>
struct Entry {
  Node node;
  NodeOptions options = {};

  template <NodeLike<Node> N>
  Entry(N&& n) : node(to_node(std::forward<N>(n))) {}
  template <NodeLike<Node> N, Weight W>
  Entry(N&& n, W weight)
      : node(to_node(std::forward<N>(n))), options{static_cast<double>(weight)} {}
  template <NodeLike<Node> N>
  Entry(N&& n, NodeOptions o) : node(to_node(std::forward<N>(n))), options(std::move(o)) {}

  // A node in braces: {{"id", "address"}, 2}. Text in braces is refused, because std::string reads
  // {"a", "b"} as a pair of iterators.
  Entry(Node n)
    requires(!detail::Text<Node> && !std::is_arithmetic_v<Node>)
      : node(std::move(n)) {}
  template <Weight W>
    requires(!detail::Text<Node> && !std::is_arithmetic_v<Node>)
  Entry(Node n, W weight) : node(std::move(n)), options{static_cast<double>(weight)} {}
  Entry(Node n, NodeOptions o)
    requires(!detail::Text<Node> && !std::is_arithmetic_v<Node>)
      : node(std::move(n)), options(std::move(o)) {}

  // A literal: {7, 2}. Throws std::invalid_argument for a number that is not a Node.
  template <detail::NumberFor<Node> N, Weight W>
  Entry(N n, W weight) : node(detail::number_as<Node>(n)), options{static_cast<double>(weight)} {}
  template <detail::NumberFor<Node> N>
  Entry(N n, NodeOptions o) : node(detail::number_as<Node>(n)), options(std::move(o)) {}

  template <class First, class Second>
    requires(NodeLike<const First&, Node> &&
             std::constructible_from<Entry, const First&, const Second&>)
  Entry(const std::pair<First, Second>& pair) : Entry(pair.first, pair.second) {}
  template <class N>
    requires NodeLike<const N&, Node>
  Entry(const Member<N>& member) : Entry(member.node, detail::options_of(member)) {}

 private:
  template <class N>
  static Node to_node(N&& n) {
    // An array of characters need not end with a zero.
    constexpr bool is_array = std::is_array_v<std::remove_cvref_t<N>> && detail::Text<Node> &&
                              std::constructible_from<Node, std::string_view>;
    if constexpr (std::convertible_to<N, Node> && !is_array) {
      return std::forward<N>(n);
    } else {
      return Node(detail::characters_of<char>(n));
    }
  }
};

/// A range, read once, of elements that convert to an Entry<Node>.
template <class R, class Node>
concept EntryRange = requires(R& range) {
  std::begin(range) != std::end(range);
  requires std::constructible_from<Entry<Node>, decltype(*std::begin(range))>;
};

/// A range, read once, of ids or nodes. Text is not one, although it is a range of characters.
template <class R>
concept IdRange = requires(R& range) {
  std::begin(range) != std::end(range);
  requires detail::Identifies<std::remove_cvref_t<decltype(*std::begin(range))>>;
};

/// A function that update() of a scheme takes: it is called with the scheme's Edit.
template <class Fn, class Scheme>
concept EditFunction = std::invocable<Fn, typename Scheme::Edit&>;

/// A liveness predicate: is_live(node) or is_live(member) says whether a member is up.
template <class F, class Node>
concept Liveness =
    std::predicate<const F&, const Node&> || std::predicate<const F&, const Member<Node>&>;

/// The node type of a partitioner made from a range of entries: text gives std::string.
template <class Entries>
using entry_node_t = typename detail::EntryNode<
    std::remove_cvref_t<decltype(*std::begin(std::declval<Entries&>()))>>::type;

/// Maximum vnodes of a member and positions of a ring; more are refused before any allocation.
inline constexpr std::uint64_t max_vnodes_per_node = std::uint64_t{1} << 24;
inline constexpr std::uint64_t max_positions = 0xffffffff;

/// Returns a member's number of vnodes: 0 for weight 0, otherwise max(1, llround(weight * vnodes)),
/// with the product rounded to the nearest double. Saturates at 2^64 - 1. Computed in integers, so
/// all compilers and floating-point units agree. `weight` must be finite and not negative.
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
    // excess <= 32, so all bits cut off are in `low`.
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

/// Returns copies of the ids, which a range can make while it is read.
template <class Ids>
std::vector<std::string> ids_in(Ids& range) {
  std::vector<std::string> ids;
  for (auto&& id : range) ids.emplace_back(std::string_view(detail::id_of(id)));
  return ids;
}

/// Returns the index of `id` in members in id order, or the index where it would be inserted.
template <class Members>
std::size_t index_in(const Members& members, std::string_view id) {
  std::size_t first = 0;
  for (std::size_t length = members.size(); length > 0;) {
    const std::size_t half = length / 2;
    const auto middle = detail::id_of(members[first + half].node);
    if (std::string_view(middle) < id) {
      first += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return first;
}

template <class IsLive, class Node>
bool is_live(const IsLive& predicate, const Member<Node>& member) {
  if constexpr (std::predicate<const IsLive&, const Node&>) {
    return predicate(member.node);
  } else {
    return predicate(member);
  }
}

inline void check_id(std::string_view id) {
  if (id.empty()) fail_invalid("a node's id must not be empty");
}

/// Returns the weight. Throws std::invalid_argument if it is negative, NaN or infinite. Tests bits,
/// which -ffast-math cannot remove. -0.0 becomes 0.0, so equal members have equal bytes.
inline double checked_weight(std::string_view id, double weight) {
  const auto bits = std::bit_cast<std::uint64_t>(weight);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if (bits == sign) return 0.0;
  if ((bits & sign) != 0 || (bits >> 52 & 0x7ff) == 0x7ff) {
    detail::fail_invalid(
        {"weight of node ", Part::id(id), " must be finite and not negative, got ", weight});
  }
  return weight;
}

}  // namespace detail
}  // namespace clockwise

#endif  // CLOCKWISE_NODE_HPP
