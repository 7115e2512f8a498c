// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_MAGLEV_BASE_HPP
#define CLOCKWISE_DETAIL_SCHEME_MAGLEV_BASE_HPP

// The common part of the Maglev tables: the members fill a table of prime size in turn, and a
// lookup reads it. A scheme defines each member's way through the table, and the order of turns.

#include <algorithm>    // equal, fill
#include <cstddef>      // size_t
#include <cstdint>      // uint16_t, uint32_t, uint64_t
#include <span>         // span
#include <string>       // to_string
#include <string_view>  // string_view
#include <utility>      // move
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/maglev_table.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise::detail {

struct MaglevPlacement {
  MaglevTable<std::uint16_t> table;  ///< Without entries if no member owns anything.

  std::size_t bytes() const noexcept { return table.bytes(); }
};

/// A member that takes turns.
template <class Node>
struct MaglevOwner {
  const Member<Node>* member;
  std::uint16_t index;
};

/// `Scheme` offers fill(table, owners), which fills a table in turns; `owners` are the members that
/// own something, with their indices.
template <class Scheme, HashFunction Hash, class Node>
class MaglevBase : public Surface<Scheme, Node, std::size_t, MaglevPlacement>, public Hashed<Hash> {
 public:
  /// The class that the scheme befriends.
  using SurfaceType = Surface<Scheme, Node, std::size_t, MaglevPlacement>;
  using SurfaceType::npos;

  /// Returns the owner's index in members(), npos if no member owns anything. Two multiplications,
  /// one read.
  std::size_t lookup_index(Position position) const noexcept {
    if (!entries().full()) [[unlikely]]
      return npos;
    return entries().owner_of(static_cast<std::uint64_t>(position));
  }

  std::size_t table_size() const noexcept { return table_size_; }
  /// Returns the owner of each entry, as an index in members(); empty if no member owns anything.
  std::span<const std::uint16_t> table() const& noexcept { return entries().entries(); }
  std::span<const std::uint16_t> table() const&& = delete;  // it would refer to nothing

 protected:
  using Table = MaglevTable<std::uint16_t>;

  /// Throws std::invalid_argument unless `table_size` is a prime up to 5,000,011.
  explicit MaglevBase(std::uint32_t table_size, Hash policy = {})
      : Hashed<Hash>(std::move(policy)), table_size_(Table::checked_size(table_size)) {}

  Fingerprint fingerprint_of(const char* head) const {
    FingerprintBytes bytes(head);
    bytes.append(std::string_view(Hash::name));
    bytes.append(this->circle());
    bytes.append(std::uint64_t{table_size_});
    bytes.append_members(this->members());
    return bytes.digest();
  }

  bool places_like(const MaglevBase& other) const {
    return this->circle() == other.circle() && table_size_ == other.table_size_ &&
           this->has_members_of(other) &&
           std::equal(table().begin(), table().end(), other.table().begin(), other.table().end());
  }

 private:
  friend SurfaceType;

  const Table& entries() const noexcept { return this->placement().table; }

  /// The owners of the key's entry and of the entries after it. n nodes cost about n reads if n is
  /// well below the number of nodes, and at most one per entry.
  template <class Visit>
  void visit_preferred(Position position, std::size_t, Visit visit) const {
    if (!entries().full()) return;
    std::size_t entry = entries().entry_of(static_cast<std::uint64_t>(position));
    for (std::size_t left = table_size_; left > 0; --left) {
      if (!visit(std::size_t{table()[entry]})) return;
      if (++entry == table_size_) entry = 0;
    }
  }

  /// Exact: entries over table size.
  std::vector<double> shares() const {
    std::vector<double> shares;
    shares.reserve(this->size());
    for (const auto& member : this->members()) {
      shares.push_back(static_cast<double>(member.vnodes) / static_cast<double>(table_size_));
    }
    return shares;
  }

  MaglevPlacement placement_after(typename SurfaceType::Change& change) const {
    if (change.members.size() > Table::npos) {
      detail::fail_length("a Maglev table can have up to " + std::to_string(Table::npos) +
                          " members, got " + std::to_string(change.members.size()));
    }
    std::vector<MaglevOwner<Node>> owners;
    for (std::size_t i = 0; i < change.members.size(); ++i) {
      if (change.members[i]->weight > 0) {
        owners.push_back({change.members[i], static_cast<std::uint16_t>(i)});
      }
    }
    if (owners.empty()) return {};
    if (owners.size() > table_size_) {
      detail::fail_length("a Maglev table of " + std::to_string(table_size_) +
                          " entries can have up to " + std::to_string(table_size_) +
                          " nodes, got " + std::to_string(owners.size()));
    }
    MaglevPlacement placement{Table(table_size_)};
    static_cast<const Scheme&>(*this).fill(placement.table, owners);
    std::fill(change.vnodes.begin(), change.vnodes.end(), 0);
    for (const std::uint16_t owner : placement.table.entries()) ++change.vnodes[owner];
    return placement;
  }

  std::uint32_t table_size_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_MAGLEV_BASE_HPP
