// SPDX-License-Identifier: MIT
// The closed forms compared with exact enumeration, with simulated rings, and with the page that
// shows them to users. Random numbers are raw std::mt19937_64 output under fixed seeds, the same on
// every platform. A statistical bound is four standard errors of the mean over the stated rounds.

#include "clockwise/theory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_templated.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clockwise/detail/scheme/load_caps.hpp"
#include "clockwise/rendezvous.hpp"

namespace theory_test {

using namespace clockwise::theory;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr std::uint64_t largest_count = std::numeric_limits<std::uint64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A figure as the page writes it: "0.0588", "10.24 TB", "5,120 s", "6.2e-13".
struct Written {
  double value = 0;
  double half_unit = 0.5;  // of its last digit
};

constexpr Written parse(std::string_view text) {
  Written result;
  bool fraction = false;
  std::size_t i = 0;
  for (;
       i < text.size() && (text[i] == ',' || text[i] == '.' || (text[i] >= '0' && text[i] <= '9'));
       ++i) {
    if (text[i] == '.') fraction = true;
    if (text[i] < '0') continue;
    result.value = result.value * 10 + (text[i] - '0');
    if (fraction) result.half_unit /= 10;
  }
  double scale = 2 * result.half_unit;
  std::string_view unit = text.substr(i);
  if (unit.starts_with("e-")) {
    int exponent = 0;
    for (const char digit : unit.substr(2)) exponent = exponent * 10 + (digit - '0');
    for (; exponent > 0; --exponent) scale /= 10;
    unit = {};
  }
  if (unit == " KB") scale *= 1e3;
  if (unit == " MB") scale *= 1e6;
  if (unit == " GB") scale *= 1e9;
  if (unit == " TB") scale *= 1e12;
  return {result.value * scale, scale / 2};
}
static_assert(parse("3,200").value == 3200 && parse("3,200").half_unit == 0.5);
static_assert(parse("2.05 s").value > 2.0499 && parse("2.05 s").value < 2.0501);
static_assert(parse("640 GB").value == 640e9 && parse("640 GB").half_unit == 0.5e9);

/// Whether `value`, rounded to the digits of `text`, equals it.
constexpr bool shows(std::string_view text, double value) {
  const Written written = parse(text);
  const double difference = value > written.value ? value - written.value : written.value - value;
  return difference <= written.half_unit * (1 + 1e-9);
}
constexpr bool shows(std::string_view text, std::uint64_t value) {
  return shows(text, static_cast<double>(value));
}
static_assert(shows("0.75", 0.754) && !shows("0.75", 0.756) && !shows("0.75", 0.744));

double real(std::uint64_t count) { return static_cast<double>(count); }

std::string numbers_page() {
  const auto path = std::filesystem::path(__FILE__).parent_path().parent_path() / "docs/numbers.md";
  std::ifstream file(path);
  INFO("the page is looked for at " << path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// nodes * vnodes uniform points on the circle of 64-bit integers, sorted. Each has its owner in
/// its low bits, too low to affect an arc.
class UniformRing {
 public:
  UniformRing(std::uint64_t nodes, std::uint64_t vnodes, std::mt19937_64& random) : nodes_(nodes) {
    REQUIRE(nodes <= owner_mask + 1);
    for (std::uint64_t owner = 0; owner < nodes; ++owner) {
      for (std::uint64_t i = 0; i < vnodes; ++i) {
        points_.push_back((random() & ~owner_mask) | owner);
      }
    }
    std::sort(points_.begin(), points_.end());
  }

  std::size_t size() const { return points_.size(); }
  std::uint64_t owner(std::size_t i) const { return points_[i % size()] & owner_mask; }

  /// The share of the circle between point i and the one before it.
  double arc(std::size_t i) const {
    return real(points_[i] - points_[(i + size() - 1) % size()]) / 0x1p64;
  }

  std::vector<double> shares() const {
    std::vector<double> result(nodes_);
    for (std::size_t i = 0; i < size(); ++i) result[owner(i)] += arc(i);
    return result;
  }

 private:
  static constexpr std::uint64_t owner_mask = 1023;
  std::uint64_t nodes_;
  std::vector<std::uint64_t> points_;
};

/// Mean of a sample and the standard error of that mean.
struct Sample {
  void add(double x) {
    ++count;
    sum += x;
    squares += x * x;
  }
  double mean() const { return sum / count; }
  double error() const {
    return std::sqrt(std::max(0.0, squares / count - mean() * mean()) / (count - 1));
  }

  double count = 0;
  double sum = 0;
  double squares = 0;
};

}  // namespace

// ---- The figures -------------------------------------------------------------------------------

TEST_CASE("the numbers page shows the functions' values") {
  const std::string page = numbers_page();
  std::set<std::string> cells;

// One figure: as a constant, at run time, and in the page as "| `call` | text |".
#define CHECK_FIGURE(text, ...)                                             \
  do {                                                                      \
    const std::string cell = "| `" #__VA_ARGS__ "` | " + std::string(text); \
    CAPTURE(cell, __VA_ARGS__);                                             \
    CHECK(shows(text, __VA_ARGS__));                                        \
    CHECK(page.find(cell + " |") != std::string::npos);                     \
    cells.insert(cell);                                                     \
  } while (false)
#define FIGURE(text, ...)                  \
  static_assert(shows(text, __VA_ARGS__)); \
  CHECK_FIGURE(text, __VA_ARGS__)

  constexpr double card = 125e6;
  constexpr double stored = stored_bytes(1e10, 1088);

  FIGURE("0.9412", mod_n_movement(16, 17));
  FIGURE("0.0588", ring_movement(16, 17));
  FIGURE("0.80", mod_n_movement(4, 5));
  FIGURE("0.20", ring_movement(4, 5));
  FIGURE("0.80", mod_n_movement(5, 4));
  FIGURE("0.20", ring_movement(5, 4));
  FIGURE("0.75", mod_n_movement(4, 3));
  FIGURE("0.25", ring_movement(4, 3));
  FIGURE("0.8889", mod_n_movement(8, 9));
  FIGURE("0.1111", ring_movement(8, 9));
  FIGURE("0.9901", mod_n_movement(100, 101));
  FIGURE("0.0099", ring_movement(100, 101));
  FIGURE("0.75", mod_n_movement(12, 16));
  FIGURE("0.25", ring_movement(12, 16));
  FIGURE("0.8889", mod_n_movement(16, 18));
  FIGURE("0.1111", ring_movement(16, 18));
  FIGURE("0.50", mod_n_movement(16, 32));
  FIGURE("0.50", ring_movement(16, 32));
  FIGURE("0.667", mod_n_movement(16, 48));
  FIGURE("0.1144", ring_movement_one_by_one(16, 18));

  FIGURE("375", vnodes_for_cv(16, 0.05));
  FIGURE("400", vnodes_for_cv(1000000, 0.05));
  FIGURE("3.3807", harmonic(16));
  FIGURE("8.65", longest_arc(3200));
  FIGURE("0.041", weighted_share_cv(300, 600));
  FIGURE("0.071", weighted_share_cv(150, 600));
  FIGURE("0.048", inherited_stddev(6, 150));
  FIGURE("0.40", inherited_stddev(6, 1));
  FIGURE("0.071", share_cv(1000, 200));
  FIGURE("2.72", peak_to_mean(8, 1));
  CHECK_FIGURE("1.12", peak_to_mean(8, 150));

  FIGURE("3,200", ring_positions(16, 200));
  FIGURE("2,000,000", ring_positions(10000, 200));
  FIGURE("32 KB", ring_bytes(16, 200));
  FIGURE("20 MB", ring_bytes(10000, 200));
  FIGURE("12", search_probes(3200));
  FIGURE("21", search_probes(2000000));
  FIGURE("3.2 MB", token_list_bytes(1000, 200));
  FIGURE("3.2 GB", token_list_bytes(1000, 200, 1000));
  FIGURE("25.6 s", transfer_seconds(token_list_bytes(1000, 200, 1000), card));
  FIGURE("2.05 s", transfer_seconds(token_list_bytes(1000, 16, 1000), card));
  FIGURE("6.2e-13", collision_probability(4800));
  FIGURE("0.865", collision_probability(131072, 32));
  FIGURE("2.0", expected_collisions(131072, 32));

  FIGURE("10.88 TB", stored_bytes(1e10, 1088));
  FIGURE("32.64 TB", stored_bytes(1e10, 1088, 3));
  FIGURE("10.24 TB", stored * mod_n_movement(16, 17));
  FIGURE("640 GB", stored * mod_n_egress(16, 17));
  FIGURE("640 GB", stored * mod_n_ingress(16, 17));
  FIGURE("600 GB", stored * (mod_n_movement(16, 17) - mod_n_ingress(16, 17)) / 16);
  FIGURE("5,120 s", mod_n_migration_seconds(stored, 16, 17, card));
  FIGURE("640 GB", stored * ring_ingress(16, 17));
  FIGURE("40 GB", stored * ring_egress(16, 17));
  FIGURE("320 s", transfer_seconds(stored * ring_egress(16, 17), card));
  FIGURE("5,120 s", ring_migration_seconds(stored, 16, 17, card));
  FIGURE("20,480 s", ring_migration_seconds(stored, 16, 17, card, 0.25));
  FIGURE("15,360 s", ring_migration_seconds(3 * stored, 16, 17, card));
  FIGURE("4,836 s", ring_migration_seconds(stored, 16, 18, card));
  FIGURE("9,956 s", transfer_seconds(stored * ring_movement_one_by_one(16, 18), card));

  FIGURE("560", combinations_exact(16, 3));
  FIGURE("16", single_vnode_replica_sets(16, 3));
  FIGURE("0.0286", loss_probability(16, 16, 3, 3));
  FIGURE("0.11", loss_probability(16, 16, 3, 4));
  FIGURE("555", expected_replica_sets(16, 200, 3));
  FIGURE("0.99", loss_probability(expected_replica_sets(16, 200, 3), 16, 3, 3));
  FIGURE("0.0018", expected_loss(16, 3, 3));
  FIGURE("256", rack_spanning_sets(4, 4, 3));
  FIGURE("0.457", loss_probability(256, 16, 3, 3));

  FIGURE("4,000", origin_load(200000, 0.98, 0));
  FIGURE("160,800", origin_load(200000, 0.98, mod_n_movement(4, 5)));
  FIGURE("40.2", storm_factor(0.98, mod_n_movement(4, 5)));
  FIGURE("43,200", origin_load(200000, 0.98, ring_movement(4, 5)));
  FIGURE("10.8", storm_factor(0.98, ring_movement(4, 5)));
  FIGURE("75,250", origin_load(100000, 0.99, mod_n_movement(4, 3)));
  FIGURE("75.25", storm_factor(0.99, mod_n_movement(4, 3)));
  FIGURE("25,750", origin_load(100000, 0.99, ring_movement(4, 3)));

  FIGURE("34,375", hot_owner_load(100000, 16, 30000));
  FIGURE("5.5", hot_owner_to_mean(100000, 16, 30000));
  FIGURE("3,750", hot_owner_load(30000, 16, 30000, 8));
  FIGURE("8,125", hot_owner_load(100000, 16, 30000, 8));
  FIGURE("1.3", hot_owner_to_mean(100000, 16, 30000, 8));
  FIGURE("2,500", bounded_load_cap(10000, 5, 1.25));
  FIGURE("60", slots_min(1024, 17));
  FIGURE("61", slots_max(1024, 17));
  FIGURE("1.013", slots_peak_to_mean(1024, 17));
  FIGURE("60", slots_moved(1024, 16, 17));
#undef FIGURE
#undef CHECK_FIGURE

  // Nothing on the page is missing from this list.
  for (std::size_t at = page.find("| `"); at != std::string::npos; at = page.find("| `", at + 1)) {
    const std::size_t code_end = page.find("` | ", at);
    if (code_end == std::string::npos ||
        page.substr(at, code_end - at).find('(') == std::string::npos) {
      continue;  // a heading such as `hash % N`
    }
    const std::string cell = page.substr(at, page.find(" |", code_end + 4) - at);
    CAPTURE(cell);
    CHECK(cells.count(cell) == 1);
  }
}

TEST_CASE("rational figures are the nearest double") {
  static_assert(mod_n_movement(16, 17) == 16.0 / 17 && ring_movement(16, 17) == 1.0 / 17);
  static_assert(mod_n_movement(4, 5) == 0.8 && ring_movement(5, 4) == 0.2);
  static_assert(mod_n_movement(12, 16) == 0.75 && ring_movement(12, 16) == 0.25);
  static_assert(mod_n_movement(16, 18) == 16.0 / 18 && ring_movement(16, 18) == 2.0 / 18);
  static_assert(mod_n_movement(7, 7) == 0 && ring_movement(7, 7) == 0);
  static_assert(loss_probability(16, 16, 3, 3) == 16.0 / 560);
  static_assert(hot_owner_load(100000, 16, 30000) == 34375);
  // Counts too large to multiply: 10^9 and 10^9 + 7 are coprime, 2^63 divides 2^62 * 2.
  static_assert(mod_n_movement(1000000000, 1000000007) == 1000000006.0 / 1000000007);
  static_assert(mod_n_movement(std::uint64_t{1} << 62, std::uint64_t{1} << 63) == 0.5);
  static_assert(ring_movement(1000000000, 1000000001) == 1.0 / 1000000001);
  CHECK(mod_n_movement(largest_count, largest_count - 1) == 1);
}

// ---- Movement ----------------------------------------------------------------------------------

TEST_CASE("modulo movement counts the residues that change") {
  for (std::uint64_t before = 1; before <= 24; ++before) {
    for (std::uint64_t after = 1; after <= 24; ++after) {
      CAPTURE(before, after);
      const std::uint64_t residues = std::lcm(before, after);
      std::vector<std::uint64_t> sent(before);
      std::vector<std::uint64_t> received(after);
      std::uint64_t moved = 0;
      for (std::uint64_t hash = 0; hash < residues; ++hash) {
        if (hash % before == hash % after) continue;
        ++moved;
        ++sent[hash % before];
        ++received[hash % after];
      }
      const double all = real(residues);
      const auto busiest = [](const auto& v) {
        return real(*std::max_element(v.begin(), v.end()));
      };
      CHECK_THAT(mod_n_movement(before, after), WithinRel(real(moved) / all, 1e-15));
      CHECK_THAT(mod_n_egress(before, after), WithinRel(busiest(sent) / all, 1e-15));
      CHECK_THAT(mod_n_ingress(before, after), WithinRel(busiest(received) / all, 1e-15));
      // A ring moves the minimum of any scheme, and its joiners receive what its members send.
      CHECK(mod_n_movement(before, after) >= ring_movement(before, after) - 1e-15);
      const double senders = real(before > after ? before - after : before);
      CHECK_THAT(ring_egress(before, after) * senders,
                 WithinRel(before == after ? 0 : ring_movement(before, after), 1e-14));
      CHECK(ring_ingress(before, after) == ring_egress(after, before));
    }
  }
}

TEST_CASE("movements one by one add up") {
  static_assert(ring_movement_one_by_one(16, 17) == ring_movement(16, 17));
  static_assert(ring_movement_one_by_one(18, 16) == ring_movement_one_by_one(16, 18));
  static_assert(ring_movement_one_by_one(9, 9) == 0);
  double sum = 0;
  for (std::uint64_t n = 10; n < 60000; ++n) {
    sum += ring_movement(n, n + 1);
    if (n % 1000 != 0) continue;
    CAPTURE(n);
    CHECK_THAT(ring_movement_one_by_one(10, n + 1), WithinRel(sum, 1e-12));
  }
  // ln 2 + 1/(4n) - 1/(2n), the difference of H(2n) and H(n), to the order 1/n^2.
  CHECK_THAT(ring_movement_one_by_one(1000000000, 2000000000),
             WithinRel(std::log(2.0) - 1 / 4e9, 1e-15));
}

TEST_CASE("a joiner takes 1/17 of sixteen nodes for any vnode count") {
  constexpr int rounds = 300;
  std::mt19937_64 random(17);
  for (const std::uint64_t vnodes : {1u, 16u, 200u}) {
    CAPTURE(vnodes);
    Sample joiner;
    for (int round = 0; round < rounds; ++round) {
      joiner.add(UniformRing(17, vnodes, random).shares().back());
    }
    const double expected = ring_movement(16, 17);
    const double error = expected * share_cv(17, vnodes) / std::sqrt(rounds);
    CHECK_THAT(joiner.mean(), WithinAbs(expected, 4 * error));
  }
}

// ---- Balance -----------------------------------------------------------------------------------

TEST_CASE("the balance table matches simulated rings") {
  struct Row {
    std::uint64_t nodes, vnodes;
    std::string_view cv, peak, percentile;  // as the page shows them
    int rounds;
  };
  constexpr std::array rows{
      Row{16, 1, "0.9393", "3.381", "5.11", 30000},
      Row{16, 10, "0.3052", "1.634", "2.01", 5000},
      Row{16, 16, "0.2416", "1.489", "1.77", 3000},
      Row{16, 50, "0.1368", "1.265", "1.41", 1000},
      Row{16, 100, "0.0968", "1.184", "1.28", 600},
      Row{16, 200, "0.0685", "1.129", "1.20", 500},
      Row{16, 256, "0.0605", "1.113", "1.17", 400},
      Row{16, 800, "0.0342", "1.063", "not simulated", 60},
      Row{8, 1, "0.8819", "2.718", "4.13", 30000},
      Row{8, 150, "0.0763", "1.119", "1.20", 600},
      Row{8, 200, "0.0661", "1.103", "1.17", 500},
      Row{1000, 1, "0.9990", "7.485", "9.84", 600},
      Row{1000, 16, "0.2499", "2.015", "not simulated", 60},
      Row{1000, 200, "0.0707", "1.245", "not simulated", 6},
  };
  static_assert(std::all_of(rows.begin(), rows.end(), [](const Row& row) {
    return shows(row.cv, share_cv(row.nodes, row.vnodes)) &&
           (row.vnodes > 1 || shows(row.peak, peak_to_mean(row.nodes, row.vnodes)));
  }));
  const std::string page = numbers_page();

  std::mt19937_64 random(2024);
  for (const Row& row : rows) {
    const std::string line = "\n| " + std::to_string(row.nodes) + " | " +
                             std::to_string(row.vnodes) + " | " + std::string(row.cv) + " | " +
                             std::string(row.peak) + " | " + std::string(row.percentile) + " |\n";
    CAPTURE(line);
    CHECK(page.find(line) != std::string::npos);
    const double cv = share_cv(row.nodes, row.vnodes);
    const double peak = peak_to_mean(row.nodes, row.vnodes);
    CHECK(shows(row.cv, cv));
    CHECK(shows(row.peak, peak));

    Sample variance;
    Sample peaks;
    std::vector<double> all_peaks;
    for (int round = 0; round < row.rounds; ++round) {
      double squares = 0;
      double largest = 0;
      for (const double share : UniformRing(row.nodes, row.vnodes, random).shares()) {
        const double load = share * real(row.nodes);
        squares += (load - 1) * (load - 1);
        largest = std::max(largest, load);
      }
      variance.add(squares / real(row.nodes));
      peaks.add(largest);
      all_peaks.push_back(largest);
    }
    CHECK_THAT(variance.mean(), WithinAbs(cv * cv, 4 * variance.error()));
    CHECK_THAT(peaks.mean(), WithinAbs(peak, 4 * peaks.error()));
    // Tight enough to detect a wrong figure.
    CHECK(4 * peaks.error() < 0.05 * peak);

    if (row.percentile == "not simulated") continue;
    // The share of peaks below a true 95th percentile is binomial around 0.95.
    const auto below = [&](double x) {
      return real(static_cast<std::uint64_t>(std::count_if(all_peaks.begin(), all_peaks.end(),
                                                           [x](double p) { return p <= x; }))) /
             row.rounds;
    };
    const Written percentile = parse(row.percentile);
    const double error = std::sqrt(0.95 * 0.05 / row.rounds);
    CHECK(below(percentile.value - percentile.half_unit) <= 0.95 + 4 * error);
    CHECK(below(percentile.value + percentile.half_unit) >= 0.95 - 4 * error);
  }
}

TEST_CASE("the 95th percentile at one vnode matches the exact distribution") {
  // The probability that none of n arcs is longer than x means, by inclusion and exclusion: P = sum
  // over k of (-1)^k C(n, k) (1 - k x / n)^(n - 1).
  const auto peak_below = [](std::uint64_t nodes, double x) {
    double sum = 0;
    double sign = 1;
    for (std::uint64_t k = 0; real(k) * x < real(nodes); ++k, sign = -sign) {
      sum +=
          sign * combinations(nodes, k) * std::pow(1 - real(k) * x / real(nodes), real(nodes - 1));
    }
    return sum;
  };
  struct Row {
    std::uint64_t nodes;
    std::string_view percentile;
  };
  for (const Row& row : {Row{8, "4.13"}, Row{16, "5.11"}, Row{1000, "9.84"}}) {
    CAPTURE(row.nodes);
    const Written percentile = parse(row.percentile);
    CHECK(peak_below(row.nodes, percentile.value - percentile.half_unit) < 0.95);
    CHECK(peak_below(row.nodes, percentile.value + percentile.half_unit) > 0.95);
  }
}

TEST_CASE("the mean peak agrees with the cases that have a closed form") {
  // One vnode: harmonic numbers. The quadrature is not used there, so it is called directly.
  for (const std::uint64_t nodes : {2u, 8u, 16u, 1000u, 1000000u, 1000000000u}) {
    CAPTURE(nodes);
    CHECK_THAT(detail::largest_gamma(nodes, 1), WithinRel(harmonic(nodes), 1e-7));
    CHECK_THAT(peak_to_mean(nodes, 1), WithinRel(harmonic(nodes), 1e-15));
  }
  // Two nodes: Beta(v, v) is 1/2 +- C(2v, v) / 4^v / 2 on average. 63 to 65: where Stirling begins.
  for (const std::uint64_t vnodes : {2u, 3u, 10u, 63u, 64u, 65u, 200u, 1000u, 100000u}) {
    CAPTURE(vnodes);
    double central = 1;
    for (std::uint64_t k = 1; k <= vnodes; ++k) central *= 1 - 0.5 / real(k);
    CHECK_THAT(peak_to_mean(2, vnodes), WithinRel(1 + central, 1e-7));
  }
  static_assert(peak_to_mean(1, 200) == 1);
  // Many vnodes: the largest of 16 normal variates is 1.7660 deviations above the mean.
  CHECK_THAT((peak_to_mean(16, 4000000000) - 1) / share_cv(16, 4000000000) * std::sqrt(15.0 / 16),
             WithinAbs(1.7660, 0.0005));
  CHECK(peak_to_mean(1000000000, 200) > peak_to_mean(1000000, 200));
}

TEST_CASE("vnodes_for_cv returns the fewest vnodes that reach the CV") {
  for (const std::uint64_t nodes : {2u, 3u, 16u, 1000u, 1000000000u}) {
    for (const std::uint64_t vnodes : {1u, 2u, 3u, 10u, 100u, 199u, 200u, 65536u, 1000000u}) {
      CAPTURE(nodes, vnodes);
      CHECK(vnodes_for_cv(nodes, share_cv(nodes, vnodes)) == vnodes);
    }
    for (const double cv : {0.9, 0.3, 0.05, 0.01, 0.0001}) {
      CAPTURE(nodes, cv);
      const std::uint64_t vnodes = vnodes_for_cv(nodes, cv);
      CHECK(share_cv(nodes, vnodes) <= cv);
      CHECK((vnodes == 1 || share_cv(nodes, vnodes - 1) > cv));
    }
  }
  for (const std::uint64_t nodes : {2u, 513u, 1024u, 131001268u}) {
    CAPTURE(nodes);
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    CHECK(vnodes_for_cv(nodes, share_cv(nodes, most)) == most);
    CHECK(vnodes_for_cv(nodes, share_cv(nodes, most + 2)) == 0);
  }
  static_assert(vnodes_for_cv(1, 0.001) == 1);
  static_assert(vnodes_for_cv(16, infinity) == 1);
  static_assert(vnodes_for_cv(16, 1e-9) == 0);  // 10^18 of them
  static_assert(share_cv(16, 200) == detail::square_root(15.0 / 3201));
}

TEST_CASE("the longest arcs match simulated rings") {
  constexpr int rounds = 4000;
  std::mt19937_64 random(31);
  std::array<Sample, 3> sample;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> arcs = UniformRing(64, 1, random).shares();
    std::sort(arcs.rbegin(), arcs.rend());
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i].add(arcs[i] * 64);
  }
  for (std::size_t i = 0; i < sample.size(); ++i) {
    CAPTURE(i);
    CHECK_THAT(sample[i].mean(), WithinAbs(longest_arc(64, i + 1), 4 * sample[i].error()));
  }
  static_assert(longest_arc(64, 64) == 1.0 / 64);
}

