// SPDX-License-Identifier: MIT
#include "clockwise/detail/base/ieee.hpp"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cfloat>
#include <cmath>
#include <cstdint>

namespace ieee_test {

namespace {

using clockwise::detail::Double;
using clockwise::detail::Single;

constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Integers of every width, for rounding, ties and alignment.
std::uint64_t integer(std::uint64_t seed) {
  const auto bits = static_cast<int>(mixed(seed) % 40);
  return mixed(~seed) >> (24 + bits) | 1;
}

// The machine's own arithmetic is the model, if the language guarantees that it rounds each
// operation.
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0 && !defined(__FAST_MATH__)
template <class Number, class Float>
void compare_with_machine() {
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const std::uint64_t a = integer(5 * i);
    const std::uint64_t b = integer(5 * i + 1);
    const std::uint64_t c = integer(5 * i + 2);
    const std::uint64_t d = integer(5 * i + 3);
    // Each is stored, to prevent fusing a product with a sum.
    const volatile Float quotient = static_cast<Float>(a) / static_cast<Float>(b);
    const volatile Float product = quotient * static_cast<Float>(c);
    const volatile Float sum = product + static_cast<Float>(d);
    const Number own_quotient = Number(a) / Number(b);
    const Number own_product = own_quotient * Number(c);
    const Number own_sum = own_product + Number(d);

    INFO(a << " / " << b << " * " << c << " + " << d);
    if (product < 0x1p62) {
      REQUIRE(own_product.floor() == static_cast<std::uint64_t>(std::floor(product)));
      REQUIRE(own_product.ceil() == static_cast<std::uint64_t>(std::ceil(product)));
      REQUIRE(own_product.round() == static_cast<std::uint64_t>(std::round(product)));
    }
    REQUIRE((own_product < own_sum) == (product < sum));
    REQUIRE((own_sum < Number(c)) == (sum < static_cast<Float>(c)));
    REQUIRE((own_product == Number(c)) == (product == static_cast<Float>(c)));
    // All bits: scaled until they are integers.
    if (sum < 0x1p30) {
      const volatile Float scaled = sum * static_cast<Float>(0x1p32);
      REQUIRE((own_sum * Number(std::uint64_t{1} << 32)).floor() ==
              static_cast<std::uint64_t>(std::floor(scaled)));
    }
  }
}

TEST_CASE("single precision matches the machine's") { compare_with_machine<Single, float>(); }
TEST_CASE("double precision matches the machine's") { compare_with_machine<Double, double>(); }
#endif

TEST_CASE("ties round to even, halves away from zero") {
  STATIC_REQUIRE(Single(16777217).floor() == 16777216);
  STATIC_REQUIRE(Single(16777219).floor() == 16777220);
  STATIC_REQUIRE((Single(16777216) + Single(1)).floor() == 16777216);
  STATIC_REQUIRE((Single(16777218) + Single(1)).floor() == 16777220);
  STATIC_REQUIRE((Single(16777216) + Single(1) / Single(3)).floor() == 16777216);
  STATIC_REQUIRE((Single(5) / Single(2)).round() == 3);
  STATIC_REQUIRE((Single(5) / Single(2)).ceil() == 3);
  STATIC_REQUIRE((Single(1) / Single(2)).round() == 1);
  STATIC_REQUIRE((Single(1) / Single(std::uint64_t{1} << 63)).ceil() == 1);
  STATIC_REQUIRE((Single(1) / Single(std::uint64_t{1} << 63)).floor() == 0);
}

TEST_CASE("arithmetic with zero is exact") {
  STATIC_REQUIRE(Double().floor() == 0);
  STATIC_REQUIRE(Double().ceil() == 0);
  STATIC_REQUIRE(Double() < Double(1) / Double(~std::uint64_t{0}));
  STATIC_REQUIRE((Double() + Double(3)).floor() == 3);
  STATIC_REQUIRE((Double(3) + Double()).floor() == 3);
  STATIC_REQUIRE((Double() * Double(3)).is_zero());
  STATIC_REQUIRE((Double() / Double(3)).is_zero());
}

}  // namespace

}  // namespace ieee_test
