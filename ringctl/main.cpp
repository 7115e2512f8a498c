// SPDX-License-Identifier: MIT

// ringctl: a command line for consistent-hashing fleets. Each subcommand has its options in
// commands/, its computing in model/ and its printing in output/.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "commands/commands.hpp"
#include "commands/options.hpp"
#include "model/error.hpp"
#include "model/version.hpp"
#include "output/stream.hpp"

namespace {

constexpr int cannot_write = 1;
constexpr int invalid_input = 2;

constexpr void (*commands[])(CLI::App&) = {
    ringctl::add_route,      ringctl::add_shares,  ringctl::add_diff,        ringctl::add_plan,
    ringctl::add_durability, ringctl::add_compare, ringctl::add_fingerprint, ringctl::add_convert,
};

int complain(const std::string& message, int code) {
  ringctl::print_message(message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Show which node owns a key, how even the load is, and what a change moves.",
               "ringctl");
  app.set_version_flag("--version", ringctl::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(26);
  app.footer(std::string(ringctl::fleet_file_help) + R"(
Text is for people; csv and json keep every byte and digit. In JSON, a name or
key that is not UTF-8 is {"hex": "..."}.

Exit codes: 0 success, 1 cannot write the result or out of memory, 2 invalid
input.
)");
  for (const auto add_command : commands) add_command(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    std::ostringstream message;
    if (app.exit(error, text, message) == 0) {
      ringctl::Output out;
      out << text.str();
      out.flush();
      return 0;
    }
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + ' ';
    return complain(std::string(error.what()) + "; see ringctl " + command + "--help",
                    invalid_input);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ringctl::OutputError& error) {
    return error.code().value() == EPIPE ? cannot_write : complain(error.what(), cannot_write);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", cannot_write);
  } catch (const std::exception& error) {
    return complain(ringctl::message_of(error), invalid_input);
  }
}
