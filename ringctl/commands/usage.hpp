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

/// The arguments, as they are understood before the parser has them.
struct Arguments {
  const CLI::App* command = nullptr;  ///< Nothing for --help and --version of the program.
  bool help = false;
  bool version = false;
  /// For the parser: the command, its options by their long names, each with its value in the next
  /// argument, then -- and the rest. Those of a list have list_mark in front.
  std::vector<std::string> normal;
};

/// Without it, the parser would take a value in brackets for several values.
inline constexpr char list_mark = ':';

/// Returns the command that the arguments begin with, or nullptr.
const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& arguments);

/// Throws UsageError, in the words of this program, for what the parser would refuse: an unknown
/// command or option, with the one that was most likely meant, a missing or superfluous value or
/// argument, an option given twice. What comes after a request for help is not read.
Arguments understood(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_USAGE_HPP
