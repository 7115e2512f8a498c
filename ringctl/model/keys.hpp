// SPDX-License-Identifier: MIT
#ifndef RINGCTL_MODEL_KEYS_HPP
#define RINGCTL_MODEL_KEYS_HPP

#include <functional>
#include <string_view>

namespace ringctl {

/// Stores the next key and returns true, or returns false at the end. The next call invalidates the
/// key. Empty if no keys are counted.
using NextKey = std::function<bool(std::string_view& key)>;

}  // namespace ringctl

#endif  // RINGCTL_MODEL_KEYS_HPP
