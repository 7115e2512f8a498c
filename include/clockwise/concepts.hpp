// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_CONCEPTS_HPP
#define CLOCKWISE_CONCEPTS_HPP

#include <concepts>     // convertible_to
#include <cstddef>      // size_t
#include <string_view>  // string_view

namespace clockwise {

/// What every placement scheme can do, so that code written for one runs on all: name the owner of
/// a key, name the first r distinct nodes for it, take a node in, let one go, and say each node's
/// share of the key space.
template <class P>
concept Partitioner = requires(P& scheme, const P& view, const typename P::node_type& node,
                               std::string_view key) {
  typename P::node_type;
  { view.lookup(key) } -> std::convertible_to<const typename P::node_type&>;
  { view.preference_list(key, std::size_t{3}).size() } -> std::convertible_to<std::size_t>;
  scheme.add(node);
  scheme.remove(node);
  { (*view.load_shares().begin()).second } -> std::convertible_to<double>;
};

}  // namespace clockwise

#endif  // CLOCKWISE_CONCEPTS_HPP
