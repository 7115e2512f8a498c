// SPDX-License-Identifier: MIT
// Which bytes of a key are hashed. A change here moves every key of that type.

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "clockwise/hash_ring.hpp"

namespace key_bytes_test {

namespace {

using clockwise::HashRing;
using clockwise::Position;

const HashRing<> ring({"a"});

Position of_bytes(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return Position{clockwise::Xxh3{}(bytes)};
}

struct Name {
  std::string text;
  operator std::string_view() const { return text; }
};

struct Record {
  std::vector<signed char> bytes;
  operator std::span<const signed char>() const { return bytes; }
};

enum class Colour : unsigned char { blue = 0xf0 };
enum class Depth : int { below = -2 };
enum Plain { plain_two = 2 };

}  // namespace

TEST_CASE("text is its characters, in any type") {
  const Position expected = of_bytes({'k', '1'});
  const char* const pointer = "k1";
  char* const writable = const_cast<char*>(pointer);
  const char array[] = "k1";
  CHECK(ring.position_of("k1") == expected);
  CHECK(ring.position_of(pointer) == expected);
  CHECK(ring.position_of(writable) == expected);
  CHECK(ring.position_of(array) == expected);
  CHECK(ring.position_of(std::string("k1")) == expected);
  CHECK(ring.position_of(std::string_view("k1 and more", 2)) == expected);
  CHECK(ring.position_of(Name{"k1"}) == expected);
}

TEST_CASE("text in char8_t is its characters too, without a terminator") {
  CHECK(ring.position_of(u8"k1") == of_bytes({'k', '1'}));
  CHECK(ring.position_of(std::u8string(u8"k1")) == of_bytes({'k', '1'}));
  CHECK(ring.position_of(std::u8string_view(u8"k1")) == of_bytes({'k', '1'}));
  CHECK(ring.position_of(u8"é") == of_bytes({0xc3, 0xa9}));
}

TEST_CASE("text can contain zero bytes and can be empty") {
  CHECK(ring.position_of(std::string("a\0b", 3)) == of_bytes({'a', 0, 'b'}));
  CHECK(ring.position_of(std::string("a\0", 2)) != ring.position_of("a"));
  CHECK(ring.position_of("") == of_bytes({}));
  CHECK(ring.position_of(std::string_view()) == of_bytes({}));
}

TEST_CASE("an array of characters ends at its first zero, or where it ends") {
  struct Field {
    char name[4];
    char next[4];
  };
  const Field field{{'n', 'a', 'm', 'e'}, "xyz"};
  CHECK(ring.position_of(field.name) == of_bytes({'n', 'a', 'm', 'e'}));
  CHECK(ring.position_of(field.next) == ring.position_of("xyz"));
  CHECK(ring.position_of("a\0b") == ring.position_of("a"));
  const char8_t wide[2][2] = {{u8'a', u8'b'}, u8"c"};
  CHECK(ring.position_of(wide[0]) == ring.position_of("ab"));
  CHECK(ring.position_of(wide[1]) == ring.position_of("c"));

  // The same for ids.
  HashRing<> nodes;
  nodes.add(field.name);
  CHECK(nodes.contains("name"));
  CHECK(nodes.contains(field.name));
  CHECK(nodes.preference_list("key", 1).contains(field.name));
  nodes.add_all({field.next, {field.next + 1, 2}});
  CHECK(nodes.size() == 3);
  CHECK(nodes.contains("yz"));
  CHECK(nodes.remove(field.name));
  const char names[2][4] = {{'f', 'o', 'u', 'r'}, "abc"};
  CHECK(HashRing<>(names).contains("four"));
  struct Server {
    char id[4];
    char next[4];
  };
  const HashRing<clockwise::Xxh3, Server> servers({{{'n', 'a', 'm', 'e'}, "xyz"}});
  CHECK(servers.contains("name"));
}

TEST_CASE("a contiguous range of bytes is itself") {
  const Position expected = of_bytes({0x00, 0x7f, 0xff});
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{0x7f}, std::byte{0xff}};
  const unsigned char plain[] = {0x00, 0x7f, 0xff};
  CHECK(ring.position_of(bytes) == expected);
  CHECK(ring.position_of(std::span<const std::byte>(bytes)) == expected);
  CHECK(ring.position_of(std::span<const std::byte, 3>(bytes)) == expected);
  CHECK(ring.position_of(plain) == expected);
  CHECK(ring.position_of(std::vector<unsigned char>{0x00, 0x7f, 0xff}) == expected);
  CHECK(ring.position_of(std::array<std::uint8_t, 3>{0x00, 0x7f, 0xff}) == expected);
  CHECK(ring.position_of(std::vector<signed char>{0x00, 0x7f, -1}) == expected);
  CHECK(ring.position_of(std::vector<char>{'k', '1'}) == ring.position_of("k1"));
  CHECK(ring.position_of(std::vector<char8_t>{'k', '1'}) == ring.position_of("k1"));
  CHECK(ring.position_of(Record{{0x00, 0x7f, -1}}) == expected);
  CHECK(ring.position_of(std::vector<std::byte>{}) == ring.position_of(""));
}

