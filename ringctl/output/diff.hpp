// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_DIFF_HPP
#define RINGCTL_OUTPUT_DIFF_HPP

#include <cstdint>

#include "model/diff.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the diff; text lists the `top` largest flows of each scheme. Throws OutputError.
void print_diff(const Diff& diff, Format format, std::uint64_t top);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_DIFF_HPP
