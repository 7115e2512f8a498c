// SPDX-License-Identifier: MIT
#include "input/amounts.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace ringctl {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array<Unit, 12> byte_units{{{"B", 1},
                                           {"kB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"PB", 1e15},
                                           {"EB", 1e18},
                                           {"KiB", 0x1p10},
                                           {"MiB", 0x1p20},
                                           {"GiB", 0x1p30},
                                           {"TiB", 0x1p40},
                                           {"PiB", 0x1p50}}};
constexpr std::array<Unit, 5> rate_units{{{"bps", 1.0 / 8},
                                          {"kbps", 1e3 / 8},
                                          {"Mbps", 1e6 / 8},
                                          {"Gbps", 1e9 / 8},
                                          {"Tbps", 1e12 / 8}}};

struct Amount {
  double number;
  std::string_view unit;
};

/// Splits a number that is not negative from the unit after it; returns nothing if the text has no
/// such number.
std::optional<Amount> split_amount(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return Amount{number, unit};
}

template <class Units>
std::optional<double> in_units(std::string_view text, const Units& units) {
  const auto amount = split_amount(text);
  if (!amount) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name == amount->unit) return amount->number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> bytes_from(std::string_view text) { return in_units(text, byte_units); }

std::optional<double> rate_from(std::string_view text) {
  const auto rate = text.ends_with("/s") ? in_units(text.substr(0, text.size() - 2), byte_units)
                                         : in_units(text, rate_units);
  return rate && *rate > 0 ? rate : std::nullopt;
}

std::optional<double> share_from(std::string_view text) {
  const auto amount = split_amount(text);
  if (!amount || (amount->unit != "" && amount->unit != "%")) return std::nullopt;
  const double share = amount->unit == "%" ? amount->number / 100 : amount->number;
  return share > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

}  // namespace ringctl
