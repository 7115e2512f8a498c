// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_ARC_HPP
#define CLOCKWISE_ARC_HPP

// Arcs of the circle and their exact widths.

#include <compare>   // strong_ordering
#include <cstdint>   // uint64_t
#include <optional>  // optional

namespace clockwise {

/// An exact number of positions: 0 to 2^64 (the whole circle), or a sum of such numbers.
class Width {
 public:
  constexpr Width() = default;
  constexpr explicit Width(std::uint64_t positions) : low_(positions) {}

  /// 2^64: every position.
  static constexpr Width whole_circle() {
    Width width;
    width.high_ = 1;
    return width;
  }

  constexpr Width& operator+=(const Width& other) {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    return *this;
  }
  friend constexpr Width operator+(Width a, const Width& b) { return a += b; }
  friend constexpr auto operator<=>(const Width&, const Width&) = default;

  /// The number is high() * 2^64 + low().
  constexpr std::uint64_t high() const { return high_; }
  constexpr std::uint64_t low() const { return low_; }

  /// Returns the share of the circle, rounded to double: 1.0 for the whole circle.
  constexpr double fraction() const {
    return static_cast<double>(high_) + static_cast<double>(low_) * 0x1p-64;
  }

 private:
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

/// The positions (after, last], clockwise; wraps if `last` is smaller. Equal ends mean the whole
/// circle: an arc is never empty.
struct Arc {
  std::uint64_t after = 0;
  std::uint64_t last = 0;

  friend constexpr bool operator==(const Arc&, const Arc&) = default;

  constexpr bool is_whole_circle() const { return after == last; }

  constexpr bool contains(std::uint64_t position) const {
    return position - after - 1 <= last - after - 1;
  }
  template <class P>
    requires requires(P p) { static_cast<std::uint64_t>(p); }
  constexpr bool contains(P position) const {
    return contains(static_cast<std::uint64_t>(position));
  }

  constexpr Width width() const {
    return is_whole_circle() ? Width::whole_circle() : Width(last - after);
  }
  constexpr double fraction() const { return width().fraction(); }
};

/// Merges (a, b] and (b, c] into (a, c]; empty if `second` does not begin where `first` ends, or if
/// they overlap.
constexpr std::optional<Arc> merged(const Arc& first, const Arc& second) {
  const bool fits =
      first.last == second.after && first.width() + second.width() <= Width::whole_circle();
  return fits ? std::optional<Arc>(Arc{first.after, second.last}) : std::nullopt;
}

}  // namespace clockwise

#endif  // CLOCKWISE_ARC_HPP
