// SPDX-License-Identifier: MIT

// ringctl route: the nodes that hold each key.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <clockwise/replica_list.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "engine.hpp"
#include "error.hpp"
#include "fleet.hpp"
#include "keys.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "replicas.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

using clockwise::Spread;

struct RouteOptions {
  std::string fleet;
  KeySource keys;
  Placement placement;
  std::string scheme = own_scheme;
  Format format = Format::text;
  Replication replication;
};

/// Each member's id as the format shows it, rendered once.
class Names {
 public:
  template <class Members, class Render>
  Names(const Members& members, Render render) {
    names_.reserve(members.size());
    for (const auto& member : members) names_.emplace(&member.node, render(member.node));
  }
  /// `node` must be the ring's own object, not a copy.
  const std::string& operator[](const std::string& node) const { return names_.at(&node); }

 private:
  std::unordered_map<const std::string*, std::string> names_;
};

/// A key's row: its owner, dead or not, and its preference list.
struct Route {
  std::string_view key;
  const std::string& owner;
  const clockwise::ReplicaList<std::string>& replicas;
};

/// The key comes last because it can have any length. If no node is dead, the owner is the first
/// replica and is shown once.
class TextRows {
 public:
  template <class Members>
  TextRows(const Members& members, const RouteOptions& options, Output& out)
      : any_dead_(!options.replication.dead.empty()),
        replicas_((std::min)(options.replication.replicas, members.size())),
        out_(out) {
    std::size_t longest = std::string_view("replica 1").size();
    for (const auto& member : members) {
      longest = (std::max)(longest, columns(shown(member.node)) + (any_dead_ ? 2 : 0));
    }
    width_ = longest + 2;
  }

  template <class Members>
  Names names(const Members& members) const {
    return Names(members, [](const std::string& id) { return shown(id); });
  }

  void begin() {
    out_ << padded("owner", width_);
    for (std::size_t i = first(); i < replicas_; ++i) {
      out_ << padded("replica " + std::to_string(i + 1), width_);
    }
    out_ << "key\n";
  }

  void row(const Route& route, const Names& names) {
    const std::string& owner = names[route.owner];
    const bool is_dead =
        any_dead_ && (route.replicas.empty() || &route.replicas.front() != &route.owner);
    out_ << padded(is_dead ? '(' + owner + ')' : owner, width_);
    for (std::size_t i = first(); i < replicas_; ++i) {
      const bool is_there = i < route.replicas.size();
      std::string cell = is_there ? names[route.replicas[i]] : "-";
      if (is_there && route.replicas.is_substitute(i)) cell += '*';
      out_ << padded(std::move(cell), width_);
    }
    out_ << shown(route.key) << "\n";
  }

 private:
  std::size_t first() const { return any_dead_ ? 0 : 1; }

  bool any_dead_;
  std::size_t replicas_;
  std::size_t width_ = 0;
  Output& out_;
};

class CsvRows {
 public:
  template <class Members>
  CsvRows(const Members&, const RouteOptions& options, Output& out)
      : replicas_(options.replication.replicas), out_(out) {}

  template <class Members>
  Names names(const Members& members) const {
    return Names(members, [](const std::string& id) { return csv_field(id); });
  }

  void begin() {
    out_ << "key,owner";
    for (std::size_t i = 1; i <= replicas_; ++i) out_ << ",replica" << std::to_string(i);
    out_ << ",substitutes\n";
  }
  void row(const Route& route, const Names& names) {
    out_ << csv_field(route.key) << "," << names[route.owner];
    for (std::size_t i = 0; i < replicas_; ++i) {
      out_ << ",";
      if (i < route.replicas.size()) out_ << names[route.replicas[i]];
    }
    out_ << "," << std::to_string(route.replicas.size() - route.replicas.first_substitute())
         << "\n";
  }

 private:
  std::size_t replicas_;
  Output& out_;
};

/// One object per line, so that a reader does not wait for the last key.
class JsonRows {
 public:
  template <class Members>
  JsonRows(const Members&, const RouteOptions&, Output& out) : out_(out) {}

  template <class Members>
  Names names(const Members& members) const {
    return Names(members, [](const std::string& id) { return json_value(id).dump(); });
  }