TEST_CASE("an integer of any type is 64 bits, little-endian") {
  const Position forty_two = of_bytes({42, 0, 0, 0, 0, 0, 0, 0});
  CHECK(ring.position_of(42) == forty_two);
  CHECK(ring.position_of(42u) == forty_two);
  CHECK(ring.position_of(42L) == forty_two);
  CHECK(ring.position_of(42ULL) == forty_two);
  CHECK(ring.position_of(std::int8_t{42}) == forty_two);
  CHECK(ring.position_of(std::uint8_t{42}) == forty_two);
  CHECK(ring.position_of(std::int16_t{42}) == forty_two);
  CHECK(ring.position_of(char16_t{42}) == forty_two);
  CHECK(ring.position_of(0x0102030405060708) == of_bytes({8, 7, 6, 5, 4, 3, 2, 1}));
  CHECK(ring.position_of("42") != forty_two);
}

TEST_CASE("a negative integer is widened as two's complement") {
  const Position minus_one = of_bytes({255, 255, 255, 255, 255, 255, 255, 255});
  CHECK(ring.position_of(-1) == minus_one);
  CHECK(ring.position_of(std::int8_t{-1}) == minus_one);
  CHECK(ring.position_of(std::int64_t{-1}) == minus_one);
  CHECK(ring.position_of(~std::uint64_t{0}) == minus_one);
  CHECK(ring.position_of(0xffffffffu) == of_bytes({255, 255, 255, 255, 0, 0, 0, 0}));
  CHECK(ring.position_of((std::numeric_limits<std::int64_t>::min)()) ==
        of_bytes({0, 0, 0, 0, 0, 0, 0, 0x80}));
}

TEST_CASE("an enum is its underlying integer") {
  CHECK(ring.position_of(Colour::blue) == ring.position_of(0xf0));
  CHECK(ring.position_of(Depth::below) == ring.position_of(-2));
  CHECK(ring.position_of(plain_two) == ring.position_of(2));
  CHECK(ring.position_of(std::byte{5}) == ring.position_of(5));
}

TEST_CASE("a Position is not hashed again") {
  CHECK(ring.position_of(Position{42}) == Position{42});
  CHECK(ring.position_of(ring.position_of("k1")) == ring.position_of("k1"));
}

TEST_CASE("the policy and its seed decide the position of the bytes") {
  using clockwise::HashRing;
  using clockwise::Xxh3;
  using clockwise::Xxh64;
  const HashRing<Xxh3> seeded(clockwise::RingOptions{}, Xxh3{1});
  const HashRing<Xxh64> other;
  const HashRing<Xxh64> other_seeded(clockwise::RingOptions{}, Xxh64{1});
  CHECK(seeded.position_of("k1") != ring.position_of("k1"));
  CHECK(other.position_of("k1") != ring.position_of("k1"));
  CHECK(other_seeded.position_of("k1") != other.position_of("k1"));
  CHECK(seeded.hash().seed == 1);
}

}  // namespace key_bytes_test
