// SPDX-License-Identifier: MIT
// After any sequence of changes, a ring equals the ring built in one step from its expected
// members, and a change that must be refused is refused.
//
// The bytes are a program: each step is a byte and the bytes that it reads. It runs on a HashRing
// or a TokenRing, with a hash that spreads positions or one that crowds them into 32.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/token_ring.hpp"
#include "clockwise/wire.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using clockwise::NodeOptions;
using clockwise_test::FuzzReader;

/// Few positions, many of them shared.
struct Crowded {
  static constexpr std::string_view name = "crowded";
  std::uint64_t operator()(std::span<const std::byte> bytes) const noexcept {
    return clockwise::Xxh3{}(bytes) >> 59 << 59;
  }
};

template <class Hash>
using HashRing = clockwise::HashRing<Hash, std::string, std::uint16_t>;
template <class Hash>
using TokenRing = clockwise::TokenRing<Hash, std::string, std::uint16_t>;

constexpr std::uint32_t vnodes = 3;

template <class Ring>
constexpr bool has_tokens = requires(Ring ring) { ring.tokens_of("a"); };

template <class Ring>
Ring empty_ring() {
  if constexpr (has_tokens<Ring>) {
    return Ring();
  } else {
    return Ring(clockwise::RingOptions{vnodes});
  }
}

struct Row {
  NodeOptions options;
  std::vector<std::uint64_t> tokens;  // ascending
};

/// The expected members of a ring. Each change throws the exception that the ring must throw.
template <class Ring>
class Model {
 public:
  void add(const std::string& id, const NodeOptions& options, std::vector<std::uint64_t> tokens) {
    check_tokens(tokens);
    if (id.empty()) throw std::invalid_argument("empty");
    if (rows_.count(id) != 0) throw std::invalid_argument("twice");
    const double weight = checked(options.weight);
    rows_[id] = {{weight, options.rack, options.datacenter}, std::move(tokens)};
  }
  bool remove(const std::string& id) { return rows_.erase(id) != 0; }
  void set_weight(const std::string& id, double weight) {
    Row& row = found(id);
    row.options.weight = checked(weight);
  }
  void set_options(const std::string& id, const NodeOptions& options) {
    Row& row = found(id);
    const double weight = checked(options.weight);
    row.options = {weight, options.rack, options.datacenter};
  }
  void set_tokens(const std::string& id, std::vector<std::uint64_t> tokens) {
    check_tokens(tokens);
    found(id).tokens = std::move(tokens);
  }
  void clear() { rows_.clear(); }
  /// The errors that only the whole change shows.
  void finish() const {
    for (const auto& [id, row] : rows_) {
      if (row.options.weight == 0 && !row.tokens.empty()) throw std::invalid_argument("drained");
    }
  }

  const std::map<std::string, Row>& rows() const { return rows_; }

 private:
  static double checked(double weight) {
    if (!(weight >= 0) || weight > (std::numeric_limits<double>::max)()) {
      throw std::invalid_argument("weight");
    }
    if (!has_tokens<Ring> && weight * vnodes > 1e7) throw std::length_error("vnodes");
    return weight + 0.0;  // not -0
  }
  static void check_tokens(const std::vector<std::uint64_t>& tokens) {
    if (std::adjacent_find(tokens.begin(), tokens.end()) != tokens.end()) {
      throw std::invalid_argument("token");
    }
  }
  Row& found(const std::string& id) {
    const auto at = rows_.find(id);
    if (at == rows_.end()) throw std::out_of_range("absent");
    return at->second;
  }

  std::map<std::string, Row> rows_;
};

std::string id_of(FuzzReader& in) {
  static const std::string ids[] = {
      "a",  "b", "c", "a#1", std::string("a\0", 2), "\xff", "\x7f", "aa", "zz", "A", "10", "9",
      "a#", "",  "d", "e"};
  return ids[in.byte() % std::size(ids)];
}

double weight_of(FuzzReader& in) {
  static const double weights[] = {1,     1,     2,    0,
                                   0.5,   0.3,   -0.0, 5e-324,
                                   1.499, 1e300, -1,   std::numeric_limits<double>::quiet_NaN(),
                                   7,     4,     3,    std::numeric_limits<double>::infinity()};
  return weights[in.byte() % std::size(weights)];
}

NodeOptions options_of(FuzzReader& in) {
  static const char* const racks[] = {"", "r1", "r2", "r"};
  static const char* const datacenters[] = {"", "d", "1"};
  const double weight = weight_of(in);
  const std::uint64_t domain = in.byte();
  return {weight, racks[domain % 4], datacenters[domain / 4 % 3]};
}

