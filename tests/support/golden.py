#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes golden_vectors.hpp: where the placement contract puts keys, vnodes, owners and copies.

Needs python3-xxhash, or another binding called `xxhash`; shares no code with the library. From the
top of the tree:

    python3 tests/support/golden.py > tests/golden_vectors.hpp

Any single position can be checked by hand: printf 'cache-a#0' | xxhsum -H3
"""

import struct

import xxhash

VNODES = 40
CIRCLE = 1 << 64

# id, weight, rack, datacenter. One drained, one of less than a vnode, one with bytes that compare
# differently as signed and unsigned characters.
FLEET = [
    (b"cache-a", 1.0, b"r1", b"east"),
    (b"cache-b", 2.0, b"r1", b"east"),
    (b"cache-c", 0.5, b"r2", b"east"),
    (b"cache-d", 0.0, b"r3", b"west"),
    (b"cache-e", 0.001, b"r2", b"west"),
    (b"cache-f", 1.0, b"", b"west"),
    (b"caf\xc3\xa9", 1.2625, b"r4", b"west"),
]

# What the C++ key is, its bytes as the contract says.
TEXT_KEYS = [b"", b"a", b"user:42", b"session/9f86d081884c7d65", b"caf\xc3\xa9", b"a\0b",
             b"https://shop.example/berlin/boots/12345.html", b"x" * 300]
INTEGER_KEYS = [0, 1, 42, 255, 65536, 0x0102030405060708, -1, -42, -(1 << 63)]


def xxh3(data, seed=0):
    return xxhash.xxh3_64_intdigest(data, seed)


def xxh64(data, seed=0):
    return xxhash.xxh64_intdigest(data, seed)


def integer_bytes(number):
    return struct.pack("<Q", number % CIRCLE)


def vnodes_of(weight):
    # llround: halves away from zero, and at least one.
    return 0 if weight == 0 else max(1, int(weight * VNODES + 0.5))


def points():
    result = []
    for name, weight, _, _ in FLEET:
        for i in range(vnodes_of(weight)):
            result.append((xxh3(name + b"#" + str(i).encode()), name))
    return sorted(result)  # bytes compare as unsigned


POINTS = points()


def clockwise_from(position):
    order = []
    for _, name in [p for p in POINTS if p[0] >= position] + [p for p in POINTS if p[0] < position]:
        if name not in order:
            order.append(name)
    return order


def rack_list(position, replicas):
    racks = {name: (datacenter, rack) if rack else name for name, _, rack, datacenter in FLEET}
    order = clockwise_from(position)
    spare = max(0, replicas - len({racks[name] for name in order}))
    used, result = set(), []
    for name in order:
        if len(result) == replicas:
            break
        if racks[name] not in used:
            used.add(racks[name])
            result.append(name)
        elif spare > 0:
            spare -= 1
            result.append(name)
    return result


def fingerprint():
    def number(value):
        return struct.pack("<Q", value)

    def text(value):
        return number(len(value)) + value

    data = b"clockwise ring, contract 1" + text(b"xxh3-64") + number(xxh3(b"clockwise policy probe"))
    data += number(VNODES) + number(len(FLEET))
    for name, weight, rack, datacenter in sorted(FLEET):
        data += text(name) + struct.pack("<d", weight) + text(rack) + text(datacenter)
    return xxhash.xxh3_128_hexdigest(data)


def quoted(data):
    """A C++ literal; a byte that is not plain text becomes an octal escape, which ends after three digits."""
    body = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else "\\%03o" % b for b in data)
    return 'std::string_view("%s", %d)' % (body, len(data))


def literal(number):
    return "0x%016x" % number



def cxx_names(items):
    return quoted(b"|".join(items))


def emit():
    out = []
    say = out.append
    say("""// SPDX-License-Identifier: MIT
// clang-format off
#ifndef CLOCKWISE_TESTS_GOLDEN_VECTORS_HPP
#define CLOCKWISE_TESTS_GOLDEN_VECTORS_HPP

// Made by tests/support/golden.py, from the contract and xxHash alone:
//
//   python3 tests/support/golden.py > tests/golden_vectors.hpp
//
// A test that these vectors turn red means that every deployed fleet would reshuffle. Do not make
// them anew to turn it green: placement is a wire contract, and a new rule is a new version of it.

