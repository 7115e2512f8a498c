// SPDX-License-Identifier: MIT
// Replaces operator new by one that fails on request.
#include "support/failing_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

/// Memory from malloc; nullptr if it has run out.
void* memory_if_left(std::size_t size) noexcept {
  if (clockwise_test::allocations_left == 0) {
    clockwise_test::allocation_failed = true;
    return nullptr;
  }
  if (clockwise_test::allocations_left > 0) --clockwise_test::allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

// The forms for arrays call these. Not inlined, so that the compiler does not see free() meet new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* const memory = memory_if_left(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory_if_left(size);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return memory_if_left(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
