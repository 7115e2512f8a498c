// SPDX-License-Identifier: MIT
// The headers compile with the macros of other headers: <windows.h>, X11, Qt, <complex.h>,
// <sys/sysmacros.h> and the platform macros of GNU mode.
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

#define min(a, b) hostile_macro
#define max(a, b) hostile_macro
#define small hostile_macro
#define interface hostile_macro
#define near hostile_macro
#define far hostile_macro
#define IN hostile_macro
#define OUT hostile_macro
#define ERROR hostile_macro
#define DELETE hostile_macro
#define TRUE hostile_macro
#define FALSE hostile_macro
#define CONST hostile_macro
#define None hostile_macro
#define Status hostile_macro
#define Success hostile_macro
#define Bool hostile_macro
#define Always hostile_macro
#define signals hostile_macro
#define slots hostile_macro
#define emit hostile_macro
#define foreach hostile_macro
#define I hostile_macro
#define major(device) hostile_macro
#define minor(device) hostile_macro
#define unix hostile_macro
#define linux hostile_macro

#include <clockwise/clockwise.hpp>

#if !defined(min) || !defined(max) || !defined(small) || !defined(interface)
#error "the library undefines a macro of its user"
#endif

int main() {
  clockwise::HashRing<> ring{"a", "b"};
  const clockwise::HashRing<> before = ring;
  ring.add("c", 2.0);
  const auto moved = clockwise::movement(before, ring);
  return ring.preference_list("key", 2).size() == 2 && moved.fraction() > 0 ? 0 : 1;
}