TEST_CASE("a leaver's load is spread as on simulated rings") {
  struct Row {
    std::uint64_t nodes, vnodes;
    int rounds;
  };
  std::mt19937_64 random(6);
  for (const Row& row : {Row{6, 150, 1000}, Row{6, 1, 4000}, Row{4, 5, 4000}, Row{16, 40, 1000}}) {
    CAPTURE(row.nodes, row.vnodes);
    const double mean = 1 / real(row.nodes - 1);
    Sample variance;
    for (int round = 0; round < row.rounds; ++round) {
      const UniformRing ring(row.nodes, row.vnodes, random);
      std::vector<double> inherited(row.nodes);
      double left = 0;
      for (std::size_t i = 0; i < ring.size(); ++i) {
        if (ring.owner(i) != 0) continue;  // node 0 leaves
        std::size_t heir = i;
        while (ring.owner(heir) == 0) ++heir;
        inherited[ring.owner(heir)] += ring.arc(i);
        left += ring.arc(i);
      }
      double squares = 0;
      for (std::size_t node = 1; node < row.nodes; ++node) {
        squares += (inherited[node] / left - mean) * (inherited[node] / left - mean);
      }
      variance.add(squares * mean);
    }
    const double stddev = inherited_stddev(row.nodes, row.vnodes);
    // At one vnode, one node always takes all: no error except rounding.
    CHECK_THAT(variance.mean(), WithinAbs(stddev * stddev, 4 * variance.error() + 1e-12));
  }
}

