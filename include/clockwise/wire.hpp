// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_WIRE_HPP
#define CLOCKWISE_WIRE_HPP

// A ring as bytes: its members and options, not its positions, which the receiver computes.
//
//   const auto bytes = clockwise::wire::encode(ring);                  // 1,000 nodes: about 16 KB
//   const auto same = clockwise::wire::decode<clockwise::HashRing<>>(bytes);
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

#include <algorithm>    // lower_bound, sort, unique
#include <bit>          // bit_cast
#include <charconv>     // from_chars
#include <concepts>     // constructible_from, integral, same_as
#include <cstddef>      // byte, ptrdiff_t, size_t
#include <cstdint>      // uint32_t, uint64_t
#include <optional>     // optional
#include <span>         // as_bytes, span
#include <string>       // string, to_string
#include <string_view>  // string_view
#include <type_traits>  // remove_cvref_t
#include <utility>      // move, pair
#include <vector>       // vector

#include "clockwise/detail/base/error.hpp"
#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/hash.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/node.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/version.hpp"

namespace clockwise::wire {

inline constexpr std::uint64_t format = 1;

/// The offset of the invalid bytes, from 0, and why.
struct Error {
  std::size_t offset = 0;
  std::string reason;
};

/// A decoded message: what a ring is made of. At most 64 bytes of memory per input byte.
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
  std::vector<Domain> domains;        ///< Those in use, ascending.
  std::vector<Row> members;           ///< Ascending by id.
};

/// Limits on what decode<Ring> builds: a few bytes can ask for millions of vnodes, and a ring
/// stores its domain's names with every member.
struct Limits {
  std::uint64_t positions = std::uint64_t{1} << 22;
  /// Bytes of racks and datacenters, summed over all members.
  std::uint64_t domain_bytes = std::uint64_t{1} << 26;
};

namespace detail {

using clockwise::detail::id_of;
using clockwise::detail::quoted;

inline constexpr std::string_view magic = "cwrg";

inline std::uint64_t checksum(std::string_view bytes) {
  return clockwise::detail::digest(bytes).low;
}

class Writer {
 public:
  void raw(std::string_view text) { bytes_ += text; }
  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>((number & 0x7f) | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void text(std::string_view text) {
    varint(text.size());
    bytes_ += text;
  }
  void word(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift & 0xff);
  }
  std::vector<std::byte> finish() {
    word(checksum(bytes_));
    const auto bytes = std::as_bytes(std::span(bytes_));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::string bytes_;
};

/// Reads fields in order. Records the first error; values read after it are meaningless.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return !error_; }
  std::optional<Error> error() const { return error_; }
  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }

  /// Records an error in the field that begins at `offset`.
  void fail(std::size_t offset, std::string reason) {
    if (!error_) error_ = Error{offset, std::move(reason)};
    offset_ = bytes_.size();
  }

  std::string_view raw(std::size_t length, const char* what) {
    if (length > left()) {
      fail(offset_, std::string(what) + " needs " + std::to_string(length) + " bytes; " +
                        std::to_string(left()) + " are left");
      return {};
    }
    offset_ += length;
    return bytes_.substr(offset_ - length, length);
  }
  std::uint64_t varint(const char* what) {
    const std::size_t start = offset_;
    std::uint64_t number = 0;
    for (int shift = 0; offset_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[offset_++]);
      if (shift == 63 && byte > 1) {
        fail(start, std::string(what) + " does not fit in 64 bits");
        return 0;
      }
      number |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) fail(start, std::string(what) + " is not in its shortest form");
        return number;
      }
    }
    fail(start, std::string(what) + " is truncated");
    return 0;
  }
  std::string_view text(const char* what) {
    const std::uint64_t length = varint(what);
    return raw(length > left() ? left() + 1 : static_cast<std::size_t>(length), what);
  }
  std::uint64_t word(const char* what) {
    std::uint64_t number = 0;
    int shift = 0;
    for (const char c : raw(8, what)) {
      number |= std::uint64_t{static_cast<unsigned char>(c)} << shift;
      shift += 8;
    }
    return number;
  }
  /// Reads the number of items that follow, each of at least `size` bytes; fails if too many.
  std::size_t count(const char* what, std::size_t size) {
    const std::size_t start = offset_;
    const std::uint64_t number = varint(what);
    if (ok() && number > left() / size) {
      fail(start, std::to_string(number) + " " + what + " do not fit in the " +
                      std::to_string(left()) + " bytes left");
    }
    return ok() ? static_cast<std::size_t>(number) : 0;
  }

 private:
  std::string_view bytes_;
  std::size_t offset_ = 0;
  std::optional<Error> error_;
};

