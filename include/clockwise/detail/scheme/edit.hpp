// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_EDIT_HPP
#define CLOCKWISE_DETAIL_SCHEME_EDIT_HPP

// A change of members while it is collected, and as the scheme gets it. Every mutator of every
// partitioner goes this way, so each change is checked, prepared separately, and all or nothing.

#include <cstddef>           // size_t
#include <cstdint>           // uint32_t
#include <initializer_list>  // initializer_list
#include <optional>          // optional
#include <string>            // string
#include <string_view>       // string_view
#include <type_traits>       // is_nothrow_move_assignable_v
#include <utility>           // forward, move

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/id_tree.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/base/plain_vector.hpp"
#include "clockwise/node.hpp"

namespace clockwise::detail {

/// The spellings of add() and add_all(), for schemes, their edits and the types that hold a scheme.
/// `Derived` offers add_entry(Entry<Node>) and add_entries(range), which return a `Result`.
template <class Derived, class Node, class Result = void>
class AddsEntries {
 public:
  Result add(Entry<Node> entry) { return self().add_entry(std::move(entry)); }
  template <NodeLike<Node> N>
  Result add(N&& node) {
    return self().add_entry(Entry<Node>(std::forward<N>(node)));
  }
  template <NodeLike<Node> N, Weight W>
  Result add(N&& node, W weight) {
    return self().add_entry(Entry<Node>(std::forward<N>(node), weight));
  }
  template <NodeLike<Node> N>
  Result add(N&& node, NodeOptions options) {
    return self().add_entry(Entry<Node>(std::forward<N>(node), std::move(options)));
  }

  // A node in braces.
  Result add(Node node)
    requires(!Text<Node> && !std::is_arithmetic_v<Node>)
  {
    return self().add_entry(Entry<Node>(std::move(node)));
  }
  template <Weight W>
    requires(!Text<Node> && !std::is_arithmetic_v<Node>)
  Result add(Node node, W weight) {
    return self().add_entry(Entry<Node>(std::move(node), weight));
  }
  Result add(Node node, NodeOptions options)
    requires(!Text<Node> && !std::is_arithmetic_v<Node>)
  {
    return self().add_entry(Entry<Node>(std::move(node), std::move(options)));
  }

  // A literal, or any integer. Throws std::invalid_argument for a number that is not a Node.
  template <NumberFor<Node> N>
  Result add(N node) {
    return self().add_entry(Entry<Node>(detail::number_as<Node>(node)));
  }
  template <NumberFor<Node> N, Weight W>
  Result add(N node, W weight) {
    return self().add_entry(Entry<Node>(node, weight));
  }
  template <NumberFor<Node> N>
  Result add(N node, NodeOptions options) {
    return self().add_entry(Entry<Node>(node, std::move(options)));
  }

  template <EntryRange<Node> Entries>
  Result add_all(Entries&& entries) {  // not const: reading a single-pass range can change it
    return self().add_entries(entries);
  }
  Result add_all(std::initializer_list<Entry<Node>> entries) { return self().add_entries(entries); }
  Result add_all(std::initializer_list<Node> nodes)
    requires(!Text<Node>)
  {
    return self().add_entries(nodes);
  }

 private:
  Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

/// Only its row of the node table places a member.
struct NoExtra {};

/// The future of one id: a PendingMember, or only its node, if it leaves.
struct PendingId : IdNode {
  PendingId(std::string_view text, bool stays) : IdNode(text), is_member(stays) {}

  bool is_member;
};

/// The data that places a member in addition to its row.
template <class Extra>
struct PendingExtra {
  static_assert(std::is_nothrow_move_assignable_v<Extra>);
  std::optional<Extra> extra = {};  ///< Empty: unchanged.
};
template <>
struct PendingExtra<NoExtra> {};

/// A member after the change.
template <class Node, class Extra>
struct PendingMember : PendingId, PendingExtra<Extra> {
  PendingMember(std::string_view text, Node&& node, double weight, NodeOptions&& options,
                std::uint32_t vnodes)
      : PendingId(text, true),
        member{std::move(node), weight, std::move(options.rack), std::move(options.datacenter),
               vnodes} {}

  Member<Node> member;
  /// 0: it was a member and stays. Otherwise its turn among the members that join.
  std::size_t turn = 0;
};

/// The change of one member. A member that joined and left in one edit has neither side.
template <class Node, class Index, class Extra>
struct MemberStep {
  std::string_view id;
  const Member<Node>* before;               ///< nullptr: it joins.
  const PendingMember<Node, Extra>* after;  ///< nullptr: it leaves.
  Index old_index;                          ///< Its index before, if it was a member,
  Index new_index;                          ///< and after, if it is one.
};

/// A change as a scheme gets it, to prepare its placement.
template <class Node, class Index, class Extra>
struct MembershipChange {
  using Step = MemberStep<Node, Index, Extra>;

  PlainVector<Member<Node>*> members;  ///< The members after the change, in id order.
  PlainVector<std::uint32_t> vnodes;   ///< The number of vnodes of each. The scheme corrects it.
  PlainVector<Index> renumber;         ///< From old index to new; npos: it leaves.
  PlainVector<Step> steps;             ///< In id order.
};

/// The argument of update()'s function: the mutators of the scheme, each of which sees the effects
/// of the previous ones. The scheme changes only after the function has returned. A mutator that
/// throws has changed nothing, except that add_all can have added some members.
///
/// A scheme's Edit derives from this as `Self`.
template <class Self, class Scheme, class Node, class Extra = NoExtra>
class Edit : public AddsEntries<Self, Node> {
  using Adds = AddsEntries<Self, Node>;

