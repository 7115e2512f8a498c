// SPDX-License-Identifier: MIT
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <clockwise/hash_ring.hpp>
#include <clockwise/shared.hpp>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shared_test {

using clockwise::HashRing;
using clockwise::Position;
using clockwise::Shared;

namespace {

HashRing<> fleet() { return {"cache-a", "cache-b", "cache-c", "cache-d"}; }

}  // namespace

TEST_CASE("A reader sees the last version published before it reads") {
  Shared shared(fleet());
  auto reader = shared.reader();
  CHECK(*reader == fleet());
  CHECK(reader.version() == 1);

  shared.update([](HashRing<>& ring) { ring.add("cache-e"); });
  CHECK(reader->contains("cache-e"));
  CHECK(reader.version() == 2);
  CHECK(shared.version() == 2);

  shared.publish(fleet());
  CHECK_FALSE(reader->contains("cache-e"));
}

TEST_CASE("A reader's version stays valid until it reads again") {
  Shared shared(fleet());
  auto reader = shared.reader();
  const HashRing<>& ring = *reader;
  const std::string& owner = ring.lookup("user:42");
  const std::string name = owner;
  for (int i = 0; i < 10; ++i) shared.publish({"other-" + std::to_string(i)});
  CHECK(owner == name);
  CHECK(ring == fleet());
  CHECK(reader->contains("other-9"));
}

TEST_CASE("A snapshot is independent of later versions") {
  Shared shared(fleet());
  const auto snapshot = shared.snapshot();
  shared.publish({"other"});
  CHECK(*snapshot == fleet());
  CHECK(shared.snapshot()->size() == 1);
}

TEST_CASE("A change that throws publishes nothing") {
  Shared shared(fleet());
  CHECK_THROWS_AS(shared.update([](HashRing<>& ring) {
    ring.add("cache-e");
    ring.add("cache-a");
  }),
                  std::invalid_argument);
  CHECK(shared.version() == 1);
  CHECK(*shared.snapshot() == fleet());
}

TEST_CASE("A change that would deadlock is refused") {
  Shared shared(fleet());
  const auto nested = [&](HashRing<>& ring) {
    ring.add("cache-e");
    shared.update([](HashRing<>& other) { other.add("cache-f"); });
  };
  CHECK_THROWS_AS(shared.update(nested), std::invalid_argument);
  CHECK_THROWS_AS(shared.update([&](HashRing<>&) { shared.publish(fleet()); }),
                  std::invalid_argument);
  CHECK(shared.version() == 1);
  Shared other(fleet());
  shared.update([&](HashRing<>& ring) {  // another's is fine
    other.publish(fleet());
    ring.add("cache-e");
  });
  CHECK(shared.version() == 2);
  CHECK(other.version() == 2);
}

TEST_CASE("Rings are freed once no reader holds them") {
  Shared shared(fleet());
  std::weak_ptr<const HashRing<>> first = shared.snapshot();
  {
    auto reader = shared.reader();
    shared.publish({"x"});
    shared.publish({"y"});
    CHECK_FALSE(first.expired());  // the reader can still use it
    CHECK(reader->contains("y"));
  }
  shared.publish({"z"});
  CHECK(first.expired());
}

// Eight readers and a writer that toggles a node: each batch of answers is from one published ring.
// Also run under ThreadSanitizer.
TEST_CASE("Eight readers and a writer") {
  const HashRing<> without = fleet();
  HashRing<> with = without;
  with.add("cache-e");

  constexpr std::size_t probes = 64;
  std::vector<Position> positions;
  for (std::size_t i = 0; i < probes; ++i) positions.push_back(with.position_of(i));
  std::vector<std::string> answers_with;
  std::vector<std::string> answers_without;
  for (const Position position : positions) {
    answers_with.push_back(with.lookup(position));
    answers_without.push_back(without.lookup(position));
  }
  REQUIRE(answers_with != answers_without);

  Shared shared(without);
  std::atomic<bool> done = false;
  std::atomic<int> mixed = 0;
  std::atomic<int> backwards = 0;
  std::atomic<int> rounds = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 8; ++r) {
    readers.emplace_back([&] {
      auto reader = shared.reader();
      std::uint64_t last_version = 0;
      std::vector<std::string> answers(probes);
      while (!done) {
        const HashRing<>& ring = *reader;
        if (reader.version() < last_version) ++backwards;
        last_version = reader.version();
        for (std::size_t i = 0; i < probes; ++i) answers[i] = ring.lookup(positions[i]);
        if (answers != (last_version % 2 == 0 ? answers_with : answers_without)) ++mixed;
        ++rounds;
      }
    });
  }
  for (int change = 0; change < 400; ++change) {
    shared.update([](HashRing<>& ring) {
      if (!ring.remove("cache-e")) ring.add("cache-e");
    });
    std::this_thread::yield();
  }
  while (rounds < 100) std::this_thread::yield();
  done = true;
  for (auto& reader : readers) reader.join();
  CHECK(mixed == 0);
  CHECK(backwards == 0);
  CHECK(shared.version() == 401);
}

// Readers that take the new ring at the same time must not keep each other from it.
TEST_CASE("After a publish has returned, every reader sees the ring") {
  Shared<std::uint64_t> shared(0);  // a number instead of a ring: more rounds in the same time
  constexpr std::uint64_t reader_count = 4;
  std::atomic<std::uint64_t> published = 0;
  std::atomic<std::uint64_t> seen = 0;
  std::atomic<int> stale = 0;
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (std::uint64_t r = 0; r < reader_count; ++r) {
    readers.emplace_back([&] {
      auto reader = shared.reader();
      std::uint64_t last = 0;
      while (!done) {
        const std::uint64_t expected = published;
        if (expected == last) {
          std::this_thread::yield();
          continue;
        }
        last = expected;
        if (*reader != expected) ++stale;
        ++seen;
      }
    });
  }
  for (std::uint64_t round = 1; round <= 10000; ++round) {
    shared.publish(round);
    published = round;
    while (seen < round * reader_count) std::this_thread::yield();  // no writer meanwhile
  }
  done = true;
  for (auto& reader : readers) reader.join();
  CHECK(stale == 0);
}

}  // namespace shared_test
