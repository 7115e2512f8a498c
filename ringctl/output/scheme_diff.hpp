// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_SCHEME_DIFF_HPP
#define RINGCTL_OUTPUT_SCHEME_DIFF_HPP

#include <cstdint>

#include "model/scheme_diff.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the diff; text lists the `top` largest flows. Throws OutputError.
void print_scheme_diff(const SchemeDiff& diff, Format format, std::uint64_t top);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_SCHEME_DIFF_HPP
