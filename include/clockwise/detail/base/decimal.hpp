// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_DECIMAL_HPP
#define CLOCKWISE_DETAIL_BASE_DECIMAL_HPP

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <string_view>  // string_view

#include "clockwise/config.hpp"

namespace clockwise::detail {

/// Writes a number in decimal digits to `buffer`, which has room for 20, and returns them.
CLOCKWISE_NOINLINE inline std::string_view decimal(std::uint64_t number, char* buffer) noexcept {
  char* const end = buffer + 20;
  char* begin = end;
  do {
    *--begin = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_DECIMAL_HPP
