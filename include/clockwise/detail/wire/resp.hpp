// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_WIRE_RESP_HPP
#define CLOCKWISE_DETAIL_WIRE_RESP_HPP

// Replies in the Redis serialization protocol, versions 2 and 3. Every type of value is read, even
// types that no cluster map has today: a newer server can add fields of these types. The bytes come
// from a network: nesting is bounded, and memory by a small multiple of the input.

#include <charconv>      // from_chars
#include <cstddef>       // size_t
#include <cstdint>       // int64_t
#include <string>        // string, to_string
#include <string_view>   // string_view
#include <system_error>  // errc
#include <vector>        // vector

#include "clockwise/detail/base/error.hpp"

namespace clockwise::detail {

/// Texts are views of the reply.
struct RespValue {
  enum class Kind : unsigned char {
    text,
    integer,
    list,
    null,
    other,  ///< A boolean, a double or a big number, with its characters in `text`.
  };
  Kind kind = Kind::null;
  std::string_view text;
  std::int64_t integer = 0;
  std::vector<RespValue> items;  ///< Of a map: key, value, key, value …
};

class RespReader {
 public:
  explicit RespReader(std::string_view bytes) : bytes_(bytes) {}

  /// Returns the one value that the bytes hold. Throws std::invalid_argument with the offset.
  RespValue whole() {
    RespValue value = next(0);
    if (at_ != bytes_.size()) fail_here("is followed by more bytes");
    return value;
  }

 private:
  static constexpr int deepest = 8;

  RespValue next(int depth) {
    if (depth > deepest) fail_here("is nested too deeply");
    RespValue value;
    std::string_view head = line();
    while (head.starts_with('|')) {  // attributes of the value that follows
      for (std::int64_t left = 2 * count(head.substr(1)); left > 0; --left) next(depth + 1);
      head = line();
    }
    if (head.empty()) fail_here("has an empty line");
    const std::string_view rest = head.substr(1);
    switch (head.front()) {
      case '+':
        value.kind = RespValue::Kind::text;
        value.text = rest;
        return value;
      case '-':
        fail_invalid("the reply is an error: " + quoted(rest));
      case '!':
        fail_invalid("the reply is an error: " + quoted(take(number(rest))));
      case ':':
        value.kind = RespValue::Kind::integer;
        value.integer = number(rest.starts_with("+") ? rest.substr(1) : rest);
        return value;
      case '#':
      case ',':
      case '(':
        value.kind = RespValue::Kind::other;
        value.text = rest;
        return value;
      case '_':
        return value;
      case '$':
      case '=': {
        const std::int64_t length = number(rest);
        if (length == -1) return value;
        value.kind = RespValue::Kind::text;
        value.text = take(length);
        if (head.front() == '=') {  // verbatim: "txt:" and the text
          if (value.text.size() < 4) fail_here("has a verbatim text without a format");
          value.text.remove_prefix(4);
        }
        return value;
      }
      case '*':
      case '~':
      case '%': {
        if (rest == "-1") return value;
        std::int64_t left = count(rest);
        if (head.front() == '%') left *= 2;
        value.kind = RespValue::Kind::list;
        for (; left > 0; --left) value.items.push_back(next(depth + 1));
        return value;
      }
      default:
        fail_here("has a value of an unknown type");
    }
  }

  std::string_view line() {
    const std::size_t end = bytes_.find("\r\n", at_);
    if (end == std::string_view::npos) fail_here("ends early");
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 2;
    return line;
  }

  std::string_view take(std::int64_t length) {
    if (length < 0 || static_cast<std::uint64_t>(length) > bytes_.size() - at_) {
      fail_here("ends early");
    }
    const std::string_view text = bytes_.substr(at_, static_cast<std::size_t>(length));
    at_ += text.size();
    if (bytes_.substr(at_, 2) != "\r\n") fail_here("has a text of another length than its count");
    at_ += 2;
    return text;
  }

  std::int64_t count(std::string_view digits) const {
    const std::int64_t items = number(digits);
    // Each item takes at least three bytes.
    const auto most = static_cast<std::int64_t>((bytes_.size() - at_) / 3);
    if (items < 0 || items > most) fail_here("counts more items than it has bytes");
    return items;
  }

  std::int64_t number(std::string_view digits) const {
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || stop != end) fail_here("has no number where a number is required");
    return value;
  }

  [[noreturn]] void fail_here(std::string_view what) const {
    fail_invalid("at byte " + std::to_string(at_) + " the reply " + std::string(what));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_WIRE_RESP_HPP
