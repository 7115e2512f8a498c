// SPDX-License-Identifier: MIT
#ifndef RINGCTL_INPUT_ID_LIST_HPP
#define RINGCTL_INPUT_ID_LIST_HPP

#include <string>
#include <string_view>
#include <vector>

namespace ringctl {

/// Returns the ids of "id,id,...", which is read as CSV, so that an id can contain a comma.
/// Messages call the text `name`. Throws InputError.
std::vector<std::string> ids_from(std::string_view text, const std::string& name);

}  // namespace ringctl

#endif  // RINGCTL_INPUT_ID_LIST_HPP
