// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_SHARES_HPP
#define RINGCTL_MODEL_SHARES_HPP

#include <clockwise/balance.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.hpp"

namespace ringctl {

struct NodeShare {
  std::string id;
  double weight = 1;
  std::uint32_t vnodes = 0;
  double share = 0;  ///< Of the key space.
  double fair = 0;   ///< By weight.

  /// Returns share / fair; nothing for a drained node.
  std::optional<double> share_to_fair() const {
    return fair > 0 ? std::optional(share / fair) : std::nullopt;
  }
};

/// What theory expects of such a ring, on average over node ids.
struct ExpectedBalance {
  double cv = 0;
  std::optional<double> peak_to_mean;  ///< The closed form requires equal vnode counts.
};

/// What `ringctl shares` prints.
struct Shares {
  Placement placement;
  bool has_tokens = false;       ///< Tokens place the nodes, not vnodes by weight.
  std::vector<NodeShare> nodes;  ///< In id order.
  std::size_t positions = 0;
  clockwise::Balance balance;
  ExpectedBalance expected;
};

/// Computes each node's share on clockwise's own ring. Throws InputError.
Shares shares_of(const Fleet& fleet);

/// Computes the root mean square of share/fair - 1, which has two parts: a share's variance, and
/// the bias of a weight that is not a whole number of vnodes. Reads the nodes' vnodes and fair
/// shares.
ExpectedBalance expected_balance(const std::vector<NodeShare>& nodes);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_SHARES_HPP
