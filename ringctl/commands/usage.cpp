// SPDX-License-Identifier: MIT
#include "commands/usage.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "model/suggest.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

std::vector<std::string_view> command_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

const CLI::App* find_command(const CLI::App& app, std::string_view name) {
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

[[noreturn]] void fail_command(const CLI::App& app, const std::string& word) {
  const auto names = command_names(app);
  const std::string near = did_you_mean(word, names);
  throw UsageError("unknown command " + in_quotes(word) +
                   (near.empty() ? "; the commands are " + listed(names) : near));
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool is_list(const CLI::Option& option) { return option.get_expected_max() > 1; }

/// Returns "--name", or "-n" for an option without a long name.
std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? '-' + option.get_snames().front()
                                     : "--" + option.get_lnames().front();
}

/// Reads the arguments of one command from left to right.
class Walk {
 public:
  Walk(const CLI::App& command, std::vector<std::string> arguments)
      : command_(command), arguments_(std::move(arguments)) {
    for (const CLI::Option* const option : command.get_options()) {
      if (option->get_positional()) {
        positionals_.push_back(option);
      } else {
        options_.push_back(option);
      }
    }
  }

  /// Returns false at a request for help.
  bool run() {
    bool all_positional = false;
    for (; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (all_positional || argument.size() < 2 || argument[0] != '-') {
        after_dead_.push_back(at_ == after_dead_value_);
        positional_.push_back(argument);
      } else if (argument == "--") {
        all_positional = true;
      } else if (argument[1] == '-') {
        if (!take_long(argument)) return false;
      } else {
        if (!take_short(argument)) return false;
      }
    }
    check_positionals();
    check_required();
    return true;
  }

  std::vector<std::string> normal() const {
    std::vector<std::string> result = options_read_;
    result.push_back("--");
    for (std::size_t i = 0; i < positional_.size(); ++i) {
      const bool in_list = i + 1 >= positionals_.size() && is_list(*positionals_.back());
      result.push_back(in_list ? list_mark + positional_[i] : positional_[i]);
    }
    return result;
  }

 private:
  template <class Names>
  const CLI::Option* find(std::string_view name, Names names) const {
    for (const CLI::Option* const option : options_) {
      const auto& all = (option->*names)();
      if (std::find(all.begin(), all.end(), name) != all.end()) return option;
    }
    return nullptr;
  }

  bool is_help(const CLI::Option* option) const { return option == command_.get_help_ptr(); }

  bool take_long(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const CLI::Option* const option =
        find(std::string_view(name).substr(2), &CLI::Option::get_lnames);
    if (option == nullptr) fail_option(name);
    if (is_help(option)) return false;
    if (equals == argument.npos) {
      take(*option, nullptr);
    } else {
      const std::string value = argument.substr(equals + 1);
      if (is_flag(*option)) throw UsageError(name + " takes no value, got " + in_quotes(value));
      take(*option, &value);
    }
    return true;
  }

  /// -k VALUE, -kVALUE, and flags together, as in -0k.
  bool take_short(const std::string& argument) {
    if (find(std::string_view(argument).substr(1), &CLI::Option::get_lnames) != nullptr) {
      throw UsageError("unknown option " + in_quotes(argument) + "; did you mean " +
                       in_quotes('-' + argument) + '?');
    }
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const CLI::Option* const option =
          find(std::string_view(argument).substr(i, 1), &CLI::Option::get_snames);
      if (option == nullptr) fail_option(i == 1 ? argument : '-' + argument.substr(i, 1));
      if (is_help(option)) return false;
      const std::string rest = argument.substr(i + 1);
      const bool has_value = !is_flag(*option) && !rest.empty();
      take(*option, has_value ? &rest : nullptr);
      if (!is_flag(*option)) break;
    }
    return true;
  }

  /// Takes an option with its value, which is the next argument if `value` is null.
  void take(const CLI::Option& option, const std::string* value) {
    const std::string name = name_of(option);
    if (++times_[&option] > 1 && !is_flag(option) &&
        option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll) {
      throw UsageError(name + " is given twice");
    }
    options_read_.push_back(name);
    if (is_flag(option)) return;
    if (value == nullptr) {
      if (++at_ == arguments_.size()) {
        throw UsageError(name + " needs a value: " + name + ' ' + option.get_type_name());
      }
      value = &arguments_[at_];
    }
    options_read_.push_back(*value);
    if (name == "--dead") after_dead_value_ = at_ + 1;
  }

  [[noreturn]] void fail_option(const std::string& name) const {
    std::vector<std::string> names;
    for (const CLI::Option* const option : options_) {
      for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
    }
    throw UsageError("unknown option " + in_quotes(name) +
                     did_you_mean(name, {names.begin(), names.end()}));
  }

  void check_positionals() const {
    std::size_t most = 0;
    for (const CLI::Option* const option : positionals_) {
      if (option->get_required() && positional_.size() <= most) {
        throw UsageError(option->get_type_name() + " is required");
      }
      if (is_list(*option)) return;  // it takes the rest
      ++most;
    }
    if (positional_.size() <= most) return;
    for (std::size_t i = 0; i < positional_.size(); ++i) {
      if (!after_dead_[i]) continue;
      throw UsageError("unexpected argument " + in_quotes(positional_[i]) +
                       "; --dead takes one list of ids, as in --dead a,b");
    }
    throw UsageError("unexpected argument " + in_quotes(positional_[most]));
  }

  void check_required() const {
    for (const CLI::Option* const option : options_) {
      if (option->get_required() && !times_.contains(option)) {
        throw UsageError(name_of(*option) + " is required: " + name_of(*option) + ' ' +
                         option->get_type_name());
      }
    }
  }

  const CLI::App& command_;
  std::vector<std::string> arguments_;
  std::vector<const CLI::Option*> positionals_;
  std::vector<const CLI::Option*> options_;
  std::size_t at_ = 0;
  std::map<const CLI::Option*, int> times_;
  std::vector<std::string> options_read_;
  std::vector<std::string> positional_;
  std::vector<bool> after_dead_;  // of each positional: it follows --dead and its value
  std::size_t after_dead_value_ = std::string::npos;
};

}  // namespace

const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& arguments) {
  return arguments.empty() ? nullptr : find_command(app, arguments.front());
}

Arguments understood(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    throw UsageError("no command given; the commands are " + listed(command_names(app)));
  }
  Arguments result;
  const std::string& first = arguments.front();
  if (first == "help" && arguments.size() <= 2) {
    result.help = true;
    if (arguments.size() == 2) result.command = find_command(app, arguments[1]);
    if (arguments.size() == 2 && result.command == nullptr) fail_command(app, arguments[1]);
    return result;
  }
  if (first == "-h" || first == "--help") {
    result.help = true;
    return result;
  }
  if (first == "--version") {
    result.version = true;
    return result;
  }
  if (first.starts_with('-')) {
    throw UsageError("unknown option " + in_quotes(first) +
                     did_you_mean(first, {"--help", "--version"}) +
                     "; the options of a command follow it");
  }
  result.command = find_command(app, first);
  if (result.command == nullptr) fail_command(app, first);
  Walk walk(*result.command, {arguments.begin() + 1, arguments.end()});
  if (!walk.run()) {
    result.help = true;
    return result;
  }
  result.normal = walk.normal();
  result.normal.insert(result.normal.begin(), first);
  return result;
}

}  // namespace ringctl
