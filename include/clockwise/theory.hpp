// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_THEORY_HPP
#define CLOCKWISE_THEORY_HPP

// Closed forms of consistent hashing: the cost of a fleet, before you build it.
//
//   theory::mod_n_movement(16, 17);   // 0.9412 of the keys change owner under hash % N
//   theory::ring_movement(16, 17);    // 0.0588 on a ring
//   theory::share_cv(16, 200);        // 0.0685: spread of the nodes' shares at 200 vnodes
//   theory::peak_to_mean(16, 200);    // 1.129: the hottest node over the mean, on average
//
// The model: hashes are uniform and independent, members weigh the same, and a share is a share of
// the circle. A real ring deviates from these means by chance; share_cv says how far.
//
// Units: shares and probabilities lie between 0 and 1, sizes are bytes, times seconds; these are
// double, and infinite above its range. Counts are std::uint64_t; a count above 2^64 - 1 is
// returned as 2^64 - 1. Invalid arguments (no nodes, a probability of 2) give NaN, or 0 if the
// result is a count; valid ones never do, however large. No function throws or allocates; all are
// thread-safe. Time is O(1) unless stated. All are constexpr except peak_to_mean above one vnode,
// and harmonic sums and expected_loss of more than 4,096 terms: those use exp and log, which are
// not constexpr in C++20.

#include <bit>      // bit_width
#include <cmath>    // exp, log, log1p
#include <cstdint>  // uint64_t
#include <limits>   // numeric_limits
#include <numeric>  // gcd

namespace clockwise::theory {

namespace detail {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();

constexpr double real(std::uint64_t count) noexcept { return static_cast<double>(count); }

/// Whether x is finite, not negative and not NaN.
constexpr bool is_amount(double x) noexcept {
  return x >= 0 && x <= (std::numeric_limits<double>::max)();
}

constexpr bool is_probability(double x) noexcept { return x >= 0 && x <= 1; }

constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > most / b ? most : a * b;
}

/// The number high * 2^64 + low.
struct Wide {
  std::uint64_t high;
  std::uint64_t low;
};

constexpr Wide multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t low_half = 0xffffffff;
  const std::uint64_t low = (a & low_half) * (b & low_half);
  const std::uint64_t middle = (a >> 32) * (b & low_half) + (low >> 32);
  const std::uint64_t other = (a & low_half) * (b >> 32) + (middle & low_half);
  return {(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32), a * b};
}

/// n / divisor, rounded up, bit by bit. The quotient must be below 2^128; divisor >= 1.
constexpr Wide divide_up(Wide n, std::uint64_t divisor) noexcept {
  Wide quotient{0, 0};
  std::uint64_t rest = 0;
  for (int bit = 0; bit < 128; ++bit) {
    const bool carry = rest >> 63 != 0;
    rest = rest << 1 | n.high >> 63;
    n = {n.high << 1 | n.low >> 63, n.low << 1};
    quotient = {quotient.high << 1 | quotient.low >> 63, quotient.low << 1};
    if (!carry && rest < divisor) continue;
    rest -= divisor;
    ++quotient.low;
  }
  if (rest != 0 && ++quotient.low == 0) ++quotient.high;
  return quotient;
}

/// The square root, rounded to nearest as std::sqrt does, which is not constexpr. x: finite, >= 0.
constexpr double square_root(double x) noexcept {
  if (x == 0) return x;
  // x = mantissa * 4^exponent with an integer mantissa in [2^52, 2^54): scaling by 4 is exact.
  int exponent = 0;
  for (; x < 0x1p52; x *= 4) --exponent;
  for (; x >= 0x1p54; x /= 4) ++exponent;
  const auto mantissa = static_cast<std::uint64_t>(x);
  // Two bits of mantissa * 2^54 at a time give the root's 54 bits: 53 to keep and one to round by.
  // A 53-bit number's root is never halfway between two such numbers, so that bit alone decides.
  std::uint64_t root = 0;
  std::uint64_t remainder = 0;
  for (int shift = 52; shift >= -54; shift -= 2) {
    remainder = remainder << 2 | (shift < 0 ? 0 : mantissa >> shift & 3);
    const std::uint64_t trial = root << 2 | 1;
    root <<= 1;
    if (remainder >= trial) {
      remainder -= trial;
      root |= 1;
    }
  }
  double result = real((root + 1) >> 1);
  for (exponent -= 26; exponent > 0; --exponent) result *= 2;
  for (; exponent < 0; ++exponent) result /= 2;
  return result;
}

