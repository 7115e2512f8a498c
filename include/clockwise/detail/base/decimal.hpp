// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_DECIMAL_HPP
#define CLOCKWISE_DETAIL_BASE_DECIMAL_HPP

#include <cstdint>  // uint64_t
#include <string>   // string

#include "clockwise/config.hpp"

namespace clockwise::detail {

CLOCKWISE_NOINLINE inline void append_decimal(std::string& text, std::uint64_t number) {
  char digits[20];
  char* const end = digits + sizeof digits;
  char* begin = end;
  do {
    *--begin = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  text.append(begin, static_cast<std::string::size_type>(end - begin));
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_DECIMAL_HPP
