// SPDX-License-Identifier: MIT
#include "model/compare.hpp"

#include <algorithm>
#include <clockwise/concepts.hpp>
#include <clockwise/jump.hpp>
#include <clockwise/maglev.hpp>
#include <clockwise/mod_n.hpp>
#include <clockwise/multi_probe.hpp>
#include <clockwise/rendezvous.hpp>
#include <clockwise/slot_map.hpp>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include "model/error.hpp"
#include "model/own_ring.hpp"

namespace ringctl {

namespace {

using clockwise::Position;

/// Properties of a scheme that are not measured.
struct Traits {
  const char* name;
  const char* shared_state;
  bool weights;
};

constexpr std::size_t scheme_count = 8;

/// Adds the nodes; a scheme without weights treats all as equal.
template <class Scheme>
void add_nodes(Scheme& scheme, const std::vector<FleetNode>& nodes, bool weights) {
  std::vector<std::pair<std::string, clockwise::NodeOptions>> all;
  for (const FleetNode& node : nodes) {
    all.emplace_back(node.id, node.options);
    if (!weights) all.back().second.weight = 1;
  }
  scheme.add_all(all);
}

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

// --- The measurements ---------------------------------------------------------------------------

double moved_share(const std::vector<std::uint32_t>& before,
                   const std::vector<std::uint32_t>& after) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] != after[i] ? 1u : 0u;
  return static_cast<double>(moved) / static_cast<double>(before.size());
}

/// The fleet and the keys, on which the schemes are measured.
class Workload {
 public:
  Workload(const Fleet& fleet, std::vector<Position> keys, const CompareRequest& request)
      : keys_(std::move(keys)), cpu_seconds_(request.cpu_seconds), progress_(request.progress) {
    for (const FleetNode& node : fleet.nodes) {
      // A drained node owns nothing, and schemes without weights cannot hold one.
      if (node.options.weight > 0) nodes_.push_back(node);
    }
    for (const FleetNode& node : nodes_) {
      ids_.emplace(node.id, static_cast<std::uint32_t>(ids_.size()));
      total_weight_ += node.options.weight;
    }
    while (ids_.contains(joiner_)) joiner_ += "+";
    ids_.emplace(joiner_, static_cast<std::uint32_t>(ids_.size()));
  }

  std::size_t nodes() const { return nodes_.size(); }
  const std::string& joiner() const { return joiner_; }
  const std::string& leaver() const { return middle().id; }
  double join_floor() const { return 1 / (total_weight_ + 1); }
  double leave_floor() const { return middle().options.weight / total_weight_; }

  /// make() returns the scheme without nodes. `done` schemes have already been measured.
  template <class Make>
  SchemeResult run(const Traits& traits, std::size_t done, Make make) const {
    report_ = [this, name = traits.name, done] {
      if (progress_) progress_(name, done, scheme_count);
    };
    SchemeResult result;
    result.name = traits.name;
    result.shared_state = traits.shared_state;
    result.weights = traits.weights;
    time(make, result);
    const auto scheme = filled(make, traits.weights);
    result.bytes = scheme.memory_bytes();
    const auto before = owners(scheme);
    measure_balance(before, result);
    measure_moves(scheme, before, result);
    return result;
  }

 private:
  const FleetNode& middle() const { return nodes_[nodes_.size() / 2]; }

  template <class Make>
  auto filled(Make make, bool weights) const {
    auto scheme = make();
    add_nodes(scheme, nodes_, weights);
    return scheme;
  }

  /// Keeps the best of three, because a disturbance only makes a measurement longer.
  template <class Make>
  void time(Make make, SchemeResult& result) const {
    for (int round = 0; round < 3; ++round) {
      const double start = cpu_seconds_();
      const auto scheme = filled(make, result.weights);
      const double built = cpu_seconds_();
      std::size_t sum = 0;
      for_all_keys(
          [&](Position key) { sum += static_cast<std::size_t>(scheme.lookup_index(key)); });
      used_ = sum;
      const double end = cpu_seconds_();
      const double build_ms = (built - start) * 1e3;
      const double lookup_ns = (end - built) * 1e9 / static_cast<double>(keys_.size());
      result.build_ms = round == 0 ? build_ms : std::min(result.build_ms, build_ms);
      result.lookup_ns = round == 0 ? lookup_ns : std::min(result.lookup_ns, lookup_ns);
    }
  }