  void begin() {}
  void row(const Route& route, const Names& names) {
    out_ << R"({"key":)" << json_value(route.key).dump() << R"(,"owner":)" << names[route.owner]
         << R"(,"replicas":[)";
    list(route, names, 0);
    out_ << R"(],"substitutes":[)";
    list(route, names, route.replicas.first_substitute());
    out_ << R"(],"complete":)" << (route.replicas.complete() ? "true" : "false") << "}\n";
  }

 private:
  void list(const Route& route, const Names& names, std::size_t first) {
    for (std::size_t i = first; i < route.replicas.size(); ++i) {
      out_ << (i == first ? "" : ",") << names[route.replicas[i]];
    }
  }

  Output& out_;
};

template <class Rows, class AnyRing>
void print_routes(const AnyRing& ring, const RouteOptions& options,
                  const std::unordered_set<std::string>& dead) {
  Keys keys(options.keys, !writes_to_terminal());
  Output out;
  // Answers are flushed before a read that can block, so that a program at both ends of a pipe gets
  // them.
  keys.before_read([&] {
    if (keys.count() > 0) out.flush();
  });
  Rows rows(ring.members(), options, out);
  const Names names = rows.names(ring.members());
  const Spread spread = options.replication.spread.value_or(ring.default_spread());
  const auto is_live = [&](const std::string& node) { return !dead.contains(node); };

  rows.begin();
  std::uint64_t short_lists = 0;
  for (std::string_view key; keys.next(key);) {
    const auto position = ring.position_of(key);
    const std::string& owner = ring.lookup(position);
    const auto replicas =
        dead.empty()
            ? ring.preference_list(position, options.replication.replicas, spread)
            : ring.preference_list(position, options.replication.replicas, spread, is_live);
    rows.row({key, owner, replicas}, names);
    if (!replicas.complete()) ++short_lists;
  }
  out.flush();

  if (short_lists > 0) {
    std::fprintf(stderr, "ringctl: %s of %s lists have fewer than %zu replicas\n",
                 grouped(short_lists).c_str(), grouped(keys.count()).c_str(),
                 options.replication.replicas);
  }
}

template <class AnyRing>
void print_routes_as(const AnyRing& ring, const RouteOptions& options,
                     const std::unordered_set<std::string>& dead) {
  print_as(
      options.format, [&] { print_routes<TextRows>(ring, options, dead); },
      [&] { print_routes<CsvRows>(ring, options, dead); },
      [&] { print_routes<JsonRows>(ring, options, dead); });
}

void run_route(RouteOptions options) {
  if (options.keys.empty()) options.keys.files.push_back("-");
  auto inputs = options.keys.files;
  inputs.push_back(options.fleet);
  check_one_standard_input(inputs);

  const Fleet fleet = read_fleet(options.fleet);
  const auto dead = dead_nodes(options.replication, fleet);
  if (options.scheme != own_scheme) {
    print_routes_as(*make_engine(fleet, options.scheme, options.placement), options, dead);
    return;
  }
  with_hash(options.placement, [&](auto hash) {
    print_routes_as(make_ring(fleet, options.placement, hash), options, dead);
  });
}

}  // namespace

void add_route(CLI::App& app) {
  auto* const command = app.add_subcommand("route", "Show the nodes that hold each key");
  const auto options = std::make_shared<RouteOptions>();
  add_fleet_argument(*command, options->fleet);
  add_key_options(*command, options->keys);
  add_replication_options(*command, options->replication);
  add_placement_options(*command, options->placement);
  add_scheme_option(*command, "--scheme",
                    "Placement: clockwise, or an engine listed below\n"
                    "[clockwise]",
                    options->scheme);
  add_format_option(*command, options->format);
  command->footer(
      R"(Keys come from the files or, without any, from standard input, one per line. A
key is every byte before the line feed, even none. A carriage return is part of
it.

The owner is the first node clockwise, and the first replica unless it is dead:
then text shows it in brackets. Replicas are the live nodes to use, in order.
Substitutes for dead nodes come last: text marks them with *, csv counts them in
a column. JSON has one object per line.

  ringctl route fleet.csv --key user:42
  ringctl route fleet.csv keys.txt --replicas 2 --dead cache-03,cache-07
  find /srv -print0 | ringctl route fleet.csv -0 --format csv > owners.csv
  ringctl route memcached.csv --scheme ketama --key user:42

)" + std::string(scheme_help));
  command->callback([options, command] {
    check_placement_options(*command, {options->scheme});
    run_route(*options);
  });
}

}  // namespace ringctl
