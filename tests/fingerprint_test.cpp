// SPDX-License-Identifier: MIT
// When two rings are equal, and how two programs find out.

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clockwise/hash_ring.hpp"
#include "support/hashes.hpp"

namespace fingerprint_test {

using clockwise::Fingerprint;
using clockwise::HashRing;
using clockwise::NodeOptions;
using clockwise::RingOptions;
using clockwise::Xxh3;
using clockwise::Xxh64;

namespace {

HashRing<> with(const NodeOptions& options, RingOptions ring_options = {}) {
  HashRing<> ring(ring_options);
  ring.add("a", options);
  ring.add("b");
  return ring;
}

}  // namespace

TEST_CASE("a fingerprint changes with everything that places keys or replicas") {
  std::set<Fingerprint> prints;
  std::size_t made = 0;
  const auto note = [&](const auto& ring) {
    prints.insert(ring.fingerprint());
    ++made;
  };
  note(HashRing<>());
  note(HashRing<>(RingOptions{199}));
  note(HashRing<Xxh64>());
  note(HashRing<Xxh3>(RingOptions{}, Xxh3{1}));
  note(HashRing<Xxh64>(RingOptions{}, Xxh64{1}));
  note(HashRing<>({"a"}));
  note(HashRing<>({"a"}, RingOptions{199}));
  note(HashRing<>({"a", "b"}));
  note(HashRing<>({"ab"}));
  note(HashRing<>({"a", "bc"}));
  note(HashRing<>({"ab", "c"}));
  note(with({2, "", ""}));
  note(with({0, "", ""}));
  note(with({1, "r", ""}));
  note(with({1, "", "r"}));
  note(with({1, "r", "r"}));
  note(with({1, "rr", ""}));
  note(with({1 + 1e-15, "", ""}));
  CHECK(prints.size() == made);
}

TEST_CASE("a fingerprint and equality do not depend on order, nodes' other fields or history") {
  HashRing<> one({"a", "b", "c"});
  HashRing<> two({"c", "b", "a"});
  two.add("d");
  two.remove("d");
  two.set_weight("a", 5);
  two.set_weight("a", 1);
  CHECK(one.fingerprint() == two.fingerprint());
  CHECK(one == two);
  two.set_weight("a", 1.1);
  CHECK(one.fingerprint() != two.fingerprint());
  CHECK(one != two);
}

TEST_CASE("equality compares placements: weights that give the same vnodes are equal") {
  const HashRing<> one = with({1, "", ""});
  const HashRing<> almost = with({1 + 1e-15, "", ""});
  CHECK(one == almost);
  CHECK(one.fingerprint() != almost.fingerprint());

  HashRing<> doubled(RingOptions{100});
  doubled.add("a", 2);
  doubled.add("b", 2);
  CHECK(one == doubled);
}

TEST_CASE("racks and datacenters place replicas, so they count; a drained member counts too") {
  CHECK(with({1, "", ""}) != with({1, "r", ""}));
  CHECK(with({1, "r", ""}) != with({1, "", "r"}));
  CHECK(with({1, "r", ""}) != with({1, "s", ""}));
  CHECK(with({0, "", ""}) != HashRing<>({"b"}));
  CHECK(with({0, "", ""}).vnode_count() == HashRing<>({"b"}).vnode_count());
  CHECK(HashRing<>({"a"}) != HashRing<>({"b"}));
  // The same positions, all tied, under other names.
  using Tied = HashRing<clockwise_test::ConstantHash>;
  CHECK(Tied({"a"}) != Tied({"b"}));
}

TEST_CASE("a different seed is a different ring, even without members") {
  CHECK(HashRing<>(RingOptions{}, Xxh3{1}) != HashRing<>());
  CHECK(HashRing<>({"a"}, RingOptions{}, Xxh3{1}) != HashRing<>({"a"}));
}

TEST_CASE("a fingerprint prints as 32 digits, high half first") {
  CHECK(to_string(Fingerprint{}) == "00000000000000000000000000000000");
  CHECK(to_string(Fingerprint{0x0123456789abcdef, 0xfedcba9876543210}) ==
        "0123456789abcdeffedcba9876543210");
  CHECK(Fingerprint{1, 0} > Fingerprint{0, 5});
}

}  // namespace fingerprint_test
