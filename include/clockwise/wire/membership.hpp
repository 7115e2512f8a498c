// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_WIRE_MEMBERSHIP_HPP
#define CLOCKWISE_WIRE_MEMBERSHIP_HPP

// The membership of a ring, as a value and as bytes, for programs that inspect, compare or convert
// rings without building one. wire.hpp does the same for rings.
//
// Format 1. A varint is an unsigned LEB128 number in its shortest form; a text is a varint of its
// length, then its bytes; a word is 8 bytes, little-endian.
//
//   "cwrg"                 identifies the format
//   varint 1               format
//   varint                 placement contract
//   varint                 0: positions are hashes of labels; 1: each member has tokens
//   text                   name of the hash policy
//   varint 0, or 1 word    the policy's seed, if it has one
//   word                   the policy's hash of a fixed text (see HashRing::circle)
//   varint                 vnodes of a member of weight 1; 0 if there are tokens
//   varint n, n times:     failure domains in use, ascending
//     text text              datacenter, rack
//   varint n, n times:     members, ascending by id
//     text                   id
//     varint                 2 * domain, + 1 if a weight follows
//     word                   weight, an IEEE 754 double, if it is not 1
//     varint n, n words      tokens, ascending, if members have them
//   word                   XXH3 (128 bits, low half) of all bytes before
//
// The encoding is canonical: rings with equal fingerprints have equal bytes, and any other encoding
// of a ring is refused. A checksum is not a signature: untrusted bytes are well-formed at best.

#include <bit>          // bit_cast
#include <compare>      // strong_ordering
#include <cstddef>      // byte, size_t
#include <cstdint>      // uint32_t, uint64_t
#include <optional>     // optional
#include <span>         // span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <utility>      // move
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/wire/reader.hpp"
#include "clockwise/detail/wire/writer.hpp"
#include "clockwise/node.hpp"
#include "clockwise/version.hpp"

namespace clockwise::wire {

inline constexpr std::uint64_t format = 1;

/// The offset of the invalid bytes, from 0, and the reason. The offset is also 0 if the bytes are
/// valid but do not fit the requested ring.
struct Error {
  std::size_t offset = 0;
  std::string reason;
};

/// A value, or the error that occurred instead.
///
///   if (const auto ring = wire::try_decode<HashRing<>>(bytes)) use(*ring);
///   else log(ring.error().offset, ring.error().reason);
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  /// Whether it has a value.
  explicit operator bool() const noexcept { return value_.has_value(); }

  /// The value. It must have one.
  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T&& operator*() && noexcept { return *std::move(value_); }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

  /// Returns the error; without a reason if it has a value.
  const Error& error() const& noexcept { return error_; }
  Error error() && noexcept { return std::move(error_); }

 private:
  std::optional<T> value_;
  Error error_;
};

/// A decoded membership. At most 64 bytes of memory per input byte.
struct Membership {
  struct Domain {
    std::string datacenter;
    std::string rack;

    friend auto operator<=>(const Domain&, const Domain&) = default;
  };
  struct Row {
    std::string id;
    double weight = 1.0;
    std::size_t domain = 0;             ///< An index into `domains`.
    std::vector<std::uint64_t> tokens;  ///< Ascending; empty if positions are hashes.
  };

  std::string policy;                 ///< Name of the hash policy.
  std::optional<std::uint64_t> seed;  ///< Set if the policy has one.
  std::uint64_t circle = 0;           ///< HashRing::circle of the sender.
  bool has_tokens = false;            ///< Whether it is of a TokenRing.
  std::uint32_t vnodes = 0;           ///< RingOptions::vnodes; 0 with tokens.
  std::vector<Domain> domains;        ///< The domains in use, ascending.
  std::vector<Row> members;           ///< Ascending by id.
};

}  // namespace clockwise::wire

namespace clockwise::detail {

inline constexpr std::string_view wire_magic = "cwrg";

/// Reads one membership and checks that it is valid.
class MembershipReader {
 public:
  explicit MembershipReader(std::string_view bytes)
      : bytes_(bytes), in_(bytes.substr(0, bytes.size() < 8 ? 0 : bytes.size() - 8)) {}