// ---- Arithmetic underneath ---------------------------------------------------------------------

TEST_CASE("the square root is the nearest double") {
  static_assert(detail::square_root(2) == 1.4142135623730951);
  static_assert(detail::square_root(0) == 0 && detail::square_root(1) == 1);
  static_assert(detail::square_root(144) == 12 && detail::square_root(0x1p-1074) == 0x1p-537);
  std::mt19937_64 random(4);
  for (int i = 0; i < 30000; ++i) {
    // From 2^-512, below which the residue is not exact, to the largest double; then the narrow
    // range in use.
    const double wide = std::bit_cast<double>(0x1ff0000000000000 + random() % 0x6000000000000000);
    const double narrow = real(random()) / real(random() | 1);
    for (const double x : {wide, narrow}) {
      // Within half a unit of the last place: |x - root^2| <= root * unit, in exact arithmetic.
      const double root = detail::square_root(x);
      const double unit = std::nextafter(root, infinity) - root;
      if (std::abs(std::fma(-root, root, x)) <= root * unit) continue;
      CAPTURE(x, root);
      CHECK(std::abs(std::fma(-root, root, x)) <= root * unit);
    }
  }
}

TEST_CASE("harmonic numbers agree with their sums") {
  static_assert(harmonic(0) == 0 && harmonic(1) == 1 && harmonic(2) == 1.5);
  double sum = 0;
  for (std::uint64_t n = 1; n <= 100000; ++n) {
    sum += 1 / real(n);
    if (n > 4 && n % 997 != 0 && (n < 4090 || n > 4100))
      continue;  // 4,097 is where the series begins
    CAPTURE(n);
    CHECK_THAT(harmonic(n), WithinRel(sum, 1e-13));
  }
  constexpr double euler = 0.57721566490153286;
  CHECK_THAT(harmonic(1000000000), WithinRel(std::log(1e9) + euler + 0.5e-9, 1e-15));
}

