// SPDX-License-Identifier: MIT
// Positions, owners and replicas as the contract fixes them. A failure here means that every
// deployed fleet would reshuffle on its next upgrade: the change is wrong, or it needs a new
// version of the placement contract. Never regenerate the vectors to make a test pass.

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/golden_checks.hpp"
#include "support/golden_scheme_checks.hpp"

namespace golden_test {

namespace {

void report(bool ok, const std::string& what) {
  INFO("every deployed fleet would reshuffle: " << what);
  CHECK(ok);
}

}  // namespace

TEST_CASE("keys hash to the positions of the contract") { golden::check_hashes(report); }

TEST_CASE("a ring has the vnodes, owners, replicas and fingerprint of the contract") {
  golden::check_ring(report);
}

TEST_CASE("the other schemes have the owners and replicas of their rules") {
  golden::check_schemes(report);
}

}  // namespace golden_test
