// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_VNODE_LABEL_HPP
#define CLOCKWISE_DETAIL_SCHEME_VNODE_LABEL_HPP

#include <cstddef>      // size_t
#include <cstdint>      // uint32_t
#include <string_view>  // string_view

#include "clockwise/detail/base/decimal.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// The texts whose hashes are the positions of a node's vnodes: "id#0", "id#1", and so on.
class VnodeLabel {
 public:
  VnodeLabel(std::string_view id, std::uint32_t number) {
    char buffer[20];
    const std::string_view digits = decimal(number, buffer);
    text_.reserve(id.size() + 11);
    text_.append(id.data(), id.size());
    text_.push_back('#');
    first_digit_ = text_.size();
    text_.append(digits.data(), digits.size());
  }

  std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

  void increment() {
    std::size_t i = text_.size();
    while (text_[--i] == '9') text_[i] = '0';
    if (i >= first_digit_) {
      ++text_[i];
    } else {  // 99 became 00
      text_[first_digit_] = '1';
      text_.push_back('0');
    }
  }

 private:
  PlainVector<char> text_;
  std::size_t first_digit_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_VNODE_LABEL_HPP
