#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the package recipes have the library's version, set only options that the build has,
and set each option that would build more than the headers."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PORT = ROOT / "packaging" / "vcpkg" / "clockwise"
RECIPES = (PORT / "portfile.cmake", ROOT / "packaging" / "conan" / "conanfile.py")


def errors():
    header = (ROOT / "include" / "clockwise" / "version.hpp").read_text()
    version = ".".join(re.findall(r"#define CLOCKWISE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    port_version = json.loads((PORT / "vcpkg.json").read_text())["version-semver"]
    if port_version != version:
        yield f"the vcpkg port has version {port_version}, the library {version}"

    build = (ROOT / "CMakeLists.txt").read_text()
    options = set(re.findall(r"option\((CLOCKWISE_\w+)", build))
    extras = re.findall(r'option\((CLOCKWISE_BUILD_\w+)\s+"[^"]*"\s+\$\{PROJECT_IS_TOP_LEVEL\}', build)
    if not extras:
        yield "CMakeLists.txt has no option CLOCKWISE_BUILD_* that is on in a top-level build"
    for recipe in RECIPES:
        used = set(re.findall(r"\bD?(CLOCKWISE_(?!VERSION)\w+)", recipe.read_text()))
        if not used:
            yield f"{recipe.relative_to(ROOT)} sets no option"
        for extra in sorted(set(extras) - used):
            yield f"{recipe.relative_to(ROOT)} does not turn off {extra}"
        for unknown in sorted(used - options):
            yield f"{recipe.relative_to(ROOT)} sets {unknown}, which is not an option"


def main():
    found = list(errors())
    for error in found:
        print(f"packaging: {error}", file=sys.stderr)
    print(f"packaging: {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
