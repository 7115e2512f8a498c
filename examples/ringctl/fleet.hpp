// SPDX-License-Identifier: MIT
#ifndef RINGCTL_FLEET_HPP
#define RINGCTL_FLEET_HPP

#include <clockwise/node.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace ringctl {

/// One line of a fleet file.
struct FleetNode {
  std::string id;
  clockwise::NodeOptions options;
  std::map<std::string, std::string> traits;  ///< The fields that only engines read, by column.
  std::size_t line = 0;
};

/// A checked fleet file: ids are unique and not empty, weights are finite and not negative, and at
/// least one is above 0.
struct Fleet {
  std::string name;              ///< The file's name for messages.
  std::vector<FleetNode> nodes;  ///< In file order.
};

/// Parses a fleet file. Throws InputError with name, line and reason.
Fleet parse_fleet(std::string_view text, const std::string& name);

/// Reads the fleet file at `path`; "-" is standard input.
Fleet read_fleet(const std::string& path);

/// Adds FLEET, the path for read_fleet.
void add_fleet_argument(CLI::App& app, std::string& fleet);
/// Adds BEFORE and AFTER.
void add_change_arguments(CLI::App& app, std::string& before, std::string& after);

/// Describes the format, for --help.
extern const char* const fleet_file_help;

}  // namespace ringctl

#endif  // RINGCTL_FLEET_HPP
