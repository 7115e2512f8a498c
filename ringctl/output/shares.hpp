// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_SHARES_HPP
#define RINGCTL_OUTPUT_SHARES_HPP

#include "model/shares.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the shares. Throws OutputError.
void print_shares(const Shares& shares, Format format);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_SHARES_HPP
