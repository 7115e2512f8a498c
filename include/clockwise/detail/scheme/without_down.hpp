// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_WITHOUT_DOWN_HPP
#define CLOCKWISE_DETAIL_SCHEME_WITHOUT_DOWN_HPP

#include <initializer_list>  // initializer_list
#include <string_view>       // string_view

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/kinds.hpp"
#include "clockwise/node.hpp"

namespace clockwise::detail {

/// The spellings of without(), for rings of engines that place keys only by the servers that are
/// up. `Ring` offers take_down(edit, name).
template <class Ring>
class WithoutDown {
 public:
  template <IdRange Names>
  [[nodiscard]] Ring without(
      Names&& down) const {  // not const: reading a single-pass range can change it
    return rebuilt(detail::ids_in(down));
  }
  [[nodiscard]] Ring without(std::initializer_list<ListedText> down) const { return rebuilt(down); }

 private:
  template <class Names>
  Ring rebuilt(const Names& down) const {
    Ring ring = static_cast<const Ring&>(*this);
    for (const std::string_view name : down) {
      if (!ring.contains(name)) detail::fail_not_a_member("without", name);
    }
    ring.update([&](auto& edit) {
      for (const std::string_view name : down) Ring::take_down(edit, name);
    });
    return ring;
  }
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_WITHOUT_DOWN_HPP
