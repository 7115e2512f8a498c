// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_FINGERPRINT_HPP
#define RINGCTL_OUTPUT_FINGERPRINT_HPP

#include <string>
#include <vector>

#include "model/membership.hpp"

namespace ringctl {

/// A membership and its fingerprint.
struct FingerprintRow {
  Membership membership;
  std::string fingerprint;
};

/// Prints the fingerprints, then how each fleet that differs from the first differs. Throws
/// InputError and OutputError.
void print_fingerprints(const std::vector<FingerprintRow>& rows);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_FINGERPRINT_HPP
