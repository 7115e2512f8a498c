// SPDX-License-Identifier: MIT
#ifndef RINGCTL_COMMANDS_COMMANDS_HPP
#define RINGCTL_COMMANDS_COMMANDS_HPP

namespace CLI {
class App;
}

namespace ringctl {

// Each function adds its subcommand to `app`, with a callback that does the work and throws
// InputError or OutputError if it cannot. The file <subcommand>.cpp defines it; its computing is in
// model/<subcommand>.cpp and its printing in output/<subcommand>.cpp.
void add_compare(CLI::App& app);
void add_convert(CLI::App& app);
void add_diff(CLI::App& app);
void add_durability(CLI::App& app);
void add_fingerprint(CLI::App& app);
void add_plan(CLI::App& app);
void add_route(CLI::App& app);
void add_shares(CLI::App& app);

}  // namespace ringctl

#endif  // RINGCTL_COMMANDS_COMMANDS_HPP
