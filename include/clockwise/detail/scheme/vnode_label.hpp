// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_VNODE_LABEL_HPP
#define CLOCKWISE_DETAIL_SCHEME_VNODE_LABEL_HPP

#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <string>       // string
#include <string_view>  // string_view

#include "clockwise/detail/base/decimal.hpp"

namespace clockwise::detail {

/// The texts whose hashes are the positions of a node's vnodes: "id#0", "id#1", and so on.
class VnodeLabel {
 public:
  VnodeLabel(std::string_view id, std::uint32_t number) : text_(id) {
    text_ += '#';
    first_digit_ = text_.size();
    append_decimal(text_, number);
  }

  std::string_view text() const noexcept { return text_; }

  void increment() {
    std::size_t i = text_.size();
    while (text_[--i] == '9') text_[i] = '0';
    if (i >= first_digit_) {
      ++text_[i];
    } else {  // 99 has become 00
      text_[first_digit_] = '1';
      text_ += '0';
    }
  }

 private:
  std::string text_;
  std::size_t first_digit_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_VNODE_LABEL_HPP
