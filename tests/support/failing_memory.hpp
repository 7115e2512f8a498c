// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_FAILING_MEMORY_HPP
#define CLOCKWISE_TESTS_SUPPORT_FAILING_MEMORY_HPP

// Memory that runs out on request, for programs with failing_memory.cpp.

#include <cstddef>  // size_t
#include <new>      // bad_alloc

namespace clockwise_test {

/// How many allocations of this thread succeed; negative: any number.
inline thread_local long allocations_left = -1;
/// Whether an allocation has failed since a test cleared this. Not every failure throws: a caller
/// of new (std::nothrow) can do without the memory.
inline thread_local bool allocation_failed = false;

/// Runs action() again and again: the first time its first allocation fails, then its second, and
/// so on, until it succeeds. Calls unchanged() after each failure. Returns the number of failures.
/// After a failure the action must start from the same state, so it can be one that must be all or
/// nothing.
template <class Action, class Unchanged>
std::size_t fail_each_allocation(const Action& action, const Unchanged& unchanged) {
  for (long successes = 0;; ++successes) {
    allocations_left = successes;
    try {
      action();
      allocations_left = -1;
      return static_cast<std::size_t>(successes);
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
      unchanged();
    } catch (...) {
      allocations_left = -1;
      throw;
    }
  }
}

}  // namespace clockwise_test

#endif  // CLOCKWISE_TESTS_SUPPORT_FAILING_MEMORY_HPP
