// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_CONCEPTS_HPP
#define CLOCKWISE_CONCEPTS_HPP

// What functions and class templates require of a placement. Each names the concept that it needs,
// so that wrong use fails at the call, with that name.

#include <concepts>     // convertible_to, copyable, equality_comparable
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <span>         // span
#include <string_view>  // string_view

#include "clockwise/fwd.hpp"

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

/// A placement whose keys are owned by arcs of a circle: sorted positions, the owner of each, and
/// the members by which owners are numbered. Movement, plans and durability are computed from it.
/// Models: HashRing, TokenRing, SlotMap, every engine ring, and your own rings (listed_ring.hpp).
template <class R>
concept Ring = Placement<R> && requires(const R& ring, const typename R::node_type& node,
                                        typename R::index_type index, Position position) {
  { ring.positions() } -> std::convertible_to<std::span<const std::uint64_t>>;
  { ring.owners() } -> std::convertible_to<std::span<const typename R::index_type>>;
  { ring.members() } -> std::convertible_to<std::span<const Member<typename R::node_type>>>;
  { ring.node(index) } -> std::convertible_to<const typename R::node_type&>;
  { ring.index_of(node) } -> std::convertible_to<typename R::index_type>;
  { ring.lookup_index(position) } -> std::convertible_to<typename R::index_type>;
  { ring.position_of(position) } -> std::convertible_to<Position>;
  { ring.circle() } -> std::convertible_to<std::uint64_t>;
};

namespace detail {

struct AnyEdit {
  template <class Edit>
  void operator()(Edit& edit) const;
};

}  // namespace detail

/// Any member can be removed, by node or id.
template <class P>
concept RemovesAny = requires(P& scheme, const typename P::node_type& node) {
  { scheme.remove(node) } -> std::convertible_to<bool>;
};

/// Only the last member can be removed.
template <class P>
concept RemovesLast = requires(P& scheme) { scheme.pop(); };

/// What every scheme supports, so code written for one runs on all: a Placement whose members join,
/// change and leave. Code that must remove a particular node also requires RemovesAny, which
/// JumpHash is not: it can only remove its last node.
template <class P>
concept Partitioner =
    Placement<P> && std::copyable<P> && std::equality_comparable<P> &&
    (RemovesAny<P> || RemovesLast<P>) &&
    requires(P& scheme, const P& view, const typename P::node_type& node,
             const NodeOptions& options, Position position, std::string_view key,
             std::span<const Position> positions, std::span<typename P::index_type> owners) {
      scheme.add(node);
      scheme.add(node, options);
      scheme.add_all(view.members());
      scheme.set_weight(node, 1.0);
      scheme.set_options(node, options);
      scheme.update(detail::AnyEdit());
      scheme.clear();
      { view.contains(node) } -> std::convertible_to<bool>;
      { view.index_of(node) } -> std::convertible_to<typename P::index_type>;
      { view.members()[0].node } -> std::convertible_to<const typename P::node_type&>;
      { view.size() } -> std::convertible_to<std::size_t>;
      { view.empty() } -> std::convertible_to<bool>;
      { view.try_lookup(key) } -> std::convertible_to<const typename P::node_type*>;
      { view.position_of(key) } -> std::convertible_to<Position>;
      { view.lookup_index(position) } -> std::convertible_to<typename P::index_type>;
      view.lookup_batch(positions, owners);
      { view.fingerprint() } -> std::convertible_to<Fingerprint>;
      { view.memory_bytes() } -> std::convertible_to<std::size_t>;
    };

}  // namespace clockwise

#endif  // CLOCKWISE_CONCEPTS_HPP
