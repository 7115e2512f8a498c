// SPDX-License-Identifier: MIT
// The golden vectors as a separate program, for machines without a test framework. Returns 0 if
// placement is as on every platform, otherwise 1. A failure means that deployed fleets would
// reshuffle.

#include <cstdio>
#include <string>

#include "support/golden_checks.hpp"
#include "support/golden_scheme_checks.hpp"

int main() {
  int checks = 0;
  int failures = 0;
  const auto report = [&](bool ok, const std::string& what) {
    ++checks;
    if (ok) return;
    ++failures;
    std::printf("every deployed fleet would reshuffle: %s\n", what.c_str());
  };
  golden::check_hashes(report);
  golden::check_ring(report);
  golden::check_schemes(report);
  std::printf("golden vectors: %d of %d checks failed\n", failures, checks);
  return failures == 0 && checks > 0 ? 0 : 1;
}
