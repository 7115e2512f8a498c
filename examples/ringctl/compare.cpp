// SPDX-License-Identifier: MIT

// ringctl compare: all schemes on one fleet and the same keys.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <clockwise/jump.hpp>
#include <clockwise/maglev.hpp>
#include <clockwise/mod_n.hpp>
#include <clockwise/multi_probe.hpp>
#include <clockwise/rendezvous.hpp>
#include <clockwise/slot_map.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <malloc.h>
#endif

#include "commands.hpp"
#include "error.hpp"
#include "fleet.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "text.hpp"

#if defined(__linux__)
namespace {
thread_local std::uint64_t live_bytes = 0;  // by this thread, which does all the work
}

// Counts the heap memory that schemes hold.
void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += malloc_usable_size(memory);
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(size);
  live_bytes += malloc_usable_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
#endif

namespace ringctl {

namespace {

using clockwise::Position;

struct CompareOptions {
  std::string fleet;
  Placement placement;
  std::uint64_t keys = 1'000'000;
  std::string svg;
  Format format = Format::text;
};

/// Properties of a scheme that are not measured.
struct Traits {
  const char* name;
  const char* replicas;
  const char* coordination;  ///< What programs must share to agree on owners.
};

struct Result {
  Traits traits{};
  bool weights = false;
  double lookup_ns = 0;
  double build_ms = 0;
  std::optional<std::uint64_t> bytes;
  double peak_to_mean = 0;
  double cv = 0;
  double join = 0;              ///< Share of the keys that move when a node of weight 1 joins.
  std::optional<double> leave;  ///< If the middle node leaves; nothing if it cannot.
};

struct Comparison {
  std::size_t nodes = 0;
  std::string joiner;
  std::string leaver;
  double join_floor = 0;
  double leave_floor = 0;
  std::vector<Result> results;
};

/// Of CPU time, so that other processes do not count.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Bytes allocated on the heap, if the platform reports them.
std::optional<std::uint64_t> heap_bytes() {
#if defined(__linux__)
  return live_bytes;
#else
  return std::nullopt;
#endif
}

/// Returns the owner of each key, by its number in `ids`.
template <class Scheme>
std::vector<std::uint32_t> owners(const Scheme& scheme, const std::vector<Position>& keys,
                                  const std::map<std::string, std::uint32_t>& ids) {
  std::vector<std::uint32_t> numbers;
  for (const auto& member : scheme.members()) numbers.push_back(ids.at(member.node));
  std::vector<std::uint32_t> result;
  result.reserve(keys.size());
  for (const Position key : keys) {
    result.push_back(numbers[static_cast<std::size_t>(scheme.lookup_index(key))]);
  }
  return result;
}

double moved_share(const std::vector<std::uint32_t>& before,
                   const std::vector<std::uint32_t>& after) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1u : 0u;
  return static_cast<double>(moved) / static_cast<double>(before.size());
}

/// Runs one scheme after the other on the same fleet and keys.
class Bench {
 public:
  Bench(const Fleet& fleet, const CompareOptions& options) {
    for (const FleetNode& node : fleet.nodes) {
      // A drained node owns nothing, and schemes without weights cannot hold one.
      if (node.options.weight > 0) nodes_.push_back(node);
    }
    for (const FleetNode& node : nodes_) {
      ids_.emplace(node.id, static_cast<std::uint32_t>(ids_.size()));
      total_weight_ += node.options.weight;
    }
    comparison_.joiner = "joiner";
    while (ids_.count(comparison_.joiner) != 0) comparison_.joiner += "+";
    ids_.emplace(comparison_.joiner, static_cast<std::uint32_t>(ids_.size()));
    const FleetNode& middle = nodes_[nodes_.size() / 2];
    comparison_.nodes = nodes_.size();
    comparison_.leaver = middle.id;
    comparison_.join_floor = 1 / (total_weight_ + 1);
    comparison_.leave_floor = middle.options.weight / total_weight_;
    with_hash(options.placement, [&](auto hash) {
      for (std::uint64_t i = 0; i < options.keys; ++i) {
        keys_.push_back(Position{clockwise::detail::hash_key(hash, "key:" + std::to_string(i))});
      }
    });
  }