inline std::string shown(const Membership::Domain& domain) {
  return quoted(domain.datacenter) + "/" + quoted(domain.rack);
}

inline void read_tokens(Reader& in, Membership::Row& row) {
  const std::size_t tokens = in.count("tokens", 8);
  row.tokens.reserve(tokens);
  for (std::size_t i = 0; i < tokens && in.ok(); ++i) {
    const std::size_t start = in.offset();
    const std::uint64_t token = in.word("token");
    if (!row.tokens.empty() && token <= row.tokens.back()) {
      in.fail(start, "token " + std::to_string(token) + " does not come after " +
                         std::to_string(row.tokens.back()));
    }
    row.tokens.push_back(token);
  }
}

inline void read_member(Reader& in, std::vector<bool>& used, Membership& result) {
  const std::size_t start = in.offset();
  Membership::Row row;
  row.id = in.text("id");
  if (in.ok() && row.id.empty()) in.fail(start, "an id must not be empty");
  if (in.ok() && !result.members.empty() && row.id <= result.members.back().id) {
    in.fail(start,
            "id " + quoted(row.id) + " does not come after " + quoted(result.members.back().id));
  }
  const std::size_t flags_at = in.offset();
  const std::uint64_t flags = in.varint("domain");
  if (in.ok() && flags / 2 >= used.size()) {
    in.fail(flags_at, "domain must be below " + std::to_string(used.size()) + ", got " +
                          std::to_string(flags / 2));
  }
  if (!in.ok()) return;
  row.domain = static_cast<std::size_t>(flags / 2);
  used[row.domain] = true;
  if (flags % 2 != 0) {
    const std::size_t weight_at = in.offset();
    const std::uint64_t bits = in.word("weight");
    const bool is_weight = bits >> 52 < 0x7ff;  // not negative, NaN or infinite
    row.weight = std::bit_cast<double>(bits);
    if (in.ok() && (!is_weight || row.weight == 1.0)) {
      in.fail(weight_at, "weight of " + quoted(row.id) +
                             (is_weight ? " must be omitted if it is 1"
                                        : " must be finite and not negative, got " +
                                              std::to_string(row.weight)));
    }
  }
  if (result.has_tokens) {
    const std::size_t tokens_at = in.offset();
    read_tokens(in, row);
    if (in.ok() && row.weight == 0 && !row.tokens.empty()) {
      in.fail(tokens_at, "weight of " + quoted(row.id) + " is 0, so it must have no tokens, got " +
                             std::to_string(row.tokens.size()));
    }
    if (in.ok() && row.tokens.size() > max_vnodes_per_node) {
      in.fail(tokens_at, quoted(row.id) + " can have up to " + std::to_string(max_vnodes_per_node) +
                             " tokens, got " + std::to_string(row.tokens.size()));
    }
  }
  if (in.ok()) result.members.push_back(std::move(row));
}

