// SPDX-License-Identifier: MIT

// ringctl: a command line for consistent-hashing fleets. Each subcommand has its options in
// commands/, its computing in model/ and its printing in output/.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/options.hpp"
#include "commands/status.hpp"
#include "commands/usage.hpp"
#include "model/error.hpp"
#include "model/version.hpp"
#include "output/stream.hpp"
#include "output/text_output.hpp"

namespace {

constexpr void (*commands[])(CLI::App&) = {
    ringctl::add_route,      ringctl::add_shares,  ringctl::add_diff,        ringctl::add_plan,
    ringctl::add_durability, ringctl::add_compare, ringctl::add_fingerprint, ringctl::add_convert,
};

int complain(const std::string& message) {
  ringctl::print_message(message);
  return ringctl::trouble;
}

void print_text(const std::string& text) {
  ringctl::TextOutput out;
  out << text;
  out.flush();
}

void describe(CLI::App& app) {
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("--version", ringctl::version(), "Show the version");
  app.require_subcommand(1);
  app.get_formatter()->column_width(26);
  app.get_formatter()->label("REQUIRED", "");
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Subcommands", "Commands");
  app.footer(std::string(ringctl::fleet_file_help) + R"(
Text is for people, as wide as the terminal; csv and json keep every byte and
digit. In JSON, a name or key that is not UTF-8 is {"hex": "..."}.

Exit status: 0 if done, 1 if the fleets of fingerprint differ, 2 on errors.
)");
  for (const auto add_command : commands) add_command(app);
}

void run(CLI::App& app, const std::vector<std::string>& arguments) {
  const ringctl::Arguments parts = ringctl::understood(app, arguments);
  if (parts.version) {
    print_text(ringctl::version() + '\n');
  } else if (parts.help) {
    print_text(parts.command == nullptr ? app.help() : parts.command->help("ringctl"));
  } else {
    std::vector<std::string> reversed(parts.normal.rbegin(), parts.normal.rend());
    app.parse(reversed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (std::min)(argc, 1), argv + argc);
  try {
    ringctl::check_standard_output();
    CLI::App app("Show which node owns a key, how even the load is, and what a change moves.",
                 "ringctl");
    describe(app);
    try {
      run(app, arguments);
    } catch (const ringctl::UsageError& error) {
      const CLI::App* const command = ringctl::command_of(app, arguments);
      const std::string name = command == nullptr ? "" : command->get_name() + ' ';
      const std::string message = error.what();
      return complain(message + (message.ends_with('?') ? " See" : "; see") + " ringctl " + name +
                      "--help");
    }
    return ringctl::done;
  } catch (const ringctl::FleetsDiffer&) {
    return ringctl::fleets_differ;
  } catch (const ringctl::OutputError& error) {
    return error.code().value() == EPIPE ? ringctl::trouble : complain(error.what());
  } catch (const std::bad_alloc&) {
    return complain("out of memory");
  } catch (const CLI::Error&) {
    return complain("the arguments cannot be understood; see ringctl --help");
  } catch (const std::exception& error) {
    return complain(ringctl::message_of(error));
  }
}
