// SPDX-License-Identifier: MIT
#include "input/fleet_file.hpp"

#include "input/csv_fleet.hpp"
#include "input/file.hpp"
#include "input/json_fleet.hpp"
#include "model/wire_form.hpp"

namespace ringctl {

namespace {

/// A document begins with a brace. In CSV, an id that begins with a brace must be in quotes.
bool is_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

}  // namespace

Fleet parse_fleet(std::string_view bytes, const std::string& name, Owning owning) {
  const bool csv = !is_wire(bytes) && !is_json(bytes);
  Fleet fleet = is_wire(bytes)   ? from_wire(bytes, name)
                : is_json(bytes) ? fleet_from_json(bytes, name)
                                 : fleet_from_csv(bytes, name);
  check_ids(fleet);
  if (csv || owning == Owning::required) check_owns(fleet);
  return fleet;
}

Fleet read_fleet(const std::string& path, Owning owning) {
  InputFile file(path);
  return parse_fleet(file.read_all(), file.name(), owning);
}

}  // namespace ringctl
