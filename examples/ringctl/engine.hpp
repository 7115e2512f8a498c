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

/// A fleet as some engine places it: memcached's clients, nginx, Envoy, Redis Cluster, Cassandra,
/// HAProxy. Asked like a ring, so that what reads rings reads engines.
class Engine {
 public:
  using Replicas = clockwise::ReplicaList<std::string>;
  using IsLive = std::function<bool(const std::string&)>;

  struct Member {
    const std::string& node;
    double weight;
  };

  virtual ~Engine() = default;

  /// In id order.
  virtual std::vector<Member> members() const = 0;
  /// Positions, slots or table entries.
  virtual std::size_t positions() const = 0;

  /// Engines hash keys in ways of their own, so that a key stands for its position.
  std::string_view position_of(std::string_view key) const { return key; }
  virtual const std::string& lookup(std::string_view key) const = 0;

  virtual clockwise::Spread default_spread() const = 0;
  virtual Replicas preference_list(std::string_view key, std::size_t r,
                                   clockwise::Spread spread) const = 0;
  virtual Replicas preference_list(std::string_view key, std::size_t r, clockwise::Spread spread,
                                   const IsLive& is_live) const = 0;

  /// What moves to `after`, exactly; nothing where the two do not put keys at the same positions,
  /// so that only keys can be counted.
  virtual std::optional<clockwise::Movement<std::string>> movement_to(
      const Engine& after) const = 0;
};

/// Adds `option`, --scheme or the like.
void add_scheme_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::string& scheme);

/// Throws InputError where --vnodes or --hash was given and no scheme of `chosen` is clockwise's
/// own, which alone they are about.
void check_placement_options(const CLI::App& app, const std::vector<std::string>& chosen);

/// The fleet under `scheme`, a name that add_scheme_option took. Throws InputError, with the
/// fleet's name, for what the engine does not take.
std::unique_ptr<Engine> make_engine(const Fleet& fleet, const std::string& scheme,
                                    const Placement& placement);

/// The scheme where none is given: clockwise's own ring.
extern const char* const own_scheme;

/// The schemes, for --help.
extern const char* const scheme_help;

}  // namespace ringctl

#endif  // RINGCTL_ENGINE_HPP