  /// make() returns the scheme without nodes.
  template <class Make>
  void run(const Traits& traits, Make make) {
    using Scheme = decltype(make());
    Result result;
    result.traits = traits;
    result.weights = requires(Scheme& scheme) { scheme.add(std::string(), 1.0); };

    const auto heap_before = heap_bytes();
    const auto scheme = std::make_unique<Scheme>(filled(make));
    if (heap_before) result.bytes = *heap_bytes() - *heap_before;
    // The best of three, because a disturbance only makes a measurement longer.
    for (int round = 0; round < 3; ++round) {
      const auto start = std::clock();
      const Scheme again = filled(make);
      keep_least(result.build_ms, seconds_since(start) * 1e3, round);
      time_lookups(again, result, round);
    }

    const auto now = owners(*scheme, keys_, ids_);
    measure_balance(now, result);
    Scheme joined = *scheme;
    if constexpr (requires { joined.add(comparison_.joiner, 1.0); }) {
      joined.add(comparison_.joiner, 1.0);
    } else {
      joined.add(comparison_.joiner);
    }
    result.join = moved_share(now, owners(joined, keys_, ids_));
    if constexpr (requires { joined.remove(comparison_.leaver); }) {
      Scheme left = *scheme;
      left.remove(comparison_.leaver);
      if (left.size() > 0) result.leave = moved_share(now, owners(left, keys_, ids_));
    }
    comparison_.results.push_back(std::move(result));
  }

  const Comparison& comparison() const { return comparison_; }

 private:
  static void keep_least(double& least, double value, int round) {
    if (round == 0 || value < least) least = value;
  }

  template <class Make>
  auto filled(Make make) const {
    auto scheme = make();
    if constexpr (requires { scheme.add(std::string(), clockwise::NodeOptions{}); }) {
      std::vector<std::pair<std::string, clockwise::NodeOptions>> all;
      for (const FleetNode& node : nodes_) all.emplace_back(node.id, node.options);
      scheme.add_all(all);
    } else if constexpr (requires {
                           scheme.add_all(std::vector<std::pair<std::string, double>>());
                         }) {
      std::vector<std::pair<std::string, double>> all;
      for (const FleetNode& node : nodes_) all.emplace_back(node.id, node.options.weight);
      scheme.add_all(all);
    } else if constexpr (requires { scheme.add(std::string(), 1.0); }) {
      for (const FleetNode& node : nodes_) scheme.add(node.id, node.options.weight);
    } else {
      for (const FleetNode& node : nodes_) scheme.add(node.id);
    }
    return scheme;
  }

  template <class Scheme>
  void time_lookups(const Scheme& scheme, Result& result, int round) const {
    const auto start = std::clock();
    std::size_t sum = 0;
    for (const Position key : keys_) sum += static_cast<std::size_t>(scheme.lookup_index(key));
    const double elapsed = seconds_since(start);
    used_ = sum;
    keep_least(result.lookup_ns, elapsed * 1e9 / static_cast<double>(keys_.size()), round);
  }

  /// Compares each node's load with its fair load by weight.
  void measure_balance(const std::vector<std::uint32_t>& by_key, Result& result) const {
    std::vector<std::size_t> counts(ids_.size());
    for (const std::uint32_t owner : by_key) ++counts[owner];
    double squares = 0;
    for (const FleetNode& node : nodes_) {
      const double fair = static_cast<double>(by_key.size()) * node.options.weight / total_weight_;
      const double ratio = static_cast<double>(counts[ids_.at(node.id)]) / fair;
      squares += (ratio - 1) * (ratio - 1);
      result.peak_to_mean = std::max(result.peak_to_mean, ratio);
    }
    result.cv = std::sqrt(squares / static_cast<double>(nodes_.size()));
  }