  /// Returns the owner of each key, by its number in `ids_`.
  template <class Scheme>
  std::vector<std::uint32_t> owners(const Scheme& scheme) const {
    std::vector<std::uint32_t> numbers;
    for (const auto& member : scheme.members()) numbers.push_back(ids_.at(member.node));
    std::vector<std::uint32_t> result;
    result.reserve(keys_.size());
    for_all_keys([&](Position key) {
      result.push_back(numbers[static_cast<std::size_t>(scheme.lookup_index(key))]);
    });
    return result;
  }

  /// Reports progress between pieces that take a few milliseconds with the slowest scheme.
  template <class Use>
  void for_all_keys(const Use& use) const {
    constexpr std::size_t piece = std::size_t{1} << 14;
    for (std::size_t first = 0; first < keys_.size(); first += piece) {
      report_();
      const std::size_t last = std::min(first + piece, keys_.size());
      for (std::size_t i = first; i < last; ++i) use(keys_[i]);
    }
  }

  /// Compares each node's load with its fair load by weight.
  void measure_balance(const std::vector<std::uint32_t>& by_key, SchemeResult& result) const {
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

  template <class Scheme>
  void measure_moves(const Scheme& scheme, const std::vector<std::uint32_t>& before,
                     SchemeResult& result) const {
    Scheme joined = scheme;
    joined.add(joiner_);
    result.join_moves = moved_share(before, owners(joined));
    if constexpr (clockwise::RemovesAny<Scheme>) {
      Scheme left = scheme;
      left.remove(leaver());
      if (left.size() > 0) result.leave_moves = moved_share(before, owners(left));
    }
  }

  std::vector<Position> keys_;
  std::function<double()> cpu_seconds_;
  std::vector<FleetNode> nodes_;
  std::map<std::string, std::uint32_t> ids_;
  std::string joiner_ = "joiner";
  double total_weight_ = 0;
  decltype(CompareRequest::progress) progress_;
  mutable std::function<void()> report_;
  mutable volatile std::size_t used_ = 0;  // keeps the compiler from omitting lookups
};

/// Returns "key:0", "key:1", … hashed.
template <class Hash>
std::vector<Position> hashed_keys(std::uint64_t count, const Hash& hash) {
  const Ring<Hash> ring(clockwise::RingOptions{}, hash);
  std::vector<Position> keys;
  keys.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    keys.push_back(ring.position_of("key:" + std::to_string(i)));
  }
  return keys;
}

}  // namespace

Comparison compare_schemes(const Fleet& fleet, const CompareRequest& request) {
  if (fleet.has_tokens) {
    throw InputError(fleet.name +
                     ": compare builds every scheme from weights; a token ring has none");
  }
  return with_hash(fleet.placement, [&](const auto& hash) {
    using Hash = std::remove_cvref_t<decltype(hash)>;
    const Workload workload(fleet, hashed_keys(request.keys, hash), request);
    Comparison comparison{
        fleet.placement,   request.keys,          workload.nodes(),       workload.joiner(),
        workload.leaver(), workload.join_floor(), workload.leave_floor(), {}};
    const auto run = [&](const Traits& traits, auto make) {
      comparison.schemes.push_back(workload.run(traits, comparison.schemes.size(), make));
    };
    run({"ring", "members", true},
        [&] { return Ring<Hash>(clockwise::RingOptions{fleet.placement.vnodes}, hash); });
    run({"rendezvous", "members", true}, [&] { return clockwise::Rendezvous<Hash>(hash); });
    run({"maglev", "members", true}, [&] {
      return clockwise::Maglev<Hash>(clockwise::MaglevOptions{maglev_size_for(workload.nodes())},
                                     hash);
    });
    run({"slot map", "the table", true}, [&] {
      return clockwise::SlotMap<Hash, std::string, std::uint32_t>(
          clockwise::SlotMapOptions{slots_for(workload.nodes())}, hash);
    });
    run({"multi-probe", "members", false},
        [&] { return clockwise::MultiProbe<Hash>(clockwise::MultiProbeOptions{}, hash); });
    run({"jump", "members in order", false}, [&] { return clockwise::JumpHash<Hash>(hash); });
    run({"jump back", "members by number", false},
        [&] { return clockwise::JumpBackHash<Hash>(hash); });
    run({"mod N", "members", false}, [&] { return clockwise::ModN<Hash>(hash); });
    return comparison;
  });
}

}  // namespace ringctl