/// 1/(low+1) + ... + 1/high. After 4,096 terms, the rest is the Euler-Maclaurin expansion; the
/// first omitted term is below 3e-17. Differences are taken before anything is rounded.
constexpr double harmonic_between(std::uint64_t low, std::uint64_t high) noexcept {
  const std::uint64_t summed = high - low <= 4096 ? high : low + 4096;
  double sum = 0;
  for (std::uint64_t i = summed; i > low; --i) sum += 1 / real(i);
  if (summed < high) {
    const double a = real(summed);
    const double b = real(high);
    const double relative = real(high - summed) / a;
    sum += std::log1p(relative) - relative / b / 2 + relative / b * (1 / a + 1 / b) / 12;
  }
  return sum;
}

/// 1 - (1 - chance)^trials without cancellation: q(a + b) = q(a) + q(b) (1 - q(a)).
constexpr double at_least_once(double chance, double trials) noexcept {
  int doublings = 0;
  for (; trials >= 0x1p53; trials /= 2) ++doublings;
  double result = 0;
  double power = chance;
  for (auto n = static_cast<std::uint64_t>(trials); n != 0; n >>= 1) {
    if ((n & 1) != 0) result += power * (1 - result);
    power *= 2 - power;
  }
  for (; doublings > 0; --doublings) result *= 2 - result;
  return result;
}

/// 1 - e^-x, constexpr: (1 - x / 2^60)^(2^60). x: not negative or NaN.
constexpr double at_least_one(double x) noexcept {
  return x < 64 ? at_least_once(x * 0x1p-60, 0x1p60) : 1;
}

/// x - log(1 + x). x > -1. The logarithm cancels for small x, where 8 terms of its series suffice.
inline double log_excess(double x) noexcept {
  if (x > 0.01 || x < -0.01) return x - std::log1p(x);
  double sum = 0;
  for (int k = 9; k >= 2; --k) sum = 1 / static_cast<double>(k) - x * sum;
  return x * x * sum;
}

/// Mean of the largest of `nodes` gamma variates of shape `vnodes` and mean 1, by trapezoids. Sums
/// the excess over 1, so that nothing cancels if the excess is small.
inline double largest_gamma(std::uint64_t nodes, std::uint64_t vnodes) noexcept {
  const double n = real(nodes);
  const double v = real(vnodes);
  // The density at the mean, v^v e^-v / (v-1)!: a product if short, otherwise Stirling.
  double at_mean = v * std::exp(-v);
  if (vnodes < 64) {
    for (std::uint64_t k = 1; k < vnodes; ++k) at_mean *= v / real(k);
  } else {
    constexpr double two_pi = 6.283185307179586;
    at_mean = square_root(v / two_pi) * std::exp(1 / (360 * v * v * v) - 1 / (12 * v));
  }
  // Less than e^-40 of the integral lies outside [1 + low, 1 + high].
  const double deviation = 1 / square_root(v);
  const double low = 10 * deviation < 1 ? -10 * deviation : -1;
  double high = deviation;
  while (v * log_excess(high) < 40 + std::log(n)) high += deviation;
  constexpr int steps = 2048;
  const double step = (high - low) / steps;
  double above = 0;  // densities at the points above 1 + x
  double mass = 0;
  double excess = 0;
  for (int i = steps; i > 0; --i) {
    const double x = low + step * i;
    const double density = at_mean * std::exp(-v * log_excess(x)) / (1 + x);
    const double slope = density * (-1 - v * x) / (1 + x);
    const double tail = step * (above + density / 2) + step * step / 12 * slope;
    if (tail < 1) {
      const double largest = density * std::exp((n - 1) * std::log1p(-tail));
      mass += largest;
      excess += x * largest;
    }
    above += density;
  }
  return low > -1 ? 1 + excess / mass : n * step * (mass + excess);
}

