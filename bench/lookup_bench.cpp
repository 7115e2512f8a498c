// SPDX-License-Identifier: MIT
// The cost of a lookup, compared with common alternatives and a lower bound.
//
// A name is measure/what/nodes x vnodes, or measure/what/bytes for string keys. The counter "ns" is
// the cost of one lookup. tools/bench_report.py makes tables and ratios from it; only the ratios
// carry over to another machine. The measures:
//
//   throughput  independent keys, already hashed
//   latency     the next key depends on the last owner
//   …_32        the same with owners of 32 bits
//   cold        like latency, after a walk over more memory than the second-level cache has
//   keys        strings by length, compared with the bare hash and libmemcached's ketama
//   replicas    three replicas, compared with one owner

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "clockwise/replica_table.hpp"

#if CLOCKWISE_BENCH_LIBMEMCACHED
#include <libmemcached/memcached.h>
#endif

namespace {

using clockwise::Position;

constexpr std::size_t batch = 256;  // lookups per iteration

struct Size {
  std::size_t nodes;
  unsigned vnodes;
  std::string name() const { return std::to_string(nodes) + "x" + std::to_string(vnodes); }
  std::size_t positions() const { return nodes * vnodes; }
};

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back("cache-" + std::to_string(i));
  return nodes;
}

/// Makes each once, at its first use.
template <class T>
const T& for_size(const Size& size) {
  static std::map<std::string, std::unique_ptr<T>> made;
  std::unique_ptr<T>& one = made[size.name()];
  if (!one) one = std::make_unique<T>(size);
  return *one;
}

template <class Index, class Lookup>
struct Fleet {
  using Ring = clockwise::HashRing<clockwise::Xxh3, std::string, Index, Lookup>;
  Ring ring;
  explicit Fleet(const Size& size) : ring(names(size.nodes), clockwise::RingOptions{size.vnodes}) {}
};

template <class Index>
using IndexedFleet = Fleet<Index, clockwise::BucketIndex>;
template <class Index>
using PlainFleet = Fleet<Index, clockwise::NoIndex>;

/// Hashed keys, more of them than the index of a large ring has cache lines, and for each an index
/// into the array of positions.
struct Keys {
  std::vector<Position> positions;
  std::vector<std::uint32_t> ranks;

