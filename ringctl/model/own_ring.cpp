// SPDX-License-Identifier: MIT
#include "model/own_ring.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

/// A position takes 32 bytes while a ring is built.
constexpr double bytes_per_position = 32;

}  // namespace

std::uint64_t usual_positions(std::size_t nodes) {
  constexpr std::uint64_t few = std::uint64_t{1} << 21;   // 64 MB
  constexpr std::uint64_t many = std::uint64_t{1} << 26;  // 2 GB
  return std::clamp(std::uint64_t{1024} * nodes, few, many);
}

void check_positions(const Fleet& fleet, std::uint64_t most) {
  if (fleet.has_tokens) return;  // the file lists them all
  std::uint64_t positions = 0;
  double weights = 0;
  for (const FleetNode& node : fleet.nodes) {
    const std::uint64_t vnodes =
        clockwise::vnode_count(node.options.weight, fleet.placement.vnodes);
    if (vnodes > max_vnodes) {
      fail_at(fleet, node,
              "weight " + plain(node.options.weight) + " needs more than " + grouped(max_vnodes) +
                  " vnodes at --vnodes " + std::to_string(fleet.placement.vnodes) +
                  "; --relative-weights scales weights to a mean of 1");
    }
    positions += vnodes;  // no overflow: 2^24 each, of at most 2^28 nodes
    weights += node.options.weight;
  }
  if (positions <= most) return;
  throw InputError(fleet.name + ": weights of " + plain(weights) + " in all need " +
                   grouped(positions) + " vnodes at --vnodes " +
                   std::to_string(fleet.placement.vnodes) + ", about " +
                   grouped(static_cast<std::uint64_t>(static_cast<double>(positions) *
                                                      bytes_per_position / 1e6)) +
                   " MB; --relative-weights scales weights to a mean of 1, --max-vnodes " +
                   std::to_string(positions) + " allows this many");
}

void check_same_hash(const Fleet& before, const Fleet& after) {
  if (same_hash(before.placement, after.placement)) return;
  throw InputError(before.name + " uses " + hash_name(before.placement) + ", " + after.name + ' ' +
                   hash_name(after.placement) +
                   ": keys are hashed differently, so almost all of them move");
}

template <clockwise::HashFunction Hash>
Ring<Hash> make_ring(const Fleet& fleet, const Hash& hash) {
  std::vector<std::pair<std::string, clockwise::NodeOptions>> nodes;
  nodes.reserve(fleet.nodes.size());
  for (const FleetNode& node : fleet.nodes) nodes.emplace_back(node.id, node.options);
  try {
    return Ring<Hash>(nodes, clockwise::RingOptions{fleet.placement.vnodes}, hash);
  } catch (const std::logic_error& error) {
    throw InputError(fleet.name + ": " + message_of(error));
  }
}

template <clockwise::HashFunction Hash>
TokenRing<Hash> make_token_ring(const Fleet& fleet, const Hash& hash) {
  try {
    TokenRing<Hash> ring(hash);
    ring.update([&](auto& edit) {
      for (const FleetNode& node : fleet.nodes) edit.add({node.id, node.options}, node.tokens);
    });
    return ring;
  } catch (const std::logic_error& error) {
    throw InputError(fleet.name + ": " + message_of(error));
  }
}

template <clockwise::HashFunction Hash>
TokenRing<Hash> with_tokens(const Ring<Hash>& ring) {
  std::vector<std::vector<std::uint64_t>> tokens(ring.size());
  const auto positions = ring.positions();
  const auto owners = ring.owners();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    // Of several vnodes at one position the first owns the arc.
    if (i == 0 || positions[i] != positions[i - 1]) tokens[owners[i]].push_back(positions[i]);
  }
  TokenRing<Hash> result(ring.hash());
  result.update([&](auto& edit) {
    for (std::size_t i = 0; i < tokens.size(); ++i) edit.add(ring.members()[i], tokens[i]);
  });
  return result;
}

template Ring<clockwise::Xxh3> make_ring(const Fleet&, const clockwise::Xxh3&);
template Ring<clockwise::Xxh64> make_ring(const Fleet&, const clockwise::Xxh64&);
template TokenRing<clockwise::Xxh3> make_token_ring(const Fleet&, const clockwise::Xxh3&);
template TokenRing<clockwise::Xxh64> make_token_ring(const Fleet&, const clockwise::Xxh64&);
template TokenRing<clockwise::Xxh3> with_tokens(const Ring<clockwise::Xxh3>&);
template TokenRing<clockwise::Xxh64> with_tokens(const Ring<clockwise::Xxh64>&);

}  // namespace ringctl