/// C(n - out, in) / C(n, in) by Stirling's formula: that `in` of n avoid `out` others. in and out
/// at least 4,096. The terms are of one size, and none is a difference of large ones.
inline double avoidance_of_many(std::uint64_t n, std::uint64_t in, std::uint64_t out) noexcept {
  if (in > n - out) return 0;
  const double all = real(n);
  const double a = real(n - out - in);
  const double b = real(n - out);
  const double c = real(n - in);
  const double expected = real(in) / all * real(out);  // that are in both: e^-expected is the limit
  if (expected > 1000) return 0;                       // so `a` is large below
  const double both = std::log1p(expected / a);
  const double exponent = a * both + real(in) * std::log1p(-real(out) / all) +
                          real(out) * std::log1p(-real(in) / all) + both / 2 +
                          (1 / b - 1 / a + (1 / c - 1 / all)) / 12;
  return exponent < 0 ? std::exp(exponent) : 1;
}

}  // namespace detail

// Movement

/// Share of the keys that change owner when `hash % before` becomes `hash % after`.
/// Modulo lcm(before, after), each r < min(before, after) is one residue that stays, so min / lcm =
/// gcd / max stays. before, after >= 1.
constexpr double mod_n_movement(std::uint64_t before, std::uint64_t after) noexcept {
  if (before == 0 || after == 0) return detail::nan;
  const std::uint64_t larger = before > after ? before : after;
  return detail::real(larger - std::gcd(before, after)) / detail::real(larger);
}

/// Share of the keys that change owner when nodes join or leave a ring, all in one change.
/// Joiners end with (after - before) / after of the circle, leavers had (before - after) / before:
/// that much must move, so no balanced scheme moves less, and on a ring nothing else moves. The
/// vnode count cancels out. If weights differ, pass counts of vnodes. before, after >= 1.
constexpr double ring_movement(std::uint64_t before, std::uint64_t after) noexcept {
  if (before == 0 || after == 0) return detail::nan;
  return before > after ? detail::real(before - after) / detail::real(before)
                        : detail::real(after - before) / detail::real(after);
}

/// The same change made one node at a time, in moves per key: a key that moves twice counts twice.
/// The sum of the steps, each of which, between i - 1 and i nodes, moves 1 / i. before, after >= 1.
/// constexpr up to 4,096 steps.
constexpr double ring_movement_one_by_one(std::uint64_t before, std::uint64_t after) noexcept {
  if (before == 0 || after == 0) return detail::nan;
  return before > after ? detail::harmonic_between(after, before)
                        : detail::harmonic_between(before, after);
}

// Balance

/// H(n) = 1 + 1/2 + ... + 1/n, summed to 4,096 terms and continued by Euler-Maclaurin; H(0) = 0.
/// Also the mean of the largest of n unit exponentials: the j-th to end takes 1 / (n - j + 1) more.
constexpr double harmonic(std::uint64_t n) noexcept { return detail::harmonic_between(0, n); }

/// Standard deviation over mean of the share of a node with `own` of a ring's `all` vnodes. Its
/// share is Beta(own, all - own), because uniform points cut the circle into exchangeable arcs; the
/// mean is own / all, the variance own (all - own) / (all^2 (all + 1)). 1 <= own <= all.
constexpr double weighted_share_cv(std::uint64_t own, std::uint64_t all) noexcept {
  if (own == 0 || own > all) return detail::nan;
  return detail::square_root(detail::real(all - own) /
                             (detail::real(own) * (detail::real(all) + 1)));
}

/// Standard deviation over mean of a node's share, all weights equal; about 1 / sqrt(vnodes).
/// sqrt((nodes - 1) / (nodes * vnodes + 1)), which is weighted_share_cv(vnodes, nodes * vnodes).
/// nodes, vnodes >= 1. 0.07 at 200 vnodes, not the often-quoted 0.05, which takes 400.
constexpr double share_cv(std::uint64_t nodes, std::uint64_t vnodes) noexcept {
  if (nodes == 0 || vnodes == 0) return detail::nan;
  return detail::square_root(detail::real(nodes - 1) /
                             (detail::real(nodes) * detail::real(vnodes) + 1));
}