  explicit Keys(const Size& size) {
    std::mt19937_64 random(1);
    positions.resize(size.positions() <= 200'000 ? 1 << 16 : 1 << 20);
    for (Position& position : positions) {
      position = Position{random()};
      // Even, so that latency/limit can make the next index depend on the last read.
      ranks.push_back(static_cast<std::uint32_t>(random() % size.positions()) & ~1u);
    }
  }
};

void report(benchmark::State& state) {
  const auto lookups = static_cast<double>(state.iterations()) * batch;
  state.counters["ns"] =
      benchmark::Counter(lookups * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// --- One owner, with the key already hashed ------------------------------------------------------

/// Every candidate except the limit is a callable from a position to an owner.
template <class Index>
struct Index_ {
  static constexpr const char* name = "index";
  const typename IndexedFleet<Index>::Ring& ring;
  const typename PlainFleet<Index>::Ring& without;
  explicit Index_(const Size& size)
      : ring(for_size<IndexedFleet<Index>>(size).ring),
        without(for_size<PlainFleet<Index>>(size).ring) {}
  std::uint64_t operator()(Position key) const { return ring.lookup_index(key); }
  /// The memory of the index.
  double bytes() const {
    return static_cast<double>(ring.memory_bytes()) - static_cast<double>(without.memory_bytes());
  }
};

template <class Index>
struct NoIndex_ {
  static constexpr const char* name = "no_index";
  const typename PlainFleet<Index>::Ring& ring;
  explicit NoIndex_(const Size& size) : ring(for_size<PlainFleet<Index>>(size).ring) {}
  std::uint64_t operator()(Position key) const { return ring.lookup_index(key); }
};

template <class Index>
struct LowerBound {
  static constexpr const char* name = "lower_bound";
  std::span<const std::uint64_t> positions;
  std::span<const Index> owners;
  explicit LowerBound(const Size& size)
      : positions(for_size<IndexedFleet<Index>>(size).ring.positions()),
        owners(for_size<IndexedFleet<Index>>(size).ring.owners()) {}
  std::uint64_t operator()(Position key) const {
    const auto at =
        std::lower_bound(positions.begin(), positions.end(), static_cast<std::uint64_t>(key));
    return owners[at == positions.end() ? 0 : static_cast<std::size_t>(at - positions.begin())];
  }
};

template <class Index>
struct Tree {
  std::map<std::uint64_t, Index> owners;
  explicit Tree(const Size& size) {
    const LowerBound<Index> ring(size);
    for (std::size_t i = 0; i < ring.positions.size(); ++i) {
      owners.emplace_hint(owners.end(), ring.positions[i], ring.owners[i]);
    }
  }
};

template <class Index>
struct Map {
  static constexpr const char* name = "map";
  const std::map<std::uint64_t, Index>& owners;
  explicit Map(const Size& size) : owners(for_size<Tree<Index>>(size).owners) {}
  std::uint64_t operator()(Position key) const {
    const auto at = owners.lower_bound(static_cast<std::uint64_t>(key));
    return at == owners.end() ? owners.begin()->second : at->second;
  }
};

template <class Candidate>
void throughput(benchmark::State& state, Size size) {
  const Candidate owner_of(size);
  const auto& keys = for_size<Keys>(size).positions;
  std::size_t next = 0;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch; ++i) sum += owner_of(keys[next + i]);
    benchmark::DoNotOptimize(sum);
    next = (next + batch) % keys.size();
  }
  report(state);
  if constexpr (requires { owner_of.bytes(); }) {
    state.counters["index_bytes"] = owner_of.bytes() / static_cast<double>(size.positions());
  }
}

template <class Candidate>
std::uint64_t chain(const Candidate& owner_of, const Position* keys, std::size_t count,
                    std::uint64_t last) {
  for (std::size_t i = 0; i < count; ++i) {
    last = owner_of(Position{static_cast<std::uint64_t>(keys[i]) ^ last});
  }
  return last;
}

template <class Candidate>
void latency(benchmark::State& state, Size size) {
  const Candidate owner_of(size);
  const auto& keys = for_size<Keys>(size).positions;
  std::size_t next = 0;
  std::uint64_t last = 0;
  for (auto _ : state) {
    last = chain(owner_of, &keys[next], batch, last);
    benchmark::DoNotOptimize(last);
    next = (next + batch) % keys.size();
  }
  report(state);
}

/// The limit: one read of the array of positions per key, at a precomputed index.
template <class Index>
void limit_throughput(benchmark::State& state, Size size) {
  const auto positions = for_size<IndexedFleet<Index>>(size).ring.positions();
  const auto& ranks = for_size<Keys>(size).ranks;
  std::size_t next = 0;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch; ++i) sum += positions[ranks[next + i]];
    benchmark::DoNotOptimize(sum);
    next = (next + batch) % ranks.size();
  }
  report(state);
}

inline std::uint64_t chain_of_reads(std::span<const std::uint64_t> positions,
                                    const std::uint32_t* ranks, std::size_t count,
                                    std::uint64_t last) {
  for (std::size_t i = 0; i < count; ++i) last = positions[ranks[i] ^ (last & 1)];
  return last;
}

template <class Index>
void limit_latency(benchmark::State& state, Size size) {
  const auto positions = for_size<IndexedFleet<Index>>(size).ring.positions();
  const auto& ranks = for_size<Keys>(size).ranks;
  std::size_t next = 0;
  std::uint64_t last = 0;
  for (auto _ : state) {
    last = chain_of_reads(positions, &ranks[next], batch, last);
    benchmark::DoNotOptimize(last);
    next = (next + batch) % ranks.size();
  }
  report(state);
}

/// Runs use(next) on 16 keys at a time, with the near caches full of other data.
template <class Use>
void cold(benchmark::State& state, Use use) {
  constexpr std::size_t group = 16;
  static std::vector<std::uint64_t> other_things(std::size_t{8} << 17);  // 8 MB
  std::size_t next = 0;
  std::vector<double> all_seconds;
  for (auto _ : state) {
    for (std::size_t i = 0; i < other_things.size(); i += 8) ++other_things[i];
    benchmark::ClobberMemory();
    const auto start = std::chrono::steady_clock::now();
    use(next);
    const auto end = std::chrono::steady_clock::now();
    all_seconds.push_back(std::chrono::duration<double>(end - start).count());
    state.SetIterationTime(all_seconds.back());
    next = (next + group) % (1 << 16);
  }
  // The median, because a clock also counts the time in which other programs run.
  const auto middle = all_seconds.begin() + static_cast<std::ptrdiff_t>(all_seconds.size() / 2);
  std::nth_element(all_seconds.begin(), middle, all_seconds.end());
  state.counters["ns"] = *middle * 1e9 / group;
}

template <class Candidate>
void cold_latency(benchmark::State& state, Size size) {
  const Candidate owner_of(size);
  const auto& keys = for_size<Keys>(size).positions;
  std::uint64_t last = 0;
  cold(state, [&](std::size_t next) {
    last = chain(owner_of, &keys[next], 16, last);
    benchmark::DoNotOptimize(last);
  });
}

