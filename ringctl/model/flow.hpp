// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_FLOW_HPP
#define RINGCTL_MODEL_FLOW_HPP

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ringctl {

/// The keys that move from one node to another.
struct Flow {
  std::string from;
  std::string to;
  double share = 0;  ///< Of the key space, if known.
  std::uint64_t keys = 0;
};

/// Sums flows by sender and receiver.
class Flows {
 public:
  /// Returns the flow of a pair, 0 if it is new.
  Flow& between(const std::string& from, const std::string& to) {
    const auto [at, is_new] = flows_.try_emplace({from, to});
    if (is_new) at->second = {from, to, 0, 0};
    return at->second;
  }
  std::size_t size() const { return flows_.size(); }

  /// Returns the flows, the largest first: by share, then by keys.
  std::vector<Flow> sorted() const;

 private:
  std::map<std::pair<std::string, std::string>, Flow> flows_;
};

}  // namespace ringctl

#endif  // RINGCTL_MODEL_FLOW_HPP
