// SPDX-License-Identifier: MIT
#include "model/placement.hpp"

#include "model/text.hpp"

namespace ringctl {

std::string hash_name(const Placement& placement) {
  const std::string name = placement.xxh64 ? "xxh64" : "xxh3";
  return placement.seed == 0 ? name : name + ':' + std::to_string(placement.seed);
}

std::string placement_text(const Placement& placement) {
  const std::string name = hash_name(placement);
  return placement.weight_unit == 1 ? name
                                    : name + ", weights divided by " + plain(placement.weight_unit);
}

}  // namespace ringctl
