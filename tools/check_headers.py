#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every source file for its licence line, and every header for a guard named after its path,
a note on each standard include, and a line in CMake's file set and, if public, in the umbrella.
Checks that tests/support/free_functions.hpp lists every free function, so that the test that no
user's function replaces the library's covers all of them."""

import pathlib
import re
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: MIT"
SOURCES = {".cmake", ".cpp", ".hpp", ".py", ".sh"}
BARE_SOURCES = {"CMakeLists.txt", "format", "fuzz", "mutate", "run", "setup"}
NOT_IN_UMBRELLA = ("shared.hpp", "compat/", "detail/", "clockwise.hpp")

FREE_FUNCTIONS = "tests/support/free_functions.hpp"

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"


def source_files():
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if tracked.returncode == 0:
        paths = [ROOT / name for name in tracked.stdout.split("\0") if name]
    else:  # an archive of the sources
        paths = [path for path in ROOT.rglob("*") if "build" not in path.parts]
    return [p for p in paths if p.is_file() and (p.suffix in SOURCES or p.name in BARE_SOURCES)]


def licence_errors():
    for path in source_files():
        head = path.read_text().splitlines()[:2]
        if not any(LICENCE in line for line in head):
            yield f"{path.relative_to(ROOT)}: the first lines lack {LICENCE}"


def header_errors(header, text):
    guard = re.sub(r"[^A-Z0-9]", "_", header.removeprefix("clockwise/").upper())
    guard = f"CLOCKWISE_{guard}"
    lines = text.splitlines()
    if lines[:3] != [f"// {LICENCE}", f"#ifndef {guard}", f"#define {guard}"]:
        yield f"{header}: does not begin with the licence and the guard {guard}"
    if lines[-1] != f"#endif  // {guard}":
        yield f"{header}: does not end with #endif  // {guard}"
    for line in lines:
        if re.match(r"#include <[a-z0-9_]+>$", line):
            yield f"{header}: '{line}' has no note on what it is for"


def code_of(text):
    """Without comments, directives and the contents of literals."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])'", "0", text)
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.MULTILINE)


def without_group(text, opening, closing):
    """What follows the brackets that `text` begins with."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == opening) - (character == closing)
        if depth == 0:
            return text[at + 1 :].strip()
    return ""


def function_name(declaration):
    """The name of a function or a function object, if the declaration is of one."""
    rest = declaration.strip()
    while match := re.match(r"template\s*(?=<)|requires\s*(?=\()", rest):
        angled = match[0].startswith("template")
        rest = without_group(rest[match.end() :], *("<>" if angled else "()"))
    if re.match(r"(struct|class|enum|union|using|friend|static_assert|concept|typedef)\b", rest):
        return None
    if function_object := re.match(r"inline constexpr [A-Z]\w+ ([a-z_]\w*)$", rest):
        return function_object[1]
    match = re.search(r"[\s&*>](?!requires\b)([a-z_]\w*)\s*\(", rest)
    return match[1] if match and "=" not in rest[: match.start()] else None


def free_functions(text):
    """The names of the functions and function objects that a header declares in namespaces."""
    text = code_of(text)
    in_namespaces = []  # by open brace
    begin = 0
    for match in re.finditer(r"[{};]", text):
        declaration = text[begin : match.start()]
        begin = match.end()
        if all(in_namespaces) and (name := function_name(declaration)):
            yield name
        if match[0] == "{":
            in_namespaces.append(declaration.strip().startswith("namespace"))
        elif match[0] == "}":
            in_namespaces.pop()


def list_errors(what, listed, expected):
    for missing in sorted(expected - set(listed)):
        yield f"{what} lacks {missing}"
    for extra in sorted(set(listed) - expected):
        yield f"{what} names {extra}, which does not belong there"
    if listed != sorted(listed):
        yield f"{what} is not in alphabetical order"


def errors():
    headers = {str(path.relative_to(INCLUDE)): path.read_text() for path in INCLUDE.rglob("*.hpp")}
    public = {
        header
        for header in headers
        if not header.removeprefix("clockwise/").startswith(NOT_IN_UMBRELLA)
    }
    in_umbrella = re.findall(r'#include "(.+)"', headers["clockwise/clockwise.hpp"])
    in_file_set = re.findall(r"^ +include/(\S+\.hpp)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)

    yield from licence_errors()
    for header in sorted(headers):
        yield from header_errors(header, headers[header])
    functions = {name for text in headers.values() for name in free_functions(text)}
    in_test = re.findall(r"X\((\w+)\)", (ROOT / FREE_FUNCTIONS).read_text())[1:]

    yield from list_errors(FREE_FUNCTIONS, in_test, functions)
    yield from list_errors("the umbrella", in_umbrella, public)
    yield from list_errors("CMake's file set", in_file_set, set(headers))


def main():
    found = list(errors())
    for error in found:
        print(f"headers: {error}", file=sys.stderr)
    print(f"headers: {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
