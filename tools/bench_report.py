#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench_report.py FOLDER [PAGE.md]: formats the results of the benchmarks as tables for the docs.

FOLDER is the folder bench/ of a build, to which the benchmarks write: <name>.json of each
bench_<name>, instructions.json of the target instructions, compare-<nodes>.json of bench_compare.
Without PAGE.md, prints the tables. With it, replaces the page's tables, each between
"<!-- measured: NAME -->" and "<!-- end -->", and the drawings of the same figures next to the page.
A table whose figures are not in FOLDER is unchanged.

bench_report.py --check: checks that each page in docs/ has its tables and no others."""

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


def nanoseconds(run):
    return run["cpu_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[run["time_unit"]]


def microseconds(run):
    return nanoseconds(run) / 1e3


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
    times = medians(folder / "membership.json", microseconds)
    parts = [*owner_tables(measured), *key_table(measured), *replica_tables(measured), *membership_table(times)]
    counted = folder / "instructions.json"
    if counted.exists():
        parts += instruction_table(json.loads(counted.read_text()))
    else:
        print(f"{counted} is missing: no table of instructions (they need valgrind)", file=sys.stderr)
    if "libmemcached" not in measured.ns["keys"]:
        print("libmemcached was not measured: no rows of it (install its header and build again)", file=sys.stderr)
    return "\n".join(parts).rstrip("\n"), {"lookup.svg": plot(measured)}


# --- docs/lookup-index.md -----------------------------------------------------------------------


def pairs_of(ns, what, sizes):
    """Throughput / latency."""
    return [f"{number(ns['throughput'][what][size])} / {number(ns['latency'][what][size])}" for size in sizes]


def index_tables(ns, bytes_of, sizes):
    names = {"limit": "one random read", "lower_bound": "`std::lower_bound`", "index": "**the index**"}
    rows = [[name, *pairs_of(ns, what, sizes)] for what, name in names.items()]
    # A ring of a few vnodes has a fixed part that says nothing of a larger one.
    most = max(bytes_of[size] for size in sizes if positions(size) > 1000)
    for row, used in zip(rows, ["", "0", f"{most:.1f}"]):
        row.append(used)
    columns = [f"{positions(size):,}" for size in sizes]
    yield table(["", *columns, "bytes"], rows)
    yield "\nEach cell is `lower_bound` / the index, and the index / the limit:\n"
    ratios = [[title] + [f"{ns[measure]['lower_bound'][size] / ns[measure]['index'][size]:.1f} and "
                         f"{ns[measure]['index'][size] / ns[measure]['limit'][size]:.1f}" for size in sizes]
              for measure, title in (("throughput", "throughput"), ("latency", "dependent latency"))]
    yield table(["", *columns], ratios)


def lookup_index(folder):
    path = folder / "lookup.json"
    ns = Measured(medians(path, lambda run: run["ns"])).ns
    used = Measured(medians(path, lambda run: run.get("index_bytes"))).ns
    wide = {measure: {what: dict(ns[measure + "_32"][what]) for what in ns[measure + "_32"]}
            for measure in ("throughput", "latency")}
    wide_used = dict(used["throughput_32"]["index"])
    narrow = sorted((size for size in ns["throughput"]["index"] if positions(size) < 1 << 23), key=positions)
    for size in ns["throughput"]["index"]:  # the largest ring has 32-bit owners in either table
        if size in narrow:
            continue
        wide_used[size] = used["throughput"]["index"][size]
        for measure in wide:
            for what in ("limit", "lower_bound", "index"):
                wide[measure][what][size] = ns[measure][what][size]
    parts = ["16-bit owners:\n", *index_tables(ns, used["throughput"]["index"], narrow), "\n32-bit owners:\n",
             *index_tables(wide, wide_used, sorted(wide_used, key=positions))]
    return "\n".join(parts), {}


def index_builds(folder):
    times = medians(folder / "membership.json", microseconds)
    counts = sorted(int(name.rsplit("/", 1)[1]) for name in times if name.startswith("build_index/"))
    rows = [[title] + [number(times[f"{name}/{count}"]) for count in counts]
            for name, title in (("build_index", "building the index, µs"), ("copy_arrays", "copying both arrays, µs"))]
    rows.append(["build / copy"] + [number(times[f"build_index/{count}"] / times[f"copy_arrays/{count}"])
                                    for count in counts])
    return table(["", *(f"{count * 200:,}" for count in counts)], rows), {}


# --- docs/choosing.md ---------------------------------------------------------------------------


def size_of(count):
    for unit, name in ((1e6, "MB"), (1e3, "KB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count:.0f} B"


def comparison(nodes):
    def report(folder):
        compared = json.loads((folder / f"compare-{nodes}.json").read_text())

        def moves(share):
            return "cannot" if share is None else f"{share:.2%}"

        rows = [[scheme["scheme"], f"{scheme['lookup_ns']:.1f} ns", f"{scheme['build_ms']:.2f} ms",
                 size_of(scheme["bytes"]), f"{scheme['peak_to_mean']:.3f}", f"{scheme['cv']:.1%}",
                 moves(scheme["join_moves"]), moves(scheme["leave_moves"]),
                 "yes" if scheme["weights"] else "no", scheme["shared_state"]] for scheme in compared["schemes"]]
        rows.append(["floor", "", "", "", "", "", moves(compared["join_floor"]), moves(compared["leave_floor"]), "", ""])
        head = ["scheme", "lookup", "build", "memory", "peak/mean", "CV", "a join moves", "a leave moves", "weights",
                "shared state"]
        drawings = {"compare.svg": (folder / f"compare-{nodes}.svg").read_text()} if nodes == 16 else {}
        return table(head, rows), drawings
    return report


CURVES = {"ring_lookup": ("ring, 200 vnodes", "#4878a8"), "ring_search": ("ring without its index", "#80a8d0"),
          "rendezvous_lookup": ("rendezvous", "#c03020"), "rendezvous_weighted": ("rendezvous, unequal weights", "#c08020")}


def crossover(folder):
    times = medians(folder / "schemes.json", nanoseconds)
    points = {name: {int(key.split("/")[1]): time for key, time in times.items() if key.startswith(name + "/")}
              for name in CURVES}
    rows = [[str(nodes), *(number(points[name][nodes]) + " ns" if nodes in points[name] else "" for name in CURVES)]
            for nodes in (2, 4, 16, 64, 256)]
    heads = ["nodes", "ring", *(label for label, _ in list(CURVES.values())[1:])]
    return table(heads, rows), {"crossover.svg": crossover_plot(points)}


def crossover_plot(points):
    left, top, width, height = 50, 40, 420, 240
    nodes = sorted({n for curve in points.values() for n in curve})
    times = [time for curve in points.values() for time in curve.values()]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(n):
        return left + width * math.log(n / nodes[0]) / math.log(nodes[-1] / nodes[0])

    def y(ns):
        return top + height * (high - math.log10(ns)) / (high - low)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 170} {top + height + 45}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="#fff"/>',
             f'<text x="{left}" y="22" font-weight="bold">lookup with the key already hashed, ns</text>']
    for power in range(low, high + 1):
        lines.append(f'<line x1="{left}" x2="{left + width}" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}" '
                     'stroke="#ddd"/>')
        lines.append(f'<text x="{left - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**power:g}</text>')
    for n in nodes:
        lines.append(f'<text x="{x(n):.1f}" y="{top + height + 18}" text-anchor="middle" font-size="10">{n}</text>')
    lines.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">nodes</text>')
    for name, (label, colour) in CURVES.items():
        curve = sorted(points[name].items())
        path = " ".join(f"{x(n):.1f},{y(time):.1f}" for n, time in curve)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        n, time = curve[-1]
        lines.append(f'<text x="{x(n) + 6:.1f}" y="{y(time) + 4:.1f}" fill="{colour}">{label}</text>')
    return "\n".join(lines + ["</svg>", ""])


def scheme_ratios(folder):
    times = medians(folder / "schemes.json", nanoseconds)

    def ratio(*quotients):
        return " / ".join(f"{times[above] / times[below]:.2g}" for above, below in quotients)

    buckets = (16, 1000, 1000000)
    rows = [
        ["`jump_hash` / the loop in its paper, 16 / 1,000 / 1,000,000 buckets",
         ratio(*((f"jump/{n}", f"jump_bare/{n}") for n in buckets))],
        ["`jump_back_hash` / the same loop", ratio(*((f"jump_back/{n}", f"jump_bare/{n}") for n in buckets))],
        ["`Rendezvous` / its mixes alone, 16 nodes", ratio(("rendezvous_lookup/16", "mixes/16"))],
        ["`Maglev` / a dependent read at a precomputed index, 65,537 entries",
         ratio(("maglev_lookup/1000/65537", "maglev_random_read/1000/65537"))],
        ["`Maglev` / a read of the table at hash % size",
         ratio(("maglev_lookup/1000/65537", "maglev_read_at_remainder/1000/65537"))],
        ["filling 65,537 entries for 1,000 nodes", f"{times['maglev_build/1000'] / 1e6:.1f} ms"],
        ["`BoundedLoad` acquire and release / the ring's lookup, 16 / 256 nodes",
         ratio(*((f"bounded_load/{n}", f"ring_lookup/{n}") for n in (16, 256)))],
    ]
    return table(["", "ratio"], rows), {}


# --- docs/engines.md, docs/migration.md, docs/token-allocation.md -------------------------------


def engines(folder):
    times = medians(folder / "compat.json", nanoseconds)

    def over(name, what, reader):
        if name not in times:
            return f"{what} was not measured"
        return f"{times[name]:.3g} for {what} ({times[name] / times[reader]:.2g}x)"

    peers = {"redis_slot": "; ".join([over("redis_bytewise_crc16", "a bytewise table CRC16", "redis_slot"),
                                      over("redis_bytewise_with_tags", "the same with a search for tags", "redis_slot")]),
             "ketama_lookup": over("ketama_libmemcached", "libmemcached", "ketama_lookup") + ": almost all of it is MD5",
             "ketama_lookup_hashed": over("ketama_libmemcached", "libmemcached", "ketama_lookup_hashed")}
    names = {"redis_slot": "`redis_slot`, 16-byte keys", "ketama_lookup": "`KetamaRing`, 8 servers, hashing the key",
             "ketama_lookup_hashed": "`KetamaRing`, position given", "nginx_lookup": "`NginxRing`",
             "envoy_ring_lookup": "`EnvoyRing`", "envoy_maglev_lookup": "`EnvoyMaglev`",
             "haproxy_lookup": "`HaproxyRing`", "cassandra_token": "`cassandra_token`"}
    rows = [[title, f"{times[name]:.3g}", peers.get(name, "")] for name, title in names.items()]
    return table(["", "ns", "compared with"], rows), {}


def migration(folder):
    moves = medians(folder / "movement.json", nanoseconds)
    others = medians(folder / "agreement.json", nanoseconds)

    def over_pass(name):
        return f"{moves[name] / moves['one_pass']:.2g}"

    def part(name):
        return f"1/{others['build_from_names/10000'] / others[name + '/10000']:.0f}"

    shared = others["lookup_shared/threads:2"] - others["lookup_plain/threads:2"]
    lists = ", ".join(f"{moves[name] / moves['preference_list']:.2g}" for name in ("read_from", "write_to"))
    decoded = others["wire_decode/10000"] / others["build_from_names/10000"]
    rows = [
        ["`movement(before, after)` of a join", "one pass over both rings' arrays", over_pass("movement_of_a_join")],
        ["the same for 3 replicas", "", over_pass("movement_of_a_join_3_replicas")],
        ["`plan_migration` of a join, 3 replicas", "", over_pass("plan_of_a_join_3_replicas")],
        ["`movement` if every arc changes its owner: 4,000,000 transfers", "", over_pass("movement_of_all")],
        ["`Transition::read_from`, `write_to`", "`preference_list`", lists],
        ["a lookup through `Shared`, two threads reading", "a lookup in a plain ring", f"{shared:.1f} ns more"],
        ["`wire::encode`, `wire::parse` of 10,000 nodes", "building the ring from names",
         f"{part('wire_encode')}, {part('wire_parse')}"],
        ["`wire::decode`, which builds the ring", "", f"{decoded:.2g}"],
    ]
    return table(["operation", "compared with", "ratio"], rows), {}


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
    return table(["fleet", "vnodes", *columns.values()], [row for _, _, row in rows]), {}


# Tables by page and name, in the order of the page.
PAGES = {
    "choosing.md": {"16 nodes": comparison(16), "1,000 nodes": comparison(1000), "crossover": crossover,
                    "ratios": scheme_ratios},
    "engines.md": {"lookups": engines},
    "lookup-index.md": {"lookups": lookup_index, "builds": index_builds},
    "migration.md": {"cost": migration},
    "performance.md": {"all": performance},
    "token-allocation.md": {"peaks": token_allocation},
}
BLOCK = re.compile(r"<!-- measured: (.*?) -->\n(.*?)<!-- end -->", re.DOTALL)


def check():
    docs = pathlib.Path(__file__).parent.parent / "docs"
    wrong = []
    for page in sorted(docs.glob("*.md")):
        text = page.read_text()
        found = [match[1] for match in BLOCK.finditer(text)]
        wanted = list(PAGES.get(page.name, {}))
        if found != wanted or text.count("<!-- measured") != len(wanted):
            wrong.append(f"docs/{page.name} must have the measured tables {wanted}, got {found}")
    sys.exit("\n".join(wrong) or None)


def main():
    if sys.argv[1:] == ["--check"]:
        check()
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    pages = [pathlib.Path(path) for path in sys.argv[2:]]
    for page in pages:
        if page.name not in PAGES:
            sys.exit(f"{page} is not a page with tables; choose from {', '.join(PAGES)}")
    for name in [page.name for page in pages] or PAGES:
        reports = {}
        for block, report in PAGES[name].items():
            try:
                reports[block] = report(folder)
            except FileNotFoundError as missing:
                print(f"{name}, {block}: {missing.filename} is missing", file=sys.stderr)
        if not pages:
            for block, (text, _) in reports.items():
                print(f"{name}, {block}:\n\n{text}\n")
            continue
        page = pages[0]

        def replaced(match):
            return (f"<!-- measured: {match[1]} -->\n\n{reports[match[1]][0]}\n\n<!-- end -->"
                    if match[1] in reports else match[0])

        page.write_text(BLOCK.sub(replaced, page.read_text()))
        for _, drawings in reports.values():
            for drawing, text in drawings.items():
                (page.parent / drawing).write_text(text)
        if not reports:
            sys.exit(f"{folder} has no figures for {page}")


if __name__ == "__main__":
    main()