/// The fewest vnodes per node with a share_cv of at most `cv`; 0 if above 2^32. share_cv solved for
/// the vnodes: ((nodes - 1) / cv^2 - 1) / nodes. nodes >= 1, cv > 0.
constexpr std::uint64_t vnodes_for_cv(std::uint64_t nodes, double cv) noexcept {
  if (nodes == 0 || !(cv > 0)) return 0;
  const double n = detail::real(nodes);
  const double solved = ((n - 1) / cv / cv - 1) / n;
  if (!(solved <= 0x1p32 + 1)) return 0;
  // Rounding can put an integer solution on either side, so the last step is by trial.
  std::uint64_t vnodes = solved > 2 ? static_cast<std::uint64_t>(solved) - 1 : 1;
  while (share_cv(nodes, vnodes) > cv) ++vnodes;
  return vnodes <= std::uint64_t{1} << 32 ? vnodes : 0;
}

/// Mean of the hottest node's share over the mean share. nodes, vnodes >= 1. Shares are
/// gamma(vnodes) variates over their sum, which is independent of them, so the mean of the largest
/// is that of the largest gamma: H(nodes) at one vnode, otherwise the integral of t n f(t)
/// F(t)^(n-1), to a relative 1e-7. constexpr at one vnode; otherwise 2,048 steps.
constexpr double peak_to_mean(std::uint64_t nodes, std::uint64_t vnodes) noexcept {
  if (nodes == 0 || vnodes == 0) return detail::nan;
  if (nodes == 1) return 1;
  return vnodes == 1 ? harmonic(nodes) : detail::largest_gamma(nodes, vnodes);
}

/// Mean length of the rank-th longest of the arcs between `positions` points, over the mean arc.
/// Arcs are unit exponentials over their sum, and the rank-th largest of n of those has mean
/// 1/rank + ... + 1/n. 1 <= rank <= positions. constexpr up to 4,096 terms.
constexpr double longest_arc(std::uint64_t positions, std::uint64_t rank = 1) noexcept {
  if (rank == 0 || rank > positions) return detail::nan;
  return detail::harmonic_between(rank - 1, positions);
}

/// Standard deviation of the part of a leaver's share that one given survivor takes over; the mean
/// is p = 1 / (nodes - 1). At one vnode sqrt(p (1 - p)): one survivor takes all. nodes >= 2. A
/// survivor gets a Bose-Einstein count of the leaver's v arcs. Its variance is v p (1 - p) c, where
/// c = n v / ((n - 1) v + 1). Arcs vary too, so the whole variance is p (1 - p) (1 + c) / (v + 1).
constexpr double inherited_stddev(std::uint64_t nodes, std::uint64_t vnodes) noexcept {
  if (nodes < 2 || vnodes == 0) return detail::nan;
  const double n = detail::real(nodes);
  const double v = detail::real(vnodes);
  const double p = 1 / (n - 1);
  const double c = n * v / ((n - 1) * v + 1);
  return detail::square_root(p * (1 - p) * (1 + c) / (v + 1));
}

// Memory, lookup, gossip

/// Positions on a ring of equal weights: nodes * vnodes.
/// Every vnode keeps its own position, even if two coincide.
constexpr std::uint64_t ring_positions(std::uint64_t nodes, std::uint64_t vnodes) noexcept {
  return detail::multiply(nodes, vnodes);
}

/// Bytes of a ring's two parallel arrays, without its node table or any lookup index.
/// A position and an owner per vnode: 8 + 2 bytes with 16-bit owners. nodes, vnodes >= 1.
constexpr double ring_bytes(std::uint64_t nodes, std::uint64_t vnodes,
                            std::uint64_t bytes_a_position = 10) noexcept {
  if (nodes == 0 || vnodes == 0) return detail::nan;
  return detail::real(nodes) * detail::real(vnodes) * detail::real(bytes_a_position);
}

/// Comparisons that find one of `positions` arcs: ceil(log2(positions)). Each comparison halves the
/// candidates. std::lower_bound also distinguishes "past the last" from "at the first", so on a
/// power of two it takes one more.
constexpr std::uint64_t search_probes(std::uint64_t positions) noexcept {
  return positions == 0 ? 0 : static_cast<std::uint64_t>(std::bit_width(positions - 1));
}

