// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_NODE_ID_HPP
#define CLOCKWISE_DETAIL_BASE_NODE_ID_HPP

#include <charconv>     // to_chars
#include <concepts>     // same_as
#include <string>       // string
#include <string_view>  // string_view
#include <type_traits>  // is_enum_v, is_lvalue_reference_v, remove_cvref_t, underlying_type_t

#include "clockwise/detail/base/kinds.hpp"

namespace clockwise::detail {

/// The decimal digits of an integer id, without a heap allocation.
class IntegerId {
 public:
  template <class Integer>
  explicit IntegerId(Integer value) noexcept
      : length_(static_cast<unsigned char>(
            std::to_chars(digits_, digits_ + sizeof digits_, value).ptr - digits_)) {}
  operator std::string_view() const noexcept { return {digits_, length_}; }

 private:
  char digits_[20];
  unsigned char length_;
};

template <class Node>
concept HasNodeId = requires(const Node& node) { node_id(node); };
template <class Node>
concept HasIdFunction = requires(const Node& node) { node.id(); };
template <class Node>
concept HasIdMember = requires(const Node& node) { node.id; };

/// A node or an id: the argument of id_of.
template <class T>
concept Identifies = HasNodeId<T> || HasIdFunction<T> || HasIdMember<T> || Text<T> ||
                     std::is_enum_v<T> || (PortableInteger<T> && !CharacterOrBool<T>);

/// Returns an id as bytes: a view of `id` if that outlives the call, otherwise a copy. Both convert
/// to std::string_view.
template <class Id>
auto id_text(Id&& id) {
  using T = std::remove_cvref_t<Id>;
  if constexpr (Text<T>) {
    const std::string_view text = detail::characters_of<char>(id);
    if constexpr (std::is_lvalue_reference_v<Id> || std::same_as<T, std::string_view> ||
                  std::is_pointer_v<T>) {
      return text;
    } else {
      return std::string(text);
    }
  } else if constexpr (std::is_enum_v<T>) {
    return detail::id_text(static_cast<std::underlying_type_t<T>>(id));
  } else if constexpr (PortableInteger<T> && !CharacterOrBool<T>) {
    return IntegerId(id);
  } else {
    static_assert(!sizeof(T),
                  "clockwise: a node must be text, an integer, or a struct whose id is given by a "
                  "free function node_id(node) or a member `id`, as text or an integer of up to 64 "
                  "bits (but not bool, nor plain char or wchar_t, which differ between platforms)");
  }
}

/// Returns the id of a node, or of an id itself, as in remove(id).
template <class Node>
auto id_of(const Node& node) {
  if constexpr (HasNodeId<Node>) {
    return detail::id_text(node_id(node));
  } else if constexpr (HasIdFunction<Node>) {
    return detail::id_text(node.id());
  } else if constexpr (HasIdMember<Node>) {
    return detail::id_text(node.id);
  } else {
    return detail::id_text(node);
  }
}

template <class Node>
bool has_id(const Node& node, std::string_view id) {
  const auto own = detail::id_of(node);
  return std::string_view(own) == id;
}

/// Whether two nodes or ids are of one node.
template <class One, class Other>
bool same_id(const One& one, const Other& other) {
  const auto id = detail::id_of(other);
  return detail::has_id(one, id);
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_NODE_ID_HPP
