#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layer rule: a file includes only files of lower floors, so nothing includes upwards and
public headers of one floor never include each other. Inside a room, a folder of detail/ or of
ringctl/, any order without a cycle is allowed. Below layer 3, no file includes a slow standard
header."""

import pathlib
import re
import sys

# From the bottom up, one floor per line: a room, or public headers that do not include each other.
# List a new public header here first.
FLOORS = """
0  config hash_function index_view theory version
0  detail/base/
0  detail/digest/
1  fwd
1  arc concepts hash node replication
1  detail/ring/
1  detail/scheme/
2  hash_ring jump listed_ring maglev mod_n multi_probe relative_weights rendezvous slot_map token_ring
3  replica_table
3  detail/wire/
3  wire/membership
3  balance bounded_assignment bounded_load domain_losses fleet hot_key migration movement quorum
   replica_sets shared token_allocator transition wire wire/difference
3  compat/cassandra compat/envoy compat/haproxy compat/ketama compat/nginx compat/redis_slot_map
3  compat/redis_replies
9  compat/redis_cluster durability
9  clockwise
"""
MAY_BE_SLOW = 3
SLOW = {"chrono", "functional", "iostream", "random", "ranges", "regex", "thread"}

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

# The rooms of ringctl, from the bottom up: computing, reading and showing, and the commands, which
# alone use both.
RINGCTL = (("model/",), ("input/", "output/"), ("commands/",), ("main",))
# What a room must not include: the model neither reads, writes nor takes the time, only the model
# calls the library, and only the commands parse options.
RINGCTL_WITHOUT = {
    "model/": "CLI/ nlohmann/ chrono cstdio ctime fcntl.h fstream iostream sys/ unistd.h",
    "input/": "CLI/ clockwise/",
    "output/": "CLI/ clockwise/",
    "commands/": "clockwise/ nlohmann/",
    "main": "clockwise/ nlohmann/",
}


def floors():
    """(layer, entries) from the bottom up; a line that begins with blanks continues the previous line."""
    result = []
    for line in FLOORS.strip("\n").splitlines():
        words = line.split()
        if line[0] == " ":
            result[-1][1].extend(words)
        else:
            result.append((int(words[0]), words[1:]))
    return result


def place(name, entries_of_floors):
    """The number of the floor and the room of a file, by its path without suffix."""
    for number, entries in enumerate(entries_of_floors):
        for entry in entries:
            if name == entry or (entry.endswith("/") and name.startswith(entry)):
                return number, entry if entry.endswith("/") else None
    return None, None


def cycles(room, includes):
    """Names the files of a room that include each other in a cycle."""
    state = {}

    def visit(name, path):
        if state.get(name) == "done":
            return None
        if name in path:
            return path[path.index(name):] + [name]
        for target in sorted(includes.get(name, ())):
            found = visit(target, path + [name])
            if found:
                return found
        state[name] = "done"
        return None

    for name in sorted(includes):
        found = visit(name, [])
        if found:
            yield f"{room}: {' -> '.join(found)} is a cycle"
            return


def library_errors():
    root = ROOT / "include" / "clockwise"
    layers = floors()
    entries = [names for _, names in layers]
    present = {str(path.relative_to(root).with_suffix("")): path for path in root.rglob("*.hpp")}
    for names in entries:
        for name in names:
            if not any(p == name or (name.endswith("/") and p.startswith(name)) for p in present):
                yield f"{name} has a floor but does not exist"
    inside = {}
    for header in sorted(present):
        floor, room = place(header, entries)
        if floor is None:
            yield f"{header}.hpp has no floor"
            continue
        for bracket, included in INCLUDE.findall(present[header].read_text()):
            where = f"{header}.hpp includes {included}"
            if not included.startswith("clockwise/"):
                if bracket == '"':
                    yield f"{where} in quotes, by another path than clockwise/…"
                elif included in SLOW and layers[floor][0] < MAY_BE_SLOW:
                    yield f"{where}, which is slow to compile, below layer {MAY_BE_SLOW}"
                continue
            target = included.removeprefix("clockwise/").removesuffix(".hpp")
            if bracket == "<":
                yield f"{where} in angle brackets"
            other, other_room = place(target, entries)
            if other is None or target not in present:
                yield f"{where}, which does not exist"
            elif room is not None and other_room == room:
                inside.setdefault(room, {}).setdefault(header, set()).add(target)
            elif other >= floor:
                yield f"{where}, which is not on a lower floor"
    for room, includes in inside.items():
        yield from cycles(room, includes)


def ringctl_errors():
    root = ROOT / "ringctl"
    inside = {}
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".cpp", ".hpp")):
        name = str(path.relative_to(root).with_suffix(""))
        floor, room = place(name, RINGCTL)
        if floor is None:
            yield f"ringctl/{name} is in no room"
            continue
        for bracket, included in INCLUDE.findall(path.read_text()):
            where = f"ringctl/{path.relative_to(root)} includes {included}"
            if included.startswith(tuple(RINGCTL_WITHOUT[room or name].split())):
                yield f"{where}, which {room or name} must not include"
            if bracket == "<":
                continue
            target = included.removesuffix(".hpp")
            other, other_room = place(target, RINGCTL)
            if other is None or not (root / included).exists():
                yield f"{where}, which is not a path from ringctl/"
            elif other_room == room:
                if path.suffix == ".hpp":
                    inside.setdefault(room, {}).setdefault(name, set()).add(target)
            elif other >= floor:
                yield f"{where}, which is not on a lower floor"
    for room, includes in inside.items():
        yield from cycles(f"ringctl/{room}", includes)


def main():
    errors = list(library_errors()) + list(ringctl_errors())
    for error in errors:
        print(f"layers: {error}", file=sys.stderr)
    print(f"layers: {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
