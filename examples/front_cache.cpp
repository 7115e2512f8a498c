// SPDX-License-Identifier: MIT

// Protects the owner of a hot key: a cache in every front end keeps a value for about a second and
// fetches it once, however many requests want it at that moment.
//
// No placement helps with one key that gets 30,000 requests per second, because a key has one
// owner. This cache does: the owner gets one request per second from each front end, for any
// traffic. The cost is that readers can see a value as old as the time to live.

#include <atomic>
#include <chrono>
#include <clockwise/hash_ring.hpp>
#include <clockwise/hot_key.hpp>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using Time = std::chrono::nanoseconds;  // since the program's start, by the caller's clock

/// Keeps values for `ttl`. If a key is missing or expired, get() calls fetch(key) outside any lock,
/// once for all concurrent calls, which wait for it. If fetch throws, all of them get the
/// exception, and the next call tries again.
class FrontCache {
 public:
  FrontCache(Time ttl, std::size_t most_keys) : ttl_(ttl), most_keys_(most_keys) {}

  std::string get(const std::string& key, Time now,
                  const std::function<std::string(const std::string&)>& fetch) {
    std::unique_lock lock(mutex_);
    const auto found = flights_.find(key);
    if (found != flights_.end() && (!found->second->landed || now < found->second->expires)) {
      const std::shared_ptr<Flight> flight = found->second;
      landed_.wait(lock, [&] { return flight->landed; });
      return value_of(*flight);
    }
    const auto flight = std::make_shared<Flight>();
    flights_.insert_or_assign(key, flight);
    if (flights_.size() > most_keys_) drop_old(now, key);
    lock.unlock();

    std::string value;
    std::exception_ptr failure;
    try {
      value = fetch(key);
    } catch (...) {
      failure = std::current_exception();
    }

    // Nothing here can fail, so no caller waits forever; the copies are made afterwards.
    lock.lock();
    flight->value = std::move(value);
    flight->expires = failure ? now : now + ttl_;
    flight->failure = std::move(failure);
    flight->landed = true;
    landed_.notify_all();
    return value_of(*flight);
  }

 private:
  struct Flight {
    bool landed = false;
    std::string value;
    std::exception_ptr failure;
    Time expires{};
  };

  static std::string value_of(const Flight& flight) {
    if (flight.failure) std::rethrow_exception(flight.failure);
    return flight.value;
  }

  /// Drops all expired values or, if none is expired, all values.
  void drop_old(Time now, const std::string& keep) {
    const auto drop = [&](auto condition) {
      return std::erase_if(flights_, [&](const auto& entry) {
        return entry.first != keep && entry.second->landed && condition(*entry.second);
      });
    };
    if (drop([&](const Flight& flight) { return flight.expires <= now; }) == 0) {
      drop([](const Flight&) { return true; });
    }
  }

  Time ttl_;
  std::size_t most_keys_;
  std::mutex mutex_;
  std::condition_variable landed_;
  std::unordered_map<std::string, std::shared_ptr<Flight>> flights_;
};

/// Counts the requests that reach each node.
struct Backend {
  clockwise::HashRing<> ring;
  std::unordered_map<std::string, std::uint64_t> requests;
  std::string fetch(const std::string& key) {
    ++requests[ring.lookup(key)];
    return "value of " + key;
  }
};

constexpr int seconds = 10;
constexpr int requests_per_second = 30000;
constexpr int front_ends = 4;

/// Simulates ten seconds of requests for one key, spread over the front ends.
std::uint64_t owner_requests_per_second(Backend& backend, std::deque<FrontCache>* caches) {
  backend.requests.clear();
  const auto fetch = [&](const std::string& key) { return backend.fetch(key); };
  for (std::uint64_t i = 0; i < std::uint64_t{seconds} * requests_per_second; ++i) {
    const Time now = std::chrono::seconds(1) * i / requests_per_second;
    if (caches == nullptr) {
      fetch("hot");
    } else {
      (*caches)[i % front_ends].get("hot", now, fetch);
    }
  }
  return backend.requests[backend.ring.lookup("hot")] / seconds;
}

}  // namespace

int main() {
  Backend backend;
  for (int i = 0; i < 16; ++i) backend.ring.add("node-" + std::to_string(i));
  std::printf("one key, %d requests per second at %d front ends\n", requests_per_second,
              front_ends);
  std::printf("  directly to its owner:         %5llu per second there\n",
              static_cast<unsigned long long>(owner_requests_per_second(backend, nullptr)));

  // Split: each reader uses one of eight copies.
  const auto copies = clockwise::split(backend.ring, "hot", 8);
  std::unordered_map<std::string, std::uint64_t> by_node;
  for (std::uint64_t i = 0; i < requests_per_second; ++i) ++by_node[copies.one(i).node];
  std::uint64_t most = 0;
  for (const auto& [node, count] : by_node) most = count > most ? count : most;
  std::printf("  split into 8 copies:           %5llu per second on the busiest of %zu nodes\n",
              static_cast<unsigned long long>(most), by_node.size());

  std::deque<FrontCache> caches;
  for (int i = 0; i < front_ends; ++i) caches.emplace_back(std::chrono::seconds(1), 1000);
  std::printf("  a one-second cache in front:   %5llu per second there, one per front end\n",
              static_cast<unsigned long long>(owner_requests_per_second(backend, &caches)));

  // Single flight: eight threads want a value that is slow to fetch and not cached yet.
  FrontCache cold(std::chrono::seconds(1), 1000);
  std::atomic<int> fetches{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      cold.get("cold", Time(0), [&](const std::string& key) {
        ++fetches;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return "value of " + key;
      });
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("8 threads request a cold key:    %5d fetch\n", fetches.load());
  return 0;
}