/// Mean number of pairs of positions that coincide among hashes of `bits` bits, 1 to 64.
/// There are positions (positions - 1) / 2 pairs, each equal with probability 2^-bits.
constexpr double expected_collisions(std::uint64_t positions, unsigned bits = 64) noexcept {
  if (bits < 1 || bits > 64) return detail::nan;
  if (positions == 0) return 0;
  const double m = detail::real(positions);
  return m * (m - 1) / 4 / detail::real(std::uint64_t{1} << (bits - 1));
}

/// Probability that any two of the positions coincide, about positions^2 / 2^(bits + 1).
/// 1 - (1 - 2^-bits)^pairs, pairs taken as independent: the exponent is right to a relative
/// positions / (3 * 2^bits). 1 beyond 2^bits positions. 1 <= bits <= 64.
constexpr double collision_probability(std::uint64_t positions, unsigned bits = 64) noexcept {
  if (bits < 1 || bits > 64) return detail::nan;
  if (positions < 2) return 0;
  if (bits < 64 && positions > std::uint64_t{1} << bits) return 1;
  const double m = detail::real(positions);
  return detail::at_least_once(0.5 / detail::real(std::uint64_t{1} << (bits - 1)), m * (m - 1) / 2);
}

/// Bytes sent when a ring's token list goes to each of `peers`. One entry per position. The
/// membership, which has the same information, has one entry per node. nodes, vnodes >= 1.
constexpr double token_list_bytes(std::uint64_t nodes, std::uint64_t vnodes,
                                  std::uint64_t peers = 1,
                                  std::uint64_t bytes_an_entry = 16) noexcept {
  return ring_bytes(nodes, vnodes, bytes_an_entry) * detail::real(peers);
}

// Migration

/// Bytes that a fleet stores: objects * object_bytes * replicas. Every replica is a full copy. A
/// change moves these bytes times its movement.
constexpr double stored_bytes(double objects, double object_bytes,
                              std::uint64_t replicas = 1) noexcept {
  if (!detail::is_amount(objects) || !detail::is_amount(object_bytes)) return detail::nan;
  return replicas == 0 ? 0 : objects * object_bytes * detail::real(replicas);
}

/// Share of the stored bytes that the busiest sender sends in a change of a ring.
/// On a join each member shrinks from 1 / before to 1 / after; a leaver sends all of its
/// 1 / before. before, after >= 1.
constexpr double ring_egress(std::uint64_t before, std::uint64_t after) noexcept {
  if (before == 0 || after == 0) return detail::nan;
  if (before > after) return 1 / detail::real(before);
  return detail::real(after - before) / (detail::real(before) * detail::real(after));
}

/// Share of the stored bytes that the busiest receiver receives in a change of a ring.
/// The reverse change, with senders and receivers exchanged. before, after >= 1.
constexpr double ring_ingress(std::uint64_t before, std::uint64_t after) noexcept {
  return ring_egress(after, before);
}

/// Share of the stored bytes that the busiest sender sends when `hash % N` changes.
/// A node has 1 / before and keeps 1 / lcm of it (see mod_n_movement), or nothing if it leaves.
/// For one replica, or replicas placed independently; on the next indices they overlap and move
/// less.
constexpr double mod_n_egress(std::uint64_t before, std::uint64_t after) noexcept {
  if (before == 0 || after == 0) return detail::nan;
  if (before > after) return 1 / detail::real(before);
  return detail::real(after - std::gcd(before, after)) /
         (detail::real(before) * detail::real(after));
}

/// Share of the stored bytes that the busiest receiver receives when `hash % N` changes.
/// The reverse change, with senders and receivers exchanged. before, after >= 1.
constexpr double mod_n_ingress(std::uint64_t before, std::uint64_t after) noexcept {
  return mod_n_egress(after, before);
}

/// Seconds that one network card takes for `bytes` at `throttle` of `bytes_per_second`.
/// bytes / (rate * throttle). bytes >= 0, rate > 0, 0 < throttle <= 1.
constexpr double transfer_seconds(double bytes, double bytes_per_second,
                                  double throttle = 1) noexcept {
  if (!detail::is_amount(bytes) || !detail::is_amount(bytes_per_second)) return detail::nan;
  if (!(bytes_per_second > 0) || !(throttle > 0 && throttle <= 1)) return detail::nan;
  const double rate = bytes_per_second * throttle;
  return rate >= 0x1p-1000 ? bytes / rate : bytes / bytes_per_second / throttle;
}