  wire::Result<wire::Membership> read() {
    if (bytes_.size() < wire_magic.size() + 8) {
      return wire::Error{bytes_.size(), "too short for a ring"};
    }
    read_header();
    check_sum();
    const std::size_t domains_at = in_.offset();
    read_domains();
    used_.resize(result_.domains.size());
    const std::size_t count = in_.count("members", 3);
    result_.members.reserve(count);
    for (std::size_t i = 0; i < count && in_.ok(); ++i) read_member();
    for (std::size_t i = 0; i < used_.size() && in_.ok(); ++i) {
      if (!used_[i]) in_.fail(domains_at, "domain " + shown(result_.domains[i]) + " has no member");
    }
    if (in_.ok() && in_.left() > 0) {
      in_.fail(in_.offset(), std::to_string(in_.left()) + " extra bytes");
    }
    if (!in_.ok()) return wire::Error{in_.error_offset(), in_.reason()};
    return std::move(result_);
  }

 private:
  using Membership = wire::Membership;

  static std::string shown(const Membership::Domain& domain) {
    return quoted(domain.datacenter) + "/" + quoted(domain.rack);
  }

  void read_header() {
    if (in_.raw(wire_magic.size(), "header") != wire_magic) {
      in_.fail(0, "not a ring: it must begin with \"cwrg\"");
    }
    std::size_t start = in_.offset();
    if (const auto version = in_.varint("format"); in_.ok() && version != wire::format) {
      in_.fail(start, "format " + std::to_string(version) + "; only format 1 is supported");
    }
    start = in_.offset();
    if (const auto contract = in_.varint("contract");
        in_.ok() && contract != std::uint64_t{placement_contract}) {
      in_.fail(start, "placement contract " + std::to_string(contract) + "; only contract " +
                          std::to_string(placement_contract) + " is supported");
    }
    start = in_.offset();
    const std::uint64_t kind = in_.varint("kind");
    if (in_.ok() && kind > 1) in_.fail(start, "kind must be 0 or 1, got " + std::to_string(kind));
    result_.has_tokens = kind == 1;
    result_.policy = in_.text("hash policy");
    start = in_.offset();
    const std::uint64_t seeds = in_.varint("seed");
    if (in_.ok() && seeds > 1) {
      in_.fail(start, "seed flag must be 0 or 1, got " + std::to_string(seeds));
    }
    if (in_.ok() && seeds == 1) result_.seed = in_.word("seed");
    result_.circle = in_.word("hash of the fixed text");
    start = in_.offset();
    const std::uint64_t vnodes = in_.varint("vnodes");
    if (in_.ok() && (vnodes > max_vnodes_per_node || (vnodes == 0) != result_.has_tokens)) {
      in_.fail(start,
               "vnodes must be " +
                   (result_.has_tokens ? "0 if there are tokens"
                                       : "between 1 and " + std::to_string(max_vnodes_per_node)) +
                   ", got " + std::to_string(vnodes));
    }
    result_.vnodes = static_cast<std::uint32_t>(vnodes);
  }

  void check_sum() {
    const std::size_t length = bytes_.size() - 8;
    WireReader sum(bytes_.substr(length));
    if (in_.ok() && sum.word("checksum") != wire_checksum(bytes_.substr(0, length))) {
      in_.fail(length, "the checksum does not match");
    }
  }

  void read_domains() {
    const std::size_t count = in_.count("domains", 2);
    result_.domains.reserve(count);
    for (std::size_t i = 0; i < count && in_.ok(); ++i) {
      const std::size_t start = in_.offset();
      Membership::Domain domain;
      domain.datacenter = in_.text("datacenter");
      domain.rack = in_.text("rack");
      if (in_.ok() && i > 0 && domain <= result_.domains.back()) {
        in_.fail(start, "domain " + shown(domain) + " does not come after " +
                            shown(result_.domains.back()));
      }
      result_.domains.push_back(std::move(domain));
    }
  }

