// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_ERROR_HPP
#define CLOCKWISE_DETAIL_BASE_ERROR_HPP

#include <cstddef>           // size_t
#include <cstdint>           // uint64_t
#include <cstdio>            // fprintf, snprintf, stderr
#include <initializer_list>  // initializer_list
#include <stdexcept>         // invalid_argument, length_error, out_of_range
#include <string>            // string
#include <string_view>       // string_view

#include "clockwise/config.hpp"
#include "clockwise/detail/base/decimal.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

#if CLOCKWISE_NO_EXCEPTIONS
#include <cstdlib>  // abort
#endif

namespace clockwise::detail {

/// The one place where the library fails. `Error` must be constructible from text.
template <class Error>
[[noreturn]] CLOCKWISE_COLD inline void fail(const char* message) {
#if CLOCKWISE_NO_EXCEPTIONS
  std::fprintf(stderr, "%s\n", message);
  std::abort();
#else
  throw Error(message);
#endif
}
template <class Error>
[[noreturn]] inline void fail(const std::string& message) {
  detail::fail<Error>(message.c_str());
}

/// A part of a message: text, a number, or an id.
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

 private:
  friend class Message;
  enum class Kind : unsigned char { text, id, whole, negative, real };

  Kind kind_ = Kind::text;
  union {
    std::string_view text_;
    std::uint64_t whole_;
    double real_;
  };
};

/// A message while it is put together, by functions that are compiled once.
class Message {
 public:
  CLOCKWISE_COLD void append(std::initializer_list<Part> parts) {
    for (const Part& part : parts) append(part);
  }

  std::string_view text() const { return {text_.data(), text_.size()}; }
  /// With a zero at its end.
  const char* c_str() {
    text_.push_back('\0');
    return text_.data();
  }

 private:
  CLOCKWISE_COLD void append(const Part& part) {
    char digits[330];  // DBL_MAX has 309 before its point
    switch (part.kind_) {
      case Part::Kind::text:
        append_text(part.text_);
        break;
      case Part::Kind::id:
        append_id(part.text_);
        break;
      case Part::Kind::negative:
        text_.push_back('-');
        [[fallthrough]];
      case Part::Kind::whole:
        append_text(decimal(part.whole_, digits));
        break;
      case Part::Kind::real:
        std::snprintf(digits, sizeof digits, "%f", part.real_);
        append_text(digits);
        break;
    }
  }
  CLOCKWISE_COLD void append_text(std::string_view text) { text_.append(text.data(), text.size()); }

  /// In quotes, bytes that are not printable ASCII as \xNN, cut to fit a line.
  CLOCKWISE_COLD void append_id(std::string_view id) {
    constexpr std::size_t longest = 64;
    constexpr const char* hex = "0123456789abcdef";
    const std::size_t length = id.size() < longest ? id.size() : longest;
    text_.push_back('"');
    for (std::size_t i = 0; i < length; ++i) {
      const auto byte = static_cast<unsigned char>(id[i]);
      if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\') {
        const char escaped[] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
        text_.append(escaped, sizeof escaped);
      } else {
        text_.push_back(id[i]);
      }
    }
    append_text(length < id.size() ? "\"..." : "\"");
  }

  PlainVector<char> text_;
};

/// Formats an id for a message that is put together as a std::string. An object, because a call of
/// a function by this name with a std::string would also find std::quoted if <iomanip> is included.
struct Quoted {
  std::string operator()(std::string_view id) const {
    Message message;
    message.append({Part::id(id)});
    return std::string(message.text());
  }
};
inline constexpr Quoted quoted{};

template <class Error>
[[noreturn]] CLOCKWISE_COLD inline void fail_with(std::initializer_list<Part> parts) {
  Message message;
  message.append({"clockwise: "});
  message.append(parts);
  detail::fail<Error>(message.c_str());
}
[[noreturn]] CLOCKWISE_COLD inline void fail_invalid(std::initializer_list<Part> parts) {
  fail_with<std::invalid_argument>(parts);
}
[[noreturn]] CLOCKWISE_COLD inline void fail_length(std::initializer_list<Part> parts) {
  fail_with<std::length_error>(parts);
}
[[noreturn]] CLOCKWISE_COLD inline void fail_range(std::initializer_list<Part> parts) {
  fail_with<std::out_of_range>(parts);
}
[[noreturn]] inline void fail_invalid(std::string_view message) {
  detail::fail_invalid({Part(message)});
}
[[noreturn]] inline void fail_length(std::string_view message) {
  detail::fail_length({Part(message)});
}
[[noreturn]] inline void fail_range(std::string_view message) {
  detail::fail_range({Part(message)});
}

// Messages that several places share.

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
