// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_ERROR_HPP
#define RINGCTL_MODEL_ERROR_HPP

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ringctl {

/// Invalid input or a wrong argument; the message says where and why. Ends the program with code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the message without the library's name as its prefix.
inline std::string message_of(const std::exception& error) {
  constexpr std::string_view prefix = "clockwise: ";
  std::string_view message = error.what();
  if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
  return std::string(message);
}

}  // namespace ringctl

#endif  // RINGCTL_MODEL_ERROR_HPP