template <class Index>
void cold_limit(benchmark::State& state, Size size) {
  const auto positions = for_size<IndexedFleet<Index>>(size).ring.positions();
  const auto& ranks = for_size<Keys>(size).ranks;
  std::uint64_t last = 0;
  cold(state, [&](std::size_t next) {
    last = chain_of_reads(positions, &ranks[next], 16, last);
    benchmark::DoNotOptimize(last);
  });
}

template <class Index>
void lookup_batch(benchmark::State& state, Size size) {
  const auto& ring = for_size<IndexedFleet<Index>>(size).ring;
  const auto& keys = for_size<Keys>(size).positions;
  std::vector<Index> owners(batch);
  std::size_t next = 0;
  for (auto _ : state) {
    ring.lookup_batch(std::span(keys).subspan(next, batch), owners);
    benchmark::ClobberMemory();
    next = (next + batch) % keys.size();
  }
  report(state);
}

// --- String keys --------------------------------------------------------------------------------

/// Strings of one length, contiguous in memory.
class Strings {
 public:
  explicit Strings(std::size_t length) : length_(length) {
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < count * length; ++i) {
      text_ += static_cast<char>('!' + random() % 90);  // no spaces, which memcached refuses
    }
  }
  static constexpr std::size_t count = 4096;
  std::string_view operator[](std::size_t i) const {
    return std::string_view(text_).substr(i * length_, length_);
  }

 private:
  std::size_t length_;
  std::string text_;
};

template <class Use>
void each_string(benchmark::State& state, std::size_t length, Use use) {
  const Strings strings(length);
  std::size_t next = 0;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch; ++i) sum += use(strings[next + i]);
    benchmark::DoNotOptimize(sum);
    next = (next + batch) % Strings::count;
  }
  report(state);
}

void bare_hash(benchmark::State& state, std::size_t length) {
  each_string(state, length, [hash = clockwise::Xxh3{}](std::string_view key) {
    return hash(std::as_bytes(std::span(key)));
  });
}

/// A property of a node that is known without reading it.
std::uint64_t place(const std::string& node) { return reinterpret_cast<std::uintptr_t>(&node); }

void lookup_string(benchmark::State& state, std::size_t length) {
  const auto& ring = for_size<IndexedFleet<std::uint16_t>>({16, 200}).ring;
  each_string(state, length, [&](std::string_view key) { return place(ring.lookup(key)); });
}

#if CLOCKWISE_BENCH_LIBMEMCACHED
/// 20 servers of 160 points: 3,200 in all, as on a ring of 16 nodes with 200 vnodes.
void libmemcached_ketama(benchmark::State& state, std::size_t length) {
  const std::unique_ptr<memcached_st, decltype(&memcached_free)> client(memcached_create(nullptr),
                                                                        memcached_free);
  memcached_behavior_set(client.get(), MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
  for (int i = 0; i < 20; ++i) {
    const std::string host = "10.0.1." + std::to_string(i);
    memcached_server_add_with_weight(client.get(), host.c_str(), 11211, 1);
  }
  if (memcached_server_count(client.get()) != 20) {
    state.SkipWithError("libmemcached has not taken the servers");
    return;
  }
  each_string(state, length, [&](std::string_view key) {
    return memcached_generate_hash(client.get(), key.data(), key.size());
  });
}
#endif

// --- Replicas -----------------------------------------------------------------------------------

template <class Index>
struct ThreeCopies {
  clockwise::ReplicaTable<typename IndexedFleet<Index>::Ring> table;
  explicit ThreeCopies(const Size& size) : table(for_size<IndexedFleet<Index>>(size).ring, 3) {}
};

/// The same fleet in eight racks.
struct RackedFleet {
  clockwise::HashRing<> ring;
  explicit RackedFleet(const Size& size) : ring(clockwise::RingOptions{size.vnodes}) {
    std::vector<std::pair<std::string, clockwise::NodeOptions>> members;
    for (const std::string& name : names(size.nodes)) {
      members.push_back({name, {1, "rack-" + std::to_string(members.size() % 8), ""}});
    }
    ring.add_all(members);
  }
};

/// Uses all of a list. Reads one entry after the other, as callers do: compilers would otherwise
/// add two at once, and a read of two entries waits until both stores are complete.
template <class List>
std::uint64_t places(const List& list) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::uint64_t one = place(list[i]);
    benchmark::DoNotOptimize(one);
    sum += one;
  }
  return sum;
}

template <class Use>
void each_position(benchmark::State& state, const Size& size, Use use) {
  const auto& keys = for_size<Keys>(size).positions;
  std::size_t next = 0;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch; ++i) sum += use(keys[next + i]);
    benchmark::DoNotOptimize(sum);
    next = (next + batch) % keys.size();
  }
  report(state);
}

