# SPDX-License-Identifier: MIT
"""Reads the mutations in tests/mutations, a patch each, and writes docs/mutations.md, their table.

A patch begins with these lines:

    # what: a weight rounded down
    # section: Membership
    # killed-by: weights_test "vnode_count is max*"
    # ends: does not compile

killed-by names the build's target and the test cases, of which `replay_wire` and `golden_main` have
none. `ends` is only for a mutation that does not compile or whose test does not end. Then comes a
unified diff. Its line numbers are ignored: the old lines of a hunk must occur exactly once in the
file."""

import dataclasses
import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/mutations"
PAGE = ROOT / "docs/mutations.md"

SECTIONS = (
    "Positions of keys and vnodes",
    "Ties and order",
    "Members and weights",
    "Changes of members",
    "Replicas",
    "Replicas by datacenter, and fair shares",
    "Identity and shares",
    "Movement, plans and transitions",
    "Fleets and loads",
    "The other schemes",
    "Rings from lists, and engines",
    "Bytes",
    "The lookup index and the replica table",
)


class DoesNotApply(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Killer:
    target: str  # its name in the build
    cases: str = ""  # a Catch2 filter

    @property
    def name(self):
        """The program's name on the page."""
        return self.target.removesuffix("_test").replace("replay_", "fuzz.")

    @property
    def program(self):
        of_engine = (ROOT / f"tests/compat/{self.target}.cpp").is_file()
        return pathlib.Path("tests/compat" if of_engine else "tests") / self.target

    def arguments(self, tree):
        if self.target.startswith("replay_"):
            name = self.target.removeprefix("replay_")
            rounds = re.search(rf"clockwise_fuzz_test\({name} (\d+)\)",
                               (tree / "tests/CMakeLists.txt").read_text())
            return [tree / "tests/fuzz/corpus" / name, rounds[1]]
        return [self.cases] if self.cases else []

    def __str__(self):
        return f"{self.target} {self.cases}".strip()


@dataclasses.dataclass(frozen=True)
class Hunk:
    path: str
    old: tuple
    new: tuple


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str
    what: str
    section: str
    killer: Killer
    ends: str
    hunks: tuple

    def applied_to(self, read):
        """Returns the new texts of the files that it changes; `read(path)` returns their old texts."""
        texts = {}
        for hunk in self.hunks:
            text = texts.get(hunk.path)
            if text is None:
                try:
                    text = read(hunk.path)
                except OSError as error:
                    raise DoesNotApply(f"{hunk.path}: {error.strerror}") from error
            lines = text.split("\n")
            size = len(hunk.old)
            places = [
                at for at in range(len(lines) - size + 1)
                if tuple(lines[at:at + size]) == hunk.old
            ]
            if len(places) != 1:
                raise DoesNotApply(f"{hunk.path}: its old lines occur {len(places)} times")
            lines[places[0]:places[0] + size] = hunk.new
            texts[hunk.path] = "\n".join(lines)
        return texts


def read(path):
    fields = {"ends": ""}
    hunks = []
    file = None
    old, new = [], []

    def finish():
        if old or new:
            hunks.append(Hunk(file, tuple(old), tuple(new)))
            old.clear()
            new.clear()

    lines = path.read_text().split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        field = re.match(r"# (what|section|killed-by|ends): (.+)$", line)
        if field and file is None:
            fields[field[1]] = field[2]
        elif line.startswith("--- "):
            finish()
            file = line[4:].removeprefix("a/")
        elif line.startswith("+++ "):
            pass
        elif line.startswith("@@"):
            finish()
        elif file is not None and line[:1] in (" ", "-", "+", ""):
            if line[:1] != "+":
                old.append(line[1:])
            if line[:1] != "-":
                new.append(line[1:])
        else:
            raise ValueError(f"{path.relative_to(ROOT)}:{number}: unknown line '{line}'")
    finish()
    for field in ("what", "section", "killed-by"):
        if field not in fields:
            raise ValueError(f"{path.relative_to(ROOT)}: lacks '# {field}: '")
    if fields["section"] not in SECTIONS:
        raise ValueError(f"{path.relative_to(ROOT)}: unknown section '{fields['section']}'")
    if fields["ends"] not in ("", "does not compile", "does not end"):
        raise ValueError(f"{path.relative_to(ROOT)}: unknown end '{fields['ends']}'")
    if not hunks:
        raise ValueError(f"{path.relative_to(ROOT)}: changes nothing")
    target, *cases = shlex.split(fields["killed-by"])
    return Mutation(path.stem, fields["what"], fields["section"], Killer(target, *cases),
                    fields["ends"], tuple(hunks))


def read_all():
    every = [read(path) for path in sorted(FOLDER.glob("*.patch"))]
    return sorted(every, key=lambda mutation: (SECTIONS.index(mutation.section), mutation.name))


def page():
    """Returns the text of docs/mutations.md."""
    text = """# Mutations

Plausible bugs, each with the test that catches it. Every row is a patch in
[tests/mutations](../tests/mutations), under its name. `tools/mutate` applies each to a copy of the
sources, builds the test and runs it, and fails unless the test does. `tools/mutate NAME...` tries
some.

If you change the core, add the mistake that was easiest to make. The first lines of a patch say
what it is and which test must fail; copy them from another patch. `tools/check_mutations.py
--write` then writes this page.

Test cases are named by their first words.
"""
    every = read_all()
    for section in SECTIONS:
        rows = [mutation for mutation in every if mutation.section == section]
        if not rows:
            continue
        text += f"\n## {section}\n\n| mutation | patch | killed by |\n|---|---|---|\n"
        for mutation in rows:
            killer = f"`{mutation.killer.name}`"
            if mutation.killer.cases:
                killer += ": " + mutation.killer.cases.removesuffix("*").strip()
            if mutation.ends:
                killer += f" ({mutation.ends})"
            text += f"| {mutation.what} | `{mutation.name}` | {killer} |\n"
    return text + """
Three changes are not bugs, only slower or equivalent, because a search decides what a scan cannot:
fewer words in a scan; the second word's sign taken without the first's; gaps noted from half a
range on, not half less a bucket.
"""
