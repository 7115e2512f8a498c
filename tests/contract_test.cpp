// SPDX-License-Identifier: MIT
// Asserts which functions can throw, which types are a Partitioner, and which can be copied and
// moved. Asserted both ways: no promise is broken or made by accident.

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clockwise/concepts.hpp"
#include "clockwise/hash_ring.hpp"
#include "clockwise/mod_n.hpp"
#include "support/hashes.hpp"

namespace contract_test {

using clockwise::HashFunction;
using clockwise::HashRing;
using clockwise::ModN;
using clockwise::NodeOptions;
using clockwise::Partitioner;
using clockwise::Position;
using clockwise::RingOptions;
using clockwise::Spread;
using clockwise::Xxh3;
using clockwise::Xxh64;

namespace {

using Ring = HashRing<>;
using Edit = Ring::Edit;

// Never called: noexcept() only uses their types.
struct Ask {
  static Ring& ring() noexcept;
  static const Ring& view() noexcept;
  static const ModN<>& mod_n() noexcept;
  static Edit& edit() noexcept;
  static const std::string& text() noexcept;
};

// Lookups that cannot fail.
static_assert(noexcept(Ask::view().try_lookup("key")));
static_assert(noexcept(Ask::view().try_lookup(42)));
static_assert(noexcept(Ask::view().try_lookup(Position{1})));
static_assert(noexcept(Ask::view().lookup_index(Position{1})));
static_assert(noexcept(Ask::view().position_of(Ask::text())));
static_assert(noexcept(Ask::view().size()));
static_assert(noexcept(Ask::view().empty()));
static_assert(noexcept(Ask::view().vnode_count()));
static_assert(noexcept(Ask::view().positions()));
static_assert(noexcept(Ask::view().owners()));
static_assert(noexcept(Ask::view().members()));
static_assert(noexcept(Ask::view().node(0)));
static_assert(noexcept(Ask::view().options()));
static_assert(noexcept(Ask::view().hash()));
static_assert(noexcept(Ask::view().circle()));
static_assert(noexcept(Ask::view().default_spread()));
static_assert(noexcept(Ask::ring().clear()));
static_assert(noexcept(Ask::mod_n().try_lookup("key")));
static_assert(noexcept(Xxh3{}(std::span<const std::byte>())));
static_assert(noexcept(Xxh64{}(std::span<const std::byte>())));

// Lookups that can fail, and so must not promise.
static_assert(!noexcept(Ask::view().lookup("key")));
static_assert(!noexcept(Ask::view().arc_of(Position{1})));
static_assert(!noexcept(Ask::view().lookup_batch({}, {})));
static_assert(!noexcept(Ask::view().preference_list("key", 3)));
static_assert(!noexcept(Ask::view().preference_list("key", 3, Spread::nodes)));
static_assert(!noexcept(Ask::view().load_shares()));
static_assert(!noexcept(Ask::view().widths()));
static_assert(!noexcept(Ask::view().fingerprint()));
static_assert(!noexcept(Ask::ring().add("a")));
static_assert(!noexcept(Ask::ring().add("a", 2.0)));
static_assert(!noexcept(Ask::ring().add("a", NodeOptions{})));
static_assert(!noexcept(Ask::ring().add_all(std::vector<std::string>())));
static_assert(!noexcept(Ask::ring().remove("a")));
static_assert(!noexcept(Ask::ring().set_weight("a", 1)));
static_assert(!noexcept(Ask::ring().update([](Edit&) {})));
static_assert(!noexcept(Ask::edit().add("a")));
static_assert(!noexcept(Ask::edit().remove("a")));
static_assert(!noexcept(Ask::mod_n().lookup("key")));
static_assert(!noexcept(Ring(RingOptions{})));

// Rings are values.
static_assert(std::is_nothrow_move_constructible_v<Ring>);
static_assert(std::is_nothrow_move_assignable_v<Ring>);
static_assert(std::is_nothrow_swappable_v<Ring>);
static_assert(std::is_copy_constructible_v<Ring> && !std::is_nothrow_copy_constructible_v<Ring>);
static_assert(std::is_copy_assignable_v<Ring> && !std::is_nothrow_copy_assignable_v<Ring>);
static_assert(std::is_nothrow_move_constructible_v<ModN<>>);
static_assert(std::is_nothrow_move_assignable_v<ModN<>>);

// A vector or a RingOptions does not convert to a ring implicitly.
static_assert(!std::is_convertible_v<std::vector<std::string>, Ring>);
static_assert(!std::is_convertible_v<RingOptions, Ring>);
static_assert(std::is_constructible_v<Ring, std::vector<std::string>>);
static_assert(!std::is_constructible_v<Ring, int>);

// A lookup returns a reference into the ring, never a copy.
static_assert(std::is_same_v<decltype(Ask::view().lookup("key")), const std::string&>);
static_assert(std::is_same_v<decltype(Ask::view().try_lookup("key")), const std::string*>);
static_assert(std::is_same_v<decltype(Ask::view().lookup_index(Position{1})), std::uint16_t>);
static_assert(std::is_same_v<decltype(Ask::view().positions()), std::span<const std::uint64_t>>);
static_assert(std::is_same_v<decltype(Ask::view().owners()), std::span<const std::uint16_t>>);
static_assert(Ring::npos == 0xffff);
static_assert(HashRing<Xxh3, int, std::uint8_t>::npos == 0xff);
static_assert(HashRing<Xxh3, int, std::uint32_t>::npos == 0xffffffff);

// The defaults are the contract's.
static_assert(std::is_same_v<Ring, HashRing<Xxh3, std::string, std::uint16_t>>);
static_assert(std::is_same_v<decltype(HashRing({"a", "b"})), Ring>);
static_assert(std::is_same_v<decltype(HashRing(RingOptions{8})), Ring>);
static_assert(std::is_same_v<decltype(HashRing({"a"}, RingOptions{8}, Xxh64{})), HashRing<Xxh64>>);
static_assert(RingOptions{}.vnodes == 200);
static_assert(Xxh3::name == "xxh3-64");
static_assert(Xxh64::name == "xxh64");
static_assert(Xxh3{}.seed == 0);

static_assert(Partitioner<Ring>);
static_assert(Partitioner<HashRing<Xxh64, int, std::uint32_t>>);
static_assert(Partitioner<HashRing<clockwise_test::ConstantHash>>);
static_assert(Partitioner<ModN<Xxh3, int>>);
static_assert(!Partitioner<std::vector<std::string>>);

}  // namespace

namespace policies {

struct MayThrow {
  static constexpr std::string_view name = "may-throw";
  std::uint64_t operator()(std::span<const std::byte>) const { return 0; }
};
struct Nameless {
  std::uint64_t operator()(std::span<const std::byte>) const noexcept { return 0; }
};
struct Narrow {
  static constexpr std::string_view name = "narrow";
  std::uint32_t operator()(std::span<const std::byte>) const noexcept { return 0; }
};
struct Mutable {
  static constexpr std::string_view name = "mutable";
  std::uint64_t operator()(std::span<const std::byte>) noexcept { return 0; }
};

}  // namespace policies

static_assert(HashFunction<Xxh3> && HashFunction<Xxh64>);
static_assert(!HashFunction<policies::MayThrow>);
static_assert(!HashFunction<policies::Nameless>);
static_assert(!HashFunction<policies::Narrow>,
              "32 bits would leave all but 2^-32 of the circle empty");
static_assert(!HashFunction<policies::Mutable>);
static_assert(!HashFunction<std::hash<std::string>>);

TEST_CASE("the promises hold: this file compiles") {
  // Functions that promise not to throw do not: on an empty ring, and on an empty key.
  const Ring ring;
  CHECK(ring.try_lookup("") == nullptr);
  CHECK(ring.lookup_index(Position{}) == Ring::npos);
  CHECK(ring.members().empty());
  CHECK(NodeOptions{}.weight == 1.0);
}

}  // namespace contract_test
