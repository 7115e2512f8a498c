// SPDX-License-Identifier: MIT
#include "model/schemes.hpp"

#include <algorithm>
#include <array>
#include <clockwise/compat/envoy.hpp>
#include <clockwise/compat/haproxy.hpp>
#include <clockwise/compat/ketama.hpp>
#include <clockwise/compat/nginx.hpp>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "model/engines.hpp"
#include "model/error.hpp"
#include "model/own_ring.hpp"
#include "model/placed_ring.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

using clockwise::EnvoyHashFunction;
using clockwise::HaproxyHash;
using clockwise::KetamaFlavour;
using clockwise::KetamaHash;

using Placed = std::unique_ptr<PlacedFleet>;

Placed own_ring(const Fleet& fleet, const DeadNodes& dead) {
  return with_ring(fleet, [&](auto ring) { return placed(std::move(ring), dead); });
}

template <KetamaFlavour flavour, KetamaHash hash>
Placed ketama(const Fleet& fleet, const DeadNodes& dead) {
  return placed(filled(clockwise::KetamaRing(flavour, hash), fleet), dead);
}

/// A small file must not take much memory by surprise: a unit of weight is 160 points.
void check_nginx_points(const Fleet& fleet) {
  double points = 0;
  for (const FleetNode& node : fleet.nodes) points += 160 * node.options.weight;
  const std::uint64_t most = usual_positions(fleet.nodes.size());
  if (points > static_cast<double>(most)) {
    throw InputError(fleet.name + ": weights of " + plain(points / 160) + " in all make " +
                     plain(points) + " points in nginx's ring; the maximum here is " +
                     grouped(most));
  }
}

Placed nginx(const Fleet& fleet, const DeadNodes& dead) {
  check_nginx_points(fleet);
  return placed(filled(clockwise::NginxRing(), fleet), dead);
}

/// With too few hosts up, Envoy balances over all of them, as if none were down.
template <class Scheme>
Placed placed_by_envoy(Scheme scheme, const DeadNodes& dead) {
  if (!clockwise::envoy_panics(scheme.size() - dead.size(), scheme.size())) {
    return placed(std::move(scheme), dead);
  }
  return placed(std::move(scheme), {},
                "Envoy panics with so few hosts up: it sends to all of them, dead or not");
}

template <EnvoyHashFunction function, bool grpc>
Placed envoy(const Fleet& fleet, const DeadNodes& dead) {
  auto options = grpc ? clockwise::EnvoyRingOptions::grpc() : clockwise::EnvoyRingOptions{};
  options.hash_function = function;
  auto ring = filled(clockwise::EnvoyRing(options), fleet);
  return grpc ? placed(std::move(ring), dead) : placed_by_envoy(std::move(ring), dead);
}

Placed envoy_maglev(const Fleet& fleet, const DeadNodes& dead) {
  return placed_by_envoy(filled(clockwise::EnvoyMaglev(), fleet), dead);
}

Placed redis(const Fleet& fleet, const DeadNodes& dead) { return place_redis(fleet, dead); }

Placed cassandra(const Fleet& fleet, const DeadNodes& dead) { return place_cassandra(fleet, dead); }

template <HaproxyHash function, bool avalanche>
Placed haproxy(const Fleet& fleet, const DeadNodes& dead) {
  return place_haproxy(fleet, dead, {function, avalanche});
}

struct Scheme {
  std::string_view name;
  Placed (*place)(const Fleet&, const DeadNodes&);
};

constexpr std::array schemes{
    Scheme{own_scheme, own_ring},
    Scheme{"ketama", ketama<KetamaFlavour::libmemcached, KetamaHash::md5>},
    Scheme{"ketama:spy", ketama<KetamaFlavour::spy, KetamaHash::md5>},
    Scheme{"ketama:rj", ketama<KetamaFlavour::rj, KetamaHash::md5>},
    Scheme{"twemproxy", ketama<KetamaFlavour::twemproxy, KetamaHash::fnv1a_64>},
    Scheme{"twemproxy:md5", ketama<KetamaFlavour::twemproxy, KetamaHash::md5>},
    Scheme{"nginx", nginx},
    Scheme{"envoy", envoy<EnvoyHashFunction::xx_hash, false>},
    Scheme{"envoy:murmur2", envoy<EnvoyHashFunction::murmur_hash_2, false>},
    Scheme{"envoy:grpc", envoy<EnvoyHashFunction::xx_hash, true>},
    Scheme{"envoy:maglev", envoy_maglev},
    Scheme{"redis", redis},
    Scheme{"cassandra", cassandra},
    Scheme{"haproxy", haproxy<HaproxyHash::sdbm, true>},
    Scheme{"haproxy:sdbm", haproxy<HaproxyHash::sdbm, false>},
    Scheme{"haproxy:djb2", haproxy<HaproxyHash::djb2, false>},
    Scheme{"haproxy:djb2-avalanche", haproxy<HaproxyHash::djb2, true>},
    Scheme{"haproxy:wt6", haproxy<HaproxyHash::wt6, false>},
    Scheme{"haproxy:wt6-avalanche", haproxy<HaproxyHash::wt6, true>},
    Scheme{"haproxy:crc32", haproxy<HaproxyHash::crc32, false>},
    Scheme{"haproxy:crc32-avalanche", haproxy<HaproxyHash::crc32, true>},
};

auto find(std::string_view name) {
  return std::find_if(schemes.begin(), schemes.end(),
                      [&](const Scheme& scheme) { return scheme.name == name; });
}

}  // namespace

std::vector<std::string_view> scheme_names() {
  std::vector<std::string_view> names;
  for (const Scheme& scheme : schemes) names.push_back(scheme.name);
  return names;
}

bool is_scheme(std::string_view name) { return find(name) != schemes.end(); }

std::unique_ptr<PlacedFleet> place(const Fleet& fleet, std::string_view scheme,
                                   const DeadNodes& dead) {
  const auto found = find(scheme);
  if (found == schemes.end()) throw InputError("unknown scheme " + std::string(scheme));
  try {
    return found->place(fleet, dead);
  } catch (const std::logic_error& error) {  // of the library
    throw InputError(fleet.name + ": " + message_of(error));
  }
}

}  // namespace ringctl
