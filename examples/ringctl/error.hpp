// SPDX-License-Identifier: MIT
#ifndef RINGCTL_ERROR_HPP
#define RINGCTL_ERROR_HPP

#include <stdexcept>
#include <string>
#include <system_error>

namespace ringctl {

/// Wrong input or a wrong argument; the message says where and why. Ends the program with code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The result could not be written. Ends the program with code 1, in silence where the reader of a
/// pipe has gone.
struct OutputError : std::system_error {
  using std::system_error::system_error;
};

/// What errno says.
inline std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace ringctl

#endif  // RINGCTL_ERROR_HPP
