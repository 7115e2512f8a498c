// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_JUMP_HPP
#define CLOCKWISE_JUMP_HPP

// Jump consistent hash (Lamping and Veach 2014) and JumpBackHash (Ertl 2024): they map a key and a
// number of buckets to a bucket, without a table. When a bucket is added, keys move only to it;
// shares are as even as the hash.
//
//   clockwise::jump_hash(clockwise::Xxh3{}(key), 57);   // 0 .. 56
//
//   clockwise::JumpHash<> shards;                        // numbered in the order of joins
//   shards.add("shard-0");
//   shards.add("shard-1");
//   shards.lookup("user:42");
//   shards.pop();                                        // removes the last; no other can leave
//
// For shards that are only ever added. If a shard other than the last can fail, use JumpBackHash
// (below) or another scheme.

#include <bit>               // bit_width, has_single_bit
#include <cfloat>            // FLT_EVAL_METHOD
#include <cstddef>           // size_t
#include <cstdint>           // int64_t, uint32_t, uint64_t
#include <initializer_list>  // initializer_list
#include <limits>            // numeric_limits
#include <string>            // string, to_string
#include <type_traits>       // remove_cvref_t
#include <utility>           // move

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/fixed_point.hpp"
#include "clockwise/detail/base/mix.hpp"
#include "clockwise/detail/scheme/bucket_table.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

namespace detail {

/// Whether a division and a product of doubles each round as IEEE 754 requires: not in the wider
/// registers of the x87, and not by the rules of -ffast-math.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
inline constexpr bool doubles_round_as_written = false;
#else
inline constexpr bool doubles_round_as_written =
    FLT_EVAL_METHOD == 0 && std::numeric_limits<double>::is_iec559;
#endif

/// Returns the next bucket of a key at bucket b, for b1 = b + 1 and a draw d of 1 .. 2^31: b1 *
/// (2^31 / d) as in the paper, computed in double, then truncated.
constexpr std::int64_t jump_in_double(std::int64_t b1, std::uint64_t d) noexcept {
  return static_cast<std::int64_t>(
      static_cast<double>(b1) *
      (static_cast<double>(std::int64_t{1} << 31) / static_cast<double>(d)));
}

/// Returns the same number without a floating-point unit: both roundings to 53 bits are done in
/// integers. (The exact floor would differ: 49 * (1 / 49) in double is below 1.)
constexpr std::int64_t jump_in_integers(std::int64_t b1, std::uint64_t d) noexcept {
  const auto factor = static_cast<std::uint64_t>(b1);
  if (std::has_single_bit(d)) {
    return static_cast<std::int64_t>(factor * ((std::uint64_t{1} << 31) / d));
  }
  // 2^k < d < 2^(k+1), so 2^(53+k) / d has 53 bits before the point. It is never halfway between
  // two integers: only a power of two divides 2^(54+k).
  const int k = static_cast<int>(std::bit_width(d)) - 1;
  constexpr std::uint64_t numerator = std::uint64_t{1} << 53;
  const std::uint64_t rest = numerator % d << k;
  const std::uint64_t quotient =
      (numerator / d << k) + rest / d + (rest % d > d / 2 ? 1 : 0);  // 2^31 / d in 2^-(22+k)

  const std::uint64_t high = multiply_high(factor, quotient);
  const std::uint64_t low = factor * quotient;
  const int width = high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                              : static_cast<int>(std::bit_width(low));
  const int excess = width - 53;
  std::uint64_t product = low;
  if (excess > 0) {  // at most 31
    const std::uint64_t cut = low & ((std::uint64_t{1} << excess) - 1);
    const std::uint64_t half = std::uint64_t{1} << (excess - 1);
    product = high << (64 - excess) | low >> excess;
    if (cut > half || (cut == half && (product & 1) != 0)) ++product;
  }
  const int shift = 22 + k - (excess > 0 ? excess : 0);
  return static_cast<std::int64_t>(shift >= 0 ? product >> shift : product << -shift);
}

/// `buckets` must be 1 .. 2^31 - 1.
constexpr std::int64_t jump_hash_unchecked(std::uint64_t key, std::int64_t buckets) noexcept {
  std::int64_t bucket = -1;
  std::int64_t next = 0;
  while (next < buckets) {
    bucket = next;
    key = key * 2862933555777941757u + 1;
    const std::uint64_t d = (key >> 33) + 1;
    next =
        doubles_round_as_written ? jump_in_double(bucket + 1, d) : jump_in_integers(bucket + 1, d);
  }
  return bucket;
}

constexpr std::int64_t jump_back_hash_unchecked(std::uint64_t key, std::int64_t buckets) noexcept {
  const auto n = static_cast<std::uint64_t>(buckets);
  // Bit i tells whether, among 2^(i+1) buckets, the key is in the upper half [2^i, 2^(i+1)).
  std::uint64_t upper = mix(key) & ((std::uint64_t{1} << std::bit_width(n - 1)) - 1);
  while (upper != 0) {
    const int level = static_cast<int>(std::bit_width(upper)) - 1;
    const std::uint64_t half = std::uint64_t{1} << level;
    const std::uint64_t stream = draw(key, static_cast<std::uint64_t>(level));
    std::uint64_t bucket = half + (stream & (half - 1));
    // Past the end: back through the key's earlier buckets in this half.
    for (std::uint64_t i = 0; bucket >= n; ++i) bucket = draw(stream, i) & (2 * half - 1);
    if (bucket >= half) return static_cast<std::int64_t>(bucket);
    upper ^= half;
  }
  return 0;
}

inline constexpr std::int64_t max_buckets = 0x7fffffff;

[[noreturn]] inline void fail_buckets(const char* what, std::int64_t buckets) {
  fail_invalid(std::string(what) + ": buckets must be between 1 and " +
               std::to_string(max_buckets) + ", got " + std::to_string(buckets));
}

}  // namespace detail

