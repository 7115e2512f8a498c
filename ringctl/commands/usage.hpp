// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_USAGE_HPP
#define RINGCTL_COMMANDS_USAGE_HPP

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "model/error.hpp"

namespace ringctl {

/// The arguments are wrong. Ends the program with code 2 and a hint at --help.
struct UsageError : InputError {
  using InputError::InputError;
};

/// The arguments, checked and normalised for the parser.
struct Arguments {
  const CLI::App* command = nullptr;  ///< Null for --help and --version of the program.
  bool help = false;
  bool version = false;
  /// For the parser: the command, its options by their long names, each with its value in the next
  /// argument, then -- and the rest. Arguments of a list begin with list_mark.
  std::vector<std::string> normal;
};

/// Without it, the parser would read a value in brackets as several values.
inline constexpr char list_mark = ':';

/// Returns the command that the arguments begin with, or nullptr.
const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& arguments);

/// Throws UsageError, with this program's messages, for arguments that the parser would refuse: an
/// unknown command or option, with the one most likely meant, a missing or superfluous value or
/// argument, an option given twice. Arguments after a request for help are ignored.
Arguments understood(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_USAGE_HPP
