// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_DURABILITY_HPP
#define RINGCTL_OUTPUT_DURABILITY_HPP

#include "model/durability.hpp"
#include "output/format.hpp"

namespace ringctl {

/// Prints the durability; CSV only the table by vnode count. Throws OutputError.
void print_durability(const Durability& durability, Format format);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_DURABILITY_HPP
