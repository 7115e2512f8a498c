// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_CHART_HPP
#define RINGCTL_OUTPUT_CHART_HPP

#include <string>

#include "model/compare.hpp"

namespace ringctl {

/// Returns the comparison as an SVG chart.
std::string chart_of(const Comparison& comparison);

/// Writes the chart to the file at `path`. Throws OutputError.
void write_chart(const Comparison& comparison, const std::string& path);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_CHART_HPP