 public:
  explicit Edit(const Scheme& scheme) : scheme_(scheme) {}

  /// Removes a member; returns false if absent. `id` is an id or a node.
  template <class Id>
  bool remove(const Id& id) {
    const auto text = detail::id_of(id);
    if (find(text) == nullptr) return false;
    changes_.put(new PendingId(text, false));
    return true;
  }

  /// Throws std::out_of_range if `id` is not a member, std::invalid_argument if the scheme does not
  /// accept the weight.
  template <class Id, Weight W>
  void set_weight(const Id& id, W weight) {
    const auto text = detail::id_of(id);
    NodeOptions options = detail::options_of(present(text, "set_weight"));
    options.weight = static_cast<double>(weight);
    set_options(text, options);
  }

  /// Sets weight, rack and datacenter at once. Throws as set_weight.
  template <class Id>
  void set_options(const Id& id, const NodeOptions& options) {
    const auto text = detail::id_of(id);
    const Member<Node>& member = present(text, "set_options");
    put(text, Node(member.node), NodeOptions(options));
  }

  /// Replaces the node that has the id of `node`; the rest of the member is unchanged. Throws
  /// std::out_of_range if the id is not a member.
  void set_node(Node node) {
    const auto text = detail::id_of(node);
    put(text, std::move(node), detail::options_of(present(text, "set_node")));
  }

  template <class Id>
  bool contains(const Id& id) const {
    return find(detail::id_of(id)) != nullptr;
  }

 protected:
  using Pending = PendingMember<Node, Extra>;

  /// Adds a node. Throws std::invalid_argument if it is already a member.
  CLOCKWISE_NOINLINE Pending& join(Entry<Node> entry) {
    const auto id = detail::id_of(entry.node);
    detail::check_id(id);
    if (find(id) != nullptr) detail::fail_member_already(id);
    Pending& joining = put(id, std::move(entry.node), std::move(entry.options));
    joining.turn = ++turns_;
    return joining;
  }

  /// The member after the change. Throws std::out_of_range, naming the caller, if it is not one.
  const Member<Node>& present(std::string_view id, const char* caller) const {
    const Member<Node>* const member = find(id);
    if (member == nullptr) detail::fail_not_a_member(caller, id);
    return *member;
  }

  /// The member after the change; nullptr if it will not be one.
  const Member<Node>* find(std::string_view id) const {
    if (IdNode* const change = changes_.find(id)) {
      const Pending* const pending = as_member(change);
      return pending == nullptr ? nullptr : &pending->member;
    }
    const auto index = scheme_.index_of(id);
    return index == Scheme::npos ? nullptr : &scheme_.members()[index];
  }

  /// The pending change of a member; nullptr if it has none, or leaves.
  Pending* pending_of(std::string_view id) const {
    IdNode* const change = changes_.find(id);
    return change == nullptr ? nullptr : as_member(change);
  }

  /// A pending change for which `wanted(pending)` holds; nullptr if none does. O(changes).
  template <class Wanted>
  const Pending* find_pending(Wanted wanted) const {
    for (IdNode* const change : changes_.in_order()) {
      const Pending* const pending = as_member(change);
      if (pending != nullptr && wanted(*pending)) return pending;
    }
    return nullptr;
  }

  /// A change of a member that stays, for changing the data that places it.
  Pending& changed(std::string_view id, const char* caller) {
    const Member<Node>& member = present(id, caller);
    return put(id, Node(member.node), detail::options_of(member));
  }

  const Scheme& scheme() const { return scheme_; }

  void add_entry(Entry<Node> entry) { join(std::move(entry)); }
  template <class Entries>
  void add_entries(Entries& entries) {
    for (auto&& entry : entries) {
      static_cast<Self&>(*this).add_entry(Entry<Node>(std::forward<decltype(entry)>(entry)));
    }
  }

 private:
  friend Adds;
  template <class, class N, std::unsigned_integral, class, class>
  friend class Surface;

  /// Replaces the change of `id`, except the turn in which it joins and the data that places it.
  CLOCKWISE_NOINLINE Pending& put(std::string_view id, Node&& node, NodeOptions&& options) {
    const double weight = scheme_.weight_taken(id, options.weight);
    auto* const pending = new Pending(id, std::move(node), weight, std::move(options),
                                      scheme_.vnodes_for(id, weight));
    if (Pending* const before = pending_of(pending->id)) {
      pending->turn = before->turn;
      if constexpr (requires { pending->extra; }) pending->extra = std::move(before->extra);
    }
    changes_.put(pending);
    return *pending;
  }

  /// Returns nullptr if it leaves.
  static Pending* as_member(IdNode* change) {
    return static_cast<PendingId*>(change)->is_member ? static_cast<Pending*>(change) : nullptr;
  }

  const Scheme& scheme_;
  IdTree changes_;  // of PendingId
  std::size_t turns_ = 0;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_EDIT_HPP