  std::vector<FleetNode> nodes_;
  std::map<std::string, std::uint32_t> ids_;
  double total_weight_ = 0;
  std::vector<Position> keys_;
  Comparison comparison_;
  mutable volatile std::size_t used_ = 0;  // so that the compiler omits no lookup
};

/// The first power of two from 1,024 that gives each node 64 slots, up to 2^20.
std::uint32_t slots_for(std::size_t nodes) {
  std::uint32_t slots = 1024;
  while (slots < 64 * nodes && slots < std::uint32_t{1} << 20) slots *= 2;
  return slots;
}

/// A prime that gives each node 100 entries, up to 5,000,011.
std::uint32_t maglev_size_for(std::size_t nodes) {
  return nodes * 100 <= 65537 ? 65537 : nodes * 100 <= 655373 ? 655373 : 5000011;
}

Comparison compare(const Fleet& fleet, const CompareOptions& options) {
  Bench bench(fleet, options);
  const std::size_t nodes = bench.comparison().nodes;
  with_hash(options.placement, [&](auto hash) {
    using Hash = decltype(hash);
    bench.run({"ring", "nodes, racks, datacenters", "members"},
              [&] { return Ring<Hash>(clockwise::RingOptions{options.placement.vnodes}, hash); });
    bench.run({"rendezvous", "nodes", "members"},
              [&] { return clockwise::Rendezvous<Hash>(hash); });
    bench.run({"maglev", "nodes", "members"}, [&] {
      return clockwise::Maglev<Hash>(clockwise::MaglevOptions{maglev_size_for(nodes)}, hash);
    });
    bench.run({"slot map", "nodes, racks, datacenters", "the table"}, [&] {
      return clockwise::SlotMap<Hash, std::string, std::uint32_t>(
          clockwise::SlotMapOptions{slots_for(nodes)}, hash);
    });
    bench.run({"multi-probe", "nodes", "members"},
              [&] { return clockwise::MultiProbe<Hash>(clockwise::MultiProbeOptions{}, hash); });
    bench.run({"jump", "nodes", "members in order"},
              [&] { return clockwise::JumpHash<Hash>(hash); });
    bench.run({"jump back", "nodes", "members by number"},
              [&] { return clockwise::JumpBackHash<Hash>(hash); });
    bench.run({"mod N", "nodes", "members"}, [&] { return clockwise::ModN<Hash>(hash); });
  });
  return bench.comparison();
}

std::string bytes_text(const Result& result) { return result.bytes ? grouped(*result.bytes) : "-"; }

void print_text(const Comparison& comparison, const CompareOptions& options) {
  Output out;
  out << counted(comparison.nodes, "node") << ", " << grouped(options.keys) << " keys, "
      << hash_name(options.placement) << ", ring of " << grouped(options.placement.vnodes)
      << " vnodes at weight 1\n\n";
  Table speed({"scheme", ">lookup ns", ">build ms", ">bytes", ">peak/mean", ">CV"});
  Table moves({"scheme", ">join moves", ">leave moves", "weights", "replicas on", "shared state"});
  for (const Result& result : comparison.results) {
    speed.add({result.traits.name, fixed(result.lookup_ns, 1), fixed(result.build_ms, 3),
               bytes_text(result), fixed(result.peak_to_mean, 3), percent(result.cv)});
    moves.add({result.traits.name, percent(result.join),
               result.leave ? percent(*result.leave) : "cannot", result.weights ? "yes" : "no",
               result.traits.replicas, result.traits.coordination});
  }
  moves.add({"(floor)", percent(comparison.join_floor), percent(comparison.leave_floor)});
  speed.print(out);
  out << "\n";
  moves.print(out);
  out << "\nTimes are CPU time, best of three, with keys already hashed. Loads are counted\n"
         "over the keys, relative to fair loads by weight. \""
      << shown(comparison.joiner) << "\" joins with weight 1;\n\"" << shown(comparison.leaver)
      << "\", in the middle of the file, leaves.\n";
  out.flush();
}

void print_csv(const Comparison& comparison) {
  Output out;
  out << "scheme,lookup_ns,build_ms,bytes,peak_to_mean,cv,join_moves,join_floor,leave_moves,"
         "leave_floor,weights,replicas,shared_state\n";
  for (const Result& result : comparison.results) {
    out << result.traits.name << "," << exact(result.lookup_ns) << "," << exact(result.build_ms)
        << "," << (result.bytes ? std::to_string(*result.bytes) : "") << ","
        << exact(result.peak_to_mean) << "," << exact(result.cv) << "," << exact(result.join) << ","
        << exact(comparison.join_floor) << "," << (result.leave ? exact(*result.leave) : "") << ","
        << exact(comparison.leave_floor) << "," << (result.weights ? "yes" : "no") << ","
        << csv_field(result.traits.replicas) << "," << csv_field(result.traits.coordination)
        << "\n";
  }
  out.flush();
}

void print_json(const Comparison& comparison, const CompareOptions& options) {
  Json list = Json::array();
  for (const Result& result : comparison.results) {
    list.push_back({{"scheme", result.traits.name},
                    {"lookup_ns", result.lookup_ns},
                    {"build_ms", result.build_ms},
                    {"bytes", result.bytes ? Json(*result.bytes) : Json()},
                    {"peak_to_mean", result.peak_to_mean},
                    {"cv", result.cv},
                    {"join_moves", result.join},
                    {"leave_moves", result.leave ? Json(*result.leave) : Json()},
                    {"weights", result.weights},
                    {"replicas", result.traits.replicas},
                    {"shared_state", result.traits.coordination}});
  }
  const Json document{{"nodes", comparison.nodes},
                      {"keys", options.keys},
                      {"hash", hash_name(options.placement)},
                      {"vnodes", options.placement.vnodes},
                      {"joiner", json_value(comparison.joiner)},
                      {"leaver", json_value(comparison.leaver)},
                      {"join_floor", comparison.join_floor},
                      {"leave_floor", comparison.leave_floor},
                      {"schemes", std::move(list)}};
  print_document(document);
}

// --- The chart ----------------------------------------------------------------------------------

/// One panel of bars, one row per scheme.
struct Panel {
  std::string title;
  std::vector<std::optional<double>> lengths;  ///< 0 to 1 of the panel's width.
  std::vector<std::string> labels;
  std::optional<double> mark;  ///< A line across the bars, such as a floor.
};

std::string svg_text(double x, double y, std::string_view text, std::string_view attributes = "") {
  return "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y, 1) + "\" " + std::string(attributes) +
         ">" + std::string(text) + "</text>\n";
}

std::string chart(const Comparison& comparison) {
  Panel lookup{"lookup, ns (log scale)", {}, {}, {}};
  Panel peak{"hottest node above the mean", {}, {}, {}};
  Panel join{"keys moved by a join", {}, {}, comparison.join_floor};
  Panel leave{"keys moved by a leave", {}, {}, comparison.leave_floor};
  double slowest = 10, hottest = 0.01;
  for (const Result& result : comparison.results) {
    slowest = std::max(slowest, result.lookup_ns);
    hottest = std::max(hottest, result.peak_to_mean - 1);
  }
  for (const Result& result : comparison.results) {
    lookup.lengths.push_back(std::log10(std::max(1.0, result.lookup_ns)) / std::log10(slowest));
    lookup.labels.push_back(fixed(result.lookup_ns, 1));
    peak.lengths.push_back((result.peak_to_mean - 1) / hottest);
    peak.labels.push_back(percent(result.peak_to_mean - 1, 1));
    join.lengths.push_back(result.join);
    join.labels.push_back(percent(result.join, 1));
    leave.lengths.push_back(result.leave);
    leave.labels.push_back(result.leave ? percent(*result.leave, 1) : "cannot");
  }

  constexpr double names = 100, panel_width = 190, row = 22, top = 46;
  const auto rows = static_cast<double>(comparison.results.size());
  const double width = names + 4 * panel_width, height = top + rows * row + 34;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + fixed(width, 0) +
                    " " + fixed(height, 0) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += svg_text(10, 20, counted(comparison.nodes, "node"), "font-weight=\"bold\"");
  for (std::size_t i = 0; i < comparison.results.size(); ++i) {
    svg += svg_text(10, top + row * static_cast<double>(i) + 20, comparison.results[i].traits.name);
  }
  double left = names;
  for (const Panel& panel : {lookup, peak, join, leave}) {
    const double bar_width = panel_width - 60;
    svg += svg_text(left, 38, panel.title, "font-size=\"9\"");
    for (std::size_t i = 0; i < panel.lengths.size(); ++i) {
      const double y = top + row * static_cast<double>(i) + 8;
      const double length = std::clamp(panel.lengths[i].value_or(0), 0.0, 1.0) * bar_width;
      svg += "<rect x=\"" + fixed(left, 1) + "\" y=\"" + fixed(y, 1) + "\" width=\"" +
             fixed(length, 1) + "\" height=\"15\" fill=\"#4878a8\"/>\n";
      svg += svg_text(left + length + 4, y + 12, panel.labels[i], "font-size=\"10\"");
    }
    if (panel.mark) {
      const std::string x = fixed(left + *panel.mark * bar_width, 1);
      svg += "<line x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + fixed(top + 4, 1) + "\" y2=\"" +
             fixed(top + rows * row + 6, 1) + "\" stroke=\"#c03020\" stroke-dasharray=\"3 2\"/>\n";
      svg += svg_text(left, top + rows * row + 20, "floor " + percent(*panel.mark, 1),
                      "font-size=\"9\" fill=\"#c03020\"");
    }
    left += panel_width;
  }
  return svg + "</svg>\n";
}

void write_chart(const Comparison& comparison, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << chart(comparison);
  file.close();
  if (!file) {
    throw OutputError(std::make_error_code(std::errc::io_error), "cannot write " + shown(path));
  }
}

void run_compare(const CompareOptions& options) {
  const Fleet fleet = read_fleet(options.fleet);
  check_positions(fleet, options.placement);
  const Comparison comparison = compare(fleet, options);
  if (!options.svg.empty()) write_chart(comparison, options.svg);
  print_as(
      options.format, [&] { print_text(comparison, options); }, [&] { print_csv(comparison); },
      [&] { print_json(comparison, options); });
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* const command = app.add_subcommand("compare", "Compare all schemes on one fleet");
  const auto options = std::make_shared<CompareOptions>();
  add_fleet_argument(*command, options->fleet);
  command
      ->add_option_function<std::string>(
          "--keys",
          [options](const std::string& text) {
            options->keys = parse_count(text, "--keys", 1, 100'000'000);
          },
          "Number of keys to look up [1000000]")
      ->type_name("N");
  command->add_option("--svg", options->svg, "Also draw a chart into this file")->type_name("FILE");
  add_placement_options(*command, options->placement);
  add_format_option(*command, options->format);
  command->footer(
      R"(Lookup: time without hashing the key. Bytes: the scheme's heap memory. Moves: the
share of keys that change owner when a node of weight 1 joins, and when the node
in the middle of the file leaves; no scheme can move less than the floor. Shared
state: what programs must share to agree on owners. Drained nodes are left out.
To choose a scheme, see docs/choosing.md.
)");
  command->callback([options] { run_compare(*options); });
}

}  // namespace ringctl
