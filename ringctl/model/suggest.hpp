// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_SUGGEST_HPP
#define RINGCTL_MODEL_SUGGEST_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ringctl {

/// Returns the known name that `word` most likely means: a name that begins with `word`, if it has
/// three letters or more; otherwise the first of the names that the fewest changes turn it into, at
/// most a third of its letters. A change inserts, drops or replaces a letter or swaps two. Case
/// does not count. Empty if no name is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

/// Returns "; did you mean "<name>"?", or nothing if no name is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace ringctl

#endif  // RINGCTL_MODEL_SUGGEST_HPP
