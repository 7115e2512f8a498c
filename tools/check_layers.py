#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the layers: a header includes only headers of lower layers, so siblings never include each
other and there is no cycle. Below layer 3, no header includes a slow standard header."""

import pathlib
import re
import sys

# A header includes only headers with a smaller number. detail/ is between the public layers. Add a
# new header here first. A number can have several lines.
LAYERS = """
0     config version theory
0.2   detail/error detail/fixed_point detail/hash_policy detail/index_iterator
0.2   detail/crc16 detail/crc32 detail/md5 detail/mix detail/murmur2 detail/murmur3 detail/node_id
0.4   detail/ieee detail/maglev_table detail/resp detail/weighted_rank
1     arc concepts fwd hash node replica_list
1.1   detail/lookup_index
1.2   detail/member_table detail/ring_table detail/successors detail/topology
1.4   detail/walk
1.5   detail/bucket_table detail/replica_sweep
1.6   detail/ring_base
1.7   detail/ring_diff
1.8   detail/listed_ring detail/ring_edit
2     hash_ring jump maglev mod_n multi_probe rendezvous slot_map token_ring
2.5   replica_table
3     balance bounded_load durability fleet hot_key migration movement shared token_allocator
3     transition wire
3     compat/cassandra compat/envoy compat/haproxy compat/ketama compat/nginx compat/redis_cluster
9     clockwise
"""
MAY_BE_SLOW = 3
SLOW = {"chrono", "functional", "iostream", "random", "ranges", "regex", "thread"}

ROOT = pathlib.Path(__file__).resolve().parent.parent / "include" / "clockwise"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def main():
    rank = {}
    for line in LAYERS.strip().splitlines():
        number, *headers = line.split()
        rank |= {header: float(number) for header in headers}
    present = {str(path.relative_to(ROOT).with_suffix("")): path for path in ROOT.rglob("*.hpp")}
    errors = [f"{header}.hpp has no layer" for header in sorted(present.keys() - rank.keys())]
    errors += [f"{header}.hpp has a layer and does not exist" for header in sorted(rank.keys() - present.keys())]

    for header in sorted(present.keys() & rank.keys()):
        for bracket, included in INCLUDE.findall(present[header].read_text()):
            where = f"{header}.hpp includes {included}"
            if included.startswith("clockwise/"):
                target = included.removeprefix("clockwise/").removesuffix(".hpp")
                if bracket == "<":
                    errors.append(f"{where} in angle brackets")
                if rank.get(target, 9) >= rank[header]:
                    errors.append(f"{where}, which is not of a lower layer")
            elif bracket == '"':
                errors.append(f"{where} in quotes, by another path than clockwise/…")
            elif included in SLOW and rank[header] < MAY_BE_SLOW:
                errors.append(f"{where}, which is slow to compile, below layer {MAY_BE_SLOW}")

    for error in errors:
        print(f"layers: {error}", file=sys.stderr)
    print(f"layers: {len(present)} headers, {len(errors)} errors")
    return 1 if errors or not present else 0


if __name__ == "__main__":
    sys.exit(main())
