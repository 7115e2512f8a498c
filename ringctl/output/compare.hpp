// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_COMPARE_HPP
#define RINGCTL_OUTPUT_COMPARE_HPP

#include "model/compare.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the comparison. Throws OutputError.
void print_comparison(const Comparison& comparison, Format format);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_COMPARE_HPP
