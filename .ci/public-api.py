#!/usr/bin/env python3
"""Lists every public item of the crate with its signature, and compares the list with .ci/public-api.txt.

    .ci/public-api.py            compare: exits 1 with a diff where they differ
    .ci/public-api.py --write    write the list anew

It reads rustdoc's JSON, which is unstable: RUSTC_BOOTSTRAP makes a stable compiler write it. Where the form of that JSON
is not one that was tried, it says so and passes.
"""

import difflib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / ".ci" / "public-api.txt"
# `format_version` of the JSON that this reads.
KNOWN = range(37, 60)
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "api"


def document():
    command = ["cargo", "rustdoc", "--quiet", "--locked", "--lib", "--features"]
    command += ["std,stream,codec,tracing", "--", "-Z", "unstable-options", "--output-format", "json"]
    env = dict(os.environ, RUSTC_BOOTSTRAP="1", CARGO_TARGET_DIR=str(TARGET))
    subprocess.run(command, cwd=ROOT, check=True, env=env)
    return json.loads((TARGET / "doc" / "toolcall.json").read_text())


class Api:
    def __init__(self, crate):
        self.index = crate["index"]
        self.lines = set()

    def item(self, key):
        return self.index.get(str(key))

    # Types

    def path(self, path):
        name = (path.get("path") or path.get("name") or "").split("::")[-1]
        return name + self.arguments(path.get("args"))

    def arguments(self, arguments):
        if not arguments:
            return ""
        if "parenthesized" in arguments:
            inner = arguments["parenthesized"]
            output = inner.get("output")
            inputs = ", ".join(map(self.type, inner["inputs"]))
            return f"({inputs})" + (f" -> {self.type(output)}" if output else "")
        inner = arguments.get("angle_bracketed")
        if not inner:
            return ""
        parts = [self.argument(a) for a in inner["args"]]
        for constraint in inner.get("constraints", []):
            binding = constraint["binding"]
            if "equality" in binding:
                term = binding["equality"]
                parts.append(f"{constraint['name']} = {self.type(term['type']) if 'type' in term else '_'}")
            else:
                parts.append(f"{constraint['name']}: {self.bounds(binding['constraint'])}")
        return f"<{', '.join(parts)}>" if parts else ""

    def argument(self, argument):
        if "lifetime" in argument:
            return argument["lifetime"]
        if "type" in argument:
            return self.type(argument["type"])
        return argument["const"]["expr"] if "const" in argument else "_"

    def bounds(self, bounds):
        parts = []
        for bound in bounds:
            if "trait_bound" in bound:
                inner = bound["trait_bound"]
                mark = "?" if inner["modifier"] == "maybe" else ""
                parts.append(mark + self.path(inner["trait"]))
            elif "outlives" in bound:
                parts.append(bound["outlives"])
        return " + ".join(parts)

    def type(self, kind):
        (name, inner), = kind.items()
        match name:
            case "primitive" | "generic":
                return inner
            case "resolved_path":
                return self.path(inner)
            case "borrowed_ref":
                lifetime = f"{inner['lifetime']} " if inner["lifetime"] else ""
                mutable = "mut " if inner["is_mutable"] else ""
                return f"&{lifetime}{mutable}{self.type(inner['type'])}"
            case "tuple":
                return f"({', '.join(map(self.type, inner))})"
            case "slice":
                return f"[{self.type(inner)}]"
            case "array":
                return f"[{self.type(inner['type'])}; {inner['len']}]"
            case "impl_trait":
                return f"impl {self.bounds(inner)}"
            case "dyn_trait":
                traits = [self.path(t["trait"]) for t in inner["traits"]]
                return "dyn " + " + ".join(traits + ([inner["lifetime"]] if inner["lifetime"] else []))
            case "qualified_path":
                return f"{self.type(inner['self_type'])}::{inner['name']}"
            case _:
                return name

    def generics(self, generics):
        parts = []
        for param in generics["params"]:
            kind = param["kind"]
            if "type" in kind:
                if kind["type"].get("is_synthetic"):
                    continue
                bounds = self.bounds(kind["type"]["bounds"])
                parts.append(param["name"] + (f": {bounds}" if bounds else ""))
            elif "lifetime" in kind:
                outlives = " + ".join(kind["lifetime"]["outlives"])
                parts.append(param["name"] + (f": {outlives}" if outlives else ""))
            else:
                parts.append(f"const {param['name']}")
        return f"<{', '.join(parts)}>" if parts else ""

    def where(self, generics):
        parts = []
        for predicate in generics["where_predicates"]:
            if "bound_predicate" in predicate:
                inner = predicate["bound_predicate"]
                parts.append(f"{self.type(inner['type'])}: {self.bounds(inner['bounds'])}")
        return f" where {', '.join(parts)}" if parts else ""

    def function(self, name, inner):
        sig, header = inner["sig"], inner["header"]
        words = "".join(f"{w} " for w in ("const", "async", "unsafe") if header.get(f"is_{w}"))
        inputs = ", ".join(f"{n}: {self.type(t)}" for n, t in sig["inputs"])
        output = f" -> {self.type(sig['output'])}" if sig["output"] else ""
        generics = inner["generics"]
        return f"{words}fn {name}{self.generics(generics)}({inputs}){output}{self.where(generics)}"

    # Items

    def add(self, path, what):
        self.lines.add(f"{path}: {what}")

    def walk(self, key, path):
        item = self.item(key)
        if item is None or item["visibility"] not in ("public", "default"):
            return
        if any("doc(hidden)" in str(a) or "#[doc(hidden)]" in str(a) for a in item["attrs"]):
            return
        (kind, inner), = item["inner"].items()
        name = item["name"]
        here = f"{path}::{name}" if name else path
        match kind:
            case "module":
                if path:
                    self.add(here, "mod")
                for child in inner["items"]:
                    self.walk(child, here)
            case "use":
                target = self.item(inner["id"])
                if target is None:
                    self.add(f"{path}::{inner['name']}", f"use {inner['source']}")
                elif inner["is_glob"]:
                    for child in next(iter(target["inner"].values()))["items"]:
                        self.walk(child, path)
                else:
                    self.walk_as(target, path, inner["name"])
            case _:
                self.walk_as(item, path, name)

    def walk_as(self, item, path, name):
        if any("hidden" in str(a) for a in item["attrs"]):
            return
        (kind, inner), = item["inner"].items()
        here = f"{path}::{name}"
        open_ended = "non_exhaustive " if any("non_exhaustive" in str(a) for a in item["attrs"]) else ""
        match kind:
            case "module":
                self.add(here, "mod")
                for child in inner["items"]:
                    self.walk(child, here)
            case "struct":
                self.add(here, f"{open_ended}struct{self.generics(inner['generics'])}")
                shape = inner["kind"]
                fields = shape["plain"]["fields"] if "plain" in shape else []
                for key in fields:
                    field = self.item(key)
                    if field and field["visibility"] == "public":
                        self.add(f"{here}.{field['name']}", self.type(field["inner"]["struct_field"]))
                self.impls(inner["impls"], here)
            case "enum":
                self.add(here, f"{open_ended}enum{self.generics(inner['generics'])}")
                for key in inner["variants"]:
                    self.variant(self.item(key), here)
                self.impls(inner["impls"], here)
            case "trait":
                self.add(here, f"trait{self.generics(inner['generics'])}: {self.bounds(inner['bounds'])}")
                for key in inner["items"]:
                    self.member(self.item(key), here)
            case "function":
                self.add(here, self.function(name, inner))
            case "constant":
                self.add(here, f"const {self.type(inner['type'])}")
            case "type_alias":
                self.add(here, f"type = {self.type(inner['type'])}")
            case _:
                self.add(here, kind)

    def variant(self, item, path):
        shape = item["inner"]["variant"]["kind"]
        fields = ""
        if isinstance(shape, dict) and "tuple" in shape:
            types = [self.type(self.item(k)["inner"]["struct_field"]) for k in shape["tuple"] if k is not None]
            fields = f"({', '.join(types)})"
        elif isinstance(shape, dict):
            fields = " {..}"
        self.add(f"{path}::{item['name']}", f"variant{fields}")

    def impls(self, keys, path):
        for key in keys:
            block = self.item(key)
            if block is None:
                continue
            inner = block["inner"]["impl"]
            if inner["is_synthetic"] or inner["blanket_impl"]:
                continue
            if inner["trait"]:
                trait = self.path(inner["trait"])
                if trait != "StructuralPartialEq":
                    self.add(path, f"impl {trait}")
                continue
            for child in inner["items"]:
                self.member(self.item(child), path)

    def member(self, item, path):
        if item is None or item["visibility"] not in ("public", "default"):
            return
        if any("hidden" in str(a) for a in item["attrs"]):
            return
        (kind, inner), = item["inner"].items()
        here = f"{path}::{item['name']}"
        match kind:
            case "function":
                self.add(here, self.function(item["name"], inner))
            case "assoc_const":
                self.add(here, f"const {self.type(inner['type'])}")
            case "assoc_type":
                self.add(here, "type")


def main():
    crate = document()
    if crate["format_version"] not in KNOWN:
        print(f"public API: rustdoc's JSON has the unknown form {crate['format_version']}; not compared")
        return 0
    api = Api(crate)
    api.walk(crate["root"], "")
    found = sorted(line.removeprefix("::") for line in api.lines)
    if "--write" in sys.argv:
        LIST.write_text("\n".join(found) + "\n")
        return 0
    listed = LIST.read_text().splitlines()
    difference = list(difflib.unified_diff(listed, found, "listed", "found", lineterm="", n=0))
    for line in difference:
        print(line)
    if difference:
        print("public API: differs from .ci/public-api.txt; if that is meant: .ci/public-api.py --write")
        return 1
    print(f"public API: {len(found)} items as listed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
