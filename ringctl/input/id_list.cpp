// SPDX-License-Identifier: MIT
#include "input/id_list.hpp"

#include "input/csv.hpp"

namespace ringctl {

std::vector<std::string> ids_from(std::string_view text, const std::string& name) {
  std::vector<std::string> ids;
  CsvReader reader(text, name);
  for (CsvRecord record; reader.next(record);) {
    ids.insert(ids.end(), record.fields.begin(), record.fields.end());
  }
  return ids;
}

}  // namespace ringctl
