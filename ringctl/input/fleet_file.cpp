// SPDX-License-Identifier: MIT
#include "input/fleet_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "input/csv.hpp"
#include "input/file.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

enum Column : std::size_t { id, weight, rack, datacenter, tokens, slots, replica_of, server_id };
constexpr std::array<std::string_view, 8> column_names{
    "id", "weight", "rack", "datacenter", "tokens", "slots", "replica_of", "server_id"};

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// A first line whose first field is "id" names the columns.
bool is_header(const CsvRecord& record) { return lower_case(record.fields[0]) == "id"; }

std::vector<Column> columns_of(const CsvRecord& header, const CsvReader& reader) {
  std::vector<Column> columns;
  for (const std::string& field : header.fields) {
    const auto name = std::find(column_names.begin(), column_names.end(), lower_case(field));
    if (name == column_names.end()) {
      reader.fail(header.line, "unknown column " + in_quotes(field) +
                                   "; the columns are id, weight, rack and datacenter, and for "
                                   "some engines tokens, slots, replica_of and server_id");
    }
    const auto column = static_cast<Column>(name - column_names.begin());
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      reader.fail(header.line, "column " + in_quotes(*name) + " is listed twice");
    }
    columns.push_back(column);
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

Fleet parse_fleet(std::string_view text, const std::string& name) {
  Fleet fleet{name, {}};
  CsvReader reader(text, name);
  std::vector<Column> columns{id, weight, rack, datacenter};
  CsvRecord record;
  for (bool first = true; reader.next(record); first = false) {
    if (first && is_header(record)) {
      columns = columns_of(record, reader);
    } else {
      fleet.nodes.push_back(node_of(record, columns, reader));
    }
  }
  check_fleet(fleet);
  return fleet;
}

Fleet read_fleet(const std::string& path) {
  InputFile file(path);
  return parse_fleet(file.read_all(), file.name());
}

}  // namespace ringctl
