// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_KINDS_HPP
#define CLOCKWISE_DETAIL_BASE_KINDS_HPP

// The kinds of types that keys, nodes and weights are made of.

#include <concepts>     // convertible_to, integral, same_as
#include <cstddef>      // byte, nullptr_t
#include <span>         // span
#include <string_view>  // string_view

namespace clockwise::detail {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;

/// Contiguous bytes of any spelling. std::span does the checking, which keeps <ranges> out.
template <class T>
concept Bytes = std::convertible_to<const T&, std::span<const std::byte>> ||
                std::convertible_to<const T&, std::span<const unsigned char>> ||
                std::convertible_to<const T&, std::span<const signed char>> ||
                std::convertible_to<const T&, std::span<const char>> ||
                std::convertible_to<const T&, std::span<const char8_t>>;

/// Arithmetic types whose values are not meant as numbers.
template <class T>
concept CharacterOrBool =
    std::same_as<T, bool> || std::same_as<T, char> || std::same_as<T, wchar_t> ||
    std::same_as<T, char8_t> || std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// Integers that are the same number on every platform: plain char and wchar_t are not.
template <class T>
concept PortableInteger =
    std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, char> && !std::same_as<T, wchar_t>;

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_KINDS_HPP
