// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_AMOUNTS_HPP
#define RINGCTL_INPUT_AMOUNTS_HPP

#include <optional>
#include <string_view>

namespace ringctl {

// Amounts with units. Each function returns nothing for any other text.

/// Returns the bytes of "10.88TB", "500 GB" or "2TiB".
std::optional<double> bytes_from(std::string_view text);

/// Returns the bytes per second, above 0, of "1Gbps" or "125MB/s".
std::optional<double> rate_from(std::string_view text);

/// Returns the share, above 0 and up to 1, of "25%" or "0.25".
std::optional<double> share_from(std::string_view text);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_AMOUNTS_HPP
