// SPDX-License-Identifier: MIT
#include "input/csv_fleet.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

#include "input/csv.hpp"
#include "model/suggest.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

enum Column : std::size_t { id, weight, rack, datacenter, tokens, slots, replica_of, server_id };
constexpr std::array<std::string_view, 8> column_names{
    "id", "weight", "rack", "datacenter", "tokens", "slots", "replica_of", "server_id"};
constexpr const char* columns_are =
    "the columns are id, weight, rack and datacenter, and for some engines tokens, slots, "
    "replica_of and server_id";

bool is_column(std::string_view field) {
  return std::find(column_names.begin(), column_names.end(), lower_case(field)) !=
         column_names.end();
}

/// Returns the separator of the first line that is neither blank nor a comment, if it is a header.
char separator_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string_view line;
  while (!text.empty()) {
    const std::size_t end = (std::min)(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix((std::min)(end + 1, text.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != line.npos && line[first] != '#') break;
    line = {};
  }
  for (const char separator : {';', '\t'}) {
    if (line.find(',') != line.npos || line.find(separator) == line.npos) continue;
    bool any_known = false;
    for (std::string_view rest = line;;) {
      const std::size_t end = rest.find(separator);
      std::string_view field = rest.substr(0, end);
      field.remove_prefix((std::min)(field.find_first_not_of(" \t\""), field.size()));
      field = field.substr(0, field.find_last_not_of(" \t\"\r") + 1);
      any_known = any_known || is_column(field);
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
    }
    if (any_known) return separator;
  }
  return ',';
}

bool is_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, value).ptr == end;
}

/// A first line is a header if its first field is "id", or if it has a column's name and its second
/// field, the weight of a node's line, is not a number.
bool is_header(const CsvRecord& record) {
  if (!record.quoted[0] && lower_case(record.fields[0]) == "id") return true;
  if (record.fields.size() > 1 && (record.fields[1].empty() || is_number(record.fields[1]))) {
    return false;
  }
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    if (!record.quoted[i] && is_column(record.fields[i])) return true;
  }
  return false;
}

std::vector<Column> columns_of(const CsvRecord& header, const CsvReader& reader) {
  std::vector<Column> columns;
  for (const std::string& field : header.fields) {
    const auto name = std::find(column_names.begin(), column_names.end(), lower_case(field));
    if (name == column_names.end()) {
      reader.fail(header.line, "unknown column " + in_quotes(field) +
                                   did_you_mean(field, {column_names.begin(), column_names.end()}) +
                                   "; " + columns_are);
    }
    const auto column = static_cast<Column>(name - column_names.begin());
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      reader.fail(header.line, "column " + in_quotes(*name) + " is listed twice");
    }
    columns.push_back(column);
  }
  if (std::find(columns.begin(), columns.end(), id) == columns.end()) {
    reader.fail(header.line,
                "this line names columns, but none of them \"id\"; quote it if it is a node");
  }
  return columns;
}

double parse_weight(const std::string& text, const CsvRecord& record, const CsvReader& reader) {
  if (text.empty()) return 1;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || parsed != end) {
    reader.fail(record.line, "weight " + in_quotes(text) + " is not a number");
  }
  if (error != std::errc{}) {
    reader.fail(record.line, "weight " + in_quotes(text) + " is out of range");
  }
  if (!std::isfinite(value) || value < 0) {
    reader.fail(record.line, "weight must be finite and not negative, got " + in_quotes(text));
  }
  return value;
}

/// Whether a field is a whole header with another separator: "id weight".
bool names_columns(std::string_view field) {
  std::size_t names = 0;
  while (!field.empty()) {
    const std::size_t end = (std::min)(field.find_first_of(" |:;\t"), field.size());
    if (end > 0 && !is_column(field.substr(0, end))) return false;
    if (end > 0) ++names;
    field.remove_prefix((std::min)(end + 1, field.size()));
  }
  return names > 1;
}

/// Without a header, an id that begins with a bracket more likely belongs to a file of another
/// kind, such as HTML, JSON or TOML. A server can be named [2001:db8::1]:6379.
void check_form(const CsvRecord& record, const CsvReader& reader) {
  const std::string& field = record.fields[0];
  const bool is_bracket = field.starts_with('<') || field.starts_with('{') ||
                          (field.starts_with('[') && field.find(':') == std::string::npos);
  if (!is_bracket || record.quoted[0]) return;
  reader.fail(record.line, "this is not CSV; quote " + in_quotes(field) + " if it is an id");
}

/// An id with a semicolon, tab or bar is more likely a whole line of a file with that separator.
void check_separator(const CsvRecord& record, const CsvReader& reader) {
  if (record.fields.size() != 1 || record.quoted[0]) return;
  const std::string& field = record.fields[0];
  // A bar is also a part of formulas of spreadsheets, which are ids here: =cmd|' /C calc'!A0.
  const bool is_formula = std::string_view("=+-@").find(field[0]) != std::string_view::npos;
  const bool is_line = field.find_first_of(is_formula ? ";\t" : ";\t|") != std::string::npos;
  if (!is_line && !names_columns(field)) return;
  reader.fail(
      record.line,
      std::string("fields are separated by commas, unless a header such as id;weight says ") +
          "otherwise; quote " + in_quotes(field) + " if it is an id");
}

FleetNode node_of(CsvRecord& record, const std::vector<Column>& columns, const CsvReader& reader) {
  if (record.fields.size() > columns.size()) {
    reader.fail(record.line, counted(record.fields.size(), "field") + ", but only " +
                                 counted(columns.size(), "column"));
  }
  FleetNode node;
  node.line = record.line;
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    std::string& field = record.fields[i];
    switch (columns[i]) {
      case id:
        node.id = std::move(field);
        break;
      case weight:
        node.options.weight = parse_weight(field, record, reader);
        break;
      case rack:
        node.options.rack = std::move(field);
        break;
      case datacenter:
        node.options.datacenter = std::move(field);
        break;
      case tokens:
     case slots:
      case replica_of:
      case server_id:
        if (!field.empty()) node.traits[std::string(column_names[columns[i]])] = std::move(field);
        break;
    }
  }
  if (node.id.empty()) reader.fail(record.line, "the id is empty");
  return node;
}

}  // namespace

Fleet fleet_from_csv(std::string_view text, const std::string& name) {
  Fleet fleet;
  fleet.name = name;
  const char separator = separator_of(text);
  CsvReader reader(text, name, separator);
  std::vector<Column> columns{id, weight, rack, datacenter};
  CsvRecord record;
  bool has_header = false;
  for (bool first = true; reader.next(record); first = false) {
    if (first && is_header(record)) {
      columns = columns_of(record, reader);
      has_header = true;
      continue;
    }
    if (!has_header) check_form(record, reader);
    if (separator == ',') check_separator(record, reader);
    fleet.nodes.push_back(node_of(record, columns, reader));
  }
  return fleet;
}

}  // namespace ringctl
