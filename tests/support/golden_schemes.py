#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes golden_schemes.hpp: where the schemes other than the ring place keys.

Needs python3-xxhash, or another binding called `xxhash`; shares no code with the library, and uses
real logarithms instead of the library's integer ones. From the top of the tree:

    python3 tests/support/golden_schemes.py > tests/golden_schemes.hpp
"""

from decimal import Decimal, getcontext
from fractions import Fraction

import xxhash

getcontext().prec = 50
MASK = (1 << 64) - 1

# In the order of their bytes, which is how members are numbered.
NODES = [b"cache-a", b"cache-b", b"cache-c", b"cache-d", b"cache-e", b"cache-f", b"caf\xc3\xa9"]
WEIGHTS = [1, 2, Fraction(1, 2), 0, Fraction(1, 4), 1, Fraction(3, 2)]
KEYS = [b"", b"a", b"user:42"] + [b"key%d" % i for i in range(29)]


def xxh3(data):
    return xxhash.xxh3_64_intdigest(data)


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def draw(key, i):
    return mix((key + (i + 1) * 0x9E3779B97F4A7C15) & MASK)


def rendezvous(key, weights):
    def rank(i):
        x = mix(key ^ xxh3(NODES[i]))
        u = Decimal(x + 1) / Decimal(1 << 64)
        weight = Decimal(weights[i].numerator) / Decimal(weights[i].denominator)
        return (-u.ln() / weight, MASK - x, i)

    return sorted((i for i in range(len(NODES)) if weights[i] > 0), key=rank)


def jump(key, n):
    b, j = -1, 0
    while j < n:
        b = j
        key = (key * 2862933555777941757 + 1) & MASK
        j = int(float(b + 1) * (float(1 << 31) / float((key >> 33) + 1)))
    return b


def jump_back(key, n):
    upper = mix(key) & ((1 << (n - 1).bit_length()) - 1)
    while upper:
        level = upper.bit_length() - 1
        half = 1 << level
        stream = draw(key, level)
        bucket = half + stream % half
        i = 0
        while bucket >= n:
            bucket = draw(stream, i) % (2 * half)
            i += 1
        if bucket >= half:
            return bucket
        upper ^= half
    return 0


def distinct(tries, count):
    order = []
    for node in tries:
        if node not in order:
            order.append(node)
        if len(order) == count:
            return order


def jump_tries(key, range_hash, gaps=()):
    n = len(NODES)
    i = 0
    while True:
        bucket = range_hash(key if i == 0 else draw(~key & MASK, i), n)
        if bucket not in gaps:
            yield bucket
        i += 1


MAGLEV_SIZE = 251


def maglev_table(weights):
    ways = [(xxh3(id) % MAGLEV_SIZE,
             xxhash.xxh3_64_intdigest(id, 1) % (MAGLEV_SIZE - 1) + 1) for id in NODES]
    table = [None] * MAGLEV_SIZE
    steps = [0] * len(NODES)
    turns = [0] * len(NODES)
    k = 0
    while None in table:
        k += 1
        for i, weight in enumerate(weights):
            if weight == 0 or k * weight < turns[i] * max(weights) or None not in table:
                continue
            while table[(ways[i][0] + steps[i] * ways[i][1]) % MAGLEV_SIZE] is not None:
                steps[i] += 1
            table[(ways[i][0] + steps[i] * ways[i][1]) % MAGLEV_SIZE] = i
            turns[i] += 1
    return table


def maglev_tries(key, table):
    for i in range(MAGLEV_SIZE):
        yield table[(key + i) % MAGLEV_SIZE]


def multi_probe(key):
    positions = [xxh3(id) for id in NODES]
    return sorted(range(len(NODES)), key=lambda i: (
        min((positions[i] - draw(key, probe)) & MASK for probe in range(21)), i))


SLOTS = 100


def slot_table(weights):
    """Dealt to an empty map, all nodes at once."""
    total = sum(weights)
    quotas = [SLOTS * w / Fraction(total) for w in weights]
    target = [int(q) for q in quotas]
    rounding = sorted((i for i, q in enumerate(quotas) if q != int(q)),
                      key=lambda i: (target[i] - quotas[i], i))
    for i in rounding[:SLOTS - sum(target)]:
        target[i] += 1
    due = sorted((Fraction(2 * k + 1, 2 * lacks), i)
                 for i, lacks in enumerate(target) for k in range(lacks))
    return [i for _, i in due]


def quoted(data):
    return '"' + "".join(chr(b) if 32 <= b < 127 else "\\%03o" % b for b in data) + '"'


def digits(order):
    return '"' + "".join(str(i) for i in order) + '"'


def main():
    equal = [1] * len(NODES)
    maglev = maglev_table(equal)
    weighted = maglev_table(WEIGHTS)
    print("""// SPDX-License-Identifier: MIT
// clang-format off
#ifndef CLOCKWISE_TESTS_GOLDEN_SCHEMES_HPP
#define CLOCKWISE_TESTS_GOLDEN_SCHEMES_HPP

// Made by tests/support/golden_schemes.py, from the documented rules and xxHash alone:
//
//   python3 tests/support/golden_schemes.py > tests/golden_schemes.hpp
//
// As with golden_vectors.hpp, red means that fleets would reshuffle: do not make these anew.

#include <cstdint>      // uint32_t
#include <string_view>  // string_view

namespace golden {

struct SchemeNode {
  std::string_view id;
  double weight;
};
inline constexpr SchemeNode scheme_nodes[] = {""")
    for id, weight in zip(NODES, WEIGHTS):
        print(f"    {{{quoted(id)}, {float(weight)}}},")
    print(f"""}};

// Numbers of nodes in order of preference, the owner first: of all of them with equal weights, or
// with theirs.
struct SchemeOwners {{
  std::string_view key;
  std::string_view rendezvous;           // the whole order
  std::string_view rendezvous_weighted;  // the whole order
  std::string_view jump;                 // three
  std::string_view jump_back;            // three
  std::string_view jump_back_gaps;       // three, without nodes 2 and 6
  std::string_view maglev;               // three, of {MAGLEV_SIZE} entries
  std::string_view maglev_weighted;      // three
  std::string_view multi_probe;          // the whole order
  std::uint32_t slot;                    // of {SLOTS}
}};
inline constexpr std::uint32_t maglev_size = {MAGLEV_SIZE};
inline constexpr std::uint32_t slots = {SLOTS};
inline constexpr SchemeOwners scheme_owners[] = {{""")
    for text in KEYS:
        key = xxh3(text)
        row = [digits(rendezvous(key, [Fraction(1)] * len(NODES))),
               digits(rendezvous(key, [Fraction(w) for w in WEIGHTS])),
               digits(distinct(jump_tries(key, jump), 3)),
               digits(distinct(jump_tries(key, jump_back), 3)),
               digits(distinct(jump_tries(key, jump_back, gaps=(2, 6)), 3)),
               digits(distinct(maglev_tries(key, maglev), 3)),
               digits(distinct(maglev_tries(key, weighted), 3)),
               digits(multi_probe(key)), str(key * SLOTS >> 64)]
        print(f"    {{{quoted(text)}, {', '.join(row)}}},")
    print(f"""}};

// The owner of each slot, all nodes added at once with their weights.
inline constexpr std::string_view slot_owners =
    {digits(slot_table([Fraction(w) for w in WEIGHTS]))};

}}  // namespace golden

#endif  // CLOCKWISE_TESTS_GOLDEN_SCHEMES_HPP""")


if __name__ == "__main__":
    main()
