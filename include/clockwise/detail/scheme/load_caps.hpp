// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_LOAD_CAPS_HPP
#define CLOCKWISE_DETAIL_SCHEME_LOAD_CAPS_HPP

// The parts of bounded loads: the caps of a partitioner's members, and a key's order of preference.

#include <array>    // array
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <string>   // to_string
#include <vector>   // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/hash.hpp"

namespace clockwise::detail {

/// The caps of a partitioner's members: ceil(c * total * weight / sum of weights), in integers, so
/// c = 1.1 and a total of 10 give 11, not 12.
class LoadCaps {
 public:
  template <class Scheme>
  LoadCaps(const Scheme& scheme, double c) : millionths_(millionths(c)) {
    std::vector<double> weights;
    weights.reserve(scheme.size());
    for (const auto& member : scheme.members()) {
      // A member that owns nothing is in no key's order of preference: its share would stay empty.
      const bool owns = owns_something(member);
      weights.push_back(owns ? weight_of(member) : 0);
      owning_ += owns ? 1 : 0;
    }
    shares_ = detail::integer_weights(weights);
    std::uint64_t total = 0;
    for (const std::uint64_t share : shares_) total += share;
    if (total == 0) return;
    for (std::uint64_t& share : shares_) share = detail::divide(share >> 1, share << 63, total);
  }

  /// Returns how many members own something.
  std::size_t owning() const noexcept { return owning_; }

  /// `total` must be below 2^33.
  std::uint64_t cap(std::size_t member, std::uint64_t total) const noexcept {
    const std::uint64_t scaled_total = total * millionths_;
    const std::uint64_t low = scaled_total * shares_[member];
    const std::uint64_t whole =
        detail::multiply_high(scaled_total, shares_[member]) << 1 | low >> 63;
    const bool rest = whole % 1000000 != 0 || low << 1 != 0;
    return whole / 1000000 + (rest ? 1 : 0);
  }

 private:
  // The rows of a user's partitioner can lack these.
  template <class Row>
  static bool owns_something(const Row& member) {
    if constexpr (requires { member.vnodes; }) {
      return member.vnodes != 0;
    } else {
      return true;
    }
  }
  template <class Row>
  static double weight_of(const Row& member) {
    if constexpr (requires { member.weight; }) {
      return member.weight;
    } else {
      return 1;
    }
  }

  static std::uint64_t millionths(double c) {
    if (!(c > 1 && c <= 1000) || c * 1e6 + 0.5 < 1000001) {
      detail::fail_invalid("c must be between 1.000001 and 1000, got " + std::to_string(c));
    }
    return static_cast<std::uint64_t>(c * 1e6 + 0.5);
  }

  std::uint64_t millionths_;
  std::size_t owning_ = 0;
  std::vector<std::uint64_t> shares_;  // by member, in units of 2^-63, rounded down
};

/// The members that a walk has met: no heap memory for the first 8.
class MetMembers {
 public:
  explicit MetMembers(std::size_t members) : members_(members) {}

  /// Returns false if the member was met before.
  bool insert(std::size_t member) {
    if (many_.empty()) {
      for (std::size_t i = 0; i < size_; ++i) {
        if (few_[i] == member) return false;
      }
      if (size_ < few_.size()) {
        few_[size_++] = member;
        return true;
      }
      many_.resize(members_);
      for (const std::size_t met : few_) many_[met] = true;
    }
    if (many_[member]) return false;
    many_[member] = true;
    ++size_;
    return true;
  }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t members_;
  std::size_t size_ = 0;
  std::array<std::size_t, 8> few_;
  std::vector<bool> many_;  // empty while few_ suffices
};

/// A scheme of this library, which offers its own order of preference.
template <class Scheme>
concept HasPreferredOrder = requires(const Scheme& scheme, bool (*visit)(std::size_t)) {
  SchemeAccess::visit_preferred(scheme, Position{}, std::size_t{1}, visit);
};

/// Calls visit(index) once for each of the `owning` members that own something, in the scheme's own
/// order of preference for the key, until it returns false.
template <class Scheme, class Visit>
void for_each_preferred(const Scheme& scheme, Position key, std::size_t owning, Visit visit) {
  if (owning == 0) return;
  const auto owner = static_cast<std::size_t>(scheme.lookup_index(key));
  if constexpr (!HasPreferredOrder<Scheme>) {
    if (owner >= scheme.size()) return;  // nothing is owned
  }
  if (!visit(owner) || owning == 1) return;
  MetMembers met(scheme.size());
  met.insert(owner);
  const auto visit_new = [&](std::size_t member) {
    return !met.insert(member) || (visit(member) && met.size() < owning);
  };
  if constexpr (HasPreferredOrder<Scheme>) {
    constexpr std::size_t expected = 4;  // the second or third node usually has room
    SchemeAccess::visit_preferred(scheme, key, expected, [&](auto member) {
      return visit_new(static_cast<std::size_t>(member));
    });
  } else {
    for (const auto& node : scheme.preference_list(key, scheme.size())) {
      if (!visit_new(static_cast<std::size_t>(scheme.index_of(node)))) return;
    }
  }
}

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_LOAD_CAPS_HPP
