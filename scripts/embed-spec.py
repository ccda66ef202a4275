#!/usr/bin/env python3
"""Writes the rules of spec/*.md as a C++ table: embed-spec.py ROOT OUTPUT.cpp (spec/rules_table.hpp is its interface)."""

import sys
from pathlib import Path

from spec_rules import parse_folder


def quoted(text):
    """A C++ string literal. Bytes outside printable ASCII become three-digit octal escapes, which cannot run on."""
    out = []
    for byte in text.encode("utf-8"):
        character = chr(byte)
        if character in '\\"':
            out.append("\\" + character)
        elif 32 <= byte < 127:
            out.append(character)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out).replace("??", '?""?') + '"'


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    rules, problems = parse_folder(sys.argv[1])
    # The build goes on with the rules that are well formed; scripts/check-rules.py, which every test run calls, fails on these.
    for problem in problems:
        print(f"warning: {problem}", file=sys.stderr)
    rules = list({rule.identifier: rule for rule in reversed(rules)}.values())
    rules.sort(key=lambda rule: (rule.prefix, rule.number))
    lines = [
        "// Generated from spec/*.md; do not edit.",
        '#include "spec/rules_table.hpp"',
        "",
        "namespace assay::spec {",
        "namespace {",
        "constexpr Rule table[] = {",
    ]
    lines += [f"    {{{quoted(r.identifier)}, {quoted(r.file)}, {r.line}, {quoted(r.text)}}}," for r in rules]
    if not rules:
        lines.append("    {},")
    lines += [
        "};",
        "}  // namespace",
        "",
        f"std::span<const Rule> all_rules() {{ return std::span<const Rule>(table, {len(rules)}); }}",
        "",
        "}  // namespace assay::spec",
        "",
    ]
    text = "\n".join(lines)
    output = Path(sys.argv[2])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
