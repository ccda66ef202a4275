#!/usr/bin/env python3
"""Adds up the results of a test run: count-results.py RESULTS, a folder that scripts/test.sh fills.

RESULTS/ctest.xml is what ctest writes. An entry that is a GoogleTest program has left RESULTS/cases/ENTRY.xml, and counts as its
cases; an entry without that file counts as one test, so a program that crashed is a failure. RESULTS/text/*.xml are
what `assay test` wrote. RESULTS/steps.txt has one line `passed NAME`, `failed NAME` or `skipped NAME` for each other check.

Each failed and skipped test is printed, a skipped one with the reason. The last line is `N passed, N failed, N skipped`. Exit status: 0 nothing failed and something passed, else 1.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def outcome_of(case):
    """The outcome of one JUnit <testcase>, in the dialects of ctest, GoogleTest and `assay test`."""
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("result") == "skipped" or case.get("status") in {"notrun", "disabled"}:
        return "skipped"
    return "passed"


def reason_of(case):
    """Why a <testcase> was skipped, on one line: what it printed (ctest knows only its exit status), or its message."""
    printed = case.findtext("system-out", "").strip()
    skipped = case.find("skipped")
    # GoogleTest puts `FILE:LINE` and a newline in front of the reason.
    message = "" if skipped is None else re.sub(r"^\S+:\d+\s+", "", skipped.get("message", ""))
    return " ".join((printed or message).split()) or "no reason was given"


def named(case, name):
    """(name, outcome), the name of a skipped case with the reason."""
    outcome = outcome_of(case)
    return (f"{name} ({reason_of(case)})" if outcome == "skipped" else name), outcome


def read(path):
    """[(name, outcome)] of a JUnit file."""
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return [named(c, f"{c.get('classname', '')}.{c.get('name')}".lstrip(".")) for c in cases]


def collect(results):
    found = []
    ctest_file = results / "ctest.xml"
    entries = ElementTree.parse(ctest_file).getroot().iter("testcase") if ctest_file.exists() else []
    for entry in entries:
        name, outcome = entry.get("name"), outcome_of(entry)
        cases_file = results / "cases" / f"{name}.xml"
        cases = read(cases_file) if cases_file.exists() else []
        found += [(f"{name}: {case}", result) for case, result in cases]
        explained = any(result == "failed" for _, result in cases)
        if not cases or (outcome == "failed" and not explained):
            found.append(named(entry, name))
    for text_file in sorted((results / "text").glob("*.xml")):
        found += read(text_file)
    if (results / "steps.txt").exists():
        for line in (results / "steps.txt").read_text(encoding="utf-8").splitlines():
            outcome, _, name = line.partition(" ")
            found.append((name, outcome))
    return found


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    found = collect(Path(sys.argv[1]))
    for wanted in ("skipped", "failed"):
        for name, outcome in found:
            if outcome == wanted:
                print(f"{outcome}: {name}")
    count = Counter(outcome for _, outcome in found)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
