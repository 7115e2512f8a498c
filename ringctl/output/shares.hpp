// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_SHARES_HPP
#define RINGCTL_OUTPUT_SHARES_HPP

#include <cstdint>

#include "model/shares.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the shares; text lists the `top` nodes furthest above their fair share, or all by id if
/// there are no more. Throws OutputError.
void print_shares(const Shares& shares, Format format, std::uint64_t top);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_SHARES_HPP