TEST_CASE("at_least_once keeps the digits of small probabilities") {
  for (const double chance : {1e-18, 1e-9, 0.001, 0.5}) {
    for (const double trials : {0.0, 1.0, 2.0, 3.0, 1000.0, 1e9, 1e18, 1e30}) {
      CAPTURE(chance, trials);
      CHECK_THAT(detail::at_least_once(chance, trials),
                 WithinRel(-std::expm1(trials * std::log1p(-chance)), 1e-12));
    }
  }
  static_assert(detail::at_least_once(1, 1) == 1 && detail::at_least_once(0, 1e30) == 0);
}

// ---- Memory and lookup -------------------------------------------------------------------------

TEST_CASE("search probes halve until one arc is left") {
  for (std::uint64_t positions = 1; positions <= 5000; ++positions) {
    std::uint64_t probes = 0;
    for (std::uint64_t left = positions; left > 1; left = (left + 1) / 2) ++probes;
    CAPTURE(positions);
    CHECK(search_probes(positions) == probes);
  }
  static_assert(search_probes(largest_count) == 64);
}

TEST_CASE("collisions agree with the exact product") {
  struct Row {
    std::uint64_t positions;
    unsigned bits;
  };
  for (const Row& row : {Row{2, 1}, Row{2, 8}, Row{5, 8}, Row{100, 16}, Row{1000, 24},
                         Row{131072, 32}, Row{4800, 62}}) {
    CAPTURE(row.positions, row.bits);
    const double cells = std::ldexp(1.0, static_cast<int>(row.bits));
    double log_none = 0;
    for (std::uint64_t i = 1; i < row.positions; ++i) log_none += std::log1p(-real(i) / cells);
    const double none = collision_probability(row.positions, row.bits);
    CHECK_THAT(std::log1p(-none), WithinRel(log_none, real(row.positions) / (3 * cells) + 1e-9));
    CHECK_THAT(expected_collisions(row.positions, row.bits),
               WithinRel(real(row.positions * (row.positions - 1) / 2) / cells, 1e-15));
  }
  static_assert(collision_probability(0) == 0 && collision_probability(1) == 0);
  static_assert(collision_probability(2, 1) == 0.5 && collision_probability(3, 1) == 1);
  CHECK_THAT(collision_probability(5000000000), WithinRel(-std::expm1(-25e18 / 0x1p65), 1e-9));
}

// ---- Migration ---------------------------------------------------------------------------------

TEST_CASE("the busiest card sets the time") {
  // Thirty-two joiners of sixteen: each member sends 32/(16*48), each joiner receives 1/48.
  CHECK_THAT(ring_migration_seconds(48, 16, 48, 1), WithinRel(2, 1e-15));
  CHECK_THAT(ring_migration_seconds(17, 16, 17, 1), WithinRel(1, 1e-15));
  CHECK_THAT(ring_migration_seconds(16, 16, 15, 1), WithinRel(1, 1e-15));  // the leaver's card
  CHECK(ring_migration_seconds(1e15, 16, 16, 1) == 0);
  CHECK(mod_n_migration_seconds(1e15, 16, 16, 1) == 0);
  CHECK_THAT(mod_n_migration_seconds(17, 17, 16, 1), WithinRel(1, 1e-15));
}

