// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_SHARED_HPP
#define CLOCKWISE_SHARED_HPP

// A ring that many threads read while another changes it.
//
//   clockwise::Shared shared(ring);
//   // in each thread:
//   auto reader = shared.reader();
//   reader->lookup(key);                                // any number of times; sees later rings
//   // in the thread that learns of a change:
//   shared.update([](auto& next) { next.add("cache-d"); });
//
// With a mutex, every lookup would write the mutex's cache line, and readers would wait for a
// writer that merges two million positions. Here a read is one load of a number that changes only
// when a ring is published; all other data belongs to the reader.

#include <atomic>        // atomic
#include <concepts>      // copy_constructible, invocable
#include <cstdint>       // uint64_t
#include <memory>        // make_shared, shared_ptr
#include <mutex>         // lock_guard, mutex, try_to_lock
#include <shared_mutex>  // shared_lock, shared_mutex
#include <thread>        // this_thread, thread
#include <utility>       // forward, move
#include <vector>        // erase_if, vector

#include "clockwise/detail/base/error.hpp"

namespace clockwise {

/// Publishes whole rings of any copyable type. All members can be called from any thread. Must
/// outlive its readers. The previous ring stays in memory until the next is published, an older one
/// until its readers read again.
template <std::copy_constructible R>
class Shared {
 public:
  /// One thread's view. Cheap to make and copy: keep one per thread, and never share one.
  ///
  /// `*reader` is the newest published ring. It never waits: if a writer publishes a ring at that
  /// moment, it is the ring of the last access. The ring stays unchanged until the next `*reader`
  /// or `reader->`, so dereference once for a group of related queries.
  class Reader {
   public:
    // No moves: a moved-from reader would have no ring.
    Reader(const Reader&) = default;
    Reader& operator=(const Reader&) = default;

    const R& operator*() & {
      if (shared_->version_.load(std::memory_order_acquire) != version_) refresh();
      return *ring_;
    }
    const R* operator->() & { return &**this; }
    const R& operator*() && = delete;   // it would refer to nothing
    const R* operator->() && = delete;  // it would refer to nothing

    /// The number of the ring of the last access: 1 for the first ring, then one more per ring.
    std::uint64_t version() const noexcept { return version_; }

   private:
    friend Shared;
    explicit Reader(const Shared& shared) : shared_(&shared) {
      const std::shared_lock lock(shared.handover_);
      take();
    }

    void refresh() {
      const std::shared_lock lock(shared_->handover_, std::try_to_lock);
      if (lock.owns_lock()) take();
    }
    void take() {
      ring_ = shared_->current_;
      version_ = shared_->version_.load(std::memory_order_relaxed);
    }

    const Shared* shared_;
    std::uint64_t version_ = 0;
    std::shared_ptr<const R> ring_;
  };

  explicit Shared(R ring = {}) : current_(std::make_shared<const R>(std::move(ring))) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  Reader reader() const { return Reader(*this); }

  /// Returns the newest ring, to keep for any time: for an event loop that takes one per turn.
  std::shared_ptr<const R> snapshot() const {
    const std::shared_lock lock(handover_);
    return current_;
  }

  /// The number of the newest ring.
  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

  /// Publishes `ring` as the newest. Writers take turns.
  void publish(R ring) {
    const Turn turn(*this);
    hand_over(std::make_shared<const R>(std::move(ring)));
  }

  /// Publishes a copy of the newest ring that `change(copy)` has changed. Excludes other writers,
  /// not readers. If `change` throws, nothing is published. Throws std::invalid_argument if
  /// `change` itself calls publish or update, which would wait forever.
  template <std::invocable<R&> Change>
  void update(Change&& change) {
    const Turn turn(*this);
    auto next = std::make_shared<R>(*current_);  // only writers replace current_: this one now
    std::forward<Change>(change)(*next);
    hand_over(std::move(next));
  }

 private:
  /// A writer's turn, which excludes the others.
  class Turn {
   public:
    explicit Turn(Shared& shared) : shared_(shared) {
      if (shared.writer_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
        detail::fail_invalid("Shared: a change must not publish or update what it changes");
      }
      shared.writing_.lock();
      shared.writer_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      shared_.writer_.store({}, std::memory_order_relaxed);
      shared_.writing_.unlock();
    }

   private:
    Shared& shared_;
  };

  void hand_over(std::shared_ptr<const R> next) {
    // Writers free the rings, here: freeing a large one would cost a reader time.
    std::erase_if(retired_, [](const auto& ring) { return ring.use_count() == 1; });
    retired_.push_back(current_);
    const std::lock_guard lock(handover_);
    current_.swap(next);
    version_.fetch_add(1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> version_ = 1;  // all that readers share on the fast path
  mutable std::shared_mutex handover_;      // current_ and version_ change together; held briefly
  std::shared_ptr<const R> current_;
  std::mutex writing_;                   // held for a whole change
  std::atomic<std::thread::id> writer_;  // that holds it
  std::vector<std::shared_ptr<const R>> retired_;
};

}  // namespace clockwise

#endif  // CLOCKWISE_SHARED_HPP