inline void read_header(Reader& in, Membership& result) {
  if (in.raw(magic.size(), "header") != magic)
    in.fail(0, "not a ring: it must begin with \"cwrg\"");
  std::size_t start = in.offset();
  if (const auto version = in.varint("format"); in.ok() && version != format) {
    in.fail(start, "format " + std::to_string(version) + "; only format 1 is supported");
  }
  start = in.offset();
  if (const auto contract = in.varint("contract");
      in.ok() && contract != std::uint64_t{placement_contract}) {
    in.fail(start, "placement contract " + std::to_string(contract) + "; only contract " +
                       std::to_string(placement_contract) + " is supported");
  }
  start = in.offset();
  const std::uint64_t kind = in.varint("kind");
  if (in.ok() && kind > 1) in.fail(start, "kind must be 0 or 1, got " + std::to_string(kind));
  result.has_tokens = kind == 1;
  result.policy = in.text("hash policy");
  start = in.offset();
  const std::uint64_t seeds = in.varint("seed");
  if (in.ok() && seeds > 1)
    in.fail(start, "seed flag must be 0 or 1, got " + std::to_string(seeds));
  if (in.ok() && seeds == 1) result.seed = in.word("seed");
  result.circle = in.word("hash of the fixed text");
  start = in.offset();
  const std::uint64_t vnodes = in.varint("vnodes");
  if (in.ok() && (vnodes > max_vnodes_per_node || (vnodes == 0) != result.has_tokens)) {
    in.fail(start,
            "vnodes must be " +
                (result.has_tokens ? "0 if there are tokens"
                                   : "between 1 and " + std::to_string(max_vnodes_per_node)) +
                ", got " + std::to_string(vnodes));
  }
  result.vnodes = static_cast<std::uint32_t>(vnodes);
}

inline void read_domains(Reader& in, Membership& result) {
  const std::size_t count = in.count("domains", 2);
  result.domains.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::size_t start = in.offset();
    Membership::Domain domain;
    domain.datacenter = in.text("datacenter");
    domain.rack = in.text("rack");
    if (in.ok() && i > 0 && domain <= result.domains.back()) {
      in.fail(start,
              "domain " + shown(domain) + " does not come after " + shown(result.domains.back()));
    }
    result.domains.push_back(std::move(domain));
  }
}

}  // namespace detail

/// Decodes a membership. If the bytes are invalid, sets `error` and returns an empty one. Throws
/// nothing but std::bad_alloc. O(bytes).
inline Membership parse(std::span<const std::byte> bytes, std::optional<Error>& error) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  error.reset();
  if (text.size() < detail::magic.size() + 8) {
    error = Error{text.size(), "too short for a ring"};
    return {};
  }
  const std::string_view body = text.substr(0, text.size() - 8);
  detail::Reader in(body);
  Membership result;
  detail::read_header(in, result);
  if (detail::Reader sum(text.substr(body.size()));
      in.ok() && sum.word("checksum") != detail::checksum(body)) {
    in.fail(body.size(), "the checksum does not match");
  }
  const std::size_t domains_at = in.offset();
  detail::read_domains(in, result);
  std::vector<bool> used(result.domains.size());
  const std::size_t count = in.count("members", 3);
  result.members.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) detail::read_member(in, used, result);
  for (std::size_t i = 0; i < used.size() && in.ok(); ++i) {
    if (!used[i])
      in.fail(domains_at, "domain " + detail::shown(result.domains[i]) + " has no member");
  }
  if (in.ok() && in.left() > 0) {
    in.fail(in.offset(), std::to_string(in.left()) + " extra bytes");
  }
  error = in.error();
  if (error) return {};
  return result;
}

/// Returns the membership of a HashRing or TokenRing. O(N log N), plus O(M) if there are tokens.
template <class Ring>
Membership membership_of(const Ring& ring) {
  Membership result;
  result.policy = std::remove_cvref_t<decltype(ring.hash())>::name;
  if constexpr (requires { ring.hash().seed; }) result.seed = ring.hash().seed;
  result.circle = ring.circle();
  if constexpr (requires { ring.options().vnodes; }) {
    result.vnodes = ring.options().vnodes;
  } else {
    result.has_tokens = true;
  }
  for (const auto& member : ring.members()) {
    result.domains.push_back({member.datacenter, member.rack});
  }
  std::sort(result.domains.begin(), result.domains.end());
  result.domains.erase(std::unique(result.domains.begin(), result.domains.end()),
                       result.domains.end());
  result.members.reserve(ring.size());
  for (const auto& member : ring.members()) {
    const auto id = detail::id_of(member.node);
    const Membership::Domain named{member.datacenter, member.rack};
    const auto place = std::lower_bound(result.domains.begin(), result.domains.end(), named);
    const auto domain = static_cast<std::size_t>(place - result.domains.begin());
    result.members.push_back({std::string(std::string_view(id)), member.weight, domain, {}});
    if (result.has_tokens) result.members.back().tokens.reserve(member.vnodes);
  }
  if (result.has_tokens) {
    for (std::size_t rank = 0; rank < ring.vnode_count(); ++rank) {
      result.members[ring.owners()[rank]].tokens.push_back(ring.positions()[rank]);
    }
  }
  return result;
}

