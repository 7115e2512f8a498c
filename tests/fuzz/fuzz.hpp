// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_FUZZ_FUZZ_HPP
#define CLOCKWISE_TESTS_FUZZ_FUZZ_HPP

// A fuzz body is one function. With replay.cpp it is a test: runs the corpus and mutations of it,
// the same on every run. With -fsanitize=fuzzer (the option CLOCKWISE_BUILD_FUZZERS, clang) it is a
// fuzzer.

#include <cstddef>  // byte
#include <cstdio>   // fprintf, stderr
#include <cstdlib>  // abort
#include <span>     // span

/// Returns if the result for the bytes is right; otherwise aborts by FUZZ_CHECK.
void clockwise_fuzz(std::span<const std::byte> bytes);

#define FUZZ_CHECK(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

#endif  // CLOCKWISE_TESTS_FUZZ_FUZZ_HPP
