// SPDX-License-Identifier: MIT

// ringctl: a command line for consistent-hashing fleets. Each subcommand is a file in ringctl/.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <clockwise/version.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "ringctl/commands.hpp"
#include "ringctl/error.hpp"
#include "ringctl/fleet.hpp"
#include "ringctl/output.hpp"

namespace {

constexpr int cannot_write = 1;
constexpr int wrong_input = 2;

std::string version() {
  return "ringctl " + std::to_string(CLOCKWISE_VERSION_MAJOR) + '.' +
         std::to_string(CLOCKWISE_VERSION_MINOR) + '.' + std::to_string(CLOCKWISE_VERSION_PATCH) +
         " (placement contract " + std::to_string(clockwise::placement_contract) + ')';
}

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "ringctl: %s\n", message.c_str());
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Show which node owns a key, how even the load is, and what a change moves.",
               "ringctl");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(26);
  app.footer(std::string(ringctl::fleet_file_help) + R"(
Text is for people; csv and json keep every byte and digit. In JSON, a name or
key that is not UTF-8 is {"hex": "..."}.

Exit codes: 0 success, 1 cannot write the result or out of memory, 2 invalid
input.
)");
  ringctl::add_route(app);
  ringctl::add_shares(app);
  ringctl::add_diff(app);
  ringctl::add_plan(app);
  ringctl::add_durability(app);
  ringctl::add_compare(app);
  ringctl::add_fingerprint(app);
  ringctl::add_convert(app);

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
    const auto commands = app.get_subcommands();
    const std::string command = commands.empty() ? "" : commands.front()->get_name() + ' ';
    return complain(std::string(error.what()) + "; see ringctl " + command + "--help", wrong_input);
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
    return complain(error.what(), wrong_input);
  }
}
