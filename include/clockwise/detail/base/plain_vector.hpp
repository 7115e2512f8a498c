// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_DETAIL_BASE_PLAIN_VECTOR_HPP
#define CLOCKWISE_DETAIL_BASE_PLAIN_VECTOR_HPP

#include <cstddef>      // size_t
#include <cstring>      // memcmp, memcpy, memset
#include <new>          // operator delete, operator new
#include <type_traits>  // has_unique_object_representations_v, is_trivially_copyable_v

#include "clockwise/config.hpp"

namespace clockwise::detail {

/// The memory of a PlainVector: the part that does not depend on the type of its elements.
class PlainMemory {
 public:
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  bool empty() const noexcept { return size_ == 0; }

 protected:
  PlainMemory() = default;
  PlainMemory(std::size_t count, std::size_t element_bytes)
      : data_(allocated(count, element_bytes)), size_(count), capacity_(count) {}
  PlainMemory(PlainMemory&& other) noexcept
      : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.forget();
  }
  CLOCKWISE_NOINLINE PlainMemory& operator=(PlainMemory&& other) noexcept {
    void* const old = data_;
    data_ = other.data_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.forget();
    ::operator delete(old);
    return *this;
  }
  ~PlainMemory() { ::operator delete(data_); }

  CLOCKWISE_NOINLINE void reallocate(std::size_t capacity, std::size_t element_bytes) {
    void* const larger = allocated(capacity, element_bytes);
    if (size_ > 0) std::memcpy(larger, data_, size_ * element_bytes);
    ::operator delete(data_);
    data_ = larger;
    capacity_ = capacity;
  }

  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;

 private:
  /// operator new refuses a size that exceeds any memory.
  static void* allocated(std::size_t count, std::size_t element_bytes) {
    if (count == 0) return nullptr;
    constexpr std::size_t most = ~std::size_t{0};
    return ::operator new(count <= most / element_bytes ? count * element_bytes : most);
  }
  void forget() noexcept {
    data_ = nullptr;
    size_ = 0;
    capacity_ = 0;
  }
};

/// A std::vector of numbers for the tables, in a fraction of its compile time: see
/// docs/compile-time.md. Elements can also be left unset, so memory is not written twice.
template <class T>
class PlainVector : public PlainMemory {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  PlainVector() = default;
  /// `count` zeros.
  explicit PlainVector(std::size_t count) : PlainMemory(count, sizeof(T)) {
    if (count > 0) std::memset(data_, 0, count * sizeof(T));
  }
  PlainVector(std::size_t count, T value) : PlainMemory(count, sizeof(T)) {
    for (std::size_t i = 0; i < count; ++i) data()[i] = value;
  }
  PlainVector(const PlainVector& other) : PlainMemory(other.size_, sizeof(T)) {
    copy(other.data(), size_, data());
  }
  PlainVector(PlainVector&&) noexcept = default;
  PlainVector& operator=(const PlainVector& other) {
    *this = PlainVector(other);
    return *this;
  }
  PlainVector& operator=(PlainVector&&) noexcept = default;
  ~PlainVector() = default;

  /// `count` elements that the caller must set.
  static PlainVector unset(std::size_t count) { return PlainVector(count, Unset()); }

  T* data() noexcept { return static_cast<T*>(data_); }
  const T* data() const noexcept { return static_cast<const T*>(data_); }
  T* begin() noexcept { return data(); }
  const T* begin() const noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* end() const noexcept { return data() + size_; }
  const T& front() const noexcept { return data()[0]; }
  T& back() noexcept { return data()[size_ - 1]; }
  const T& back() const noexcept { return data()[size_ - 1]; }
  T& operator[](std::size_t i) noexcept { return data()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data()[i]; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity, sizeof(T));
  }
  void push_back(T element) {
    if (size_ == capacity_) [[unlikely]]
      reallocate(size_ + size_ / 2 + 8, sizeof(T));
    data()[size_++] = element;
  }
  /// `elements` must not be of this vector.
  void append(const T* elements, std::size_t count) {
    if (count > capacity_ - size_) [[unlikely]]
      reallocate(size_ + size_ / 2 + count, sizeof(T));
    copy(elements, count, data() + size_);
    size_ += count;
  }
  /// `size` must be at most size().
  void truncate(std::size_t size) noexcept { size_ = size; }

  friend bool operator==(const PlainVector& a, const PlainVector& b) noexcept {
    static_assert(std::has_unique_object_representations_v<T>);
    return a.size_ == b.size_ &&
           (a.empty() || std::memcmp(a.data_, b.data_, a.size_ * sizeof(T)) == 0);
  }

  /// Copies `count` elements to other memory.
  static void copy(const T* from, std::size_t count, T* to) noexcept {
    if (count > 0) std::memcpy(to, from, count * sizeof(T));
  }

 private:
  struct Unset {};
  PlainVector(std::size_t count, Unset)
      : PlainMemory(count, sizeof(T)) {}  // NOLINT(bugprone-sizeof-expression): T can be a pointer
};

}  // namespace clockwise::detail

#endif  // CLOCKWISE_DETAIL_BASE_PLAIN_VECTOR_HPP
