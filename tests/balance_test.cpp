// SPDX-License-Identifier: MIT
// How even a ring is, against theory. A node's share is Beta(V, (N-1)V).

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clockwise/balance.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/mod_n.hpp"
#include "clockwise/token_ring.hpp"
#include "support/keys.hpp"

using clockwise::Balance;
using clockwise::balance;
using clockwise::HashRing;
using clockwise::ModN;
using clockwise::RingOptions;
using clockwise::Xxh3;

namespace {

struct Sample {
  double mean = 0;
  double standard_error = 0;
};

Sample sample(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Sample result;
  for (const double value : values) result.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.standard_error = std::sqrt(squares / (count - 1) / count);
  return result;
}

struct Row {
  std::size_t nodes;
  std::uint32_t vnodes;
  double cv;
  double peak;
  double peak_rounding;  // half a unit of the last digit of `peak`
  double peak_95th;
  int rings;
};

// cv = sqrt((N-1)/(N V + 1)); at V = 1 the mean peak is H_N; the other peaks were simulated
// independently of this library. Small rings are more numerous.
constexpr Row rows[] = {
    {16, 1, 0.9393, 3.3807, 0.00005, 5.09, 1000}, {16, 10, 0.3052, 1.63, 0.005, 2.01, 400},
    {16, 16, 0.2416, 1.49, 0.005, 1.77, 400},     {16, 50, 0.1368, 1.27, 0.005, 1.41, 200},
    {16, 100, 0.0968, 1.185, 0.0005, 1.28, 200},  {16, 200, 0.0685, 1.129, 0.0005, 1.195, 100},
    {16, 256, 0.0605, 1.114, 0.0005, 1.173, 100}, {16, 800, 0.0342, 1.063, 0.0005, 1.096, 60},
    {8, 1, 0.8819, 2.7179, 0.00005, 4.15, 1000},  {8, 150, 0.0763, 1.120, 0.0005, 1.20, 200},
    {8, 200, 0.0661, 1.103, 0.0005, 1.17, 200},   {1000, 1, 0.9990, 7.4855, 0.00005, 10.0, 200},
    {1000, 16, 0.2499, 2.02, 0.005, 2.29, 40},    {1000, 200, 0.0707, 1.245, 0.0005, 1.30, 6},
};

}  // namespace

TEST_CASE("evenness is what theory says, for every row of the table") {
  for (const Row& row : rows) {
    INFO("N = " << row.nodes << ", V = " << row.vnodes);
    std::vector<double> squared_cvs;
    std::vector<double> peaks;
    int below_95th = 0;
    const auto ids = clockwise_test::numbered("node-", row.nodes);
    for (int seed = 0; seed < row.rings; ++seed) {
      const HashRing<> ring(ids, RingOptions{row.vnodes}, Xxh3{static_cast<std::uint64_t>(seed)});
      const Balance measured = balance(ring);
      CHECK(std::abs(measured.mean * static_cast<double>(row.nodes) - 1) < 1e-12);
      CHECK(measured.min_to_mean <= 1);
      squared_cvs.push_back(measured.cv * measured.cv);
      peaks.push_back(measured.peak_to_mean);
      if (measured.peak_to_mean <= row.peak_95th) ++below_95th;
    }
    // Shares average to exactly 1/N, so E[cv^2] = N^2 Var(share) = (N-1)/(N V + 1), exactly.
    const auto n = static_cast<double>(row.nodes);
    const double expected = (n - 1) / (n * row.vnodes + 1);
    CHECK(std::abs(std::sqrt(expected) - row.cv) < 0.00006);
    const Sample cv = sample(squared_cvs);
    CHECK(std::abs(cv.mean - expected) < 4 * cv.standard_error);
    const Sample peak = sample(peaks);
    CHECK(std::abs(peak.mean - row.peak) < 4 * peak.standard_error + row.peak_rounding);
    // The number below the 95th percentile is binomial. (6 rings are too few.)
    if (row.rings >= 40) {
      CHECK(std::abs(below_95th - 0.95 * row.rings) < 4 * std::sqrt(row.rings * 0.95 * 0.05));
    }
  }
}

TEST_CASE("common claims about evenness that are wrong") {
  // "V = 200 gives 5%" and "8 nodes, V = 150: 1.05x", averaged over 100 rings each.
  double cv = 0;
  double peak = 0;
  const auto sixteen = clockwise_test::numbered("n", 16);
  const auto eight = clockwise_test::numbered("n", 8);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    cv += balance(HashRing<>(sixteen, RingOptions{200}, Xxh3{seed})).cv / 100;
    peak += balance(HashRing<>(eight, RingOptions{150}, Xxh3{seed})).peak_to_mean / 100;
  }
  CHECK(cv > 0.06);
  CHECK(peak > 1.10);
}

TEST_CASE("balance of a ring written by hand") {
  clockwise::TokenRing<> ring;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  ring.add("a", {quarter});      // owns (3/4, 1/4]: a half
  ring.add("b", {2 * quarter});  // a quarter
  ring.add("c", {3 * quarter});  // a quarter
  const Balance result = balance(ring);
  CHECK(std::abs(result.mean - 1.0 / 3) < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1.5) < 1e-15);
  CHECK(std::abs(result.min_to_mean - 0.75) < 1e-15);
  // Ratios 1.5, 0.75, 0.75: the mean square of 0.5, 0.25, 0.25 is 0.125.
  CHECK(std::abs(result.cv - std::sqrt(0.125)) < 1e-15);
}

TEST_CASE("balance measures against the weights, and leaves the drained out") {
  clockwise::TokenRing<> ring;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  ring.add("a", {2, {}, {}}, {quarter, 0});
  ring.add("b", {1, {}, {}}, {2 * quarter});
  ring.add("c", {1, {}, {}}, {3 * quarter});
  ring.add("drained", {0, {}, {}}, {});
  const Balance result = balance(ring);
  CHECK(std::abs(result.mean - 1.0 / 3) < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1) < 1e-15);
  CHECK(std::abs(result.min_to_mean - 1) < 1e-15);
  CHECK(result.cv < 1e-15);
}

TEST_CASE("balance of nothing is zeros") {
  HashRing<> drained;
  drained.add("a", 0);
  for (const HashRing<>& ring : {HashRing<>(), drained}) {
    const Balance result = balance(ring);
    CHECK(result.mean == 0);
    CHECK(result.cv == 0);
    CHECK(result.peak_to_mean == 0);
    CHECK(result.min_to_mean == 0);
  }
}

TEST_CASE("mod N is perfectly even") {
  const Balance result = balance(ModN<>({"a", "b", "c"}));
  CHECK(result.cv < 1e-15);
  CHECK(std::abs(result.peak_to_mean - 1) < 1e-15);
  CHECK(std::abs(result.mean - 1.0 / 3) < 1e-15);
}
