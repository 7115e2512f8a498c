// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_SLOT_DEALING_HPP
#define CLOCKWISE_DETAIL_SCHEME_SLOT_DEALING_HPP

// How a slot map gives its members their quotas: in integers, so every platform gives the same.

#include <algorithm>  // make_heap, pop_heap, push_heap, sort
#include <concepts>   // unsigned_integral
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t, uint64_t
#include <vector>     // vector

#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/plain_vector.hpp"

namespace clockwise::detail {

/// Returns how many slots each of `members` members owns. An owner of ~0 is not a member.
template <std::unsigned_integral Index>
PlainVector<std::uint32_t> slots_held(const std::vector<Index>& owners, std::size_t members) {
  PlainVector<std::uint32_t> held(members);
  for (const Index owner : owners) {
    if (owner != static_cast<Index>(~Index{0})) ++held[owner];
  }
  return held;
}

/// Returns how many of `slot_count` slots each member must own: its quota rounded down, and one
/// more for as many members as needed. Members that already hold one more come first, then the
/// members whose quotas lose most by rounding. All 0 if all weights are.
inline std::vector<std::uint32_t> slot_quotas(std::uint64_t slot_count,
                                              const std::vector<double>& weights,
                                              const PlainVector<std::uint32_t>& held) {
  const std::vector<std::uint64_t> integers = detail::integer_weights(weights);
  std::uint64_t total = 0;
  for (const std::uint64_t weight : integers) total += weight;
  std::vector<std::uint32_t> quotas(weights.size());
  if (total == 0) return quotas;

  struct Rounding {
    bool holds_more;
    std::uint64_t rest;
    std::size_t member;
  };
  std::vector<Rounding> roundings;
  std::uint64_t left = slot_count;
  for (std::size_t i = 0; i < quotas.size(); ++i) {
    const std::uint64_t product = slot_count * integers[i];
    quotas[i] = static_cast<std::uint32_t>(product / total);
    left -= quotas[i];
    if (product % total != 0) roundings.push_back({held[i] > quotas[i], product % total, i});
  }
  std::sort(roundings.begin(), roundings.end(), [](const Rounding& a, const Rounding& b) {
    if (a.holds_more != b.holds_more) return a.holds_more;
    return a.rest != b.rest ? a.rest > b.rest : a.member < b.member;
  });
  for (std::size_t i = 0; i < left; ++i) ++quotas[roundings[i].member];
  return quotas;
}

/// Gives each member its quota with the fewest moves: `owners` are by slot, ~0 if a slot has none.
/// If all weights are 0, no slot has an owner.
template <std::unsigned_integral Index>
void deal_slots(std::vector<Index>& owners, const std::vector<double>& weights) {
  constexpr auto none = static_cast<Index>(~Index{0});
  const PlainVector<std::uint32_t> held = detail::slots_held(owners, weights.size());
  const std::vector<std::uint32_t> quotas = detail::slot_quotas(owners.size(), weights, held);

  // Of h slots a member gives away e, evenly: the slots at which (number among them) * e / h steps
  // up.
  std::vector<std::uint64_t> met(weights.size());
  for (Index& owner : owners) {
    if (owner == none) continue;
    const std::uint64_t h = held[owner];
    const std::uint64_t e = h > quotas[owner] ? h - quotas[owner] : 0;
    const std::uint64_t number = met[owner]++;
    if ((number + 1) * e / h > number * e / h) owner = none;
  }

  // Slots without an owner go to members that lack some, as evenly spread as possible: a taker that
  // lacks d is due its k-th at (2k + 1) / 2d of the way.
  struct Taker {
    std::uint64_t due;
    std::uint64_t lacks;
    std::size_t member;
  };
  const auto later = [](const Taker& a, const Taker& b) {
    const std::uint64_t left = a.due * b.lacks;
    const std::uint64_t right = b.due * a.lacks;
    return left != right ? left > right : a.member > b.member;
  };
  std::vector<Taker> takers;
  for (std::size_t i = 0; i < quotas.size(); ++i) {
    if (quotas[i] > held[i]) takers.push_back({1, quotas[i] - held[i], i});
  }
  std::make_heap(takers.begin(), takers.end(), later);
  for (Index& owner : owners) {
    if (owner != none || takers.empty()) continue;
    std::pop_heap(takers.begin(), takers.end(), later);
    Taker& taker = takers.back();
    owner = static_cast<Index>(taker.member);
    taker.due += 2;
    if (taker.due > 2 * taker.lacks) {
      takers.pop_back();
    } else {
      std::push_heap(takers.begin(), takers.end(), later);
    }
  }
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_SLOT_DEALING_HPP
