#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every patch in tests/mutations applies, and that docs/mutations.md lists the patches.
`--write` writes the page. tools/mutate checks that the tests kill the mutations."""

import sys

import mutations


def errors():
    tests = (mutations.ROOT / "tests").rglob("*.cpp")
    stems = {path.stem for path in tests}
    for mutation in mutations.read_all():
        try:
            mutation.applied_to(lambda name: (mutations.ROOT / name).read_text())
        except mutations.DoesNotApply as error:
            yield f"tests/mutations/{mutation.name}.patch does not apply: {error}"
        target = mutation.killer.target.removeprefix("replay_")
        if target not in stems:
            yield f"tests/mutations/{mutation.name}.patch names {target}, which is not a test"
    if mutations.PAGE.read_text() != mutations.page():
        yield "docs/mutations.md differs from the patches; run tools/check_mutations.py --write"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        mutations.PAGE.write_text(mutations.page())
    found = list(errors())
    print("\n".join(found) or "every mutation applies and has its row")
    sys.exit(1 if found else 0)
