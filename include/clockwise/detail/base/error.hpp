// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_ERROR_HPP
#define CLOCKWISE_DETAIL_BASE_ERROR_HPP

#include <concepts>          // floating_point, unsigned_integral
#include <cstddef>           // size_t
#include <cstdint>           // uint64_t
#include <cstdio>            // fprintf, snprintf, stderr
#include <initializer_list>  // initializer_list
#include <stdexcept>         // invalid_argument, length_error, out_of_range
#include <string>            // string
#include <string_view>       // string_view

#include "clockwise/config.hpp"
#include "clockwise/detail/base/decimal.hpp"

#if CLOCKWISE_NO_EXCEPTIONS
#include <cstdlib>  // abort
#endif

namespace clockwise::detail {

/// The one place where the library fails. `Error` must be constructible from a std::string.
template <class Error>
[[noreturn]] CLOCKWISE_COLD inline void fail(const std::string& message) {
#if CLOCKWISE_NO_EXCEPTIONS
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#else
  throw Error(message);
#endif
}

/// Formats an id for a message: in quotes, bytes that are not printable ASCII as \xNN, cut to fit a
/// line. An object, because a call of a function by this name with a std::string would also find
/// std::quoted if <iomanip> is included.
struct Quoted {
  CLOCKWISE_COLD std::string operator()(std::string_view id) const {
    constexpr std::size_t longest = 64;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(1, '"');
    for (const char c : id.substr(0, longest)) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\') {
        text.append("\\x");
        text.push_back(digits[byte >> 4]);
        text.push_back(digits[byte & 15]);
      } else {
        text.push_back(c);
      }
    }
    return text.append(id.size() > longest ? "\"..." : "\"");
  }
};
inline constexpr Quoted quoted{};

/// A part of a message: text, a number, or an id, which is quoted. A message is a list of parts,
/// put together by one function that is compiled once.
class Part {
 public:
  Part(const char* text) : text_(text) {}
  Part(std::string_view text) : text_(text) {}
  Part(unsigned number) : kind_(Kind::whole), whole_(number) {}
  Part(unsigned long number) : kind_(Kind::whole), whole_(number) {}
  Part(unsigned long long number) : kind_(Kind::whole), whole_(number) {}
  Part(long long number)
      : kind_(number < 0 ? Kind::negative : Kind::whole),
        whole_(number < 0 ? 0 - static_cast<std::uint64_t>(number)
                          : static_cast<std::uint64_t>(number)) {}
  Part(double number) : kind_(Kind::real), real_(number) {}

  static Part id(std::string_view text) {
    Part part(text);
    part.kind_ = Kind::id;
    return part;
  }

  void append_to(std::string& message) const {
    switch (kind_) {
      case Kind::text:
        message.append(text_);
        break;
      case Kind::id:
        message.append(quoted(text_));
        break;
      case Kind::negative:
        message.append("-");
        [[fallthrough]];
      case Kind::whole:
        append_decimal(message, whole_);
        break;
      case Kind::real:
        char digits[330];  // DBL_MAX has 309 before its point
        std::snprintf(digits, sizeof digits, "%f", real_);
        message.append(digits);
        break;
    }
  }

 private:
  enum class Kind : unsigned char { text, id, whole, negative, real };

  Kind kind_ = Kind::text;
  union {
    std::string_view text_;
    std::uint64_t whole_;
    double real_;
  };
};

CLOCKWISE_COLD inline std::string message_of(std::initializer_list<Part> parts) {
  std::string message = "clockwise: ";
  for (const Part& part : parts) part.append_to(message);
  return message;
}

[[noreturn]] CLOCKWISE_COLD inline void fail_invalid(std::initializer_list<Part> parts) {
  fail<std::invalid_argument>(message_of(parts));
}
[[noreturn]] CLOCKWISE_COLD inline void fail_length(std::initializer_list<Part> parts) {
  fail<std::length_error>(message_of(parts));
}
[[noreturn]] CLOCKWISE_COLD inline void fail_range(std::initializer_list<Part> parts) {
  fail<std::out_of_range>(message_of(parts));
}
[[noreturn]] CLOCKWISE_COLD inline void fail_invalid(std::string_view message) {
  detail::fail_invalid({Part(message)});
}
[[noreturn]] CLOCKWISE_COLD inline void fail_length(std::string_view message) {
  detail::fail_length({Part(message)});
}
[[noreturn]] CLOCKWISE_COLD inline void fail_range(std::string_view message) {
  detail::fail_range({Part(message)});
}

// What several places report, in one wording.

[[noreturn]] CLOCKWISE_COLD inline void fail_nothing_owned(const char* caller,
                                                           std::size_t members) {
  detail::fail_range({caller, ": none of the ", members, " members owns anything"});
}
[[noreturn]] CLOCKWISE_COLD inline void fail_not_a_member(const char* caller, std::string_view id) {
  detail::fail_range({caller, ": ", Part::id(id), " is not a member"});
}
[[noreturn]] CLOCKWISE_COLD inline void fail_member_already(std::string_view id) {
  detail::fail_invalid({"node ", Part::id(id), " is already a member"});
}
[[noreturn]] CLOCKWISE_COLD inline void fail_too_many_members(std::uint64_t members,
                                                              std::uint64_t most) {
  detail::fail_length({"the Index can number up to ", most, " members, got ", members});
}
[[noreturn]] CLOCKWISE_COLD inline void fail_no_replicas() {
  detail::fail_invalid("replicas must be at least 1, got 0");
}
[[noreturn]] CLOCKWISE_COLD inline void fail_batch(std::size_t positions, std::size_t owners) {
  detail::fail_invalid({"lookup_batch: ", positions, " positions but ", owners, " owners"});
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_ERROR_HPP
