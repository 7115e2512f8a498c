// SPDX-License-Identifier: MIT
// A server joins a three-replica store while clients write and read, and no read misses an
// acknowledged write: `Transition` routes each request, `plan_migration` lists what to copy, and
// `Shared` publishes the routing to all threads.

#include <array>
#include <atomic>
#include <chrono>
#include <clockwise/clockwise.hpp>
#include <clockwise/shared.hpp>
#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Ring = clockwise::HashRing<>;
using Routing = clockwise::Transition<Ring>;

constexpr std::size_t copies = 3;
constexpr std::size_t key_count = 20'000;

std::string key_of(std::size_t number) { return "user:" + std::to_string(number); }

// One server. A version that arrives late never replaces a newer one.
class Server {
 public:
  void put(const std::string& key, std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& held = versions_[key];
    if (held < version) held = version;
  }
  std::uint64_t get(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = versions_.find(key);
    return found == versions_.end() ? 0 : found->second;
  }
  std::vector<std::pair<std::string, std::uint64_t>> all_in(const clockwise::Arc& arc,
                                                            const Ring& ring) const {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    const std::lock_guard lock(mutex_);
    for (const auto& entry : versions_) {
      if (arc.contains(ring.position_of(entry.first))) found.push_back(entry);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> versions_;
};

// The routing version that each client thread uses, so that no arc is copied while a thread still
// writes by an older routing.
struct alignas(64) Seen {
  std::atomic<std::uint64_t> version = 0;
};

}  // namespace

int main() {
  Ring before;
  for (int i = 1; i <= 16; ++i) before.add("store-" + std::to_string(i));
  Ring after = before;
  after.add("store-17");

  std::map<std::string, Server> servers;
  for (const auto& member : after.members()) servers[member.node];

  clockwise::Shared<Routing> routing(Routing(before, before, copies));  // nothing moves yet
  std::vector<std::atomic<std::uint64_t>> acknowledged(key_count);
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> writes = 0;
  std::atomic<std::uint64_t> reads = 0;
  std::atomic<std::uint64_t> missed = 0;

  constexpr std::size_t writers = 2;
  constexpr std::size_t readers = 2;
  std::array<Seen, writers + readers> seen;
  std::vector<std::thread> clients;
  for (std::size_t w = 0; w < writers; ++w) {
    clients.emplace_back([&, w] {
      auto view = routing.reader();
      for (std::uint64_t round = 1; !done; ++round) {
        const std::size_t number = w + writers * ((round * 7919) % (key_count / writers));
        const std::string key = key_of(number);
        for (const auto& node : view->write_to(key)) servers.at(node).put(key, round);
        acknowledged[number] = round;  // all nodes of write_to() have it
        seen[w].version = view.version();
        ++writes;
      }
    });
  }
  for (std::size_t r = 0; r < readers; ++r) {
    clients.emplace_back([&, r] {
      auto view = routing.reader();
      for (std::uint64_t round = 1; !done; ++round) {
        const std::size_t number = (round * 104729 + r) % key_count;
        const std::string key = key_of(number);
        const std::uint64_t at_least = acknowledged[number];
        if (servers.at(view->read_from(key).front()).get(key) < at_least) ++missed;
        seen[writers + r].version = view.version();
        ++reads;
      }
    });
  }
  const auto publish_and_wait = [&](auto change) {
    routing.update(change);
    for (Seen& client : seen) {
      while (client.version < routing.version()) std::this_thread::yield();
    }
  };
  while (writes < key_count) std::this_thread::yield();

  // The join. From here on, writes go to old and new owners, and the arcs are copied one by one.
  // The transition is held: otherwise a client that has seen the last arc complete would stop
  // writing to old owners while another client, which has not, still reads from them.
  publish_and_wait([&](Routing& next) {
    next = Routing(before, after, copies);
    next.hold();
  });
  const auto plan = clockwise::plan_migration(before, after, {.replicas = copies, .bytes = 1});
  std::uint64_t copied = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto step = plan[i];
    for (const auto& [key, version] : servers.at(step.source).all_in(step.arc, before)) {
      servers.at(step.to).put(key, version);
      ++copied;
    }
    if (i % 64 == 63 || i + 1 == plan.size()) {  // publish progress every 64 steps
      publish_and_wait([&](Routing& next) {
        for (std::size_t done_step = i - i % 64; done_step <= i; ++done_step) {
          next.complete(plan[done_step].arc, plan[done_step].to);
        }
      });
    }
  }
  publish_and_wait([](Routing& next) { next.let_finish(); });
  const bool finished = routing.snapshot()->finished();
  const std::uint64_t target = writes + key_count;
  while (writes < target) std::this_thread::yield();  // requests continue, on 17 servers
  done = true;
  for (auto& client : clients) client.join();

  std::uint64_t lost = 0;
  for (std::size_t number = 0; number < key_count; ++number) {
    const std::string key = key_of(number);
    for (const auto& node : after.preference_list(key, copies)) {
      if (servers.at(node).get(key) < acknowledged[number]) ++lost;
    }
  }
  std::cout << "store-17 joined 16 servers under load: " << plan.size() << " arcs, " << copied
            << " copies of keys; the transition is " << (finished ? "finished" : "NOT finished")
            << '\n'
            << writes << " writes acknowledged, " << reads << " reads\n"
            << missed << " reads missed an acknowledged write; " << lost << " copies are missing\n";
  return finished && missed == 0 && lost == 0 ? 0 : 1;
}
