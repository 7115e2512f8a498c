// SPDX-License-Identifier: MIT
#ifndef RINGCTL_ERROR_HPP
#define RINGCTL_ERROR_HPP

#include <stdexcept>
#include <string>
#include <system_error>

namespace ringctl {

/// Invalid input or a wrong argument; the message says where and why. Ends the program with code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The result cannot be written. Ends the program with code 1, without a message if the reader of a
/// pipe has closed it.
struct OutputError : std::system_error {
  using std::system_error::system_error;
};

/// Returns the message of an errno value.
inline std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace ringctl

#endif  // RINGCTL_ERROR_HPP
