#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes rings in the wire format, from its description and with xxhsum alone, as hexadecimal for
tests/wire_test.cpp and as files for tests/fuzz/corpus/wire: wire_vectors.py [DIRECTORY]"""

import pathlib
import struct
import subprocess
import sys


def xxh128(data):
    command = ["xxhsum", "-H2", "-"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout.split()[0]


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def text(value):
    return varint(len(value)) + value


def word(number):
    return struct.pack("<Q", number)


XXH3_OF_PROBE = 0x65BC964A1EF1AA81  # printf 'clockwise policy probe' | xxhsum -H3


def message(vnodes, domains, members, seed=0, circle=XXH3_OF_PROBE):
    """members: (id, weight, domain, tokens or None)"""
    kind = 1 if vnodes == 0 else 0
    body = b"cwrg" + varint(1) + varint(1) + varint(kind) + text(b"xxh3-64")
    body += varint(1) + word(seed) + word(circle) + varint(vnodes)
    body += varint(len(domains)) + b"".join(text(d) + text(r) for d, r in domains)
    body += varint(len(members))
    for name, weight, domain, tokens in members:
        body += text(name) + varint(2 * domain + (weight != 1.0))
        if weight != 1.0:
            body += struct.pack("<d", weight)
        if kind == 1:
            body += varint(len(tokens)) + b"".join(word(t) for t in tokens)
    return body + word(int(xxh128(body)[16:32], 16))


VECTORS = {
    "empty": message(200, [], []),
    "three_caches": message(
        200, [(b"", b"")], [(b"cache-a", 1.0, 0, None), (b"cache-b", 2.5, 0, None), (b"cache-c", 0.0, 0, None)]
    ),
    "two_datacenters": message(
        16,
        [(b"east", b"r1"), (b"east", b"r2"), (b"west", b"r1")],
        [(b"a\0b", 1.0, 2, None), (b"a\0c", 0.005, 0, None), (b"z" * 200, 1.0, 1, None)],
    ),
    "tokens": message(
        0,
        [(b"", b""), (b"dc1", b"rack1")],
        [(b"n1", 1.0, 1, [0, 40, 2**64 - 1]), (b"n2", 2.0, 1, [40]), (b"n3", 0.0, 0, [])],
    ),
}

if __name__ == "__main__":
    for name, data in VECTORS.items():
        print(name, data.hex())
        if len(sys.argv) > 1:
            (pathlib.Path(sys.argv[1]) / f"{name}.bin").write_bytes(data)
