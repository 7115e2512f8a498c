// SPDX-License-Identifier: MIT
// For a body with its own mutator, which libFuzzer calls. Now and then libFuzzer's mutator runs
// instead, because it learns from the body's comparisons.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "fuzz/fuzz.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::string text(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

std::size_t put(const std::string& bytes, std::uint8_t* data, std::size_t most) {
  const std::size_t size = (std::min)(bytes.size(), most);
  std::copy_n(bytes.begin(), size, data);
  return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::mt19937_64 random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string bytes = text(data, size);
  return put(clockwise_mutate(bytes, bytes, random), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  std::mt19937_64 random(seed);
  return put(clockwise_mutate(text(data, size), text(other, other_size), random), out, most);
}
