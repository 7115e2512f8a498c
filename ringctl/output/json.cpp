// SPDX-License-Identifier: MIT
#include "output/json.hpp"

#include <cstddef>
#include <string>

#include "model/text.hpp"
#include "output/stream.hpp"

namespace ringctl {

Json json_value(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) return {{"hex", hex(text)}};
    rest.remove_prefix(length);
  }
  return std::string(text);
}

void print_document(const Json& document) {
  Output out;
  out << document.dump(2) << "\n";
  out.flush();
}

}  // namespace ringctl
