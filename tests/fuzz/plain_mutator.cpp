// SPDX-License-Identifier: MIT
#include "fuzz/fuzz.hpp"

std::string clockwise_mutate(const std::string& bytes, const std::string& other,
                             std::mt19937_64& random) {
  return clockwise_test::with_bytes_changed(bytes, other, random);
}
