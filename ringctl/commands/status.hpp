// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_STATUS_HPP
#define RINGCTL_COMMANDS_STATUS_HPP

namespace ringctl {

// Exit statuses, as of cmp and diff.

inline constexpr int done = 0;
inline constexpr int fleets_differ = 1;
inline constexpr int trouble = 2;

/// Thrown by a command that has finished, if the fleets differ.
struct FleetsDiffer {};

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_STATUS_HPP
