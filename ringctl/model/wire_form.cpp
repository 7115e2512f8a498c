// SPDX-License-Identifier: MIT
#include "model/wire_form.hpp"

#include <clockwise/wire.hpp>
#include <clockwise/wire/difference.hpp>
#include <span>
#include <type_traits>

#include "model/error.hpp"
#include "model/own_ring.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

namespace wire = clockwise::wire;

/// The first bytes of every encoded ring.
constexpr std::string_view wire_magic = "cwrg";

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  throw InputError(name + ": " + why);
}

wire::Membership membership_of(const Fleet& fleet) {
  return with_ring(fleet, [](const auto& ring) { return wire::membership_of(ring); });
}

FleetNode node_of(const wire::Membership& membership, std::size_t row) {
  const auto& member = membership.members[row];
  const auto& domain = membership.domains[member.domain];
  FleetNode node;
  node.id = member.id;
  node.options.weight = member.weight;
  node.options.rack = domain.rack;
  node.options.datacenter = domain.datacenter;
  node.tokens = member.tokens;
  return node;
}

}  // namespace

std::string policy_name(const Placement& placement) {
  return std::string(placement.xxh64 ? clockwise::Xxh64::name : clockwise::Xxh3::name);
}

bool is_policy(std::string_view name) {
  return name == clockwise::Xxh3::name || name == clockwise::Xxh64::name;
}

bool is_wire(std::string_view bytes) {
  // The next byte is the format's number. In a text it would be a letter.
  if (!bytes.starts_with(wire_magic)) return false;
  return bytes.size() == wire_magic.size() || bytes[wire_magic.size()] < '\t';
}

Fleet from_wire(std::string_view bytes, const std::string& name) {
  const auto decoded = wire::parse(std::as_bytes(std::span(bytes)));
  if (!decoded) {
    fail(name, "byte " + std::to_string(decoded.error().offset) + ": " + decoded.error().reason);
  }
  std::uint64_t domain_bytes = 0;  // a short message can name a long rack for every member
  for (const auto& row : decoded->members) {
    const auto& domain = decoded->domains[row.domain];
    domain_bytes += domain.rack.size() + domain.datacenter.size();
  }
  if (domain_bytes > wire::Limits{}.domain_bytes) fail(name, "racks and datacenters are too long");
  if (!is_policy(decoded->policy)) {
    fail(name, "hash must be xxh3-64 or xxh64, got " + in_quotes(decoded->policy));
  }

  Fleet fleet;
  fleet.name = name;
  fleet.placement.xxh64 = decoded->policy == clockwise::Xxh64::name;
  fleet.placement.seed = decoded->seed.value_or(0);
  if (!decoded->has_tokens) fleet.placement.vnodes = decoded->vnodes;
  fleet.names_placement = true;
  fleet.has_tokens = decoded->has_tokens;
  for (std::size_t i = 0; i < decoded->members.size(); ++i) {
    fleet.nodes.push_back(node_of(*decoded, i));
  }
  with_hash(fleet.placement, [&](const auto& hash) {
    const Ring<std::remove_cvref_t<decltype(hash)>> ring(clockwise::RingOptions{}, hash);
    if (ring.circle() != decoded->circle) {
      fail(name, "hash " + in_quotes(decoded->policy) + " hashes differently at the sender");
    }
  });
  return fleet;
}

std::string to_wire(const Fleet& fleet) {
  for (const FleetNode& node : fleet.nodes) {
    if (node.traits.empty()) continue;
    fail_at(fleet, node,
            "wire bytes cannot hold the column " + in_quotes(node.traits.begin()->first) +
                ", which only engines read");
  }
  return with_ring(fleet, [](const auto& ring) {
    const auto bytes = wire::encode(ring);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
}

std::string fingerprint_of(const Fleet& fleet) {
  return with_ring(fleet, [](const auto& ring) { return to_string(ring.fingerprint()); });
}

FleetDifference difference(const Fleet& first, const Fleet& second) {
  const wire::Membership one = membership_of(first);
  const wire::Membership other = membership_of(second);
  const auto found = wire::difference(one, other);
  FleetDifference result;
  result.rules = found.placement;
  for (const std::size_t row : found.only_first) result.only_first.push_back(node_of(one, row));
  for (const std::size_t row : found.only_second) result.only_second.push_back(node_of(other, row));
  for (const auto& [a, b] : found.changed) {
    result.changed.emplace_back(node_of(one, a), node_of(other, b));
  }
  return result;
}

}  // namespace ringctl
