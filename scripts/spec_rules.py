"""Reads the numbered rules of spec/*.md.

A rule is one list item that begins with its identifier in bold:

    - **SPLIT-3** Text of the rule.

It ends at the end of its line, or, when it is wrapped, at the first following line that is not indented. This is the one
parser of that form: the table built into the program (embed-spec.py) and the coverage check (check-rules.py) both use it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

RULE = re.compile(r"^- \*\*([A-Z][A-Z0-9]*-(?:0|[1-9][0-9]*))\*\* +(\S.*)$")
# What looks like an attempt at a rule; one that RULE does not match is an error, never a line that is quietly skipped.
LOOKS_LIKE_RULE = re.compile(r"^\s*[-*+]\s+(\*\*|__)[A-Z][A-Z0-9]*-[0-9]+\b")


@dataclass(frozen=True)
class Rule:
    identifier: str
    file: str  # relative to the root of the source tree: "spec/numerics.md"
    line: int
    text: str

    @property
    def prefix(self):
        return self.identifier.rsplit("-", 1)[0]

    @property
    def number(self):
        return int(self.identifier.rsplit("-", 1)[1])


def parse_page(path, shown_as):
    """The rules of one page, in order, and a message for each malformed one."""
    rules, problems = [], []
    fenced = False
    open_rule = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            open_rule = None
            continue
        if fenced:
            continue
        match = RULE.match(line)
        if match:
            open_rule = len(rules)
            rules.append(Rule(match.group(1), shown_as, number, match.group(2).strip()))
        elif LOOKS_LIKE_RULE.match(line):
            open_rule = None
            problems.append(f"{shown_as}:{number}: not of the form `- **PREFIX-n** text`: {line.strip()[:60]}")
        elif open_rule is not None and line.startswith("  ") and line.strip():
            last = rules[open_rule]
            rules[open_rule] = Rule(last.identifier, last.file, last.line, f"{last.text} {line.strip()}")
        else:
            open_rule = None
    return rules, problems


def parse_folder(root):
    """All rules of root/spec/*.md, and messages for malformed and for doubly defined ones."""
    rules, problems = [], []
    for page in sorted((Path(root) / "spec").glob("*.md")):
        found, wrong = parse_page(page, f"spec/{page.name}")
        rules += found
        problems += wrong
    first = {}
    for rule in rules:
        if rule.identifier in first:
            other = first[rule.identifier]
            problems.append(f"{rule.file}:{rule.line}: {rule.identifier} is already defined at {other.file}:{other.line}")
        else:
            first[rule.identifier] = rule
    return rules, problems