/// Seconds that a ring takes for a change, with all nodes streaming at once. `stored` in bytes. The
/// busiest network card decides, in or out (cards are full duplex): a joiner's, if there are at
/// most as many joiners as members. One by one: stored * ring_movement_one_by_one over one card.
constexpr double ring_migration_seconds(double stored, std::uint64_t before, std::uint64_t after,
                                        double bytes_per_second, double throttle = 1) noexcept {
  const double out = ring_egress(before, after);
  const double in = ring_ingress(before, after);
  return transfer_seconds(stored * (out > in ? out : in), bytes_per_second, throttle);
}

/// Seconds that `hash % N` takes for a change. `stored` in bytes. The busiest card decides, as for
/// a ring; here all cards are about equally busy.
constexpr double mod_n_migration_seconds(double stored, std::uint64_t before, std::uint64_t after,
                                         double bytes_per_second, double throttle = 1) noexcept {
  const double out = mod_n_egress(before, after);
  const double in = mod_n_ingress(before, after);
  return transfer_seconds(stored * (out > in ? out : in), bytes_per_second, throttle);
}

// Durability

/// C(n, k) exactly, or 2^64 - 1 if it is larger. The same product, with the common divisor removed
/// before each step; at most 64 steps.
constexpr std::uint64_t combinations_exact(std::uint64_t n, std::uint64_t k) noexcept {
  if (k > n) return 0;
  if (k > n - k) k = n - k;
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= k && result != detail::most; ++i) {
    const std::uint64_t common = std::gcd(result, i);
    result = detail::multiply(result / common, (n - k + i) / (i / common));
  }
  return result;
}

/// C(n, k), the ways to choose k of n: combinations_exact rounded once, and above 2^64 the product
/// of (n - k + i) / i to a relative 1e-12; infinite above the range of double. Each step at least
/// doubles it, so there are at most 1,024 steps.
constexpr double combinations(std::uint64_t n, std::uint64_t k) noexcept {
  const std::uint64_t exact = combinations_exact(n, k);
  if (exact != detail::most) return detail::real(exact);
  if (k > n - k) k = n - k;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double largest = (std::numeric_limits<double>::max)();
  double result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    const double factor = detail::real(n - k + i) / detail::real(i);
    if (result > largest / factor) return infinity;
    // Multiplied first if there is room: the quotient is then rounded once.
    result =
        result < 0x1p900 ? result * detail::real(n - k + i) / detail::real(i) : result * factor;
  }
  return result;
}

/// Distinct replica sets on a ring with one vnode per node and replicas on the next distinct nodes.
/// One set starts at each node; they differ unless a set is the whole fleet.
/// 1 <= replicas <= nodes.
constexpr std::uint64_t single_vnode_replica_sets(std::uint64_t nodes,
                                                  std::uint64_t replicas) noexcept {
  if (replicas == 0 || replicas > nodes) return 0;
  return replicas == nodes ? 1 : nodes;
}

/// Mean number of distinct replica sets, each the next distinct nodes from some position. A set
/// occurs where its r members fall into one gap between other nodes' vnodes. There are (n - r) v
/// gaps, each with that chance 1 / C(n, r). They count as independent, which is low by up to 0.015
/// of all sets at n = 16, r = 3, and more for r near n. Exact at one vnode. 1 <= replicas <= nodes,
/// vnodes >= 1.
constexpr double expected_replica_sets(std::uint64_t nodes, std::uint64_t vnodes,
                                       std::uint64_t replicas) noexcept {
  if (replicas == 0 || replicas > nodes || vnodes == 0) return detail::nan;
  if (vnodes == 1 || replicas == 1 || replicas == nodes) {
    return detail::real(single_vnode_replica_sets(nodes, replicas));
  }
  const double possible = combinations(nodes, replicas);
  const double gaps = detail::real(nodes - replicas) * detail::real(vnodes);
  if (possible > gaps * 0x1p64) return gaps;  // no two gaps give one set
  return possible * detail::at_least_once(1 / possible, gaps);
}

