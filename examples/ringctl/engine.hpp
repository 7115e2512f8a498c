// SPDX-License-Identifier: MIT
#ifndef RINGCTL_ENGINE_HPP
#define RINGCTL_ENGINE_HPP

#include <clockwise/movement.hpp>
#include <clockwise/replica_list.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet.hpp"
#include "placement.hpp"

namespace ringctl {

/// A fleet as an engine places it: memcached clients, nginx, Envoy, Redis Cluster, Cassandra or
/// HAProxy. It has a ring's interface, so that code for rings also reads engines.
class Engine {
 public:
  using Replicas = clockwise::ReplicaList<std::string>;
  using IsLive = std::function<bool(const std::string&)>;

  struct Member {
    const std::string& node;
    double weight;
  };

  virtual ~Engine() = default;

  /// Returns the members in id order.
  virtual std::vector<Member> members() const = 0;
  /// Returns the number of positions, slots or table entries.
  virtual std::size_t positions() const = 0;

  /// Returns the key itself: each engine hashes keys in its own way.
  std::string_view position_of(std::string_view key) const { return key; }
  virtual const std::string& lookup(std::string_view key) const = 0;

  virtual clockwise::Spread default_spread() const = 0;
  virtual Replicas preference_list(std::string_view key, std::size_t r,
                                   clockwise::Spread spread) const = 0;
  virtual Replicas preference_list(std::string_view key, std::size_t r, clockwise::Spread spread,
                                   const IsLive& is_live) const = 0;

  /// Returns exactly what moves to `after`; nothing if the two use different circles, so that only
  /// keys can be counted.
  virtual std::optional<clockwise::Movement<std::string>> movement_to(
      const Engine& after) const = 0;
};

/// Adds `option`, such as --scheme.
void add_scheme_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::string& scheme);

/// Throws InputError if --vnodes or --hash was given and `chosen` does not contain clockwise's own
/// scheme, the only one that they apply to.
void check_placement_options(const CLI::App& app, const std::vector<std::string>& chosen);

/// Returns the fleet under `scheme`, a name that add_scheme_option accepted. Throws InputError,
/// with the fleet's name, if the engine refuses a node.
std::unique_ptr<Engine> make_engine(const Fleet& fleet, const std::string& scheme,
                                    const Placement& placement);

/// The default scheme: clockwise's own ring.
extern const char* const own_scheme;

/// Describes the schemes, for --help.
extern const char* const scheme_help;

}  // namespace ringctl

#endif  // RINGCTL_ENGINE_HPP
