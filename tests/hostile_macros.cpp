// SPDX-License-Identifier: MIT
// The headers survive the words that other headers take: <windows.h>, X11, Qt, <complex.h>,
// <sys/sysmacros.h>, old AssertMacros.h, and the platform macros of GNU mode.
//
// What the library includes comes first, as it must: libstdc++ removes `min` and `max` itself, and
// its headers are not what is tested.
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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
#define check(condition) hostile_macro
#define verify(condition) hostile_macro
#define require(condition) hostile_macro
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
