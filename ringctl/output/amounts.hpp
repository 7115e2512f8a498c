// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_AMOUNTS_HPP
#define RINGCTL_OUTPUT_AMOUNTS_HPP

#include <string>

namespace ringctl {

/// Returns three digits and a decimal unit: "10.9 TB".
std::string bytes_text(double bytes);

/// Returns a duration in one or two units: "12.3 s", "5 min 20 s", "17 h 4 min", "3 d 7 h".
std::string duration_text(double seconds);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_AMOUNTS_HPP
