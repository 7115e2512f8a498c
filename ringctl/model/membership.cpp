// SPDX-License-Identifier: MIT
#include "model/membership.hpp"

#include <clockwise/token_ring.hpp>
#include <clockwise/wire.hpp>
#include <clockwise/wire/difference.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

namespace wire = clockwise::wire;

/// The first bytes of every encoded ring.
constexpr std::string_view wire_magic = "cwrg";

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  throw InputError(name + ": " + why);
}

/// Returns use(hash) for the membership's policy.
template <class Use>
auto with_policy(const Membership& membership, Use use) {
  if (membership.policy == clockwise::Xxh3::name) return use(clockwise::Xxh3{membership.seed});
  if (membership.policy == clockwise::Xxh64::name) return use(clockwise::Xxh64{membership.seed});
  fail(membership.name, "hash must be xxh3-64 or xxh64, got " + in_quotes(membership.policy));
}

/// Returns use(ring) for the HashRing or TokenRing of the membership.
template <class Use>
auto with_ring(const Membership& membership, Use use) {
  return with_policy(membership, [&](const auto& hash) {
    using Hash = std::remove_cvref_t<decltype(hash)>;
    try {
      if (membership.vnodes) {
        std::vector<std::pair<std::string, clockwise::NodeOptions>> nodes;
        for (const auto& row : membership.rows) nodes.emplace_back(row.id, row.options);
        return use(Ring<Hash>(nodes, clockwise::RingOptions{*membership.vnodes}, hash));
      }
      clockwise::TokenRing<Hash, std::string, std::uint32_t> ring(hash);
      ring.update([&](auto& edit) {
        for (const auto& row : membership.rows) edit.add(row.id, row.options, row.tokens);
      });
      return use(ring);
    } catch (const std::logic_error& error) {
      fail(membership.name, message_of(error));
    }
  });
}

wire::Membership wire_membership(const Membership& membership) {
  return with_ring(membership, [](const auto& ring) { return wire::membership_of(ring); });
}

/// Copies what the library has decoded, or taken from a ring.
Membership plain(const wire::Membership& decoded, const std::string& name) {
  Membership result{name, decoded.policy, decoded.seed.value_or(0), std::nullopt, {}};
  if (!decoded.has_tokens) result.vnodes = decoded.vnodes;
  for (const auto& row : decoded.members) {
    const auto& domain = decoded.domains[row.domain];
    Membership::Row& copy = result.rows.emplace_back();
    copy.id = row.id;
    copy.options.weight = row.weight;
    copy.options.rack = domain.rack;
    copy.options.datacenter = domain.datacenter;
    copy.tokens = row.tokens;
  }
  return result;
}

}  // namespace

Membership membership_of(const Fleet& fleet, const Placement& placement) {
  return with_hash(placement, [&](const auto& hash) {
    return plain(wire::membership_of(make_ring(fleet, placement, hash)), fleet.name);
  });
}

Membership checked(const Membership& membership) {
  return plain(wire_membership(membership), membership.name);
}

bool is_wire(std::string_view bytes) { return bytes.starts_with(wire_magic); }

Membership from_wire(std::string_view bytes, const std::string& name) {
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
  Membership result = plain(*decoded, name);
  if (result.policy == clockwise::Xxh3::name || result.policy == clockwise::Xxh64::name) {
    with_policy(result, [&](const auto& hash) {
      const Ring<std::remove_cvref_t<decltype(hash)>> ring(clockwise::RingOptions{}, hash);
      if (ring.circle() != decoded->circle) {
        fail(name, "hash " + in_quotes(result.policy) + " hashes differently at the sender");
      }
    });
  }
  return result;
}

std::string to_wire(const Membership& membership) {
  return with_ring(membership, [](const auto& ring) {
    const auto bytes = wire::encode(ring);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
}

std::string fingerprint_of(const Membership& membership) {
  return with_ring(membership, [](const auto& ring) { return to_string(ring.fingerprint()); });
}

MembershipDifference difference(const Membership& first, const Membership& second) {
  auto found = wire::difference(wire_membership(first), wire_membership(second));
  return {found.placement, std::move(found.only_first), std::move(found.only_second),
          std::move(found.changed)};
}

}  // namespace ringctl
