// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_VERSION_HPP
#define RINGCTL_MODEL_VERSION_HPP

#include <clockwise/version.hpp>
#include <string>

namespace ringctl {

/// Returns the version of ringctl, which is the library's, and of the placement contract.
inline std::string version() {
  return "ringctl " + std::to_string(CLOCKWISE_VERSION_MAJOR) + '.' +
         std::to_string(CLOCKWISE_VERSION_MINOR) + '.' + std::to_string(CLOCKWISE_VERSION_PATCH) +
         " (placement contract " + std::to_string(clockwise::placement_contract) + ')';
}

}  // namespace ringctl

#endif  // RINGCTL_MODEL_VERSION_HPP
