// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_CONFIG_HPP
#define CLOCKWISE_CONFIG_HPP

// All of the library's switches, always defined, to 0 or 1. None changes the layout of a type or an
// owner. Set each alike in the whole program: if two translation units compile an inline function
// differently, the linker keeps one.

/// CLOCKWISE_NO_EXCEPTIONS: 1 makes every error print its message to stderr and abort instead of
/// throwing. Set automatically under -fno-exceptions; define it to 1 before the first include to
/// force it.
#ifndef CLOCKWISE_NO_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define CLOCKWISE_NO_EXCEPTIONS 0
#else
#define CLOCKWISE_NO_EXCEPTIONS 1
#endif
#endif

/// CLOCKWISE_PORTABLE_SCAN: 1 keeps SSE2, which every x86-64 has, out of lookups in large tables;
/// the answers are the same. For measuring, and for testing the code for other processors.
#ifndef CLOCKWISE_PORTABLE_SCAN
#define CLOCKWISE_PORTABLE_SCAN 0
#endif

/// CLOCKWISE_COLD marks functions that run rarely, if ever. GCC and Clang compile them for size and
/// keep them out of their callers.
#if defined(__GNUC__)
#define CLOCKWISE_COLD [[gnu::cold, gnu::noinline]]
#define CLOCKWISE_NOINLINE [[gnu::noinline]]
#else
#define CLOCKWISE_COLD
#define CLOCKWISE_NOINLINE
#endif

#endif  // CLOCKWISE_CONFIG_HPP
