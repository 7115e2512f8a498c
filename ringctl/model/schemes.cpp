// SPDX-License-Identifier: MIT
#include "model/schemes.hpp"

#include <algorithm>
#include <array>
#include <clockwise/compat/envoy.hpp>
#include <clockwise/compat/haproxy.hpp>
#include <clockwise/compat/ketama.hpp>
#include <clockwise/compat/nginx.hpp>
#include <stdexcept>

#include "model/engines.hpp"
#include "model/error.hpp"
#include "model/placed_ring.hpp"

namespace ringctl {

namespace {

using clockwise::EnvoyHashFunction;
using clockwise::HaproxyHash;
using clockwise::KetamaFlavour;
using clockwise::KetamaHash;

using Placed = std::unique_ptr<PlacedFleet>;

Placed own_ring(const Fleet& fleet, const Placement& placement) {
  return with_hash(placement,
                   [&](const auto& hash) { return placed(make_ring(fleet, placement, hash)); });
}

template <KetamaFlavour flavour, KetamaHash hash>
Placed ketama(const Fleet& fleet, const Placement&) {
  return placed(filled(clockwise::KetamaRing(flavour, hash), fleet));
}

Placed nginx(const Fleet& fleet, const Placement&) {
  return placed(filled(clockwise::NginxRing(), fleet));
}

template <EnvoyHashFunction function, bool grpc>
Placed envoy(const Fleet& fleet, const Placement&) {
  auto options = grpc ? clockwise::EnvoyRingOptions::grpc() : clockwise::EnvoyRingOptions{};
  options.hash_function = function;
  return placed(filled(clockwise::EnvoyRing(options), fleet));
}

Placed envoy_maglev(const Fleet& fleet, const Placement&) { return place_envoy_maglev(fleet); }

Placed redis(const Fleet& fleet, const Placement&) { return place_redis(fleet); }

Placed cassandra(const Fleet& fleet, const Placement&) { return place_cassandra(fleet); }

template <HaproxyHash function, bool avalanche>
Placed haproxy(const Fleet& fleet, const Placement&) {
  return place_haproxy(fleet, {function, avalanche});
}

struct Scheme {
  std::string_view name;
  Placed (*place)(const Fleet&, const Placement&);
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

bool is_scheme(std::string_view name) { return find(name) != schemes.end(); }

std::unique_ptr<PlacedFleet> place(const Fleet& fleet, std::string_view scheme,
                                   const Placement& placement) {
  const auto found = find(scheme);
  if (found == schemes.end()) throw InputError("unknown scheme " + std::string(scheme));
  try {
    return found->place(fleet, placement);
  } catch (const std::logic_error& error) {  // of the library
    throw InputError(fleet.name + ": " + message_of(error));
  }
}

}  // namespace ringctl
