// SPDX-License-Identifier: MIT
#include "placement.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <system_error>

namespace ringctl {

namespace {

/// Building a ring of this size takes 3 GB; more is a mistake in a weight or in --vnodes.
constexpr std::uint64_t most_positions = std::uint64_t{1} << 26;

void parse_hash(const std::string& text, Placement& placement) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name != "xxh3" && name != "xxh64") {
    throw CLI::ValidationError("--hash must be xxh3 or xxh64, got \"" + shown(name) + '"');
  }
  placement.xxh64 = name == "xxh64";
  placement.seed = colon == text.npos ? 0
                                      : parse_count(text.substr(colon + 1), "the seed of --hash", 0,
                                                    (std::numeric_limits<std::uint64_t>::max)());
}

}  // namespace

std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || parsed != end || number < least || number > most) {
    throw CLI::ValidationError(option + " must be a whole number from " + grouped(least) + " to " +
                               grouped(most) + ", got \"" + shown(text) + '"');
  }
  return number;
}

void add_placement_options(CLI::App& app, Placement& placement) {
  app.add_option_function<std::string>(
         "--vnodes",
         [&placement](const std::string& text) {
           placement.vnodes = static_cast<std::uint32_t>(
               parse_count(text, "--vnodes", 1, clockwise::max_vnodes_per_node));
         },
         "Vnodes per node of weight 1 [200]")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--hash", [&placement](const std::string& text) { parse_hash(text, placement); },
         "Hash: xxh3 or xxh64, with an optional seed as in\n"
         "xxh3:42 [xxh3]")
      ->type_name("HASH");
}

std::string hash_name(const Placement& placement) {
  const std::string name = placement.xxh64 ? "xxh64" : "xxh3";
  return placement.seed == 0 ? name : name + ':' + std::to_string(placement.seed);
}

void check_positions(const Fleet& fleet, const Placement& placement) {
  std::uint64_t positions = 0;
  for (const FleetNode& node : fleet.nodes) {
    const std::uint64_t vnodes = clockwise::vnode_count(node.options.weight, placement.vnodes);
    const std::string where = fleet.name + ':' + std::to_string(node.line) + ": ";
    if (vnodes > clockwise::max_vnodes_per_node) {
      throw InputError(where + "weight " + exact(node.options.weight) + " needs more than " +
                       grouped(clockwise::max_vnodes_per_node) + " vnodes at --vnodes " +
                       std::to_string(placement.vnodes));
    }
    positions += vnodes;
    if (positions > most_positions) {
      throw InputError(where + "the fleet needs more than " + grouped(most_positions) +
                       " vnodes at --vnodes " + std::to_string(placement.vnodes));
    }
  }
}

}  // namespace ringctl
