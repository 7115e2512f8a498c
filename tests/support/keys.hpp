// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_KEYS_HPP
#define CLOCKWISE_TESTS_SUPPORT_KEYS_HPP

#include <array>        // array
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <vector>       // vector

namespace clockwise_test {

/// Keys in realistic shapes: URLs, object paths, records of users, sessions and tenants. They have
/// long shared prefixes, counters and short suffixes, which a weak placement handles badly. Key
/// `number` is the same on every platform, and no two are equal.
inline std::string real_key(std::size_t number) {
  static constexpr std::array<std::string_view, 10> subjects{
      "boots", "lamps", "novels", "coffee", "guitars", "tents", "maps", "bread", "chairs", "inks"};
  static constexpr std::array<std::string_view, 7> places{"berlin", "lagos", "lima",  "osaka",
                                                          "oslo",   "quito", "sydney"};
  const std::string_view subject = subjects[number % subjects.size()];
  const std::string_view place = places[number / 10 % places.size()];
  const std::string digits = std::to_string(number);
  const auto text = [](std::string_view part) { return std::string(part); };
  switch (number % 6) {
    case 0:
      return "https://shop.example/" + text(place) + "/" + text(subject) + "/" + digits + ".html";
    case 1:
      return "user:" + digits + ":profile";
    case 2: {
      // A session token: odd multipliers and xor shifts are reversible, so different numbers give
      // different tokens.
      std::uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15;
      bits ^= bits >> 29;
      std::string token = "session/";
      for (int shift = 60; shift >= 0; shift -= 4) token += "0123456789abcdef"[bits >> shift & 15];
      return token;
    }
    case 3:
      return "bucket-" + text(place) + "/images/" + text(subject) + "/" + digits + "/thumb.webp";
    case 4:
      return "tenant=" + text(place) + "&cart=" + digits;
    default:
      return digits;
  }
}

inline std::vector<std::string> real_keys(std::size_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::size_t number = 0; number < count; ++number) keys.push_back(real_key(number));
  return keys;
}

/// prefix0, prefix1, …: the ids of a fleet.
inline std::vector<std::string> numbered(std::string_view prefix, std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::string(prefix) + std::to_string(i));
  return names;
}

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_KEYS_HPP
