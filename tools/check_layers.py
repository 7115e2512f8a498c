#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layer rule: a header includes headers of lower layers only, so siblings never include each
other and there is no cycle; and below layer 3 nothing includes a slow standard header."""

import pathlib
import re
import sys

# From low to high; each line is a layer, and detail/ headers stand between the public ones. A new
# header takes its place here before anything else.
LAYERS = [
    ("0", "config version"),
    ("0, detail", "detail/error detail/fixed_point detail/hash_policy detail/index_iterator detail/mix  detail/ieee detail/md5"
                  "detail/node_id"),
    ("0, detail", "detail/weighted_rank"),
    ("side", "theory"),  # includes nothing, see ALONE
    ("1", "arc concepts fwd hash node replica_list"),
    ("1, detail", "detail/member_table detail/ring_table detail/successors detail/topology"),
    ("1, detail", "detail/walk"),
    ("1, detail", "detail/ring_base"),
    ("1, detail", "detail/ring_edit detail/listed_ring"),
    ("2", "hash_ring mod_n rendezvous token_ring"),
    ("side", "compat/ketama"),
    ("3", "balance movement"),
    ("top", "clockwise"),
]
ALONE = {"theory"}
FIRST_THAT_MAY_BE_SLOW = "3"
SLOW = {"chrono", "functional", "iostream", "random", "ranges", "regex", "thread"}

ROOT = pathlib.Path(__file__).resolve().parent.parent / "include" / "clockwise"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def main():
    rank = {header: i for i, (_, headers) in enumerate(LAYERS) for header in headers.split()}
    may_be_slow = [name for name, _ in LAYERS].index(FIRST_THAT_MAY_BE_SLOW)
    present = {str(path.relative_to(ROOT).with_suffix("")): path for path in ROOT.rglob("*.hpp")}
    errors = [f"{header}.hpp has no layer" for header in sorted(present.keys() - rank.keys())]
    errors += [f"{header}.hpp has a layer and does not exist" for header in rank.keys() - present.keys()]

    for header in sorted(present.keys() & rank.keys()):
        for bracket, included in INCLUDE.findall(present[header].read_text()):
            where = f"{header}.hpp includes {included}"
            if included.startswith("clockwise/"):
                target = included.removeprefix("clockwise/").removesuffix(".hpp")
                if bracket == "<":
                    errors.append(f"{where} in angle brackets")
                if header in ALONE:
                    errors.append(f"{where} and is to stand alone")
                elif rank.get(target, -1) >= rank[header]:
                    errors.append(f"{where}, which is not of a lower layer")
            elif bracket == '"':
                errors.append(f"{where} in quotes, by another path than clockwise/…")
            elif included in SLOW and rank[header] < may_be_slow:
                errors.append(f"{where}, which is slow to compile, below layer {FIRST_THAT_MAY_BE_SLOW}")

    for error in errors:
        print(f"layers: {error}", file=sys.stderr)
    print(f"layers: {len(present)} headers, {len(errors)} errors")
    return 1 if errors or not present else 0


if __name__ == "__main__":
    sys.exit(main())
