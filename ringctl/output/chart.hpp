// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_CHART_HPP
#define RINGCTL_OUTPUT_CHART_HPP

#include <string>

#include "model/compare.hpp"

namespace ringctl {

/// Returns the comparison as an SVG chart.
std::string chart_of(const Comparison& comparison);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_CHART_HPP
