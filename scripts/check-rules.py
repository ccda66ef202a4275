#!/usr/bin/env python3
"""Checks the numbered rules of spec/ against the sources and against what a test run did.

    check-rules.py [--root DIR] [--logs DIR | --static]

It fails when
  - a line of spec/*.md looks like a rule and is not one, or an identifier is defined twice;
  - a source, a test or a text file cites an identifier that no page defines;
  - a rule has no assertion that ran and passed, or one that failed, by the logs that tests/support/rules.hpp writes
    (`SPLIT-3 pass`, one line per rule and outcome and process; --logs, by default build/rules below the root);
  - a log names an identifier that no page defines.
With --static the logs are left out. Exit status: 0 all hold, 1 something does not, 2 the command line or the logs are missing.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

from spec_rules import parse_folder

FOLDERS = ["ir", "proofs", "transforms", "interp", "codegen", "oracle", "fuzz", "cli", "spec", "tests", "bench", "examples", "cmake"]
CODE = {".cpp", ".hpp", ".h", ".c"}
TEXT = {".air", ".sched", ".md", ".py", ".sh", ".cmake", ".txt"}

IDENTIFIER = r"([A-Z][A-Z0-9]*)-(0|[1-9][0-9]*)"
# A citation stands alone: not inside a longer word, path or number (`X-86-64`, `F16-1.txt` are none).
CITATION = re.compile(rf"(?<![\w-]){IDENTIFIER}(?![\w-])")
# A whole string literal of that form is a code that someone prints or asserts, whether or not its prefix is known.
LITERAL = re.compile(rf'"{IDENTIFIER}"')
EXPECTED = re.compile(rf"^\s*#\s*expect:.*?\s{IDENTIFIER}\s*$")
# Of that form, and not ours: names of standards, of the reports of faults in tests/cases, and NOPE, the prefix for tests.
FOREIGN = {"UTF", "ISO", "SHA", "IEEE", "DEV", "SP", "NOPE"}
# A line of a test that needs another code without a rule says so in a comment.
NO_RULE = re.compile(r"// no rule\b")


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).parts
            if "fixtures" in inside or "__pycache__" in inside or not path.is_file():
                continue
            if path.suffix in CODE | TEXT:
                yield path
    yield from sorted(root.glob("*.md"))


def cited_in(path, known_prefixes):
    """(line, identifier) for each citation in a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if NO_RULE.search(line):
            continue
        found = {m.groups() for m in CITATION.finditer(line) if m.group(1) in known_prefixes}
        if path.suffix in CODE:
            found |= {m.groups() for m in LITERAL.finditer(line)}
        elif path.suffix in {".air", ".sched"}:
            found |= {m.groups() for m in EXPECTED.finditer(line)}
        for prefix, digits in sorted(found):
            if prefix not in FOREIGN:
                yield number, f"{prefix}-{digits}"


def read_logs(folder):
    """{identifier: {outcome: [log names]}} of all logs in a folder."""
    outcomes = defaultdict(lambda: defaultdict(list))
    for log in sorted(folder.glob("*.log")):
        for line in log.read_text(encoding="utf-8").splitlines():
            identifier, _, outcome = line.rpartition(" ")
            outcomes[identifier][outcome].append(log.name)
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--static", action="store_true")
    arguments = parser.parse_args()
    root = arguments.root
    logs = arguments.logs or root / "build" / "rules"

    rules, problems = parse_folder(root)
    defined = {rule.identifier: rule for rule in rules}
    prefixes = {rule.prefix for rule in rules}

    citations = 0
    undefined = defaultdict(list)
    for path in sources(root):
        for line, identifier in cited_in(path, prefixes):
            citations += 1
            if identifier not in defined:
                undefined[identifier].append(f"{path.relative_to(root)}:{line}")
    for identifier, places in undefined.items():
        more = f" (and {len(places) - 1} more places)" if len(places) > 1 else ""
        problems.append(f"{places[0]}: cites {identifier}, which no page of spec/ defines{more}")

    if arguments.static:
        checked = f"{citations} citations"
    else:
        if not any(logs.glob("*.log")):
            print(f"check-rules: no logs in {logs}; run the tests first", file=sys.stderr)
            return 2
        outcomes = read_logs(logs)
        passed = 0
        for identifier, rule in defined.items():
            seen = outcomes.get(identifier, {})
            if "fail" in seen:
                problems.append(f"{rule.file}:{rule.line}: {identifier} failed in {', '.join(seen['fail'])}")
            elif "pass" in seen:
                passed += 1
            else:
                problems.append(f"{rule.file}:{rule.line}: {identifier} has no assertion that ran")
        for identifier, seen in sorted(outcomes.items()):
            for outcome, names in sorted(seen.items()):
                if identifier not in defined:
                    problems.append(f"{', '.join(names)}: an assertion names {identifier}, which no page of spec/ defines")
                if outcome not in {"pass", "fail"}:
                    problems.append(f"{', '.join(names)}: malformed line for {identifier!r}: {outcome!r}")
        checked = f"{passed} checked by an assertion that passed, {citations} citations"

    for problem in problems:
        print(problem)
    pages = len({rule.file for rule in rules})
    print(f"rules: {len(defined)} in {pages} pages, {checked}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