/// Replica sets with no two nodes in one rack, for racks of equal size. Choose the racks, then a
/// node in each: C(racks, replicas) * nodes_per_rack^replicas.
constexpr std::uint64_t rack_spanning_sets(std::uint64_t racks, std::uint64_t nodes_per_rack,
                                           std::uint64_t replicas) noexcept {
  if (replicas == 0 || replicas > racks || nodes_per_rack == 0) return 0;
  std::uint64_t result = combinations_exact(racks, replicas);
  if (nodes_per_rack == 1) return result;
  for (std::uint64_t i = 0; i < replicas && result != detail::most; ++i) {
    result = detail::multiply(result, nodes_per_rack);
  }
  return result;
}

/// Mean share of the keys that `failed` random nodes lose, regardless of vnodes: with many sets a
/// loss is likely and small, with few it is rare and large. 1 <= replicas <= nodes, failed <=
/// nodes. Each set is among the failed with probability C(failed, r) / C(nodes, r). O(r) or
/// O(nodes - failed), the smaller, up to 4,096 steps; Stirling's formula above.
constexpr double expected_loss(std::uint64_t nodes, std::uint64_t replicas,
                               std::uint64_t failed) noexcept {
  if (replicas == 0 || replicas > nodes || failed > nodes) return detail::nan;
  if (failed < replicas) return 0;
  // A set is lost if it avoids the nodes that are left, which is the same as those nodes avoiding
  // it.
  const std::uint64_t left = nodes - failed;
  const std::uint64_t steps = replicas < left ? replicas : left;
  if (steps > 4096) return detail::avoidance_of_many(nodes, replicas, left);
  const std::uint64_t others = replicas < left ? left : replicas;
  double share = 1;
  for (std::uint64_t i = 0; i < steps && share > 0; ++i) {
    share *= detail::real(nodes - others - i) / detail::real(nodes - i);
  }
  return share;
}

/// Probability that `failed` random nodes hold all replicas of some key.
/// 1 - (1 - sets / C(nodes, replicas))^C(failed, replicas): each choice of `replicas` failed nodes
/// is a set with that chance. Exact if failed is replicas or nodes; otherwise choices count as
/// independent. 1 <= replicas <= nodes, failed <= nodes, 0 <= sets <= C(nodes, replicas).
constexpr double loss_probability(double sets, std::uint64_t nodes, std::uint64_t replicas,
                                  std::uint64_t failed) noexcept {
  if (replicas == 0 || replicas > nodes || failed > nodes) return detail::nan;
  const double possible = combinations(nodes, replicas);
  if (!detail::is_amount(sets) || sets > possible * (1 + 1e-12)) return detail::nan;
  if (failed < replicas) return 0;
  if (failed == nodes) return sets > 0 ? 1 : 0;
  if (possible > 0x1p1000) {  // Poisson, because a double cannot hold so small a chance
    return detail::at_least_one(sets * expected_loss(nodes, replicas, failed));
  }
  const double chance = sets < possible ? sets / possible : 1;
  return detail::at_least_once(chance, combinations(failed, replicas));
}

// Storms, hot keys, bounds, slots

/// Requests that reach the origin of a cache right after a share `movement` of its keys moved. A
/// moved key misses, others miss as before: requests * (m + (1 - m) (1 - h)), in the same unit.
/// requests >= 0; hit_rate and movement between 0 and 1.
constexpr double origin_load(double requests, double hit_rate, double movement) noexcept {
  if (!detail::is_amount(requests)) return detail::nan;
  if (!detail::is_probability(hit_rate) || !detail::is_probability(movement)) return detail::nan;
  return requests * (movement + (1 - movement) * (1 - hit_rate));
}

/// The origin's load over its usual load, right after a share `movement` of the keys moved.
/// origin_load over requests * (1 - h). 0 <= hit_rate < 1, movement between 0 and 1.
constexpr double storm_factor(double hit_rate, double movement) noexcept {
  if (!(hit_rate < 1)) return detail::nan;
  return origin_load(1, hit_rate, movement) / (1 - hit_rate);
}

/// Requests on a node that serves a hot key, or one of its copies on distinct nodes.
/// Its part of the hot key and of the rest, which is even: hot / copies + (requests - hot) / nodes.
/// The number of vnodes does not change that. 0 <= hot <= requests, 1 <= copies <= nodes.
constexpr double hot_owner_load(double requests, std::uint64_t nodes, double hot,
                                std::uint64_t copies = 1) noexcept {
  if (!detail::is_amount(requests) || !(hot >= 0 && hot <= requests)) return detail::nan;
  if (copies == 0 || copies > nodes) return detail::nan;
  return hot / detail::real(copies) + (requests - hot) / detail::real(nodes);
}

