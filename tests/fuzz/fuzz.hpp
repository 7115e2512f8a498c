// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_FUZZ_FUZZ_HPP
#define CLOCKWISE_TESTS_FUZZ_FUZZ_HPP

// A fuzz body is one function. With replay.cpp it is a test, which runs the corpus and mutations of
// it, the same on every run. With libfuzzer.cpp and -fsanitize=fuzzer (tools/fuzz) it is a fuzzer.

#include <cstddef>  // byte
#include <cstdint>  // uint64_t
#include <cstdio>   // fprintf, stderr
#include <cstdlib>  // abort
#include <random>   // mt19937_64
#include <span>     // span
#include <string>   // string

/// Returns if the result for the bytes is correct; otherwise aborts by FUZZ_CHECK.
void clockwise_fuzz(std::span<const std::byte> bytes);

/// Returns a mutation of `bytes`, some of it from `other`. plain_mutator.cpp replaces any bytes by
/// any others; a body that reads a format has its own mutator, <name>_mutator.cpp.
std::string clockwise_mutate(const std::string& bytes, const std::string& other,
                             std::mt19937_64& random);

#define FUZZ_CHECK(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace clockwise_test {

/// Returns `bytes` with a few of them changed, removed or inserted, or with the end of `other`.
inline std::string with_bytes_changed(std::string bytes, const std::string& other,
                                      std::mt19937_64& random) {
  for (std::uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t at = random() % (bytes.size() + 1);
    switch (random() % 5) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random());
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.insert(at, random() % 9, static_cast<char>(random()));
        break;
      case 3:
        bytes.erase(at, random() % 9);
        break;
      default:
        bytes = bytes.substr(0, at) + other.substr(random() % (other.size() + 1));
    }
  }
  return bytes;
}

/// Reads a byte string as a program for a test.
class FuzzReader {
 public:
  explicit FuzzReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  /// Returns the next byte; 0 at the end.
  std::uint64_t byte() {
    if (at_end()) return 0;
    const auto value = std::to_integer<std::uint64_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_FUZZ_FUZZ_HPP