/// Returns the bucket of a key, 0 .. buckets - 1, by jump consistent hash, bit for bit as
/// published. `key` is a hash: all of its 64 bits count. From n to n + 1 buckets, 1 / (n + 1) of
/// the keys move, all to bucket n. Throws std::invalid_argument unless `buckets` is 1 .. 2^31 - 1.
/// O(log buckets). Source: arXiv:1406.2294.
constexpr std::int64_t jump_hash(std::uint64_t key, std::int64_t buckets) {
  if (buckets < 1 || buckets > detail::max_buckets) detail::fail_buckets("jump_hash", buckets);
  return detail::jump_hash_unchecked(key, buckets);
}

/// JumpBackHash: the same law in expected constant time, for any number of buckets. It finds the
/// last jump by searching back from the next power of two. Its source (arXiv:2403.18682) leaves the
/// random numbers open; these are from SplitMix64. The buckets differ from jump_hash's. Throws as
/// jump_hash does.
constexpr std::int64_t jump_back_hash(std::uint64_t key, std::int64_t buckets) {
  if (buckets < 1 || buckets > detail::max_buckets) detail::fail_buckets("jump_back_hash", buckets);
  return detail::jump_back_hash_unchecked(key, buckets);
}

/// Numbers nodes in the order of add(), which every program must share; the node numbered
/// jump_hash(hash(key), N) owns a key. No weights, and no order except that of the joins.
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight other than 1
///   std::out_of_range      set_weight, set_options or set_node of an id that is not a member, pop
///                          or lookup if there are no nodes
///
/// lookup: O(log N). Mutators: O(N), all or nothing. Thread safety: that of a standard container. A
/// model of Partitioner and RemovesLast.
template <HashFunction Hash, class Node>
class JumpHash : public detail::BucketTable<JumpHash<Hash, Node>, Hash, Node> {
  using Base = detail::BucketTable<JumpHash, Hash, Node>;