// ---- Durability --------------------------------------------------------------------------------

TEST_CASE("combinations follow Pascal's triangle") {
  std::vector<std::uint64_t> row{1};
  for (std::uint64_t n = 0; n <= 67; ++n) {
    for (std::uint64_t k = 0; k <= n; ++k) {
      if (combinations_exact(n, k) == row[k]) continue;
      CAPTURE(n, k);
      CHECK(combinations_exact(n, k) == row[k]);
    }
    for (std::uint64_t k = 0; k <= n && n <= 50; ++k) CHECK(combinations(n, k) == real(row[k]));
    row.push_back(1);
    for (std::size_t k = n; k >= 1; --k) row[k] += row[k - 1];
  }
  static_assert(combinations_exact(67, 33) == 14226520737620288370u);
  static_assert(combinations_exact(68, 34) == largest_count);
  static_assert(combinations_exact(3, 4) == 0 && combinations(3, 4) == 0);
  static_assert(combinations_exact(1000000000, 999999998) == 499999999500000000);
  CHECK_THAT(combinations(1000000000, 3), WithinRel(1.66666666166666667e26, 1e-15));
  CHECK(combinations(1000000000, 500000000) > std::numeric_limits<double>::max());
  CHECK(combinations_exact(largest_count, largest_count / 2) == largest_count);
}

TEST_CASE("combinations reach up to the largest double") {
  CHECK_THAT(combinations(1029, 514), WithinRel(1.429820686498904e308, 1e-12));
  CHECK_THAT(combinations(1029, 515), WithinRel(1.429820686498904e308, 1e-12));
  CHECK_THAT(combinations(1028, 514), WithinRel(7.156051054877897e307, 1e-12));
  CHECK_THAT(combinations(1200, 250), WithinRel(1.4047021436603807e265, 1e-12));
  CHECK_THAT(combinations(1000000, 60), WithinRel(1.199655181479268e278, 1e-12));
  CHECK_THAT(combinations(largest_count, 16), WithinRel(8.592033588662858e294, 1e-12));
  static_assert(combinations(1030, 515) == infinity && combinations(1500, 300) == infinity);
  static_assert(combinations(largest_count, 17) == infinity);
  // Up to 2^64 it is the count itself, rounded once.
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (std::uint64_t k = 0; k <= n; ++k) {
      const std::uint64_t exact = combinations_exact(n, k);
      if (exact == largest_count || combinations(n, k) == real(exact)) continue;
      CAPTURE(n, k);
      CHECK(combinations(n, k) == real(exact));
    }
  }
}

TEST_CASE("the mean loss of large fleets matches the exact quotient") {
  CHECK_THAT(expected_loss(5000, 2500, 4998), WithinRel(0.2499499899979996, 1e-12));
  CHECK_THAT(expected_loss(100000, 10000, 95000), WithinRel(9.139866551930529e-236, 1e-9));
  CHECK_THAT(expected_loss(2000000, 5000, 1995000), WithinRel(3.611677185741751e-06, 1e-11));
  CHECK_THAT(expected_loss(1000000000, 100000, 999900000), WithinRel(4.535454745989602e-05, 1e-11));
  // A set is lost if it avoids all survivors, so replicas and survivors are exchangeable.
  for (const std::uint64_t nodes : {std::uint64_t{9000}, std::uint64_t{9007}}) {
    for (const std::uint64_t replicas : {1u, 3u, 100u, 4095u, 4096u, 4097u}) {
      for (const std::uint64_t left : {1u, 3u, 100u, 4095u, 4096u, 4097u}) {
        CAPTURE(nodes, replicas, left);
        CHECK_THAT(expected_loss(nodes, replicas, nodes - left),
                   WithinRel(expected_loss(nodes, left, nodes - replicas), 1e-9));
      }
    }
  }
}

TEST_CASE("replica sets match simulated rings") {
  const auto sets = [](const UniformRing& ring) {
    std::set<std::uint64_t> distinct;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      std::uint64_t members = 0;
      for (std::size_t j = i; std::popcount(members) < 3; ++j) {
        members |= std::uint64_t{1} << ring.owner(j);
      }
      distinct.insert(members);
    }
    return real(distinct.size());
  };
  std::mt19937_64 random(560);
  CHECK(sets(UniformRing(16, 1, random)) == expected_replica_sets(16, 1, 3));
  CHECK(sets(UniformRing(3, 20, random)) == expected_replica_sets(3, 20, 3));

  constexpr int rounds = 200;
  for (const std::uint64_t vnodes : {2u, 10u, 32u, 100u, 200u}) {
    CAPTURE(vnodes);
    Sample used;
    for (int round = 0; round < rounds; ++round)
      used.add(sets(UniformRing(16, vnodes, random)) / 560);
    CHECK_THAT(used.mean(),
               WithinAbs(expected_replica_sets(16, vnodes, 3) / 560, 0.015 + 4 * used.error()));
    if (vnodes != 200) continue;
    CHECK(numbers_page().find("use 0.992 of the 560 sets") != std::string::npos);
    CHECK_THAT(used.mean(), WithinAbs(0.992, 0.0005 + 4 * used.error()));
  }
  // There are gaps by the hundred thousand and more sets than a double counts: no two gaps agree.
  static_assert(expected_replica_sets(5000, 200, 2500) == 500000);
  static_assert(expected_replica_sets(largest_count, 2, largest_count / 2) > 0x1.fffffp63);
  static_assert(expected_replica_sets(16, 200, 1) == 16);
  static_assert(expected_replica_sets(3, 200, 3) == 1);
}

TEST_CASE("loss agrees with every choice of failed nodes") {
  // Sixteen nodes at one vnode: data is lost when three of the failed are neighbours.
  struct Row {
    int failed;
    double slack;  // choices are not independent beyond three failures
  };
  for (const Row& row : {Row{0, 0}, Row{2, 0}, Row{3, 1e-15}, Row{4, 0.005}, Row{5, 0.015}}) {
    CAPTURE(row.failed);
    double choices = 0;
    double lost_choices = 0;
    double lost_sets = 0;
    for (unsigned failed = 0; failed < 1u << 16; ++failed) {
      if (std::popcount(failed) != row.failed) continue;
      const unsigned twice = failed | failed << 16;
      const unsigned runs = twice & twice >> 1 & twice >> 2 & 0xffff;
      ++choices;
      lost_choices += runs != 0 ? 1 : 0;
      lost_sets += std::popcount(runs);
    }
    const auto failed = static_cast<std::uint64_t>(row.failed);
    CHECK_THAT(loss_probability(16, 16, 3, failed), WithinAbs(lost_choices / choices, row.slack));
    CHECK_THAT(expected_loss(16, 3, failed), WithinAbs(lost_sets / choices / 16, 1e-15));
  }
  static_assert(loss_probability(560, 16, 3, 3) == 1 && loss_probability(0, 16, 3, 9) == 0);
  // More possible sets than a double counts: sets * C(failed, r) / C(nodes, r) are lost on average.
  static_assert(loss_probability(1, 1000000000, 500000000, 3) == 0);
  CHECK(loss_probability(5e5, 5000, 2500, 4998) == 1);
  CHECK_THAT(loss_probability(3, 5000, 2500, 4998),
             WithinRel(-std::expm1(-3 * 0.2499499899979996), 1e-12));
  CHECK_THAT(loss_probability(1e5, 5000, 2500, 4980),
             WithinRel(-std::expm1(-1e5 * expected_loss(5000, 2500, 4980)), 1e-12));
  // This function takes the largest count of sets that its sibling functions return.
  for (const std::uint64_t n : {std::uint64_t{66}, std::uint64_t{67}, std::uint64_t{1000}}) {
    for (std::uint64_t k = 1; k <= n / 2; ++k) {
      if (combinations_exact(n, k) == largest_count) break;
      CAPTURE(n, k);
      CHECK(loss_probability(real(combinations_exact(n, k)), n, k, k) == 1);
    }
  }
  // More choices than 2^64, each with a tiny chance: sets * (failed / nodes)^5 = 20 lost sets.
  CHECK_THAT(loss_probability(1e5, 1000000, 5, 100000), WithinRel(-std::expm1(-1.0), 1e-3));
}

