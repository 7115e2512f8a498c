// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_SCHEME_FINGERPRINT_BYTES_HPP
#define CLOCKWISE_DETAIL_SCHEME_FINGERPRINT_BYTES_HPP

#include <bit>          // bit_cast
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <string>       // string
#include <string_view>  // string_view
#include <utility>      // move

#include "clockwise/detail/base/node_id.hpp"
#include "clockwise/hash.hpp"

namespace clockwise::detail {

/// The bytes that a fingerprint hashes: 64-bit numbers, little-endian, and texts after their
/// length.
class FingerprintBytes {
 public:
  explicit FingerprintBytes(std::string head) : bytes_(std::move(head)) {}

  void append(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift & 0xff);
  }
  void append(std::string_view text) {
    append(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class Positions, class Owners>
  void append_vnodes(const Positions& positions, const Owners& owners) {
    for (std::size_t rank = 0; rank < positions.size(); ++rank) {
      append(positions[rank]);
      append(std::uint64_t{owners[rank]});
    }
  }
  template <class Members>
  void append_members(const Members& members) {
    append(std::uint64_t{members.size()});
    for (const auto& member : members) {
      append(std::string_view(detail::id_of(member.node)));
      append(std::bit_cast<std::uint64_t>(member.weight));
      append(std::string_view(member.rack));
      append(std::string_view(member.datacenter));
    }
  }

  Fingerprint digest() const { return detail::digest(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_SCHEME_FINGERPRINT_BYTES_HPP
