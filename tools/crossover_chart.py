#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/crossover.svg: lookup time of rendezvous hashing and of the ring by number of nodes, as
bench/schemes_bench.cpp measured them.

    schemes_bench --benchmark_out=schemes.json --benchmark_out_format=json
    tools/crossover_chart.py schemes.json > docs/crossover.svg
"""

import json
import math
import sys

CURVES = [("ring_lookup", "ring, 200 vnodes", "#4878a8"),
          ("ring_search", "ring without its index", "#80a8d0"),
          ("rendezvous_lookup", "rendezvous", "#c03020"),
          ("rendezvous_weighted", "rendezvous, unequal weights", "#c08020")]
LEFT, TOP, WIDTH, HEIGHT = 50, 40, 420, 240


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        runs = json.load(file)["benchmarks"]
    points = {name: sorted((int(run["name"].split("/")[1]), run["cpu_time"]) for run in runs
                           if run["name"].startswith(name + "/"))
              for name, _, _ in CURVES}
    if not all(points.values()):
        sys.exit("crossover_chart: the file lacks one of " + ", ".join(points))
    nodes = [n for curve in points.values() for n, _ in curve]
    times = [t for curve in points.values() for _, t in curve]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(n):
        return LEFT + WIDTH * math.log(n / min(nodes)) / math.log(max(nodes) / min(nodes))

    def y(ns):
        return TOP + HEIGHT * (high - math.log10(ns)) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 170} '
           f'{TOP + HEIGHT + 45}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="#fff"/>',
           f'<text x="{LEFT}" y="22" font-weight="bold">lookup with the key already hashed, ns</text>']
    for power in range(low, high + 1):
        out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(10**power):.1f}" '
                   f'y2="{y(10**power):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">'
                   f'{10**power:g}</text>')
    for n in sorted(set(nodes)):
        out.append(f'<text x="{x(n):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle" '
                   f'font-size="10">{n}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" '
               'text-anchor="middle">nodes</text>')
    for name, label, colour in CURVES:
        path = " ".join(f"{x(n):.1f},{y(t):.1f}" for n, t in points[name])
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        n, t = points[name][-1]
        out.append(f'<text x="{x(n) + 6:.1f}" y="{y(t) + 4:.1f}" fill="{colour}">{label}</text>')
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