TEST_CASE("sets that span racks agree with enumeration") {
  for (unsigned racks = 1; racks <= 4; ++racks) {
    for (unsigned size = 1; size <= 4; ++size) {
      std::array<std::uint64_t, 8> count{};
      for (unsigned chosen = 1; chosen < 1u << (racks * size); ++chosen) {
        bool spans = true;
        for (unsigned rack = 0; rack < racks; ++rack) {
          spans = spans && std::popcount(chosen >> (rack * size) & ((1u << size) - 1)) <= 1;
        }
        if (spans) ++count[static_cast<std::size_t>(std::popcount(chosen))];
      }
      for (unsigned replicas = 1; replicas < count.size(); ++replicas) {
        CAPTURE(racks, size, replicas);
        CHECK(rack_spanning_sets(racks, size, replicas) == count[replicas]);
      }
    }
  }
  static_assert(rack_spanning_sets(1000000000, 1, 2) == combinations_exact(1000000000, 2));
  static_assert(rack_spanning_sets(1000, 1000, 20) == largest_count);
}

// ---- Bounds and slots --------------------------------------------------------------------------

TEST_CASE("a load bound has room for every key") {
  static_assert(bounded_load_cap(5, 2, 1.5) == 4 && bounded_load_cap(1, 100, 1.01) == 1);
  static_assert(bounded_load_cap(0, 4, 2) == 0);
  static_assert(bounded_load_cap(largest_count, 1, 2) == largest_count);
  for (std::uint64_t keys = 1; keys < 200; ++keys) {
    for (std::uint64_t nodes = 1; nodes < 20; ++nodes) {
      for (const double factor : {1.0000001, 1.25, 2.0}) {
        const std::uint64_t cap = bounded_load_cap(keys, nodes, factor);
        if (nodes * cap >= keys && real(cap - 1) < factor * real(keys) / real(nodes)) continue;
        CAPTURE(keys, nodes, factor, cap);
        CHECK(nodes * cap >= keys);
        CHECK(real(cap - 1) < factor * real(keys) / real(nodes));
      }
    }
  }
}

TEST_CASE("a load bound is exact to a millionth, like BoundedLoad's") {
  static_assert(bounded_load_cap(100, 10, 1.1) == 11);
  static_assert(bounded_load_cap(largest_count, largest_count, 1.000001) == 2);
  static_assert(bounded_load_cap(largest_count, largest_count, 1.0000001) == 1);
  static_assert(bounded_load_cap(1, 1000, 1000) == 1 && bounded_load_cap(1, 999, 1000) == 2);
  static_assert(bounded_load_cap(1, std::uint64_t{1} << 60, 0x1p70) == 1024);
  static_assert(bounded_load_cap(1, 1, 1e300) == largest_count);
  for (std::uint64_t millionths :
       {1000001u, 1010000u, 1050000u, 1100000u, 1150000u, 1200000u, 1250000u, 1300000u, 1333333u,
        1400000u, 1500000u, 1700000u, 2000000u, 2200000u, 3300000u, 10000000u, 1000000000u}) {
    const double factor = real(millionths) / 1e6;
    const auto check = [&](std::uint64_t keys, std::uint64_t nodes) {
      // ceil(a / (b c)) is ceil(ceil(a / b) / c); a is below 2^64 here.
      const std::uint64_t per_node = (millionths * keys + nodes - 1) / nodes;
      const std::uint64_t cap = (per_node + 999999) / 1000000;
      if (bounded_load_cap(keys, nodes, factor) == cap) return;
      CAPTURE(keys, nodes, factor);
      CHECK(bounded_load_cap(keys, nodes, factor) == cap);
    };
    for (std::uint64_t keys = 0; keys <= 1000; ++keys) {
      for (std::uint64_t nodes = 1; nodes <= 100; ++nodes) check(keys, nodes);
    }
    for (std::uint64_t nodes = 1; nodes <= 1000; ++nodes) {
      check(nodes * 1000000, nodes);
      check(nodes * 1000000 + 1, nodes);
      check(1000000007, nodes);
    }
  }
}

TEST_CASE("BoundedLoad's caps of equal members equal the load bound") {
  clockwise::Rendezvous<> nodes;
  for (std::uint64_t n = 1; n <= 40; ++n) {
    nodes.add(std::to_string(n));
    for (const double c : {1.000001, 1.05, 1.1, 1.25, 1.3, 1.4, 1.7, 2.0, 2.2, 3.3, 1000.0}) {
      const clockwise::detail::LoadCaps caps(nodes, c);
      for (std::uint64_t total = 0; total <= 1000; ++total) {
        const std::uint64_t cap = caps.cap(static_cast<std::size_t>(total % n), total);
        if (cap == bounded_load_cap(total, n, c)) continue;
        CAPTURE(n, c, total);
        CHECK(cap == bounded_load_cap(total, n, c));
      }
    }
  }
}

TEST_CASE("slots move as little as two even assignments allow") {
  const auto deal = [](std::uint64_t slots, std::uint64_t nodes, std::uint64_t size) {
    std::vector<std::uint64_t> result(size);
    for (std::uint64_t i = 0; i < slots; ++i) ++result[i % nodes];
    return result;
  };
  for (std::uint64_t slots = 0; slots <= 40; ++slots) {
    for (std::uint64_t before = 1; before <= 12; ++before) {
      for (std::uint64_t after = 1; after <= 12; ++after) {
        // Both assignments sorted by slots, largest first: this matching keeps the most.
        const auto old_deal = deal(slots, before, 12);
        const auto new_deal = deal(slots, after, 12);
        std::uint64_t moved = slots;
        for (std::size_t i = 0; i < 12; ++i) moved -= std::min(old_deal[i], new_deal[i]);
        CAPTURE(slots, before, after);
        CHECK(slots_moved(slots, before, after) == moved);
        CHECK(slots_max(slots, before) == old_deal[0]);
        CHECK(slots_min(slots, before) == old_deal[before - 1]);
      }
    }
  }
  static_assert(slots_peak_to_mean(1024, 16) == 1);
  static_assert(slots_peak_to_mean(4, 16) == 4);
}

// ---- Extremes ----------------------------------------------------------------------------------

namespace {

constexpr std::array<std::uint64_t, 22> counts{1,
                                               2,
                                               3,
                                               7,
                                               64,
                                               65,
                                               1000,
                                               4096,
                                               4097,
                                               1000000,
                                               4294967295,
                                               4294967296,
                                               1000000000000000,
                                               (std::uint64_t{1} << 53) - 1,
                                               (std::uint64_t{1} << 53) + 1,
                                               (std::uint64_t{1} << 60) + 5001,
                                               (std::uint64_t{1} << 63) - 1,
                                               std::uint64_t{1} << 63,
                                               (std::uint64_t{1} << 63) + 1,
                                               largest_count - 4098,
                                               largest_count - 1,
                                               largest_count};
constexpr std::array<double, 11> amounts{0,
                                         5e-324,
                                         1e-310,
                                         1e-200,
                                         1e-9,
                                         1,
                                         1e9,
                                         1e19,
                                         1e200,
                                         1e308,
                                         std::numeric_limits<double>::max()};
constexpr std::array<double, 9> probabilities{0,   5e-324, 1e-200,   1e-17,      0.3,
                                              0.5, 0.75,   1 - 1e-9, 1 - 0x1p-53};

/// A number from `low` to `high`, both allowed; NaN is not.
class Between : public Catch::Matchers::MatcherGenericBase {
 public:
  Between(double low, double high) : low_(low), high_(high) {}
  template <class Number>
  bool match(Number number) const {
    return static_cast<double>(number) >= low_ && static_cast<double>(number) <= high_;
  }
  std::string describe() const override {
    return "is between " + Catch::Detail::stringify(low_) + " and " +
           Catch::Detail::stringify(high_);
  }

