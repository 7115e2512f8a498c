#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_report.py FOLDER [PAGE.md]: formats the results of the benchmarks as tables and a plot.

FOLDER holds what Google Benchmark wrote: lookup.json and membership.json for docs/performance.md, and
optionally instructions.json; replicas.json for docs/token-allocation.md. Without PAGE.md, prints the
tables. With it, replaces the part of the page between "<!-- measured -->" and "<!-- end -->", and for
performance.md redraws lookup.svg in the page's folder."""

import json
import math
import pathlib
import re
import sys

NAMES = {
    "limit": "one random read, the limit",
    "lower_bound": "`std::lower_bound`",
    "map": "`std::map`",
    "no_index": "`NoIndex`",
    "index": "**the index**",
}


def medians(path, value):
    """{benchmark name: value of its median}, or of its only run."""
    result = {}
    for run in json.loads(path.read_text())["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"{run['name']}: {run['error_message']}")
        if run.get("aggregate_name", "median") == "median":
            result[re.sub(r"/(iterations|repeats|manual_time).*", "", run["run_name"])] = value(run)
    return result


def number(value):
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def positions(size):
    nodes, vnodes = size.split("x")
    return int(nodes) * int(vnodes)


class Measured:
    """measure -> what -> size -> ns."""

    def __init__(self, lookups):
        self.ns = {}
        for name, value in lookups.items():
            measure, what, size = name.split("/")
            self.ns.setdefault(measure, {}).setdefault(what, {})[size] = value

    def sizes(self, measure):
        found = {size for row in self.ns[measure].values() for size in row}
        return sorted(found, key=lambda size: positions(size) if "x" in size else int(size))

    def rows(self, measure, whats, sizes):
        ns = self.ns[measure]
        return [[NAMES.get(what, what)] + [number(ns[what][size]) if size in ns[what] else "" for size in sizes]
                for what in whats]

    def ratio(self, measure, title, above, below, sizes):
        ns = self.ns[measure]
        cells = [number(ns[above][size] / ns[below][size]) if size in ns[above] and size in ns[below] else ""
                 for size in sizes]
        return [title] + cells


def owner_tables(measured):
    for measure, title in (("throughput", "Throughput"), ("latency", "Dependent latency"), ("cold", "Cold, dependent")):
        sizes = measured.sizes(measure)
        yield f"**{title}**, ns per lookup, with the key already hashed:\n"
        rows = measured.rows(measure, NAMES, sizes)
        if measure == "throughput":
            rows += [["`lookup_batch`"] + measured.rows(measure, ["batch"], sizes)[0][1:]]
        rows.append(measured.ratio(measure, "`lower_bound` / the index", "lower_bound", "index", sizes))
        rows.append(measured.ratio(measure, "the index / the limit", "index", "limit", sizes))
        yield table([""] + [f"{positions(size):,}" for size in sizes], rows) + "\n"


def key_table(measured):
    # This lookup is also in the table of replicas; both must show the same figure.
    measured.ns["keys"]["lookup"]["16"] = measured.ns["replicas_of_16_bytes"]["lookup"]["16x200"]
    sizes = measured.sizes("keys")
    whats = [what for what in ("hash", "lookup", "libmemcached") if what in measured.ns["keys"]]
    names = {"hash": "the bare hash, XXH3", "lookup": "`lookup(string)`", "libmemcached": "libmemcached, ketama"}
    rows = [[names[what]] + measured.rows("keys", [what], sizes)[0][1:] for what in whats]
    rows.append(measured.ratio("keys", "lookup / hash", "lookup", "hash", sizes))
    if "libmemcached" in whats:
        rows.append(measured.ratio("keys", "libmemcached / lookup", "libmemcached", "lookup", sizes))
    yield "**String keys**, ns, 3,200 vnodes, by length in bytes:\n"
    yield table([""] + sizes, rows) + "\n"


def replica_tables(measured):
    names = {"lookup": "`lookup`", "preference_list": "`preference_list(key, 3)`",
             "preference_list_by_racks": "`preference_list` over 8 racks", "table": "`ReplicaTable`",
             "table_front": "`ReplicaTable`, first node only"}
    for measure, title in (("replicas_of_16_bytes", "strings of 16 bytes"), ("replicas", "with the key already hashed")):
        sizes = measured.sizes(measure)
        rows = [[name] + measured.rows(measure, [what], sizes)[0][1:] for what, name in names.items()]
        for what in list(names)[1:]:
            rows.append(measured.ratio(measure, names[what] + " / `lookup`", what, "lookup", sizes))
        yield f"**Three replicas**, {title}, ns, all three nodes read unless stated:\n"
        yield table([""] + [f"{positions(size):,}" for size in sizes], rows) + "\n"


def membership_table(times):
    counts = sorted({int(name.rsplit("/", 1)[1]) for name in times})
    names = {"hash_and_sort": "hash and sort, no owners", "add_all<NoIndex>": "`add_all`, `NoIndex`",
             "add_all<BucketIndex>": "`add_all`", "copy_arrays": "copy both arrays",
             "join<NoIndex>": "join, `NoIndex`", "join<BucketIndex>": "join"}
    rows = [[title] + [number(times[f"{name}/{count}"]) for count in counts] for name, title in names.items()]
    for title, above, below in (("`add_all` / hash and sort", "add_all<BucketIndex>", "hash_and_sort"),
                                ("join, `NoIndex` / copy", "join<NoIndex>", "copy_arrays"),
                                ("join / copy", "join<BucketIndex>", "copy_arrays")):
        rows.append([title] + [number(times[f"{above}/{count}"] / times[f"{below}/{count}"]) for count in counts])
    yield "**Changes**, µs, by positions:\n"
    yield table([""] + [f"{count * 200:,}" for count in counts], rows) + "\n"


def instruction_table(counts):
    sizes = list(next(iter(counts.values())))
    names = dict(NAMES, preference_list="`preference_list(key, 3)`", replica_table="`ReplicaTable`")
    rows = [[names[what]] + [number(counts[what][size]) for size in sizes] for what in counts]
    yield "**Instructions** per lookup or list, with the key already hashed:\n"
    yield table([""] + [f"{positions(size):,}" for size in sizes], rows) + "\n"


COLOURS = {"map": "#999999", "lower_bound": "#d55e00", "index": "#0072b2", "limit": "#009e73"}
LABELS = {"map": "std::map", "lower_bound": "std::lower_bound", "index": "clockwise", "limit": "one random read"}


def panel(measured, measure, title, left, width, height):
    low, high = 0.1, 4000.0
    sizes = measured.sizes(measure)
    first, last = positions(sizes[0]), positions(sizes[-1])

    def x(size):
        return left + width * math.log(positions(size) / first) / math.log(last / first)

    def y(ns):
        return 50 + height * (1 - math.log(ns / low) / math.log(high / low))

    yield f'<text x="{left}" y="32" font-weight="bold">{title}</text>'
    for tick in (0.1, 1, 10, 100, 1000):
        yield f'<line x1="{left}" x2="{left + width}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#dddddd"/>'
        yield f'<text x="{left - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
    for size in sizes:
        count = positions(size)
        label = f"{count // 1000000}M" if count >= 1000000 else f"{count / 1000:g}k" if count >= 1000 else str(count)
        yield f'<text x="{x(size):.1f}" y="{height + 68}" text-anchor="middle">{label}</text>'
    for what, colour in COLOURS.items():
        points = [(x(size), y(measured.ns[measure][what][size])) for size in sizes if size in measured.ns[measure][what]]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for a, b in points:
            yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>'


def plot(measured):
    width, height = 330, 300
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="820" height="430" font-family="sans-serif" font-size="12">',
             '<rect width="820" height="430" fill="white"/>']
    lines += panel(measured, "throughput", "Throughput, ns per lookup", 60, width, height)
    lines += panel(measured, "latency", "Dependent latency, ns per lookup", 460, width, height)
    lines.append(f'<text x="410" y="{height + 88}" text-anchor="middle">vnodes on the ring</text>')
    for i, (what, colour) in enumerate(COLOURS.items()):
        left = 130 + 150 * i
        lines.append(f'<line x1="{left}" x2="{left + 22}" y1="414" y2="414" stroke="{colour}" stroke-width="3"/>')
        lines.append(f'<text x="{left + 28}" y="418">{LABELS[what]}</text>')
    return "\n".join(lines + ["</svg>", ""])


