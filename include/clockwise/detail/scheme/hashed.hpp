// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_HASHED_HPP
#define CLOCKWISE_DETAIL_SCHEME_HASHED_HPP

#include <cstdint>  // uint64_t
#include <utility>  // move

#include "clockwise/hash.hpp"

namespace clockwise::detail {

/// The hash policy of a scheme, and the positions of keys by it.
template <HashFunction Hash>
class Hashed {
 public:
  using hash_type = Hash;

  const Hash& hash() const& noexcept { return hash_; }
  Hash hash() const&& { return hash_; }

  /// Returns the position of `key`: hash(key bytes), or a Position itself.
  template <class Key>
  Position position_of(const Key& key) const noexcept {
    return Position{detail::hash_key(hash_, key)};
  }

  /// Returns a number that distinguishes circles: partitioners with the same number put every key
  /// at the same position, so their arcs can be compared.
  std::uint64_t circle() const noexcept { return detail::policy_probe(hash_); }

 protected:
  Hashed() = default;
  explicit Hashed(Hash policy) : hash_(std::move(policy)) {}

 private:
  [[no_unique_address]] Hash hash_{};
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_HASHED_HPP
