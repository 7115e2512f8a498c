// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_OPTIONS_HPP
#define RINGCTL_COMMANDS_OPTIONS_HPP

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "input/keys.hpp"
#include "model/placement.hpp"
#include "model/replication.hpp"
#include "output/format.hpp"

namespace ringctl {

// Options that several subcommands have. Each function adds them to `app`; parsing stores into the
// other parameters, which must outlive it, and throws a CLI error that names the option.

/// FLEET, the path for read_fleet.
void add_fleet_argument(CLI::App& app, std::string& fleet);
/// BEFORE and AFTER.
void add_change_arguments(CLI::App& app, std::string& before, std::string& after);
/// FILE..., --key and --null.
void add_key_options(CLI::App& app, KeySource& source);
/// --vnodes and --hash.
void add_placement_options(CLI::App& app, Placement& placement);
/// --replicas, --spread and --dead.
void add_replication_options(CLI::App& app, ReplicationOptions& replication);
/// `option`, such as --scheme.
void add_scheme_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::string& scheme);
/// --format.
void add_format_option(CLI::App& app, Format& format);

/// What --top stores for "all".
inline constexpr std::uint64_t top_all = ~std::uint64_t{0};
/// --top: how many `things` to show in text.
void add_top_option(CLI::App& app, const std::string& things, std::uint64_t& top);

/// Throws InputError if --vnodes or --hash was given and `schemes` does not contain clockwise's
/// own, the only one that they apply to.
void check_placement_options(const CLI::App& app, const std::vector<std::string>& schemes);

/// Parses a decimal whole number from `least` to `most`. Throws a CLI error that names the option
/// if `text` is anything else.
std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t least,
                          std::uint64_t most);

/// Adds `option`, whose text `parse` takes and stores.
template <class Parse>
CLI::Option* add_parsed_option(CLI::App& app, const std::string& option, const char* type,
                               const std::string& help, Parse parse) {
  return app.add_option_function<std::string>(option, parse, help)->type_name(type);
}

/// Throws a CLI error: "<option> must be <rule>, got "<text>"".
[[noreturn]] void refuse(const std::string& option, const std::string& rule,
                         const std::string& text);

/// Describe fleet files and schemes, for --help.
extern const char* const fleet_file_help;
extern const char* const scheme_help;

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_OPTIONS_HPP
