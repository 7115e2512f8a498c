// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_VERSION_HPP
#define CLOCKWISE_VERSION_HPP

/// The library's version; CMake reads it from here, so it is written nowhere else.
#define CLOCKWISE_VERSION_MAJOR 0
#define CLOCKWISE_VERSION_MINOR 1
#define CLOCKWISE_VERSION_PATCH 0

namespace clockwise {

/// The placement contract this release follows. Rings of two programs agree on every owner if and
/// only if their contract, hash policy, options and members agree; a new rule is a new number.
inline constexpr int placement_contract = 1;

}  // namespace clockwise

#endif  // CLOCKWISE_VERSION_HPP
