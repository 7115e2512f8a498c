// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_BUCKET_TABLE_HPP
#define CLOCKWISE_DETAIL_SCHEME_BUCKET_TABLE_HPP

// Members in numbered buckets, for schemes that hash a key to a number. A bucket can be a gap.

#include <algorithm>  // sort
#include <array>      // array
#include <compare>    // strong_ordering
#include <cstddef>    // size_t
#include <cstdint>    // uint64_t
#include <utility>    // move, pair
#include <vector>     // vector

#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/detail/ring/walk.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/replication.hpp"

namespace clockwise::detail {

/// `Scheme` offers `static std::size_t bucket_for(key, buckets)`, which gives all buckets the same
/// share of the keys.
///
/// A key tries bucket_for(hash), then bucket_for(draw(~hash, i)) for i = 1, 2, ... until it meets a
/// bucket that is not a gap. So each key of a gap goes to an independent choice among the other
/// buckets, and filling the gap takes back exactly those keys: owners depend on which buckets are
/// gaps, not on the order in which they became gaps. After `tries` failures, a key goes to the best
/// draw among all members, which follows the same law.
template <class Scheme, HashFunction Hash, class Node>
class BucketTable : public MemberTable<Scheme, Hash, UnweightedNode<Node>> {
  using Base = MemberTable<Scheme, Hash, UnweightedNode<Node>>;

 public:
  using Base::npos;
  using Base::size;
  using typename Base::index_type;

  /// Returns the owner's index in members(), which is not its bucket; npos if there are no members.
  index_type lookup_index(Position position) const noexcept {
    const auto key = static_cast<std::uint64_t>(position);
    if (this->empty()) return npos;
    for (std::uint64_t i = 0; i < tries; ++i) {
      const std::size_t place = places_[attempt(key, i)];
      if (place != npos) return place;
    }
    std::pair best{~std::uint64_t{0}, npos};
    for (std::size_t bucket = 0; bucket < places_.size(); ++bucket) {
      const std::pair ranked{rank(key, bucket), places_[bucket]};
      if (ranked.second != npos && ranked < best) best = ranked;
    }
    return best.second;
  }

  /// Returns the owner, then the owner without those before it: further tries that meet a new node.
  /// r nodes cost about r tries while r is well below the number of nodes, otherwise O(N log N).
  template <class Key>
  ReplicaList<Node> preference_list(const Key& key, std::size_t r) const {
    const auto position = static_cast<std::uint64_t>(this->position_of(key));
    ReplicaList<Node> list(r);
    const std::size_t wanted = r < size() ? r : size();
    SmallSet taken(wanted, size());
    const auto take = [&](std::size_t place) {
      if (place == npos || taken.contains(static_cast<std::uint32_t>(place))) return;
      taken.insert(static_cast<std::uint32_t>(place));
      list.push_back(this->node(place));
    };
    for (std::uint64_t i = 0; i < tries && list.size() < wanted; ++i) {
      take(places_[attempt(position, i)]);
    }
    if (list.size() == wanted) return list;
    std::vector<std::pair<std::uint64_t, std::size_t>> rest;
    for (std::size_t bucket = 0; bucket < places_.size(); ++bucket) {
      if (places_[bucket] != npos) rest.emplace_back(rank(position, bucket), places_[bucket]);
    }
    std::sort(rest.begin(), rest.end());
    for (std::size_t i = 0; list.size() < wanted; ++i) take(rest[i].second);
    return list;
  }

  /// In id order: 1/N each.
  std::vector<std::pair<Node, double>> load_shares() const {
    std::vector<std::pair<Node, double>> shares;
    shares.reserve(size());
    for (const auto& member : this->members_) {
      shares.emplace_back(member.node, 1 / static_cast<double>(size()));
    }
    return shares;
  }

  /// Returns the bucket of a member, or npos if `id` is not one. O(buckets).
  template <class Id>
  std::size_t bucket_of(const Id& id) const {
    const std::size_t place = this->index_of(id);
    if (place == npos) return npos;
    std::size_t bucket = 0;
    while (places_[bucket] != place) ++bucket;
    return bucket;
  }

 protected:
  BucketTable() = default;
  explicit BucketTable(Hash hash) : Base(std::move(hash)) {}

  /// Fills `bucket`, a gap or past the last bucket; skipped buckets become gaps.
  void occupy(std::size_t bucket, Node node) {
    const std::size_t place = this->place_to_join(id_of(node));
    std::vector<std::size_t> places = places_;
    if (bucket >= places.size()) places.resize(bucket + 1, npos);
    for (std::size_t& other : places) {
      if (other != npos && other >= place) ++other;
    }
    places[bucket] = place;
    this->insert(place, {std::move(node)});
    places_.swap(places);
  }
  /// Makes `bucket`, which must not be a gap, a gap.
  void vacate(std::size_t bucket) {
    const std::size_t place = places_[bucket];
    this->erase(place);
    places_[bucket] = npos;
    for (std::size_t& other : places_) {
      if (other != npos && other > place) --other;
    }
  }

  std::vector<std::size_t> places_;  // by bucket: its member, npos for a gap

 private:
  static constexpr std::uint64_t tries = 64;

  std::size_t attempt(std::uint64_t key, std::uint64_t i) const noexcept {
    return Scheme::bucket_for(i == 0 ? key : draw(~key, i), places_.size());
  }
  static std::uint64_t rank(std::uint64_t key, std::size_t bucket) noexcept {
    return mix(key ^ draw(tries, bucket));
  }
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_BUCKET_TABLE_HPP
