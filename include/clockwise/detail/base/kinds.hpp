// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_KINDS_HPP
#define CLOCKWISE_DETAIL_BASE_KINDS_HPP

// The kinds of types of keys, nodes and weights.

#include <concepts>     // convertible_to, integral, same_as
#include <cstddef>      // byte, nullptr_t, size_t
#include <span>         // as_bytes, span
#include <string_view>  // basic_string_view, string_view, u8string_view
#include <type_traits>  // extent_v, is_array_v

namespace clockwise::detail {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;

/// Text in UTF-8 by its type.
template <class T>
concept Utf8Text =
    std::convertible_to<const T&, std::u8string_view> && !std::same_as<T, std::nullptr_t>;

/// Returns the characters of a text. An array is read up to its first zero, or to its end if it has
/// none.
template <class Char, class T>
std::basic_string_view<Char> characters_of(const T& text) {
  if constexpr (std::is_array_v<T>) {
    constexpr std::size_t most = std::extent_v<T>;
    if (text[most - 1] == Char()) return text;  // as in every literal
    const Char* const end = std::char_traits<Char>::find(text, most, Char());
    return {text, end == nullptr ? most : static_cast<std::size_t>(end - text)};
  } else {
    return text;
  }
}

/// A text in a list in braces. Unlike std::string and std::string_view, it is never made of two
/// texts: {{"a", "b"}} is no list of it, as that would take the two for iterators.
class ListedText {
 public:
  template <Text T>
  ListedText(const T& text) : text_(detail::characters_of<char>(text)) {}
  operator std::string_view() const noexcept { return text_; }

 private:
  std::string_view text_;
};

/// Contiguous bytes of any spelling. std::span does the checking, which keeps <ranges> out.
template <class T>
concept Bytes = std::convertible_to<const T&, std::span<const std::byte>> ||
                std::convertible_to<const T&, std::span<const unsigned char>> ||
                std::convertible_to<const T&, std::span<const signed char>> ||
                std::convertible_to<const T&, std::span<const char>> ||
                std::convertible_to<const T&, std::span<const char8_t>>;

template <Bytes T>
std::span<const std::byte> bytes_of(const T& bytes) {
  if constexpr (std::convertible_to<const T&, std::span<const std::byte>>) {
    return bytes;
  } else if constexpr (std::convertible_to<const T&, std::span<const unsigned char>>) {
    return std::as_bytes(std::span<const unsigned char>(bytes));
  } else if constexpr (std::convertible_to<const T&, std::span<const signed char>>) {
    return std::as_bytes(std::span<const signed char>(bytes));
  } else if constexpr (std::convertible_to<const T&, std::span<const char>>) {
    return std::as_bytes(std::span<const char>(bytes));
  } else {
    return std::as_bytes(std::span<const char8_t>(bytes));
  }
}

/// Arithmetic types whose values are not meant as numbers.
template <class T>
concept CharacterOrBool =
    std::same_as<T, bool> || std::same_as<T, char> || std::same_as<T, wchar_t> ||
    std::same_as<T, char8_t> || std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// Integers of up to 64 bits that are the same number on every platform: plain char and wchar_t are
/// not, and bool is not an integer here.
template <class T>
concept PortableInteger = std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> &&
                          !std::same_as<T, char> && !std::same_as<T, wchar_t>;

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_KINDS_HPP