 private:
  double low_;
  double high_;
};

/// Values that must not fall, up to rounding.
class Rising {
 public:
  explicit Rising(double slack = 1e-12) : slack_(slack) {}
  bool operator()(double value) {
    const bool rises = value >= last_ - slack_ * std::abs(last_);
    last_ = value;
    return rises;
  }

 private:
  double slack_;
  double last_ = -std::numeric_limits<double>::max();
};

}  // namespace

TEST_CASE("movement and egress are shares of the whole at any counts") {
  for (const std::uint64_t before : counts) {
    Rising one_by_one;
    for (const std::uint64_t after : counts) {
      CAPTURE(before, after);
      CHECK_THAT(mod_n_movement(before, after), Between(0, 1));
      CHECK_THAT(ring_movement(before, after), Between(0, 1));
      CHECK_THAT(mod_n_egress(before, after), Between(0, 1));
      CHECK_THAT(mod_n_ingress(before, after), Between(0, 1));
      CHECK_THAT(ring_egress(before, after), Between(0, 1));
      CHECK_THAT(ring_ingress(before, after), Between(0, 1));
      CHECK((ring_movement(before, after) > 0) == (before != after));
      CHECK((mod_n_movement(before, after) > 0) == (before != after));
      CHECK((ring_movement_one_by_one(before, after) > 0) == (before != after));
      CHECK_THAT(ring_movement_one_by_one(before, after), Between(0, 45));
      if (after >= before) CHECK(one_by_one(ring_movement_one_by_one(before, after)));
      // One by one moves at least as much as one change, and the same for a single step.
      CHECK(ring_movement_one_by_one(before, after) >= ring_movement(before, after) * (1 - 1e-12));
    }
  }
  // Many steps between large counts: nothing cancels.
  const std::uint64_t large = std::uint64_t{1} << 60;
  CHECK_THAT(ring_movement_one_by_one(large, large + 5000), WithinRel(5000 / 0x1p60, 1e-12));
  CHECK_THAT(ring_movement_one_by_one(large, large + (1 << 20)), WithinRel(0x1p-40, 1e-12));
}

TEST_CASE("balance figures are valid at any counts") {
  for (const std::uint64_t nodes : counts) {
    Rising cv_falls;
    Rising peak_falls(1e-6);
    for (const std::uint64_t vnodes : counts) {
      CAPTURE(nodes, vnodes);
      CHECK_THAT(share_cv(nodes, vnodes), Between(0, 1));
      CHECK((share_cv(nodes, vnodes) > 0) == (nodes > 1));
      CHECK(cv_falls(-share_cv(nodes, vnodes)));
      CHECK_THAT(peak_to_mean(nodes, vnodes), Between(1, 45));
      CHECK(peak_falls(-peak_to_mean(nodes, vnodes)));
      if (vnodes <= nodes) {
        CHECK_THAT(weighted_share_cv(vnodes, nodes), Between(0, real(nodes)));
        CHECK((weighted_share_cv(vnodes, nodes) > 0) == (vnodes < nodes));
        CHECK_THAT(longest_arc(nodes, vnodes), Between(1 / real(nodes) * (1 - 1e-12), 46));
      }
      if (nodes > 1) CHECK_THAT(inherited_stddev(nodes, vnodes), Between(0, 0.5));
    }
    for (const double cv : amounts) {
      CAPTURE(nodes, cv);
      const std::uint64_t vnodes = vnodes_for_cv(nodes, cv);
      CHECK_THAT(vnodes, Between(0, 0x1p32 + 1));
      if (vnodes > 0) CHECK(share_cv(nodes, vnodes) <= cv);
      if (vnodes > 1) CHECK(share_cv(nodes, vnodes - 1) > cv);
    }
  }
  for (const std::uint64_t vnodes : counts) {
    Rising rises(1e-6);
    for (const std::uint64_t nodes : counts) {
      CAPTURE(nodes, vnodes);
      CHECK(rises(peak_to_mean(nodes, vnodes)));
    }
  }
  Rising rises;
  for (const std::uint64_t n : counts) CHECK(rises(harmonic(n)));
  CHECK_THAT(harmonic(largest_count), WithinRel(44.93863522073803, 1e-11));
  CHECK_THAT(share_cv(2, largest_count), WithinRel(std::sqrt(0x1p-65), 1e-12));
  CHECK_THAT(weighted_share_cv(largest_count - 1, largest_count), WithinRel(0x1p-64, 1e-12));
}

TEST_CASE("the hottest node of rings of very many vnodes") {
  // Shares are then normal: the mean of the largest of 2 is 1 / sqrt(pi) deviations above the mean,
  // of 3 it is 1.5 / sqrt(pi), of 1,000 it is 3.2414.
  for (const double vnodes : {1e9, 1e12, 1e15, 1e18}) {
    CAPTURE(vnodes);
    const auto v = static_cast<std::uint64_t>(vnodes);
    const double deviation = 1 / std::sqrt(vnodes);
    const auto above = [&](std::uint64_t nodes) {
      return (peak_to_mean(nodes, v) - 1) / deviation;
    };
    const double rounding = 0x1p-52 / deviation + 1e-6 + 4 * deviation;  // they are a little skewed
    CHECK_THAT(above(2), WithinAbs(0.5641896, rounding));
    CHECK_THAT(above(3), WithinAbs(0.8462844, rounding));
    CHECK_THAT(above(1000), WithinAbs(3.2414357, rounding));
  }
}

TEST_CASE("memory, collision and migration figures are valid at any amounts") {
  for (const std::uint64_t positions : counts) {
    Rising fall_with_bits;
    for (unsigned bits = 1; bits <= 64; ++bits) {
      CAPTURE(positions, bits);
      CHECK_THAT(collision_probability(positions, bits), Between(0, 1));
      CHECK_THAT(expected_collisions(positions, bits), Between(0, 0x1p127));
      CHECK(fall_with_bits(-collision_probability(positions, bits)));
    }
    CHECK_THAT(search_probes(positions), Between(0, 64));
    for (const std::uint64_t vnodes : counts) {
      CHECK_THAT(ring_positions(positions, vnodes), Between(1, real(largest_count)));
      CHECK_THAT(ring_bytes(positions, vnodes, 1), Between(1, 0x1p129));
      CHECK_THAT(token_list_bytes(positions, vnodes, positions, vnodes), Between(0, 0x1p257));
    }
  }
  for (unsigned bits = 1; bits <= 64; ++bits) {
    Rising rises;
    for (const std::uint64_t positions : counts) {
      CAPTURE(positions, bits);
      CHECK(rises(collision_probability(positions, bits)));
    }
  }
  for (const double bytes : amounts) {
    for (const double rate : amounts) {
      CAPTURE(bytes, rate);
      for (const std::uint64_t replicas : {std::uint64_t{0}, std::uint64_t{1}, largest_count}) {
        CHECK_THAT(stored_bytes(bytes, rate, replicas), Between(0, infinity));
      }
      CHECK(stored_bytes(bytes, rate, 0) == 0);
      for (const double throttle : probabilities) {
        if (throttle == 0 || rate == 0) continue;
        CAPTURE(throttle);
        CHECK_THAT(transfer_seconds(bytes, rate, throttle), Between(0, infinity));
        if (bytes == 0) CHECK(transfer_seconds(bytes, rate, throttle) == 0);
        CHECK_THAT(ring_migration_seconds(bytes, 4, 5, rate, throttle), Between(0, infinity));
        CHECK_THAT(mod_n_migration_seconds(bytes, largest_count, 5, rate, throttle),
                   Between(0, infinity));
      }
    }
  }
  CHECK_THAT(transfer_seconds(1e-300, 1e-200, 1e-200), WithinRel(1e100, 1e-9));
}

