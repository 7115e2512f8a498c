// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_MOD_N_HPP
#define CLOCKWISE_MOD_N_HPP

// hash(key) mod N: the baseline that consistent hashing is measured against. Perfectly even and the
// smallest, but a change from N to N + 1 nodes moves 1 - 1/(N+1) of the keys. Use it if the number
// of nodes never changes.

#include <cstddef>           // size_t
#include <cstdint>           // uint64_t
#include <initializer_list>  // initializer_list
#include <numeric>           // gcd, lcm
#include <string>            // string
#include <string_view>       // string_view
#include <type_traits>       // remove_cvref_t
#include <utility>           // move
#include <vector>            // vector

#include "clockwise/detail/ring/matching.hpp"
#include "clockwise/detail/scheme/fingerprint_bytes.hpp"
#include "clockwise/detail/scheme/hashed.hpp"
#include "clockwise/detail/scheme/surface.hpp"
#include "clockwise/fwd.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/node.hpp"

namespace clockwise {

/// The node numbered hash(key) mod N owns a key. Nodes are numbered in id order, so programs that
/// list them differently agree. There are no weights, because no residue is larger than another.
///
///   std::invalid_argument  an empty id, an id that is already a member, a weight other than 1
///   std::out_of_range      set_weight or set_options of an id that is not a member, lookup without
///                          nodes
///
/// Mutators: O(N), all or nothing. A change invalidates references. Thread safety: that of a
/// standard container. A model of Partitioner.
template <HashFunction Hash, class Node>
class ModN : public detail::Surface<ModN<Hash, Node>, Node, std::size_t, detail::NoPlacement>,
             public detail::Hashed<Hash> {
  using Base = detail::Surface<ModN, Node, std::size_t, detail::NoPlacement>;

 public:
  ModN() = default;
  explicit ModN(Hash policy) : detail::Hashed<Hash>(std::move(policy)) {}
  ModN(std::initializer_list<Entry<Node>> entries, Hash policy = {}) : ModN(std::move(policy)) {
    add_all(entries);
  }
  ModN(std::initializer_list<Node> nodes, Hash policy = {})
    requires(!detail::Text<Node>)
      : ModN(std::move(policy)) {
    add_all(nodes);
  }
  template <EntryRange<Node> Entries>
  explicit ModN(Entries&& entries, Hash policy = {}) : ModN(std::move(policy)) {
    add_all(entries);
  }

  // --- Owners: the node, the same or nullptr, its index, many indexes ----------------------------

  using Base::lookup;
  using Base::lookup_batch;
  using Base::npos;
  using Base::try_lookup;
  using detail::Hashed<Hash>::position_of;

  /// Returns the owner's index in members(), npos without nodes. One division.
  std::size_t lookup_index(Position position) const noexcept {
    return empty() ? npos : static_cast<std::size_t>(static_cast<std::uint64_t>(position) % size());
  }

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
  using Base::remove;
  using Base::set_node;
  using Base::set_options;
  using Base::set_weight;
  using Base::update;

  /// The argument of update()'s function.
  class Edit : public detail::Edit<Edit, ModN, Node> {
    using detail::Edit<Edit, ModN, Node>::Edit;
  };

  // --- Identity ----------------------------------------------------------------------------------

  using detail::Hashed<Hash>::circle;
  using detail::Hashed<Hash>::hash;

  /// Returns 128 bits that are equal if and only if hash policy (seed included) and members (id,
  /// rack, datacenter) are equal, regardless of order; the same on every platform. O(N).
  Fingerprint fingerprint() const {
    detail::FingerprintBytes bytes("clockwise mod N, version 1");
    bytes.append(std::string_view(Hash::name));
    bytes.append(circle());
    bytes.append_members(members());
    return bytes.digest();
  }

  /// The same placement: hash policy, ids, racks and datacenters are equal. O(N).
  friend bool operator==(const ModN& a, const ModN& b) {
    return a.circle() == b.circle() && a.has_members_of(b);
  }

 private:
  friend Base;

  static double accepted_weight(std::string_view id, double weight) {
    return detail::weightless("ModN", id, weight);
  }

  /// The owner and the nodes numbered after it.
  template <class Visit>
  void visit_preferred(Position position, std::size_t, Visit visit) const {
    std::size_t number = lookup_index(position);
    for (std::size_t left = size(); left > 0 && visit(number); --left) {
      if (++number == size()) number = 0;
    }
  }

  /// 1/N each, except that the first 2^64 mod N have one position more.
  std::vector<double> shares() const {
    std::vector<double> shares(size(), 1.0);
    for (std::size_t i = 0; size() > 1 && i < size(); ++i) {
      const std::uint64_t positions = (~std::uint64_t{0} - i) / size() + 1;
      shares[i] = static_cast<double>(positions) * 0x1p-64;
    }
    return shares;
  }

  static detail::NoPlacement placement_after(const typename Base::Change&) { return {}; }
};

ModN(std::initializer_list<const char*>) -> ModN<>;
template <HashFunction Hash>
ModN(std::initializer_list<const char*>, Hash) -> ModN<Hash>;
ModN(std::initializer_list<Entry<std::string>>) -> ModN<>;
template <HashFunction Hash>
ModN(std::initializer_list<Entry<std::string>>, Hash) -> ModN<Hash>;
template <HashFunction Hash>
ModN(Hash) -> ModN<Hash>;
template <class Entries>
  requires(!HashFunction<std::remove_cvref_t<Entries>>)
ModN(Entries&& entries) -> ModN<Xxh3, entry_node_t<Entries>>;
template <class Entries, HashFunction Hash>
ModN(Entries&& entries, Hash) -> ModN<Hash, entry_node_t<Entries>>;

/// The movement between two node counts under mod N, in residues of their least common multiple.
struct ResidueMovement {
  std::uint64_t residues = 0;  ///< lcm(N, M): the number of equal classes of keys.
  std::uint64_t moved = 0;     ///< Classes whose node changes.

  double fraction() const {
    return residues == 0 ? 0 : static_cast<double>(moved) / static_cast<double>(residues);
  }
};

/// The movement under mod N. Exact except for the 2^64 mod lcm(N, M) positions that do not fill a
/// round of residues. If either side has no nodes, nothing moves. Throws std::invalid_argument if
/// the hash policies differ. O(N).
template <HashFunction Hash, class Node>
ResidueMovement movement(const ModN<Hash, Node>& before, const ModN<Hash, Node>& after) {
  detail::check_same_circle(before, after);
  ResidueMovement result;
  if (before.empty() || after.empty()) return result;
  const std::uint64_t common = std::gcd(before.size(), after.size());
  result.residues = std::lcm(std::uint64_t{before.size()}, std::uint64_t{after.size()});
  result.moved = result.residues;
  const auto matches = detail::matched_members(before, after);
  for (std::size_t number = 0; number < matches.size(); ++number) {
    // By the Chinese remainder theorem, one class in lcm has residue `number` before and
    // matches[number] after if the two agree modulo the common divisor; otherwise none has.
    const bool kept =
        matches[number] != detail::no_member && number % common == matches[number] % common;
    result.moved -= kept ? 1 : 0;
  }
  return result;
}

}  // namespace clockwise

#endif  // CLOCKWISE_MOD_N_HPP
