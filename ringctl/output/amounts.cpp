// SPDX-License-Identifier: MIT
#include "output/amounts.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "model/text.hpp"

namespace ringctl {

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  double factor = 1;
  while (unit + 1 < units.size() && bytes >= 999.5 * factor) {
    ++unit;
    factor *= 1000;
  }
  const double amount = bytes / factor;
  const int decimals = unit == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  return fixed(amount, decimals) + ' ' + std::string(units[unit]);
}

std::string duration_text(double seconds) {
  const auto in = [](double count, double per_large, const char* large, const char* small) {
    const double rounded = std::round(count);
    const double whole = std::floor(rounded / per_large);
    return fixed(whole, 0) + ' ' + large + ' ' + fixed(rounded - whole * per_large, 0) + ' ' +
           small;
  };
  if (seconds < 59.95) return fixed(seconds, 1) + " s";
  if (seconds < 3599.5) return in(seconds, 60, "min", "s");
  if (seconds < 48 * 3600 - 30) return in(seconds / 60, 60, "h", "min");
  return in(seconds / 3600, 24, "d", "h");
}

}  // namespace ringctl
