// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_ERROR_HPP
#define RINGCTL_MODEL_ERROR_HPP

#include <stdexcept>

namespace ringctl {

/// Invalid input or a wrong argument; the message says where and why. Ends the program with code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ringctl

#endif  // RINGCTL_MODEL_ERROR_HPP
