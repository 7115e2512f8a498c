// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_CONCEPTS_HPP
#define CLOCKWISE_CONCEPTS_HPP

#include <concepts>     // convertible_to
#include <cstddef>      // size_t
#include <string_view>  // string_view

namespace clockwise {

/// The queries of a placement: the owner of a key, the first r distinct nodes for it, and each
/// node's share of the key space.
template <class P>
concept Placement = requires(const P& view, std::string_view key) {
  typename P::node_type;
  { view.lookup(key) } -> std::convertible_to<const typename P::node_type&>;
  { view.preference_list(key, std::size_t{3}).size() } -> std::convertible_to<std::size_t>;
  { (*view.load_shares().begin()).second } -> std::convertible_to<double>;
};

/// Any member can be removed, by node or id.
template <class P>
concept RemovesAny = requires(P& scheme, const typename P::node_type& node) {
  { scheme.remove(node) } -> std::convertible_to<bool>;
};

/// Only the last member can be removed.
template <class P>
concept RemovesLast = requires(P& scheme) { scheme.pop(); };

/// What every scheme supports, so code written for one runs on all: a Placement that nodes can join
/// and leave. Code that must remove a particular node also requires RemovesAny, which JumpHash is
/// not: it can only remove its last node.
template <class P>
concept Partitioner = Placement<P> && (RemovesAny<P> || RemovesLast<P>) &&
                      requires(P& scheme, const typename P::node_type& node) { scheme.add(node); };

}  // namespace clockwise

#endif  // CLOCKWISE_CONCEPTS_HPP
