// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_BUCKET_TABLE_HPP
#define CLOCKWISE_DETAIL_SCHEME_BUCKET_TABLE_HPP

// Members in numbered buckets, for schemes that hash a key to a number. A bucket can be a gap.

#include <algorithm>    // max, min, sort
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <string_view>  // string_view
#include <utility>      // move, pair
#include <vector>       // vector

#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise::detail {

struct BucketPlacement {
  std::vector<std::size_t> members;  ///< By bucket: the index of its member, npos for a gap.

  std::size_t bytes() const noexcept { return members.capacity() * sizeof(std::size_t); }
};

/// `Scheme` offers `static std::size_t bucket_for(key, buckets)`, which gives all buckets the same
/// share of the keys.
///
/// A key tries bucket_for(hash), then bucket_for(draw(~hash, i)) for i = 1, 2, ... until it meets a
/// bucket that is not a gap. So each key of a gap goes to an independent choice among the other
/// buckets, and filling the gap takes back exactly those keys: owners depend on which buckets are
/// gaps, not on the order in which they became gaps. After `tries` failures, a key goes to the best
/// draw among all members, which follows the same law.
template <class Scheme, HashFunction Hash, class Node>
class BucketTable : public Surface<Scheme, Node, std::size_t, BucketPlacement, std::size_t>,
                    public Hashed<Hash> {
 public:
  /// The class that the scheme befriends.
  using SurfaceType = Surface<Scheme, Node, std::size_t, BucketPlacement, std::size_t>;
  using SurfaceType::npos;

  /// Returns the owner's index in members(), which is not its bucket; npos if there are no members.
  std::size_t lookup_index(Position position) const noexcept {
    const auto key = static_cast<std::uint64_t>(position);
    if (this->empty()) return npos;
    for (std::uint64_t i = 0; i < tries; ++i) {
      const std::size_t member = buckets()[attempt(key, i)];
      if (member != npos) return member;
    }
    std::pair best{~std::uint64_t{0}, npos};
    for (std::size_t bucket = 0; bucket < buckets().size(); ++bucket) {
      const std::pair ranked{rank(key, bucket), buckets()[bucket]};
      if (ranked.second != npos && ranked < best) best = ranked;
    }
    return best.second;
  }

  /// Returns the bucket of a member, npos if `id` is not one. O(buckets).
  template <class Id>
  std::size_t bucket_of(const Id& id) const {
    const std::size_t index = this->index_of(id);
    if (index == npos) return npos;
    std::size_t bucket = 0;
    while (buckets()[bucket] != index) ++bucket;
    return bucket;
  }

 protected:
  BucketTable() = default;
  explicit BucketTable(Hash policy) : Hashed<Hash>(std::move(policy)) {}

  const std::vector<std::size_t>& buckets() const noexcept { return this->placement().members; }

  Fingerprint fingerprint_of(const char* head) const {
    FingerprintBytes bytes(head);
    bytes.append(std::string_view(Hash::name));
    bytes.append(this->circle());
    bytes.append_members(this->members());
    bytes.append(std::uint64_t{buckets().size()});
    for (const std::size_t member : buckets()) {
      bytes.append(member == npos ? ~std::uint64_t{0} : std::uint64_t{member});
    }
    return bytes.digest();
  }

  bool places_like(const BucketTable& other) const {
    return this->circle() == other.circle() && buckets() == other.buckets() &&
           this->has_members_of(other);
  }

 private:
  friend SurfaceType;

  static constexpr std::uint64_t tries = 64;

  std::size_t attempt(std::uint64_t key, std::uint64_t i) const noexcept {
    return Scheme::bucket_for(i == 0 ? key : detail::draw(~key, i), buckets().size());
  }
  static std::uint64_t rank(std::uint64_t key, std::size_t bucket) noexcept {
    return detail::mix(key ^ detail::draw(tries, bucket));
  }

  static double accepted_weight(std::string_view id, double weight) {
    return detail::weightless(Scheme::scheme_name, id, weight);
  }

  /// The owner, then the nodes that the next tries meet, then all nodes by their draws.
  template <class Visit>
  void visit_preferred(Position position, std::size_t, Visit visit) const {
    const auto key = static_cast<std::uint64_t>(position);
    if (this->empty()) return;
    for (std::uint64_t i = 0; i < tries; ++i) {
      const std::size_t member = buckets()[attempt(key, i)];
      if (member != npos && !visit(member)) return;
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> rest;
    for (std::size_t bucket = 0; bucket < buckets().size(); ++bucket) {
      if (buckets()[bucket] != npos) rest.emplace_back(rank(key, bucket), buckets()[bucket]);
    }
    std::sort(rest.begin(), rest.end());
    for (const auto& [draw, member] : rest) {
      if (!visit(member)) return;
    }
  }

  std::vector<double> shares() const {
    return std::vector<double>(this->size(), 1 / static_cast<double>(this->size()));
  }

  BucketPlacement placement_after(const typename SurfaceType::Change& change) const {
    PlainVector<std::size_t> stays = change.renumber;
    for (const auto& step : change.steps) {
      const bool moves = step.before != nullptr && step.after != nullptr && step.after->extra;
      if (moves) stays[step.old_index] = npos;
    }
    BucketPlacement placement{buckets()};
    for (std::size_t& member : placement.members) {
      if (member != npos) member = stays[member];
    }
    for (const auto& step : change.steps) {
      if (step.after == nullptr || !step.after->extra) continue;
      const std::size_t bucket = *step.after->extra;
      if (bucket >= placement.members.size()) placement.members.resize(bucket + 1, npos);
      placement.members[bucket] = step.new_index;
    }
    while (!Scheme::keeps_gaps && !placement.members.empty() && placement.members.back() == npos) {
      placement.members.pop_back();
    }
    return placement;
  }
};

/// The argument of update()'s function for such a scheme. It knows which buckets are in use,
/// because each mutator sees the previous ones.
template <class Self, class Scheme, class Node>
class BucketEdit : public Edit<Self, Scheme, Node, std::size_t> {
  using Base = Edit<Self, Scheme, Node, std::size_t>;

 public:
  BucketEdit(const Scheme& scheme, const std::vector<std::size_t>& buckets)
      : Base(scheme), buckets_(buckets) {
    for (const std::size_t member : buckets) taken_.push_back(member != Scheme::npos);
  }

 protected:
  friend AddsEntries<Self, Node>;
  friend Base;

  const std::vector<bool>& taken() const noexcept { return taken_; }

  /// Into the lowest gap, or a new bucket.
  void add_entry(Entry<Node> entry) {
    while (first_free_ < taken_.size() && taken_[first_free_]) ++first_free_;
    add_to(first_free_, std::move(entry));
  }
  /// `bucket` must not be in use.
  void add_to(std::size_t bucket, Entry<Node> entry) {
    if (bucket >= taken_.capacity()) taken_.reserve((std::max)(bucket + 1, 2 * bucket));
    this->join(std::move(entry)).extra = bucket;
    // Nothing below throws.
    if (bucket >= taken_.size()) taken_.resize(bucket + 1);
    taken_[bucket] = true;
  }
  /// The member in a bucket that is in use.
  const Node& holder_of(std::size_t bucket) const {
    const auto* const joined = this->find_pending(
        [bucket](const auto& pending) { return pending.extra && *pending.extra == bucket; });
    return joined != nullptr ? joined->member.node : this->scheme().node(buckets_[bucket]);
  }
  /// Removes a member, whose bucket is then a gap; returns false if absent.
  bool free(std::string_view id) {
    const auto* const pending = this->pending_of(id);
    const bool moved = pending != nullptr && pending->extra.has_value();
    const std::size_t bucket = moved ? *pending->extra : this->scheme().bucket_of(id);
    if (!Base::remove(id)) return false;
    taken_[bucket] = false;
    first_free_ = (std::min)(first_free_, bucket);
    return true;
  }
  void drop_last() {
    taken_.pop_back();
    first_free_ = (std::min)(first_free_, taken_.size());
  }

 private:
  const std::vector<std::size_t>& buckets_;  // before the change
  std::vector<bool> taken_;
  std::size_t first_free_ = 0;  // all buckets below are in use
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_BUCKET_TABLE_HPP
