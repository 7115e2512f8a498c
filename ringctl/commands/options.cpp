// SPDX-License-Identifier: MIT
#include "commands/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "input/id_list.hpp"
#include "model/error.hpp"
#include "model/schemes.hpp"
#include "model/suggest.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

constexpr std::uint64_t most_replicas = 1000;
constexpr std::uint64_t most_positions = 0xffffffff;  // the library's maximum

Placement parse_hash(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, bool>, 2> hashes{
      {{"xxh3", false}, {"xxh64", true}}};
  const std::size_t colon = text.find(':');
  Placement placement;
  placement.xxh64 = parse_choice("--hash", "xxh3 or xxh64", text.substr(0, colon), hashes);
  if (colon != text.npos) {
    placement.seed = parse_count(text.substr(colon + 1), "the seed of --hash", 0,
                                 (std::numeric_limits<std::uint64_t>::max)());
  }
  return placement;
}

double parse_weight_unit(const std::string& text) {
  double unit = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, unit);
  if (error != std::errc{} || parsed != end || !std::isfinite(unit) || unit <= 0) {
    refuse("--weight-unit", "a number above 0", text);
  }
  return unit;
}

Spread parse_spread(const std::string& text) {
  const auto spread = spread_of(text);
  if (!spread) {
    refuse("--spread", "nodes, racks or racks_only", text, {"nodes", "racks", "racks_only"});
  }
  return *spread;
}

}  // namespace

void refuse(const std::string& option, const std::string& rule, const std::string& text,
            const std::vector<std::string_view>& known) {
  throw UsageError(option + " must be " + rule + ", got " + in_quotes(text) +
                   did_you_mean(text, known));
}

std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || parsed != end || number < least || number > most) {
    refuse(option, "a whole number from " + grouped(least) + " to " + grouped(most), text);
  }
  return number;
}

void add_fleet_argument(CLI::App& app, std::string& fleet) {
  app.add_option("fleet", fleet, "Fleet file; - is standard input")->required()->type_name("FLEET");
}

void add_change_arguments(CLI::App& app, std::string& before, std::string& after) {
  app.add_option("before", before, "Fleet file before; - is standard input")
      ->required()
      ->type_name("BEFORE");
  app.add_option("after", after, "Fleet file after")->required()->type_name("AFTER");
}

CLI::Option* add_list_argument(CLI::App& app, const std::string& name, const char* type,
                               const std::string& help, std::vector<std::string>& list) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&list](const std::vector<std::string>& values) {
            for (const std::string& value : values) list.push_back(value.substr(1));  // list_mark
          },
          help)
      ->type_name(type);
}

void add_key_options(CLI::App& app, KeySource& source) {
  add_list_argument(app, "keys", "FILE", "Files of keys, one per line; - is standard input",
                    source.files);
  app.add_option("-k,--key", source.keys, "A key; can be repeated")
      ->type_name("KEY")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("-0,--null", source.ends_in_null, "Keys end in a zero byte, as from find -print0");
}

void add_placement_options(CLI::App& app, PlacementOptions& placement) {
  add_parsed_option(app, "--vnodes", "N", "Vnodes per node of weight 1 [200]",
                    [&placement](const std::string& text) {
                      placement.vnodes =
                          static_cast<std::uint32_t>(parse_count(text, "--vnodes", 1, max_vnodes));
                    });
  add_parsed_option(app, "--hash", "HASH",
                    "Hash: xxh3 or xxh64, with an optional seed as in\n"
                    "xxh3:42 [xxh3]",
                    [&placement](const std::string& text) { placement.hash = parse_hash(text); });
  add_parsed_option(
      app, "--weight-unit", "W", "Divide weights by W [1]",
      [&placement](const std::string& text) { placement.weight_unit = parse_weight_unit(text); });
  app.add_flag("--relative-weights", placement.relative_weights,
               "Divide weights by their mean; in a change, by that\n"
               "of BEFORE");
  add_parsed_option(app, "--max-vnodes", "N",
                    "Maximum vnodes of the fleet [1,024 per node, at\n"
                    "least 2,097,152]",
                    [&placement](const std::string& text) {
                      placement.max_vnodes = parse_count(text, "--max-vnodes", 1, most_positions);
                    });
}