  void read_member() {
    const std::size_t start = in_.offset();
    Membership::Row row;
    row.id = in_.text("id");
    if (in_.ok() && row.id.empty()) in_.fail(start, "an id must not be empty");
    if (in_.ok() && !result_.members.empty() && row.id <= result_.members.back().id) {
      in_.fail(start, "id " + quoted(row.id) + " does not come after " +
                          quoted(result_.members.back().id));
    }
    const std::size_t flags_at = in_.offset();
    const std::uint64_t flags = in_.varint("domain");
    if (in_.ok() && flags / 2 >= used_.size()) {
      in_.fail(flags_at, "domain must be below " + std::to_string(used_.size()) + ", got " +
                             std::to_string(flags / 2));
    }
    if (!in_.ok()) return;
    row.domain = static_cast<std::size_t>(flags / 2);
    used_[row.domain] = true;
    if (flags % 2 != 0) read_weight(row);
    if (result_.has_tokens) read_tokens(row);
    if (in_.ok()) result_.members.push_back(std::move(row));
  }

  void read_weight(Membership::Row& row) {
    const std::size_t start = in_.offset();
    const std::uint64_t bits = in_.word("weight");
    const bool is_weight = bits >> 52 < 0x7ff;  // not negative, NaN or infinite
    row.weight = std::bit_cast<double>(bits);
    if (in_.ok() && (!is_weight || row.weight == 1.0)) {
      in_.fail(start, "weight of " + quoted(row.id) +
                          (is_weight ? " must be omitted if it is 1"
                                     : " must be finite and not negative, got " +
                                           std::to_string(row.weight)));
    }
  }

  void read_tokens(Membership::Row& row) {
    const std::size_t start = in_.offset();
    const std::size_t tokens = in_.count("tokens", 8);
    row.tokens.reserve(tokens);
    for (std::size_t i = 0; i < tokens && in_.ok(); ++i) {
      const std::size_t token_at = in_.offset();
      const std::uint64_t token = in_.word("token");
      if (!row.tokens.empty() && token <= row.tokens.back()) {
        in_.fail(token_at, "token " + std::to_string(token) + " does not come after " +
                               std::to_string(row.tokens.back()));
      }
      row.tokens.push_back(token);
    }
    if (in_.ok() && row.weight == 0 && !row.tokens.empty()) {
      in_.fail(start, "weight of " + quoted(row.id) + " is 0, so it must have no tokens, got " +
                          std::to_string(row.tokens.size()));
    }
    if (in_.ok() && row.tokens.size() > max_vnodes_per_node) {
      in_.fail(start, quoted(row.id) + " can have up to " + std::to_string(max_vnodes_per_node) +
                          " tokens, got " + std::to_string(row.tokens.size()));
    }
  }

  std::string_view bytes_;
  WireReader in_;  // of all but the checksum
  wire::Membership result_;
  std::vector<bool> used_;  // by domain: whether a member is in it
};

}  // namespace clockwise::detail

namespace clockwise::wire {

/// Decodes a membership: safe for any bytes. Throws nothing but std::bad_alloc. O(bytes).
inline Result<Membership> parse(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return detail::MembershipReader(text).read();
}

/// Encodes a membership. O(bytes).
inline std::vector<std::byte> encode(const Membership& membership) {
  detail::WireWriter out;
  out.raw(detail::wire_magic);
  out.varint(format);
  out.varint(std::uint64_t{placement_contract});
  out.varint(membership.has_tokens ? 1 : 0);
  out.text(membership.policy);
  out.varint(membership.seed ? 1 : 0);
  if (membership.seed) out.word(*membership.seed);
  out.word(membership.circle);
  out.varint(membership.vnodes);
  out.varint(membership.domains.size());
  for (const auto& [datacenter, rack] : membership.domains) {
    out.text(datacenter);
    out.text(rack);
  }
  out.varint(membership.members.size());
  for (const auto& row : membership.members) {
    const bool weighs = row.weight != 1.0;
    out.text(row.id);
    out.varint(2 * std::uint64_t{row.domain} + (weighs ? 1 : 0));
    if (weighs) out.word(std::bit_cast<std::uint64_t>(row.weight));
    if (!membership.has_tokens) continue;
    out.varint(row.tokens.size());
    for (const std::uint64_t token : row.tokens) out.word(token);
  }
  return out.finish();
}

}  // namespace clockwise::wire

#endif  // CLOCKWISE_WIRE_MEMBERSHIP_HPP