/// In any order; often tokens that other members have.
std::vector<std::uint64_t> tokens_of(FuzzReader& in) {
  std::vector<std::uint64_t> tokens(in.byte() % 6);
  for (std::uint64_t& token : tokens) {
    const std::uint64_t byte = in.byte();
    token = byte == 255 ? ~std::uint64_t{0} : byte << 56;
  }
  return tokens;
}

std::vector<std::uint64_t> in_order(std::vector<std::uint64_t> tokens) {
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

/// Runs both; they must agree on whether they throw, and on the exception. Returns whether they
/// threw.
template <class First, class Second>
bool agree(const First& first, const Second& second) {
  const auto thrown = [](const auto& action) {
    try {
      action();
      return 0;
    } catch (const std::invalid_argument&) {
      return 1;
    } catch (const std::out_of_range&) {
      return 2;
    } catch (const std::length_error&) {
      return 3;
    }
  };
  const int one = thrown(first);
  FUZZ_CHECK(one == thrown(second));
  return one == 0;
}

/// One change of a member, on an edit or on the ring (then it is the whole change), and on the
/// model. Returns false if it was refused.
template <class Ring, class Target>
bool change_member(FuzzReader& in, std::uint64_t kind, Target& target, Model<Ring>& model) {
  const std::string id = id_of(in);
  const auto both = [&](const auto& change, const auto& change_model) {
    return agree(change, [&] {
      change_model();
      if constexpr (std::same_as<Target, Ring>) model.finish();
    });
  };
  switch (kind) {
    case 0: {
      const NodeOptions options = options_of(in);
      if constexpr (has_tokens<Ring>) {
        const auto tokens = tokens_of(in);
        return both([&] { target.add({id, options}, tokens); },
                    [&] { model.add(id, options, in_order(tokens)); });
      } else {
        return both([&] { target.add(id, options); }, [&] { model.add(id, options, {}); });
      }
    }
    case 1: {
      const bool removed = target.remove(id);
      FUZZ_CHECK(removed == model.remove(id));
      return true;
    }
    case 2: {
      const double weight = weight_of(in);
      return both([&] { target.set_weight(id, weight); }, [&] { model.set_weight(id, weight); });
    }
    case 3: {
      const NodeOptions options = options_of(in);
      return both([&] { target.set_options(id, options); },
                  [&] { model.set_options(id, options); });
    }
    default:
      if constexpr (has_tokens<Ring>) {
        const auto tokens = tokens_of(in);
        return both([&] { target.set_tokens(id, tokens); },
                    [&] { model.set_tokens(id, in_order(tokens)); });
      } else {
        const double weight = weight_of(in);
        return both([&] { target.add(id, weight); }, [&] { model.add(id, {weight}, {}); });
      }
  }
}

template <class Ring>
class Run {
 public:
  void step(FuzzReader& in) {
    const std::uint64_t code = in.byte();
    switch (code % 10) {
      default:
        single(in, code % 10 % 5);
        break;
      case 5:
      case 6:
        several(in, code % 10 == 6);
        break;
      case 7:
        if (code < 64) {
          ring_.clear();
          model_.clear();
        } else {
          add_all(in);
        }
        break;
      case 8:
        pass_on(code / 10);
        break;
    }
    check();
  }

 private:
  void single(FuzzReader& in, std::uint64_t kind) {
    Model<Ring> next = model_;
    if (change_member(in, kind, ring_, next)) model_ = std::move(next);
  }

  static bool is_whole(const Model<Ring>& model) {
    try {
      model.finish();
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  /// Several changes as one, which continues after refused changes, or throws at the end.
  void several(FuzzReader& in, bool gives_up) {
    struct GivenUp {};
    Model<Ring> next = model_;
    const Ring before = ring_;
    bool changed = true;
    try {
      ring_.update([&](auto& edit) {
        for (std::uint64_t left = in.byte() % 6; left > 0; --left) {
          change_member(in, in.byte() % 5, edit, next);
          for (const auto& [id, row] : next.rows()) FUZZ_CHECK(edit.contains(id));
        }
        if (gives_up) throw GivenUp();
      });
    } catch (const GivenUp&) {
      changed = false;
    } catch (const std::invalid_argument&) {
      FUZZ_CHECK(!is_whole(next));
      changed = false;
    }
    if (!changed) {
      FUZZ_CHECK(ring_ == before && ring_.fingerprint() == before.fingerprint());
      return;
    }
    model_ = std::move(next);
  }

  void add_all(FuzzReader& in) {
    std::vector<std::pair<std::string, double>> entries(in.byte() % 5);
    for (auto& [id, weight] : entries) {
      id = id_of(in);
      weight = weight_of(in);
    }
    Model<Ring> next = model_;
    const bool done = agree([&] { ring_.add_all(entries); },
                            [&] {
                              for (const auto& [id, weight] : entries) next.add(id, {weight}, {});
                            });
    if (done) model_ = std::move(next);
  }

  /// Copies, moves and swaps: the ring is unchanged afterwards, and the other rings can be used.
  void pass_on(std::uint64_t how) {
    Ring other = empty_ring<Ring>();
    other.add("z");
    switch (how % 4) {
      case 0:
        other = ring_;
        ring_.clear();
        ring_ = other;
        break;
      case 1:
        other = std::move(ring_);
        FUZZ_CHECK(ring_.empty() && ring_.vnode_count() == 0);
        ring_.add("y");
        ring_ = std::move(other);
        break;
      case 2:
        std::swap(ring_, other);
        std::swap(ring_, other);
        break;
      default: {
        const Ring& same = ring_;
        ring_ = same;
      }
    }
  }

  void check() const {
    Ring fresh = empty_ring<Ring>();
    fresh.update([&](auto& edit) {
      for (auto at = model_.rows().rbegin(); at != model_.rows().rend(); ++at) {
        const auto& [id, row] = *at;
        if constexpr (has_tokens<Ring>) {
          edit.add({id, row.options}, row.tokens);
        } else {
          edit.add(id, row.options);
        }
      }
    });
    FUZZ_CHECK(ring_ == fresh);
    FUZZ_CHECK(ring_.fingerprint() == fresh.fingerprint());
    FUZZ_CHECK(ring_.size() == model_.rows().size());
    FUZZ_CHECK(std::is_sorted(ring_.positions().begin(), ring_.positions().end()));
    FUZZ_CHECK(std::equal(ring_.positions().begin(), ring_.positions().end(),
                          fresh.positions().begin(), fresh.positions().end()));
    FUZZ_CHECK(std::equal(ring_.owners().begin(), ring_.owners().end(), fresh.owners().begin(),
                          fresh.owners().end()));
    FUZZ_CHECK(ring_.default_spread() == fresh.default_spread());
    std::size_t index = 0;
    std::uint64_t owned = 0;
    for (const auto& [id, row] : model_.rows()) {
      const auto& member = ring_.members()[index];
      FUZZ_CHECK(member.node == id && member.weight == row.options.weight);
      FUZZ_CHECK(member.rack == row.options.rack && member.datacenter == row.options.datacenter);
      FUZZ_CHECK(ring_.index_of(id) == index && ring_.contains(id));
      if constexpr (has_tokens<Ring>) FUZZ_CHECK(ring_.tokens_of(id) == row.tokens);
      owned += member.vnodes;
      ++index;
    }
    FUZZ_CHECK(owned == ring_.vnode_count());
    for (std::uint64_t key = 0; key < 8; ++key) {
      const clockwise::Position position{key << 61 | key};
      FUZZ_CHECK(ring_.lookup_index(position) == owner_of(static_cast<std::uint64_t>(position)));
      const auto list = ring_.preference_list(position, 3);
      const auto same = fresh.preference_list(position, 3);
      FUZZ_CHECK(std::equal(list.begin(), list.end(), same.begin(), same.end()));
    }
    const auto bytes = clockwise::wire::encode(ring_);
    const auto decoded = clockwise::wire::try_decode<Ring>(bytes);
    FUZZ_CHECK(decoded && *decoded == ring_);
  }

  std::uint16_t owner_of(std::uint64_t position) const {
    if (ring_.vnode_count() == 0) return Ring::npos;
    std::size_t rank = 0;
    while (rank < ring_.vnode_count() && ring_.positions()[rank] < position) ++rank;
    return ring_.owners()[rank == ring_.vnode_count() ? 0 : rank];
  }

  Ring ring_ = empty_ring<Ring>();
  Model<Ring> model_;
};

template <class Ring>
void run(FuzzReader in) {
  Run<Ring> run;
  for (int steps = 0; steps < 64 && !in.at_end(); ++steps) run.step(in);
}

}  // namespace

void clockwise_fuzz(std::span<const std::byte> bytes) {
  FuzzReader in(bytes);
  switch (in.byte() % 4) {
    case 0:
      return run<HashRing<clockwise::Xxh3>>(in);
    case 1:
      return run<HashRing<Crowded>>(in);
    case 2:
      return run<TokenRing<clockwise::Xxh3>>(in);
    default:
      return run<TokenRing<Crowded>>(in);
  }
}
