// SPDX-License-Identifier: MIT
#include "model/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "model/text.hpp"

namespace ringctl {

namespace {

/// Longer words are not compared: untrusted text can have any length.
constexpr std::size_t longest = 64;

/// Returns the number of changes from `a` to `b`, by the distance of Damerau and Levenshtein
/// without changes inside a swapped pair.
std::size_t changes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty() || word.size() > longest) return {};
  const std::string lower = lower_case(word);
  std::string_view found;
  std::size_t fewest = lower.size() / 3 + 1;  // so that 1 change of 3 letters counts
  for (const std::string_view name : known) {
    if (name.size() > longest) continue;
    const std::string other = lower_case(name);
    std::size_t count = changes(lower, other);
    if (lower.size() >= 3 && other.starts_with(lower)) count = (std::min)(count, std::size_t{1});
    if (count < fewest || (count == fewest && found.empty() && lower.size() >= 2)) {
      found = name;
      fewest = count;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view name = nearest(word, known);
  return name.empty() ? "" : "; did you mean " + in_quotes(name) + '?';
}

}  // namespace ringctl
