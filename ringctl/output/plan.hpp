// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_PLAN_HPP
#define RINGCTL_OUTPUT_PLAN_HPP

#include <cstdint>

#include "model/plan.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the plan; text lists the `top` slowest nodes, CSV every step. Throws OutputError.
void print_plan(const PlanReport& report, Format format, std::uint64_t top);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_PLAN_HPP
