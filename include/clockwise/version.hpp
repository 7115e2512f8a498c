// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_VERSION_HPP
#define CLOCKWISE_VERSION_HPP

/// The library's version. CMake reads it from here; it is written nowhere else.
#define CLOCKWISE_VERSION_MAJOR 0
#define CLOCKWISE_VERSION_MINOR 1
#define CLOCKWISE_VERSION_PATCH 0

namespace clockwise {

/// The placement contract of this release. Two programs' rings agree on every owner if their
/// contract, hash policy, options and members are equal; a new rule gets a new number.
inline constexpr int placement_contract = 1;

}  // namespace clockwise

#endif  // CLOCKWISE_VERSION_HPP
