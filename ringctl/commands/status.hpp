// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_STATUS_HPP
#define RINGCTL_COMMANDS_STATUS_HPP

namespace ringctl {

// Exit statuses, as those of cmp and diff.

inline constexpr int done = 0;
inline constexpr int fleets_differ = 1;
inline constexpr int trouble = 2;

/// Thrown by a command that has done its work, if its answer is that fleets differ.
struct FleetsDiffer {};

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_STATUS_HPP