void add_replication_options(CLI::App& app, ReplicationOptions& replication) {
  add_parsed_option(app, "-r,--replicas", "R", "Replicas per key [3]",
                    [&replication](const std::string& text) {
                      replication.replicas = parse_count(text, "--replicas", 1, most_replicas);
                    });
  add_parsed_option(
      app, "--spread", "SPREAD",
      "How to spread replicas: nodes, racks, or racks_only\n"
      "(at most one per rack, even if too few) [racks if\n"
      "any node names one]",
      [&replication](const std::string& text) { replication.spread = parse_spread(text); });
  app.add_option_function<std::vector<std::string>>(
         "--dead",
         [&replication](const std::vector<std::string>& values) {
           for (const std::string& value : values) {
             for (std::string& id : ids_from(value, "--dead")) {
               replication.dead.push_back(std::move(id));
             }
           }
         },
         "Nodes that are down, as id,id,...: they stay owners,\n"
         "and substitutes serve their keys")
      ->type_name("IDS")
      ->take_all()
      ->allow_extra_args(false);
}

void add_scheme_option(CLI::App& app, const std::string& option, const std::string& help,
                       std::string& scheme) {
  add_parsed_option(app, option, "SCHEME", help, [option, &scheme](const std::string& text) {
    if (!is_scheme(text)) refuse(option, "a scheme", text, scheme_names());
    scheme = text;
  });
}

void add_format_option(CLI::App& app, Format& format) {
  constexpr std::array<std::pair<std::string_view, Format>, 3> formats{
      {{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}}};
  add_parsed_option(app, "--format", "FORMAT", "text, csv or json [text]",
                    [&format, formats](const std::string& text) {
                      format = parse_choice("--format", "text, csv or json", text, formats);
                    });
}

void add_top_option(CLI::App& app, const std::string& things, std::uint64_t& top) {
  add_parsed_option(app, "--top", "N", things + " to show in text, or all [20]",
                    [&top](const std::string& text) {
                      top = text == "all" ? top_all : parse_count(text, "--top", 0, top_all);
                    });
}

void check_placement_options(const CLI::App& app, const std::vector<std::string>& schemes) {
  if (std::find(schemes.begin(), schemes.end(), own_scheme) != schemes.end()) return;
  for (const char* const option :
       {"--vnodes", "--hash", "--weight-unit", "--relative-weights", "--max-vnodes"}) {
    if (app.count(option) > 0) {
      throw UsageError(std::string(option) + " applies only to --scheme clockwise, not " +
                       schemes.front());
    }
  }
}

const char* const fleet_file_help =
    R"(Fleet files are CSV, or JSON or wire bytes as convert writes them, recognised by
their content. CSV has one node per line: id,weight,rack,datacenter. Only the id
is required; the default weight is 1. A node of weight 0 is drained: it owns
nothing. A first line that has the field "id" is a header that names the
columns, in any order. If semicolons or tabs separate its fields, they separate
all fields. Lines can end in CRLF; blank lines and lines that begin with # are
ignored. Quote a field with a comma, a quote, a line end, another control
character or outer blanks; write a quote inside it twice (RFC 4180).

A node has its weight times --vnodes positions, and every program must use the
same value. If weights are in gigabytes, --relative-weights divides them by
their mean and prints the mean: store it, and pass it as --weight-unit when the
fleet changes.
)";

const char* const scheme_help =
    R"(Schemes: clockwise; ketama (libmemcached), ketama:spy, ketama:rj; twemproxy
(fnv1a_64), twemproxy:md5; nginx; envoy (XXH64), envoy:murmur2, envoy:grpc,
envoy:maglev; redis; cassandra; haproxy (sdbm with avalanche), haproxy:F and
haproxy:F-avalanche with F = sdbm, djb2, wt6 or crc32.

List nodes in the order of the engine's configuration. Columns that only engines
read: tokens (cassandra: numbers separated by blanks), slots (redis: "0-5460
6000"; without any, redis-cli's even split), replica_of (redis) and server_id
(haproxy: a server's id).
)";

}  // namespace ringctl