#include <cstdint>      // int64_t, uint32_t, uint64_t
#include <string_view>  // string_view

namespace golden {

struct TextKey {
  std::string_view key;
  std::uint64_t xxh3;
  std::uint64_t xxh3_seed_42;
  std::uint64_t xxh64;
  std::uint64_t xxh64_seed_42;
};
inline constexpr TextKey text_keys[] = {""")
    for key in TEXT_KEYS:
        say("    {%s, %s, %s, %s, %s}," % (quoted(key), literal(xxh3(key)), literal(xxh3(key, 42)),
                                           literal(xxh64(key)), literal(xxh64(key, 42))))
    say("""};

// Integers of any width: 64 bits in two's complement, little-endian.
struct IntegerKey {
  std::int64_t key;
  std::uint64_t xxh3;
};
inline constexpr IntegerKey integer_keys[] = {""")
    for key in INTEGER_KEYS:
        text = "-9223372036854775807 - 1" if key == -(1 << 63) else str(key)
        say("    {%s, %s}," % (text, literal(xxh3(integer_bytes(key)))))
    say("""};

// The fleet, in the order of the bytes of its ids.
struct Node {
  std::string_view id;
  double weight;
  std::string_view rack;
  std::string_view datacenter;
  std::uint32_t vnodes;
  std::uint64_t share_high;  // the share of the circle is this * 2^64 + share_low positions
  std::uint64_t share_low;
};
inline constexpr std::uint32_t vnodes = %d;
inline constexpr Node fleet[] = {""" % VNODES)
    shares = {name: 0 for name, _, _, _ in FLEET}
    last = POINTS[-1][0] - CIRCLE
    for position, name in POINTS:
        shares[name] += position - last
        last = position
    assert sum(shares.values()) == CIRCLE
    for name, weight, rack, datacenter in sorted(FLEET):
        say("    {%s, %s, %s, %s, %d, %d, %s}," % (
            quoted(name), repr(weight), quoted(rack), quoted(datacenter), vnodes_of(weight),
            shares[name] // CIRCLE, literal(shares[name] % CIRCLE)))
    say("""};
inline constexpr std::string_view fingerprint = "%s";

// Every vnode, clockwise: its position and its owner's place in the fleet.
struct Vnode {
  std::uint64_t position;
  std::uint32_t owner;
};
inline constexpr Vnode ring[] = {""" % fingerprint())
    order = [name for name, _, _, _ in sorted(FLEET)]
    for start in range(0, len(POINTS), 3):
        row = ["{%s, %d}," % (literal(p), order.index(name)) for p, name in POINTS[start:start + 3]]
        say("    " + " ".join(row))
    say("""};

// Owners and copies: the first three nodes, and the first three and six by the rule of racks.
struct Placement {
  std::uint64_t position;
  std::string_view nodes;
  std::string_view racks;
  std::string_view six_by_racks;
};
inline constexpr Placement placements[] = {""")
    positions = [xxh3(key) for key in TEXT_KEYS] + [xxh3(integer_bytes(k)) for k in INTEGER_KEYS]
    first, final = POINTS[0][0], POINTS[-1][0]
    positions += [0, CIRCLE - 1, first, first + 1, final, final + 1, POINTS[17][0], POINTS[17][0] + 1]
    for position in positions:
        say("    {%s, %s, %s, %s}," % (literal(position), cxx_names(clockwise_from(position)[:3]),
                                       cxx_names(rack_list(position, 3)),
                                       cxx_names(rack_list(position, 6))))
    say("""};

// All of key-0 .. key-9999: FNV-1a, 64 bits, over each owner's id and a newline.""")
    checksum = 14695981039346656037
    for number in range(10000):
        owner = clockwise_from(xxh3(b"key-%d" % number))[0]
        for byte in owner + b"\n":
            checksum = (checksum ^ byte) * 1099511628211 % CIRCLE
    say("inline constexpr std::uint64_t owners_of_10000_keys = %s;" % literal(checksum))
    say("""
}  // namespace golden

#endif  // CLOCKWISE_TESTS_GOLDEN_VECTORS_HPP""")
    return "\n".join(out)


if __name__ == "__main__":
    print(emit())
