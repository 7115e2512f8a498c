// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_FINGERPRINT_HPP
#define RINGCTL_OUTPUT_FINGERPRINT_HPP

#include <string>
#include <vector>

#include "model/fleet.hpp"
#include "output/format.hpp"

namespace ringctl {

/// A fleet and its fingerprint.
struct FingerprintRow {
  Fleet fleet;
  std::string fingerprint;
};

/// Prints the fingerprints, then how each fleet that differs from the first differs; CSV has only
/// the fingerprints. Throws InputError and OutputError.
void print_fingerprints(const std::vector<FingerprintRow>& rows, Format format);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_FINGERPRINT_HPP
