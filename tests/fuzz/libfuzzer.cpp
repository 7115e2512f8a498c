// SPDX-License-Identifier: MIT
#include <cstdint>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clockwise_fuzz(std::as_bytes(std::span(data, size)));
  return 0;
}
