// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_FAILING_MEMORY_HPP
#define CLOCKWISE_TESTS_SUPPORT_FAILING_MEMORY_HPP

// Memory that runs out on request. Replaces operator new: include it in one source of a program.

#include <cstddef>  // size_t
#include <cstdlib>  // free, malloc
#include <new>      // bad_alloc, nothrow_t

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

/// Memory from malloc; nullptr if it has run out.
inline void* memory_if_left(std::size_t size) noexcept {
  if (allocations_left == 0) {
    allocation_failed = true;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace clockwise_test

// The forms for arrays call these. Not inlined, so that the compiler does not see free() meet new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const memory = clockwise_test::memory_if_left(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return clockwise_test::memory_if_left(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return clockwise_test::memory_if_left(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

#endif  // CLOCKWISE_TESTS_SUPPORT_FAILING_MEMORY_HPP
