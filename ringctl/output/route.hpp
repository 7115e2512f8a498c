// SPDX-License-Identifier: MIT
#ifndef RINGCTL_OUTPUT_ROUTE_HPP
#define RINGCTL_OUTPUT_ROUTE_HPP

#include <cstddef>
#include <memory>
#include <string_view>

#include "model/placed_fleet.hpp"
#include "output/format.hpp"
#include "output/stream.hpp"

namespace ringctl {

/// Prints routes one by one, so that a reader does not wait for the last key.
class RouteRows {
 public:
  virtual ~RouteRows() = default;

  /// Prints the heading, if the format has one.
  virtual void begin() = 0;
  virtual void row(std::string_view key, const Route& route) = 0;
};

/// Refers to the fleet and the output. `any_dead`: the owner can differ from the first replica.
std::unique_ptr<RouteRows> route_rows(Format format, const PlacedFleet& fleet, std::size_t replicas,
                                      bool any_dead, Output& out);

}  // namespace ringctl

#endif  // RINGCTL_OUTPUT_ROUTE_HPP