// --- Registration -------------------------------------------------------------------------------

template <class Run, class... Arguments>
benchmark::internal::Benchmark* add(const std::string& name, Run run, Arguments... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(),
                                      [=](benchmark::State& state) { run(state, arguments...); });
}

template <class Candidate>
void add_candidate(const Size& size) {
  const std::string name = Candidate::name + ("/" + size.name());
  add("throughput/" + name, throughput<Candidate>, size);
  add("latency/" + name, latency<Candidate>, size);
  add("cold/" + name, cold_latency<Candidate>, size)->UseManualTime()->Iterations(200);
}

template <class Index>
void add_owners(const Size& size) {
  add_candidate<LowerBound<Index>>(size);
  if (size.positions() <= 2'000'000) add_candidate<Map<Index>>(size);  // 48 bytes per position
  add_candidate<NoIndex_<Index>>(size);
  add_candidate<Index_<Index>>(size);
  add("throughput/limit/" + size.name(), limit_throughput<Index>, size);
  add("latency/limit/" + size.name(), limit_latency<Index>, size);
  add("cold/limit/" + size.name(), cold_limit<Index>, size)->UseManualTime()->Iterations(200);
  add("throughput/batch/" + size.name(), lookup_batch<Index>, size);
}

/// With owners of 32 bits, which the largest ring of add_owners has.
void add_wide_owners(const Size& size) {
  const auto add_both = [&]<class Candidate>(const Candidate*) {
    const std::string name = Candidate::name + ("/" + size.name());
    add("throughput_32/" + name, throughput<Candidate>, size);
    add("latency_32/" + name, latency<Candidate>, size);
  };
  add_both(static_cast<LowerBound<std::uint32_t>*>(nullptr));
  add_both(static_cast<Index_<std::uint32_t>*>(nullptr));
  add("throughput_32/limit/" + size.name(), limit_throughput<std::uint32_t>, size);
  add("latency_32/limit/" + size.name(), limit_latency<std::uint32_t>, size);
}

template <class Index>
void add_replicas(const Size& size) {
  const auto with_position = [&](const std::string& what, auto use) {
    add("replicas/" + what + "/" + size.name(), [=](benchmark::State& state) {
      const auto bound = use();
      each_position(state, size, bound);
    });
  };
  const auto with_string = [&](const std::string& what, auto use) {
    add("replicas_of_16_bytes/" + what + "/" + size.name(), [=](benchmark::State& state) {
      const auto bound = use();
      each_string(state, 16, bound);
    });
  };
  const auto both = [&](const std::string& what, auto use) {
    with_position(what, use);
    with_string(what, use);
  };
  both("lookup", [=] {
    const auto& ring = for_size<IndexedFleet<Index>>(size).ring;
    return [&](auto key) { return place(ring.lookup(key)); };
  });
  both("preference_list", [=] {
    const auto& ring = for_size<IndexedFleet<Index>>(size).ring;
    return [&](auto key) { return places(ring.preference_list(key, 3)); };
  });
  both("table", [=] {
    const auto& table = for_size<ThreeCopies<Index>>(size).table;
    return [&](auto key) { return places(table.preference_list(key)); };
  });
  both("table_front", [=] {
    const auto& table = for_size<ThreeCopies<Index>>(size).table;
    return [&](auto key) { return place(table.preference_list(key).front()); };
  });
  if constexpr (sizeof(Index) == 2) {
    both("preference_list_by_racks", [=] {
      const auto& ring = for_size<RackedFleet>(size).ring;
      return [&](auto key) { return places(ring.preference_list(key, 3)); };
    });
  }
}

const bool added = [] {
  for (const Size& size : {Size{16, 1}, {16, 200}, {100, 200}, {1'000, 200}, {10'000, 200}}) {
    add_owners<std::uint16_t>(size);
    if (size.vnodes == 1) continue;
    add_replicas<std::uint16_t>(size);
    add_wide_owners(size);
  }
  add_owners<std::uint32_t>({100'000, 200});
  for (const std::size_t length : {8u, 16u, 40u, 200u}) {
    const std::string bytes = "/" + std::to_string(length);
    add("keys/hash" + bytes, bare_hash, length);
    // Strings of 16 bytes are measured by replicas_of_16_bytes/lookup.
    if (length != 16) add("keys/lookup" + bytes, lookup_string, length);
#if CLOCKWISE_BENCH_LIBMEMCACHED
    add("keys/libmemcached" + bytes, libmemcached_ketama, length);
#endif
  }
  return true;
}();

}  // namespace