/// hot_owner_load over the mean load of a node, requests / nodes. requests > 0; otherwise as above.
/// With the hot key's share s of the requests, s * nodes / copies + 1 - s.
constexpr double hot_owner_to_mean(double requests, std::uint64_t nodes, double hot,
                                   std::uint64_t copies = 1) noexcept {
  if (!detail::is_amount(requests) || requests == 0) return detail::nan;
  if (!(hot >= 0 && hot <= requests) || copies == 0 || copies > nodes) return detail::nan;
  return hot / requests * (detail::real(nodes) / detail::real(copies)) +
         (requests - hot) / requests;
}

/// Keys that one node can hold under bounded load: ceil(factor * keys / nodes), exactly, with the
/// factor to the nearest millionth, as BoundedLoad takes it: (100, 10, 1.1) gives 11. nodes * cap
/// >= keys for any factor > 1, so there is always room. nodes >= 1, factor finite.
constexpr std::uint64_t bounded_load_cap(std::uint64_t keys, std::uint64_t nodes,
                                         double factor) noexcept {
  if (nodes == 0 || !(factor > 1) || !detail::is_amount(factor)) return 0;
  int doublings = 0;
  for (; factor >= 0x1p63; factor /= 2) ++doublings;
  const bool has_millionths = factor < 0x1p43;  // otherwise a double has fewer digits
  const auto units = static_cast<std::uint64_t>(has_millionths ? factor * 1e6 + 0.5 : factor);
  detail::Wide total = detail::multiply_wide(keys, units);
  // ceil(t / (a b)) is ceil(ceil(t / a) / b).
  if (has_millionths) total = detail::divide_up(total, 1000000);
  for (; doublings > 0; --doublings) {
    if (total.high >> 63 != 0) return detail::most;
    total = {total.high << 1 | total.low >> 63, total.low << 1};
  }
  const detail::Wide cap = detail::divide_up(total, nodes);
  return cap.high != 0 ? detail::most : cap.low;
}

/// Slots of the node with the fewest, if slots are divided evenly: floor(slot_count / nodes). nodes
/// >= 1.
constexpr std::uint64_t slots_min(std::uint64_t slot_count, std::uint64_t nodes) noexcept {
  return nodes == 0 ? 0 : slot_count / nodes;
}

/// Slots of the node with the most, if slots are divided evenly: ceil(slot_count / nodes). nodes >=
/// 1.
constexpr std::uint64_t slots_max(std::uint64_t slot_count, std::uint64_t nodes) noexcept {
  return nodes == 0 ? 0 : slot_count / nodes + (slot_count % nodes != 0 ? 1 : 0);
}

/// The node with the most slots over the mean, if slots are divided evenly. slot_count, nodes >= 1.
/// slots_max * nodes / slot_count, as 1 plus its excess; it does not depend on chance.
constexpr double slots_peak_to_mean(std::uint64_t slot_count, std::uint64_t nodes) noexcept {
  if (slot_count == 0 || nodes == 0) return detail::nan;
  const std::uint64_t rest = slot_count % nodes;
  return rest == 0 ? 1 : 1 + detail::real(nodes - rest) / detail::real(slot_count);
}

/// The fewest slots that move between two even assignments. before, after >= 1. Joiners take
/// floor(slot_count / after) each, and one more only if the longer shares outnumber the members; a
/// leave is a join in reverse.
constexpr std::uint64_t slots_moved(std::uint64_t slot_count, std::uint64_t before,
                                    std::uint64_t after) noexcept {
  if (before == 0 || after == 0) return 0;
  const std::uint64_t few = before < after ? before : after;
  const std::uint64_t many = before < after ? after : before;
  if (few == many) return 0;
  const std::uint64_t longer = slot_count % many;
  return (many - few) * (slot_count / many) + (longer > few ? longer - few : 0);
}

}  // namespace clockwise::theory

#endif  // CLOCKWISE_THEORY_HPP