 public:
  JumpHash() = default;
  explicit JumpHash(Hash policy) : Base(std::move(policy)) {}
  JumpHash(std::initializer_list<Entry<Node>> entries, Hash policy = {})
      : JumpHash(std::move(policy)) {
    add_all(entries);
  }
  JumpHash(std::initializer_list<Node> nodes, Hash policy = {})
    requires(!detail::Text<Node>)
      : JumpHash(std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit JumpHash(Entries&& entries, Hash policy = {}) : JumpHash(std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  /// Returns the owner's index in members(), which is not its bucket; npos without nodes.
  using Base::lookup_index;

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes ---------------------------

  using Base::default_spread;
  using Base::preference_list;

  // --- Members and shares ------------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::load_shares;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::size;

  // --- Changes -----------------------------------------------------------------------------------

  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// Same as add(), with a more precise name.
  void append(Entry<Node> entry) { add(std::move(entry)); }

  /// Removes the last node; its keys spread over the others. Throws std::out_of_range without
  /// nodes.
  void pop() {
    update([](Edit& edit) { edit.pop(); });
  }

  template <class Id>
  bool remove(const Id&) = delete;  // only the last node can be removed: pop(), or JumpBackHash

  /// The argument of update()'s function: also pop, and no remove.
  class Edit : public detail::BucketEdit<Edit, JumpHash, Node> {
    using EditBase = detail::BucketEdit<Edit, JumpHash, Node>;

   public:
    explicit Edit(const JumpHash& scheme) : EditBase(scheme, scheme.buckets()) {}

    void append(Entry<Node> entry) { this->add(std::move(entry)); }

    void pop() {
      if (this->taken().empty()) detail::fail_range("pop: there are no nodes");
      const Node node = this->holder_of(this->taken().size() - 1);
      EditBase::remove(node);
      this->drop_last();
    }

    template <class Id>
    bool remove(const Id&) = delete;  // only the last node can be removed: pop(), or JumpBackHash
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;

  using Base::bucket_of;

  /// Returns 128 bits that are equal if and only if hash policy (seed included), members (id, rack,
  /// datacenter) and their order are; the same on every platform. O(N).
  Fingerprint fingerprint() const { return this->fingerprint_of("clockwise jump hash, version 1"); }

  /// The same placement: hash policy, ids, racks, datacenters and the order are equal. O(N).
  friend bool operator==(const JumpHash& a, const JumpHash& b) { return a.places_like(b); }

 private:
  friend Base;
  friend typename Base::SurfaceType;

  static constexpr const char* scheme_name = "JumpHash";
  static constexpr bool keeps_gaps = false;

  static std::size_t bucket_for(std::uint64_t key, std::size_t buckets) noexcept {
    return static_cast<std::size_t>(
        detail::jump_hash_unchecked(key, static_cast<std::int64_t>(buckets)));
  }
};

JumpHash(std::initializer_list<const char*>) -> JumpHash<>;
template <HashFunction Hash>
JumpHash(std::initializer_list<const char*>, Hash) -> JumpHash<Hash>;
JumpHash(std::initializer_list<Entry<std::string>>) -> JumpHash<>;
template <HashFunction Hash>
JumpHash(std::initializer_list<Entry<std::string>>, Hash) -> JumpHash<Hash>;
template <HashFunction Hash>
JumpHash(Hash) -> JumpHash<Hash>;
template <class Entries>
  requires(!HashFunction<std::remove_cvref_t<Entries>>)
JumpHash(Entries&& entries) -> JumpHash<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
JumpHash(Entries&& entries, Hash) -> JumpHash<Hash, entry_node_t<Entries>>;

/// Nodes in numbered buckets, any of which can leave. A leave makes a gap, whose keys spread evenly
/// over the other nodes; the next node to join fills the lowest gap and takes exactly these keys
/// back.
///
/// Owners are a function of the numbered list: which node is in which bucket, and which buckets are
/// gaps, including gaps at the end. Programs that share the list agree, regardless of the order in
/// which nodes left. Memory: the nodes and one word per gap. A lookup takes capacity() / size()
/// tries on average, so fill gaps before most buckets are gaps.
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight other than 1,
///                          put() in a bucket that is in use
///   std::length_error      put() in a bucket above 2^20 - 1
///   std::out_of_range      set_weight, set_options or set_node of an id that is not a member,
///                          lookup if there are no nodes
///
/// Mutators: O(capacity), all or nothing. Thread safety: that of a standard container. A model of
/// Partitioner and RemovesAny.
template <HashFunction Hash, class Node>
class JumpBackHash : public detail::BucketTable<JumpBackHash<Hash, Node>, Hash, Node> {
  using Base = detail::BucketTable<JumpBackHash, Hash, Node>;

 public:
  JumpBackHash() = default;
  explicit JumpBackHash(Hash policy) : Base(std::move(policy)) {}
  JumpBackHash(std::initializer_list<Entry<Node>> entries, Hash policy = {})
      : JumpBackHash(std::move(policy)) {
    add_all(entries);
  }
  JumpBackHash(std::initializer_list<Node> nodes, Hash policy = {})
    requires(!detail::Text<Node>)
      : JumpBackHash(std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit JumpBackHash(Entries&& entries, Hash policy = {}) : JumpBackHash(std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  /// Returns the owner's index in members(), which is not its bucket; npos without nodes.
  using Base::lookup_index;

  // --- Replicas: by Replication, or `r` and a Spread; among live nodes ---------------------------

  using Base::default_spread;
  using Base::preference_list;

  // --- Members and shares ------------------------------------------------------------------------

  using Base::contains;
  using Base::empty;
  using Base::index_of;
  using Base::load_shares;
  using Base::member;
  using Base::members;
  using Base::memory_bytes;
  using Base::node;
  using Base::size;

  // --- Changes -----------------------------------------------------------------------------------

  /// A node joins in the lowest gap, or in a new bucket. Keys move only to it.
  using Base::add;
  using Base::add_all;
  using Base::clear;
  using Base::remove;  // leaves a gap; keys move only away from the node
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// Adds to the given bucket, to rebuild a numbered list in any order. Buckets skipped past the
  /// end become gaps. Throws std::invalid_argument if the bucket is in use.
  void put(std::size_t bucket, Entry<Node> entry) {
    update([&](Edit& edit) { edit.put(bucket, std::move(entry)); });
  }

  /// The argument of update()'s function.
  class Edit : public detail::BucketEdit<Edit, JumpBackHash, Node> {
    using EditBase = detail::BucketEdit<Edit, JumpBackHash, Node>;

   public:
    explicit Edit(const JumpBackHash& scheme) : EditBase(scheme, scheme.buckets()) {}

    void put(std::size_t bucket, Entry<Node> entry) {
      constexpr std::size_t most = std::size_t{1} << 20;
      if (bucket >= most) {
        detail::fail_length("bucket must be at most " + std::to_string(most - 1) + ", got " +
                            std::to_string(bucket));
      }
      if (bucket < this->taken().size() && this->taken()[bucket]) {
        const auto holder = detail::id_of(this->holder_of(bucket));
        detail::fail_invalid("put: bucket " + std::to_string(bucket) + " is taken by " +
                             detail::quoted(std::string_view(holder)));
      }
      this->add_to(bucket, std::move(entry));
    }

    template <class Id>
    bool remove(const Id& id) {
      const auto text = detail::id_of(id);
      return this->free(text);
    }
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;

  using Base::bucket_of;
  /// Returns the number of buckets, gaps included.
  std::size_t capacity() const noexcept { return this->buckets().size(); }

  /// Returns 128 bits that are equal if and only if hash policy (seed included), members (id, rack,
  /// datacenter) and their buckets are; the same on every platform. O(capacity).
  Fingerprint fingerprint() const {
    return this->fingerprint_of("clockwise jump back hash, version 1");
  }

  /// The same placement: hash policy, ids, racks, datacenters and buckets are equal. O(capacity).
  friend bool operator==(const JumpBackHash& a, const JumpBackHash& b) { return a.places_like(b); }

 private:
  friend Base;
  friend typename Base::SurfaceType;

  static constexpr const char* scheme_name = "JumpBackHash";
  static constexpr bool keeps_gaps = true;

  static std::size_t bucket_for(std::uint64_t key, std::size_t buckets) noexcept {
    return static_cast<std::size_t>(
        detail::jump_back_hash_unchecked(key, static_cast<std::int64_t>(buckets)));
  }
};

JumpBackHash(std::initializer_list<const char*>) -> JumpBackHash<>;
template <HashFunction Hash>
JumpBackHash(std::initializer_list<const char*>, Hash) -> JumpBackHash<Hash>;
JumpBackHash(std::initializer_list<Entry<std::string>>) -> JumpBackHash<>;
template <HashFunction Hash>
JumpBackHash(std::initializer_list<Entry<std::string>>, Hash) -> JumpBackHash<Hash>;
template <HashFunction Hash>
JumpBackHash(Hash) -> JumpBackHash<Hash>;
template <class Entries>
  requires(!HashFunction<std::remove_cvref_t<Entries>>)
JumpBackHash(Entries&& entries) -> JumpBackHash<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
JumpBackHash(Entries&& entries, Hash) -> JumpBackHash<Hash, entry_node_t<Entries>>;

}  // namespace clockwise

#endif  // CLOCKWISE_JUMP_HPP
