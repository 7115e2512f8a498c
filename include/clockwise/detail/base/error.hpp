// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_ERROR_HPP
#define CLOCKWISE_DETAIL_BASE_ERROR_HPP

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <stdexcept>    // invalid_argument, length_error, out_of_range
#include <string>       // string, to_string
#include <string_view>  // string_view

#include "clockwise/config.hpp"

#if CLOCKWISE_NO_EXCEPTIONS
#include <cstdio>   // fprintf, stderr
#include <cstdlib>  // abort
#endif

namespace clockwise::detail {

/// The one place where the library fails. `Error` must be constructible from a std::string.
template <class Error>
[[noreturn]] inline void fail(const std::string& message) {
#if CLOCKWISE_NO_EXCEPTIONS
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#else
  throw Error(message);
#endif
}

[[noreturn]] inline void fail_invalid(const std::string& message) {
  fail<std::invalid_argument>("clockwise: " + message);
}
[[noreturn]] inline void fail_length(const std::string& message) {
  fail<std::length_error>("clockwise: " + message);
}
[[noreturn]] inline void fail_range(const std::string& message) {
  fail<std::out_of_range>("clockwise: " + message);
}

/// Formats an id for a message: in quotes, bytes that are not printable ASCII as \xNN, cut to fit a
/// line. An object, because a call of a function by this name with a std::string would also find
/// std::quoted if <iomanip> is included.
struct Quoted {
  std::string operator()(std::string_view id) const;
};
inline constexpr Quoted quoted{};

inline std::string Quoted::operator()(std::string_view id) const {
  constexpr std::size_t longest = 64;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : id.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\') {
      text += "\\x";
      text += digits[byte >> 4];
      text += digits[byte & 15];
    } else {
      text += c;
    }
  }
  text += id.size() > longest ? "\"..." : "\"";
  return text;
}

// What several places report, in one wording.

[[noreturn]] inline void fail_nothing_owned(const char* caller, std::size_t members) {
  fail_range(std::string(caller) + ": none of the " + std::to_string(members) +
             " members owns anything");
}
[[noreturn]] inline void fail_not_a_member(const char* caller, std::string_view id) {
  fail_range(std::string(caller) + ": " + quoted(id) + " is not a member");
}
[[noreturn]] inline void fail_member_already(std::string_view id) {
  fail_invalid("node " + quoted(id) + " is already a member");
}
[[noreturn]] inline void fail_too_many_members(std::uint64_t members, std::uint64_t most) {
  fail_length("the Index can number up to " + std::to_string(most) + " members, got " +
              std::to_string(members));
}
[[noreturn]] inline void fail_batch(std::size_t positions, std::size_t owners) {
  fail_invalid("lookup_batch: " + std::to_string(positions) + " positions but " +
               std::to_string(owners) + " owners");
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_ERROR_HPP
