#!/usr/bin/env python3
"""Checks that every package which a build of the crate may use has a licence that suits the crate's own.

Offline: reads `cargo metadata` of the package in the given folder (default: this repository), for this machine's
platform, as the packages of others need not be there.
"""

import json
import re
import subprocess
import sys

ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}


def allows(expression: str) -> bool:
    """Whether an SPDX expression can be satisfied by the allowed licences alone."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def term():
        if peek() == "(":
            take()
            value = alternatives()
            assert take() == ")", expression
            return value
        name = take()
        if peek() == "WITH":
            take()
            name = f"{name} WITH {take()}"
        return name in ALLOWED

    def conjunction():
        value = term()
        while peek() == "AND":
            take()
            value = term() and value
        return value

    def alternatives():
        value = conjunction()
        while peek() == "OR":
            take()
            value = conjunction() or value
        return value

    result = alternatives()
    assert position == len(tokens), expression
    return result


def main() -> int:
    assert allows("MIT OR GPL-3.0") and not allows("MIT AND GPL-3.0") and allows("(MIT OR X) AND ISC")
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    rustc = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = re.search(r"^host: (.*)$", rustc, re.MULTILINE)[1]
    command = ["cargo", "metadata", "--format-version", "1", "--all-features", "--locked", "--offline"]
    command += ["--filter-platform", host]
    metadata = json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)
    packages = metadata["packages"]
    refused = [p for p in packages if not allows(p["license"] or "none")]
    for package in refused:
        print(f"{package['name']} {package['version']}: licence {package['license']} is not among the allowed ones")
    print(f"licences: {len(packages) - len(refused)} of {len(packages)} packages allowed")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
