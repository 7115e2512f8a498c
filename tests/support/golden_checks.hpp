// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_GOLDEN_CHECKS_HPP
#define CLOCKWISE_TESTS_SUPPORT_GOLDEN_CHECKS_HPP

// Compares the library with golden_vectors.hpp, without a test framework or exceptions: also run on
// big-endian and 32-bit machines.

#include <cstddef>      // size_t
#include <cstdint>      // int64_t, uint64_t
#include <iterator>     // size
#include <span>         // as_bytes, span
#include <string>       // string, to_string
#include <string_view>  // string_view

#include "../golden_vectors.hpp"
#include "clockwise/hash_ring.hpp"

namespace golden {

inline std::string joined(const clockwise::ReplicaList<std::string>& list) {
  std::string text;
  for (const std::string& node : list) text += (text.empty() ? "" : "|") + node;
  return text;
}

/// Calls report(ok, what) for each check.
template <class Report>
void check_hashes(Report report) {
  using clockwise::HashRing;
  using clockwise::Position;
  using clockwise::RingOptions;
  using clockwise::Xxh3;
  using clockwise::Xxh64;
  const HashRing<Xxh3> xxh3;
  const HashRing<Xxh3> xxh3_seeded(RingOptions{}, Xxh3{42});
  const HashRing<Xxh64> xxh64;
  const HashRing<Xxh64> xxh64_seeded(RingOptions{}, Xxh64{42});
  for (const TextKey& text : text_keys) {
    const std::string what = "text of " + std::to_string(text.key.size()) + " bytes under ";
    report(xxh3.position_of(text.key) == Position{text.xxh3}, what + "XXH3");
    report(xxh3_seeded.position_of(text.key) == Position{text.xxh3_seed_42}, what + "XXH3, seeded");
    report(xxh64.position_of(text.key) == Position{text.xxh64}, what + "XXH64");
    report(xxh64_seeded.position_of(text.key) == Position{text.xxh64_seed_42},
           what + "XXH64, seeded");
    const auto bytes = std::as_bytes(std::span(text.key.data(), text.key.size()));
    report(xxh3.position_of(bytes) == Position{text.xxh3}, what + "XXH3, as bytes");
  }
  for (const IntegerKey& integer : integer_keys) {
    const std::string what = "the integer " + std::to_string(integer.key);
    report(xxh3.position_of(integer.key) == Position{integer.xxh3}, what);
    report(xxh3.position_of(static_cast<std::uint64_t>(integer.key)) == Position{integer.xxh3},
           what + " without a sign");
    const auto narrow = static_cast<short>(integer.key);
    if (narrow == integer.key) {
      report(xxh3.position_of(narrow) == Position{integer.xxh3}, what + " as a short");
    }
  }
}

template <class Report>
void check_ring(Report report) {
  using clockwise::NodeOptions;
  using clockwise::Position;
  clockwise::HashRing<> built(clockwise::RingOptions{vnodes});
  // In reverse: the order is not part of the contract.
  for (std::size_t i = std::size(fleet); i-- > 0;) {
    built.add(std::string(fleet[i].id), NodeOptions{fleet[i].weight, std::string(fleet[i].rack),
                                                    std::string(fleet[i].datacenter)});
  }

  const auto widths = built.widths();
  report(built.size() == std::size(fleet), "the number of members");
  for (std::size_t i = 0; i < std::size(fleet) && i < built.size(); ++i) {
    const std::string what = "node " + std::string(fleet[i].id) + ": its ";
    report(built.members()[i].node == fleet[i].id, what + "number");
    report(built.members()[i].vnodes == fleet[i].vnodes, what + "vnodes");
    report(widths[i].high() == fleet[i].share_high && widths[i].low() == fleet[i].share_low,
           what + "share");
  }
  report(to_string(built.fingerprint()) == fingerprint, "the fingerprint");

  report(built.vnode_count() == std::size(ring), "the number of vnodes");
  for (std::size_t rank = 0; rank < std::size(ring) && rank < built.vnode_count(); ++rank) {
    const std::string what = "vnode " + std::to_string(rank) + ": its ";
    report(built.positions()[rank] == ring[rank].position, what + "position");
    report(built.owners()[rank] == ring[rank].owner, what + "owner");
  }

  for (const Placement& placement : placements) {
    const std::string what = "position " + std::to_string(placement.position) + ": its ";
    const Position position{placement.position};
    report(built.lookup(position) == placement.nodes.substr(0, placement.nodes.find('|')),
           what + "owner");
    report(joined(built.preference_list(position, 3, clockwise::Spread::nodes)) == placement.nodes,
           what + "first three nodes");
    report(joined(built.preference_list(position, 3)) == placement.racks,
           what + "three copies by racks");
    report(joined(built.preference_list(position, 6)) == placement.six_by_racks,
           what + "six copies by racks");
  }

  std::uint64_t checksum = 14695981039346656037u;
  for (int number = 0; number < 10'000; ++number) {
    for (const char c : built.lookup("key-" + std::to_string(number)) + "\n") {
      checksum = (checksum ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
  }
  report(checksum == owners_of_10000_keys, "the owners of 10,000 keys");
}

}  // namespace golden

#endif  // CLOCKWISE_TESTS_SUPPORT_GOLDEN_CHECKS_HPP