/// Encodes a membership. O(bytes).
inline std::vector<std::byte> encode(const Membership& membership) {
  detail::Writer out;
  out.raw(detail::magic);
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

/// Encodes a HashRing or TokenRing. O(N log N), plus O(M) if there are tokens.
template <class Ring>
  requires requires(const Ring& ring) { ring.positions(); }
std::vector<std::byte> encode(const Ring& ring) {
  return encode(membership_of(ring));
}

/// Makes a node from its id alone, if the node type is text, or an integer with the id as its
/// digits. Empty if no integer of that type has these digits.
template <class Node>
std::optional<Node> node_from_id(std::string_view id) {
  if constexpr (std::integral<Node>) {
    Node node{};
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), node);
    if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
    const auto digits = detail::id_of(node);
    return std::string_view(digits) == id ? std::optional(node) : std::nullopt;
  } else {
    static_assert(std::constructible_from<Node, std::string_view>,
                  "clockwise: decoding a ring of this node type needs a function that makes a node "
                  "from an id");
    return Node(id);
  }
}

/// Builds the ring of a membership, or says why not: its policy, kind or size does not fit `Ring`.
/// `node_of(id)` returns std::optional<Node>.
template <class Ring, class NodeOf>
std::optional<Ring> build(const Membership& membership, std::string& reason, Limits limits,
                          const NodeOf& node_of) {
  using Hash = typename Ring::hash_type;
  using Node = typename Ring::node_type;
  Hash hash{};
  if (membership.policy != Hash::name) {
    reason = "hash policy is " + detail::quoted(membership.policy) + ", the ring's is " +
             detail::quoted(Hash::name);
    return std::nullopt;
  }
  constexpr bool has_seed = requires { hash.seed = std::uint64_t{}; };
  if (membership.seed.has_value() != has_seed) {
    reason = "hash policy " + detail::quoted(Hash::name) + " must have " +
             (has_seed ? "a seed, got none" : "no seed, got one");
    return std::nullopt;
  }
  if constexpr (has_seed) hash.seed = *membership.seed;
  if (clockwise::detail::policy_probe(hash) != membership.circle) {
    reason = "hash policy " + detail::quoted(Hash::name) + " hashes differently at the sender";
    return std::nullopt;
  }
  constexpr bool has_tokens = !requires(const Ring& ring) { ring.options().vnodes; };
  if (membership.has_tokens != has_tokens) {
    reason = has_tokens ? "the ring needs tokens; the members have no tokens"
                        : "the ring takes no tokens; the members have tokens";
    return std::nullopt;
  }
  if (membership.members.size() > Ring::npos) {
    reason = "the ring's Index can number up to " + std::to_string(Ring::npos) + " members, got " +
             std::to_string(membership.members.size());
    return std::nullopt;
  }
  std::uint64_t positions = 0;
  std::uint64_t domain_bytes = 0;
  std::vector<std::pair<Node, NodeOptions>> nodes;
  nodes.reserve(membership.members.size());
  for (const auto& row : membership.members) {
    const std::uint64_t vnodes =
        has_tokens ? row.tokens.size() : vnode_count(row.weight, membership.vnodes);
    if (vnodes > max_vnodes_per_node || vnodes > limits.positions - positions) {
      reason = "the limit is " + std::to_string(limits.positions) + " positions; member " +
               detail::quoted(row.id) + " exceeds it";
      return std::nullopt;
    }
    positions += vnodes;
    if (row.domain >= membership.domains.size()) {
      reason = "domain of member " + detail::quoted(row.id) + " must be below " +
               std::to_string(membership.domains.size()) + ", got " + std::to_string(row.domain);
      return std::nullopt;
    }
    const auto& [datacenter, rack] = membership.domains[row.domain];
    domain_bytes += datacenter.size() + rack.size();
    if (domain_bytes > limits.domain_bytes) {
      reason = "the limit is " + std::to_string(limits.domain_bytes) +
               " bytes of racks and datacenters; member " + detail::quoted(row.id) + " exceeds it";
      return std::nullopt;
    }
    auto node = node_of(std::string_view(row.id));
    if (!node || std::string_view(detail::id_of(*node)) != row.id) {
      reason = "id " + detail::quoted(row.id) + " does not fit the ring's node type";
      return std::nullopt;
    }
    nodes.emplace_back(std::move(*node), NodeOptions{row.weight, rack, datacenter});
  }
  if constexpr (has_tokens) {
    Ring ring(hash);
    ring.update([&](auto& edit) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        edit.add(std::move(nodes[i].first), nodes[i].second, membership.members[i].tokens);
      }
    });
    return ring;
  } else {
    Ring ring(RingOptions{membership.vnodes}, hash);
    ring.update([&](auto& edit) {
      for (auto& [node, options] : nodes) edit.add(std::move(node), options);
    });
    return ring;
  }
}

