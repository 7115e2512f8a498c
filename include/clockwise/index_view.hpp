// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_INDEX_VIEW_HPP
#define CLOCKWISE_INDEX_VIEW_HPP

#include <compare>      // strong_ordering
#include <cstddef>      // ptrdiff_t, size_t
#include <iterator>     // input_iterator_tag, random_access_iterator_tag
#include <type_traits>  // conditional_t, is_reference_v, remove_cvref_t
#include <utility>      // declval

namespace clockwise {

/// Random access to anything with an operator[](size_t) that returns references or values.
template <class Range>
class IndexIterator {
 public:
  using reference = decltype(std::declval<const Range&>()[std::size_t{0}]);
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category =
      std::conditional_t<std::is_reference_v<reference>, std::random_access_iterator_tag,
                         std::input_iterator_tag>;

  IndexIterator() = default;
  IndexIterator(const Range& range, std::size_t index)
      : range_(&range), index_(static_cast<difference_type>(index)) {}

  reference operator*() const { return (*range_)[static_cast<std::size_t>(index_)]; }
  reference operator[](difference_type n) const { return *(*this + n); }
  auto operator->() const {
    if constexpr (std::is_reference_v<reference>) {
      return &**this;
    } else {
      struct Held {
        value_type value;
        const value_type* operator->() const { return &value; }
      };
      return Held{**this};
    }
  }

  IndexIterator& operator+=(difference_type n) {
    index_ += n;
    return *this;
  }
  IndexIterator& operator-=(difference_type n) { return *this += -n; }
  IndexIterator& operator++() { return *this += 1; }
  IndexIterator& operator--() { return *this += -1; }
  IndexIterator operator++(int) {
    IndexIterator before = *this;
    ++*this;
    return before;
  }
  IndexIterator operator--(int) {
    IndexIterator before = *this;
    --*this;
    return before;
  }
  friend IndexIterator operator+(IndexIterator it, difference_type n) { return it += n; }
  friend IndexIterator operator+(difference_type n, IndexIterator it) { return it += n; }
  friend IndexIterator operator-(IndexIterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(const IndexIterator& a, const IndexIterator& b) {
    return a.index_ - b.index_;
  }
  friend bool operator==(const IndexIterator& a, const IndexIterator& b) {
    return a.index_ == b.index_;
  }
  friend auto operator<=>(const IndexIterator& a, const IndexIterator& b) {
    return a.index_ <=> b.index_;
  }

 private:
  const Range* range_ = nullptr;
  difference_type index_ = 0;
};

/// The elements of an owner with size() and operator[](size_t), as a range that is valid as long as
/// the owner.
template <class Owner>
class IndexView {
 public:
  using iterator = IndexIterator<Owner>;

  explicit IndexView(const Owner& owner) : owner_(&owner) {}
  iterator begin() const { return iterator(*owner_, 0); }
  iterator end() const { return iterator(*owner_, size()); }
  std::size_t size() const { return owner_->size(); }
  bool empty() const { return size() == 0; }
  typename iterator::reference operator[](std::size_t i) const { return (*owner_)[i]; }

 private:
  const Owner* owner_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_INDEX_VIEW_HPP