def performance(folder):
    measured = Measured(medians(folder / "lookup.json", lambda run: run["ns"]))
    scale = {"ns": 1e-3, "us": 1, "ms": 1e3}
    times = medians(folder / "membership.json", lambda run: run["cpu_time"] * scale[run["time_unit"]])
    parts = [*owner_tables(measured), *key_table(measured), *replica_tables(measured), *membership_table(times)]
    counted = folder / "instructions.json"
    if counted.exists():
        parts += instruction_table(json.loads(counted.read_text()))
    else:
        print(f"{counted} is missing: no table of instructions (it needs valgrind)", file=sys.stderr)
    if "libmemcached" not in measured.ns["keys"]:
        print("libmemcached was not measured: its rows are left out (install its header and build again)", file=sys.stderr)
    return "\n".join(parts), plot(measured)


def token_allocation(folder):
    """Peaks over fair shares: they do not depend on the machine."""
    columns = {"random": "random", "grown": "grown", "one_left": "one left", "replaced": "replaced",
               "primary_random": "owned, random", "primary": "owned, grown"}
    fleets = {"plain": "equal weights", "weights": "weights 1 and 2", "racks": "3 racks",
              "racks_weights": "3 racks, weights 1 and 2"}
    rows = []
    for name, run in medians(folder / "replicas.json", lambda run: run).items():
        benchmark, _, rest = name.partition("/")
        if benchmark != "allocated_tokens":
            continue
        fleet, vnodes = rest.split("/")
        cells = [f"{run[column]:.{3 if column in ('grown', 'replaced') else 2}f}" for column in columns]
        rows.append((list(fleets).index(fleet), int(vnodes), [fleets[fleet], vnodes, *cells]))
    rows.sort()
    for above, below in reversed(list(zip(rows, rows[1:]))):
        if above[0] == below[0]:
            below[2][0] = ""
    return table(["fleet", "vnodes", *columns.values()], [row for _, _, row in rows]) + "\n", None


PAGES = {"performance.md": performance, "token-allocation.md": token_allocation}


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    if len(sys.argv) == 2:
        for report in PAGES.values():
            print(report(folder)[0])
        return
    page = pathlib.Path(sys.argv[2])
    if page.name not in PAGES:
        sys.exit(f"{page} is not a page with tables; choose from {', '.join(PAGES)}")
    text, drawing = PAGES[page.name](folder)
    old = page.read_text()
    begin, end = old.index("<!-- measured -->"), old.index("<!-- end -->")
    page.write_text(old[:begin] + "<!-- measured -->\n\n" + text + "\n" + old[end:])
    if drawing is not None:
        (page.parent / "lookup.svg").write_text(drawing)


if __name__ == "__main__":
    main()
