// SPDX-License-Identifier: MIT
// The headers compile with the macros of other headers.
//
// The standard headers must come first: libstdc++ undefines `min` and `max` itself, and its headers
// are not tested here.
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cfloat>
#include <charconv>
#include <chrono>
#include <cmath>
#include <compare>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

// An object-like macro of another header, as text that never compiles: the headers must not contain
// the word at all. Words that are names of the public interface keep their meaning inside.
#define min(a, b) @
#define max(a, b) @

// <windows.h> and what it includes.
#define small @
#define hyper @
#define interface @
#define near @
#define far @
#define pascal @
#define cdecl @
#define uuid @
#define IN @
#define OUT @
#define OPTIONAL @
#define ERROR @
#define NO_ERROR @
#define DELETE @
#define TRUE @
#define FALSE @
#define CONST @
#define VOID @
#define PURE @
#define THIS @
#define STRICT @
#define IGNORE @
#define INFINITE @
#define ABSOLUTE @
#define RELATIVE @
#define ALTERNATE @
#define TRANSPARENT @
#define OPAQUE @
#define GetObject @
#define GetMessage @
#define CopyFile @
#define MoveFile @
#define DeleteFile @
#define Yield() @

// X11.
#define None @
#define Bool @
#define Status @
#define Success @
#define True @
#define False @
#define Always @
#define Above @
#define Below @
#define Opposite @
#define Unsorted @
#define Complex @
#define Convex @
#define KeyPress @
#define KeyRelease @
#define FocusIn @
#define FocusOut @
#define CursorShape @
#define Expose @

// Qt.
#define signals @
#define slots @
#define emit @
#define foreach @
#define forever @

// Apple's <AssertMacros.h>, and Unreal Engine.
#define check(condition) @
#define check_noerr(error) @
#define verify(condition) @
#define verify_noerr(error) @
#define verify_action(condition, action) @
#define require(condition, label) @
#define require_noerr(error, label) @
#define require_action(condition, label, action) @
#define ensure(condition) @

// Objective-C, <complex.h>, <sys/sysmacros.h>, <sys/param.h>, GLib, syslog, and GNU mode.
#define nil @
#define Nil @
#define YES @
#define NO @
#define I @
#define complex @
#define imaginary @
#define major(device) @
#define minor(device) @
#define makedev(major, minor) @
#define howmany(x, y) @
#define roundup(x, y) @
#define powerof2(x) @
#define isset(a, i) @
#define setbit(a, i) @
#define clrbit(a, i) @
#define MIN(a, b) @
#define MAX(a, b) @
#define ABS(a) @
#define CLAMP(x, low, high) @
#define CHECK(condition) @
#define ASSERT(condition) @
#define LOG(level) @
#define PI @
#define EMPTY @
#define unix @
#define linux @

#include <clockwise/arc.hpp>
#include <clockwise/balance.hpp>
#include <clockwise/bounded_assignment.hpp>
#include <clockwise/bounded_load.hpp>
#include <clockwise/clockwise.hpp>
#include <clockwise/compat/cassandra.hpp>
#include <clockwise/compat/envoy.hpp>
#include <clockwise/compat/haproxy.hpp>
#include <clockwise/compat/ketama.hpp>
#include <clockwise/compat/nginx.hpp>
#include <clockwise/compat/redis_cluster.hpp>
#include <clockwise/compat/redis_replies.hpp>
#include <clockwise/compat/redis_slot_map.hpp>
#include <clockwise/concepts.hpp>
#include <clockwise/config.hpp>
#include <clockwise/domain_losses.hpp>
#include <clockwise/durability.hpp>
#include <clockwise/fleet.hpp>
#include <clockwise/fwd.hpp>
#include <clockwise/hash.hpp>
#include <clockwise/hash_function.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/hot_key.hpp>
#include <clockwise/index_view.hpp>
#include <clockwise/jump.hpp>
#include <clockwise/listed_ring.hpp>
#include <clockwise/maglev.hpp>
#include <clockwise/migration.hpp>
#include <clockwise/mod_n.hpp>
#include <clockwise/movement.hpp>
#include <clockwise/multi_probe.hpp>
#include <clockwise/node.hpp>
#include <clockwise/quorum.hpp>
#include <clockwise/relative_weights.hpp>
#include <clockwise/rendezvous.hpp>
#include <clockwise/replica_sets.hpp>
#include <clockwise/replica_table.hpp>
#include <clockwise/replication.hpp>
#include <clockwise/shared.hpp>
#include <clockwise/slot_map.hpp>
#include <clockwise/theory.hpp>
#include <clockwise/token_allocator.hpp>
#include <clockwise/token_ring.hpp>
#include <clockwise/transition.hpp>
#include <clockwise/version.hpp>
#include <clockwise/wire.hpp>
#include <clockwise/wire/difference.hpp>
#include <clockwise/wire/membership.hpp>

#if !defined(min) || !defined(max) || !defined(small) || !defined(interface) || !defined(slots) || \
    !defined(emit) || !defined(check) || !defined(I)
#error "the library undefines a macro of its user"
#endif

int main() {
  clockwise::HashRing<> ring{"a", "b"};
  const clockwise::HashRing<> before = ring;
  ring.add("c", 2.0);
  const auto moved = clockwise::movement(before, ring);
  return ring.preference_list("key", 2).size() == 2 && moved.fraction() > 0 ? 0 : 1;
}
