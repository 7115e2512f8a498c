// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_OPTIONS_HPP
#define RINGCTL_COMMANDS_OPTIONS_HPP

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/usage.hpp"
#include "input/keys.hpp"
#include "model/placement_options.hpp"
#include "model/replication.hpp"
#include "output/format.hpp"

namespace ringctl {

// Options of several subcommands. Each function adds them to `app`. Parsing stores into the other
// parameters, which must outlive it, and throws a UsageError that names the option.

/// FLEET, the path for read_fleet.
void add_fleet_argument(CLI::App& app, std::string& fleet);
/// BEFORE and AFTER.
void add_change_arguments(CLI::App& app, std::string& before, std::string& after);
/// A list of arguments; must be added last.
CLI::Option* add_list_argument(CLI::App& app, const std::string& name, const char* type,
                               const std::string& help, std::vector<std::string>& list);
/// FILE..., --key and --null.
void add_key_options(CLI::App& app, KeySource& source);
/// --vnodes, --hash, --relative-weights, --weight-unit and --max-vnodes.
void add_placement_options(CLI::App& app, PlacementOptions& placement);
/// --replicas, --spread and --dead.
void add_replication_options(CLI::App& app, ReplicationOptions& replication);
/// `option`, such as --scheme.
void add_scheme_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::string& scheme);
/// --format.
void add_format_option(CLI::App& app, Format& format);

/// The value that --top stores for "all".
inline constexpr std::uint64_t top_all = ~std::uint64_t{0};
/// --top: how many `things` to show in text.
void add_top_option(CLI::App& app, const std::string& things, std::uint64_t& top);

/// Throws UsageError if an option of add_placement_options was given and `schemes` does not contain
/// clockwise's own, the only scheme that they apply to.
void check_placement_options(const CLI::App& app, const std::vector<std::string>& schemes);

/// Parses a decimal whole number from `least` to `most`. Throws a UsageError that names the option
/// if `text` is anything else.
std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t least,
                          std::uint64_t most);

/// Adds `option`, whose text `parse` takes and stores.
template <class Parse>
CLI::Option* add_parsed_option(CLI::App& app, const std::string& option, const char* type,
                               const std::string& help, Parse parse) {
  return app.add_option_function<std::string>(option, parse, help)->type_name(type);
}

/// Throws UsageError: "<option> must be <rule>, got "<text>"", with the one of the known values
/// that was most likely meant.
[[noreturn]] void refuse(const std::string& option, const std::string& rule,
                         const std::string& text, const std::vector<std::string_view>& known = {});

/// Returns the value that belongs to a name, or refuses the text.
template <class Value, std::size_t size>
Value parse_choice(const std::string& option, const std::string& rule, const std::string& text,
                   const std::array<std::pair<std::string_view, Value>, size>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  refuse(option, rule, text, names);
}

/// Describe fleet files and schemes, for --help.
extern const char* const fleet_file_help;
extern const char* const scheme_help;

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_OPTIONS_HPP
