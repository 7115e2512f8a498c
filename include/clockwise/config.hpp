// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_CONFIG_HPP
#define CLOCKWISE_CONFIG_HPP

// Every switch of the library is here, always defined, to 0 or 1. None of them changes the layout
// of a type or an owner. Set each alike in the whole program: of an inline function that two
// translation units compile differently, the linker keeps one.

/// CLOCKWISE_NO_EXCEPTIONS: 1 makes every error print its message to stderr and abort instead of
/// throwing. Follows -fno-exceptions by itself; define it to 1 before the first include to force
/// it.
#ifndef CLOCKWISE_NO_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define CLOCKWISE_NO_EXCEPTIONS 0
#else
#define CLOCKWISE_NO_EXCEPTIONS 1
#endif
#endif

/// CLOCKWISE_PORTABLE_SCAN: 1 keeps SSE2 out of lookups in large tables, which every x86-64 has;
/// the answers are the same. For measuring, and for testing what other processors run.
#ifndef CLOCKWISE_PORTABLE_SCAN
#define CLOCKWISE_PORTABLE_SCAN 0
#endif

#endif  // CLOCKWISE_CONFIG_HPP