TEST_CASE("durability figures are valid at any counts") {
  for (const std::uint64_t nodes : counts) {
    for (const std::uint64_t replicas : counts) {
      CAPTURE(nodes, replicas);
      CHECK_THAT(combinations(nodes, replicas), Between(0, infinity));
      CHECK_THAT(combinations_exact(nodes, replicas), Between(0, combinations(nodes, replicas)));
      for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, largest_count}) {
        CHECK_THAT(rack_spanning_sets(nodes, size, replicas), Between(0, real(largest_count)));
      }
      CHECK(rack_spanning_sets(nodes, 0, replicas) == 0);
      if (replicas > nodes) continue;
      Rising sets_rise;
      for (const std::uint64_t vnodes : counts) {
        CAPTURE(vnodes);
        const double sets = expected_replica_sets(nodes, vnodes, replicas);
        CHECK_THAT(sets, Between(1, combinations(nodes, replicas)));
        if (vnodes > 1) CHECK(sets_rise(sets));  // at one vnode they are counted, not estimated
        CHECK_THAT(loss_probability(sets, nodes, replicas, nodes / 2), Between(0, 1));
      }
      Rising loss_rises;
      Rising chance_rises;
      for (const std::uint64_t failed : counts) {
        if (failed > nodes) break;
        CAPTURE(failed);
        CHECK_THAT(expected_loss(nodes, replicas, failed), Between(0, 1));
        CHECK(loss_rises(expected_loss(nodes, replicas, failed)));
        CHECK_THAT(loss_probability(1, nodes, replicas, failed), Between(0, 1));
        CHECK(chance_rises(loss_probability(1, nodes, replicas, failed)));
      }
      CHECK(expected_loss(nodes, replicas, nodes) == 1);
      CHECK(loss_probability(1, nodes, replicas, nodes) == 1);
    }
  }
}

TEST_CASE("storm, hot-key, bound and slot figures are valid at any amounts") {
  for (const double requests : amounts) {
    for (const double hit_rate : probabilities) {
      for (const double movement : probabilities) {
        CAPTURE(requests, hit_rate, movement);
        CHECK_THAT(origin_load(requests, hit_rate, movement), Between(0, requests));
        CHECK_THAT(storm_factor(hit_rate, movement), Between(1, 0x1p54));
      }
    }
    for (const double hot : amounts) {
      for (const std::uint64_t nodes : counts) {
        if (hot > requests) continue;
        CAPTURE(requests, hot, nodes);
        CHECK_THAT(hot_owner_load(requests, nodes, hot), Between(0, requests));
        CHECK_THAT(hot_owner_load(requests, nodes, hot, nodes), Between(0, requests));
        if (requests == 0) continue;
        CHECK_THAT(hot_owner_to_mean(requests, nodes, hot), Between(1 - 1e-15, real(nodes)));
        CHECK_THAT(hot_owner_to_mean(requests, nodes, hot, nodes), WithinRel(1, 1e-12));
      }
    }
  }
  for (const std::uint64_t slots : counts) {
    for (const std::uint64_t nodes : counts) {
      CAPTURE(slots, nodes);
      CHECK_THAT(slots_peak_to_mean(slots, nodes), Between(1, real(nodes)));
      for (const std::uint64_t after : counts) {
        CHECK_THAT(slots_moved(slots, nodes, after), Between(0, real(slots)));
      }
      Rising caps_rise;
      for (const double factor : {1.0000001, 1.000001, 1.25, 2.0, 1e3, 1e15, 1e19, 1e200}) {
        CAPTURE(factor);
        const std::uint64_t cap = bounded_load_cap(slots, nodes, factor);
        CHECK(cap >= slots_max(slots, nodes));
        CHECK(caps_rise(real(cap)));
      }
    }
  }
}

// ---- Bad input ---------------------------------------------------------------------------------

TEST_CASE("undefined figures are NaN or a count of 0") {
  const std::vector<double> undefined{
      mod_n_movement(0, 4),
      mod_n_movement(4, 0),
      ring_movement(0, 4),
      ring_movement(4, 0),
      ring_movement_one_by_one(0, 4),
      ring_movement_one_by_one(4, 0),
      weighted_share_cv(0, 4),
      weighted_share_cv(5, 4),
      share_cv(0, 1),
      share_cv(1, 0),
      peak_to_mean(0, 1),
      peak_to_mean(1, 0),
      longest_arc(0),
      longest_arc(4, 0),
      longest_arc(4, 5),
      inherited_stddev(1, 100),
      inherited_stddev(0, 100),
      inherited_stddev(6, 0),
      ring_bytes(0, 1),
      ring_bytes(1, 0),
      token_list_bytes(0, 1),
      token_list_bytes(1, 0),
      expected_collisions(10, 0),
      expected_collisions(10, 65),
      collision_probability(10, 0),
      collision_probability(10, 65),
      stored_bytes(-1, 1),
      stored_bytes(1, infinity),
      ring_egress(0, 1),
      ring_egress(1, 0),
      ring_ingress(0, 1),
      mod_n_egress(0, 1),
      mod_n_egress(1, 0),
      mod_n_ingress(0, 1),
      transfer_seconds(-1, 1),
      transfer_seconds(not_a_number, 1),
      transfer_seconds(1, 0),
      transfer_seconds(1, infinity),
      transfer_seconds(1, 1, 0),
      transfer_seconds(1, 1, 1.5),
      transfer_seconds(1, 1, not_a_number),
      ring_migration_seconds(1, 0, 1, 1),
      ring_migration_seconds(-1, 1, 2, 1),
      mod_n_migration_seconds(1, 1, 0, 1),
      expected_replica_sets(16, 200, 0),
      expected_replica_sets(2, 200, 3),
      expected_replica_sets(16, 0, 3),
      loss_probability(1, 16, 0, 3),
      loss_probability(1, 2, 3, 2),
      loss_probability(1, 16, 3, 17),
      loss_probability(561, 16, 3, 3),
      loss_probability(-1, 16, 3, 3),
      loss_probability(not_a_number, 16, 3, 3),
      expected_loss(16, 0, 3),
      expected_loss(2, 3, 2),
      expected_loss(16, 3, 17),
      origin_load(-1, 0.5, 0.5),
      origin_load(1, 1.5, 0.5),
      origin_load(1, 0.5, -0.5),
      origin_load(1, 0.5, not_a_number),
      storm_factor(1, 0.5),
      storm_factor(not_a_number, 0.5),
      storm_factor(-0.5, 0.5),
      hot_owner_load(10, 0, 1),
      hot_owner_load(10, 4, 11),
      hot_owner_load(10, 4, -1),
      hot_owner_load(10, 4, 1, 0),
      hot_owner_load(10, 4, 1, 5),
      hot_owner_load(infinity, 4, 1),
      hot_owner_to_mean(0, 4, 0),
      hot_owner_to_mean(10, 0, 1),
      slots_peak_to_mean(0, 4),
      slots_peak_to_mean(4, 0),
  };
  for (std::size_t i = 0; i < undefined.size(); ++i) {
    CAPTURE(i, undefined[i]);
    CHECK(std::isnan(undefined[i]));
  }

  static_assert(std::array{
                    vnodes_for_cv(0, 0.1),
                    vnodes_for_cv(16, 0),
                    vnodes_for_cv(16, -0.1),
                    vnodes_for_cv(16, not_a_number),
                    ring_positions(0, 1),
                    ring_positions(1, 0),
                    search_probes(0),
                    single_vnode_replica_sets(16, 0),
                    single_vnode_replica_sets(2, 3),
                    rack_spanning_sets(2, 4, 3),
                    rack_spanning_sets(4, 0, 3),
                    rack_spanning_sets(4, 4, 0),
                    bounded_load_cap(10, 0, 2),
                    bounded_load_cap(10, 4, 1),
                    bounded_load_cap(10, 4, not_a_number),
                    bounded_load_cap(10, 4, infinity),
                    slots_min(10, 0),
                    slots_max(10, 0),
                    slots_moved(10, 0, 4),
                    slots_moved(10, 4, 0),
                } == std::array<std::uint64_t, 20>{});
  static_assert(ring_positions(std::uint64_t{1} << 33, std::uint64_t{1} << 33) == largest_count);
}

}  // namespace theory_test
