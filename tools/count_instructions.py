#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""count_instructions.py PROGRAM OUT.json: instructions per lookup, counted by callgrind.

PROGRAM is bench/lookup_instructions. Each operation runs COUNT times and then twice as often. Its
cost is the difference, minus that of an empty operation. The machine's load does not matter."""

import json
import re
import subprocess
import sys

SIZES = [(16, 200), (100, 200), (1000, 200), (10000, 200)]
WHAT = ["lower_bound", "no_index", "index", "preference_list", "replica_table"]
COUNT = 20000


def instructions(program, what, nodes, vnodes, count):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what, str(nodes), str(vnodes), str(count)],
        check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1))


def main():
    program, out = sys.argv[1:]
    result = {}
    for nodes, vnodes in SIZES:
        def difference(what):
            once, twice = (instructions(program, what, nodes, vnodes, n) for n in (COUNT, 2 * COUNT))
            return (twice - once) / COUNT

        nothing = difference("nothing")
        for what in WHAT:
            result.setdefault(what, {})[f"{nodes}x{vnodes}"] = difference(what) - nothing
    with open(out, "w") as file:
        json.dump(result, file, indent=2)
    print(f"{out}: instructions per lookup of {', '.join(WHAT)}")


if __name__ == "__main__":
    main()