/// Decodes a ring, or returns nothing and sets `error`: safe for any bytes. Peak memory: the
/// Membership and the ring, whose positions `limits` bounds.
template <class Ring, class NodeOf>
std::optional<Ring> try_decode(std::span<const std::byte> bytes, std::optional<Error>& error,
                               Limits limits, const NodeOf& node_of) {
  const Membership membership = parse(bytes, error);
  if (error) return std::nullopt;
  std::string reason;
  auto ring = build<Ring>(membership, reason, limits, node_of);
  if (!ring) error = Error{0, std::move(reason)};
  return ring;
}
template <class Ring>
std::optional<Ring> try_decode(std::span<const std::byte> bytes, std::optional<Error>& error,
                               Limits limits = {}) {
  return try_decode<Ring>(bytes, error, limits, node_from_id<typename Ring::node_type>);
}

/// The same, but throws std::invalid_argument with the offset and the reason.
template <class Ring, class NodeOf>
Ring decode(std::span<const std::byte> bytes, Limits limits, const NodeOf& node_of) {
  std::optional<Error> error;
  auto ring = try_decode<Ring>(bytes, error, limits, node_of);
  if (!ring) {
    clockwise::detail::fail_invalid("ring bytes, at " + std::to_string(error->offset) + ": " +
                                    error->reason);
  }
  return std::move(*ring);
}
template <class Ring>
Ring decode(std::span<const std::byte> bytes, Limits limits = {}) {
  return decode<Ring>(bytes, limits, node_from_id<typename Ring::node_type>);
}

/// Where two memberships differ, if their fingerprints do: indices into their `members`.
struct Difference {
  bool placement = false;  ///< Hash policy, seed, kind or vnodes: any key can differ.
  std::vector<std::size_t> only_first;
  std::vector<std::size_t> only_second;
  std::vector<std::pair<std::size_t, std::size_t>> changed;  ///< Weight, rack, datacenter, tokens.

  bool empty() const {
    return !placement && only_first.empty() && only_second.empty() && changed.empty();
  }
};

/// Compares two memberships. O(N), plus O(M) if there are tokens.
inline Difference difference(const Membership& first, const Membership& second) {
  Difference result;
  result.placement = first.policy != second.policy || first.seed != second.seed ||
                     first.circle != second.circle || first.has_tokens != second.has_tokens ||
                     first.vnodes != second.vnodes;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.members.size() || j < second.members.size()) {
    if (j == second.members.size() ||
        (i < first.members.size() && first.members[i].id < second.members[j].id)) {
      result.only_first.push_back(i++);
    } else if (i == first.members.size() || second.members[j].id < first.members[i].id) {
      result.only_second.push_back(j++);
    } else {
      const auto& one = first.members[i];
      const auto& other = second.members[j];
      if (one.weight != other.weight || one.tokens != other.tokens ||
          first.domains[one.domain] != second.domains[other.domain]) {
        result.changed.emplace_back(i, j);
      }
      ++i;
      ++j;
    }
  }
  return result;
}

}  // namespace clockwise::wire

#endif  // CLOCKWISE_WIRE_HPP
