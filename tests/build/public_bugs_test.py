"""Every record of tests/cases/public-bugs has its file, its fault and its control, and the table of README.md names them all."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "cases" / "public-bugs"
ALL = [f"{kind}-{n:02}" for kind in ("DEV", "SP") for n in range(1, 26)]
FAULTS = {"faulty", "illegal", "different"}
CONTROLS = {"legal", "clean", "equivalent"}
CLASSES = set("GRBXDSPAFLV")


def expectations(text):
    """(command or empty, verdict) of each `# expect:` line."""
    commands = {"parse", "run", "lint", "check", "apply", "prove"}
    for found in re.finditer(r"^[ \t]*# expect: (.+)$", text, re.MULTILINE):
        words = found.group(1).split()
        yield (words[0], words[1]) if words[0] in commands else ("", words[0])


def problems_of(record, path):
    """What a record's file lacks, and the title that its first line gives."""
    if not path.is_file():
        return [f"{record} has no file"], ""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    title = re.match(rf"# {record}: (\S.*)$", lines[0]) if lines else None
    found = []
    if not title:
        found.append(f"{record}: the first line does not say what the fault is")
    if len(lines) < 2 or not re.match(r"# Source: \S+#[0-9]+", lines[1]):
        found.append(f"{record}: the second line gives no source")
    all_of = list(expectations(text))
    if not any(verdict in FAULTS for _, verdict in all_of):
        found.append(f"{record} has no fault")
    # A pair of programs is not called different where nothing refutes it (`prove` need not prove it).
    if not any(v in CONTROLS or (c, v) == ("prove", "undecided") for c, v in all_of):
        found.append(f"{record} has no control")
    return found, title.group(1) if title else ""


def rows(readme):
    """(record, class, title) of each row of the table."""
    for line in readme.splitlines():
        if found := re.match(r"\| ([A-Z]+-[0-9]+) \| ([A-Z/]+) \| (.*) \|$", line):
            yield found.groups()


def problems(folder, wanted):
    titles = {}
    for record in wanted:
        found, titles[record] = problems_of(record, folder / f"{record}.air")
        yield from found
    for path in sorted(folder.glob("*.air")):
        if path.stem not in wanted:
            yield f"{path.name} is of no record"
    table = list(rows((folder / "README.md").read_text(encoding="utf-8")))
    if [record for record, _, _ in table] != wanted:
        yield "the table does not hold each record once, in order"
    for record, kinds, title in table:
        if not set(kinds.split("/")) <= CLASSES:
            yield f"{record}: `{kinds}` is no class"
        if title != titles.get(record):
            yield f"{record}: the table and the file differ in what the fault is"


class PublicBugs(unittest.TestCase):
    def test_every_record_has_its_fault_and_its_control(self):
        self.assertEqual([], list(problems(FOLDER, ALL)))

    def test_what_is_missing_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "README.md").write_text("| A-01 | G | one |\n| A-02 | Z | other |\n", encoding="utf-8")
            files = {
                "A-01": "# A-01: one\n# Source: a/b#1\n# expect: prove different\n# expect: check legal\n",
                "A-02": "# A-02: two\n\n# expect: prove undecided\n",
                "A-04": "",
            }
            for record, text in files.items():
                (folder / f"{record}.air").write_text(text, encoding="utf-8")
            self.assertEqual(
                [
                    "A-02: the second line gives no source",
                    "A-02 has no fault",
                    "A-03 has no file",
                    "A-04.air is of no record",
                    "the table does not hold each record once, in order",
                    "A-02: `Z` is no class",
                    "A-02: the table and the file differ in what the fault is",
                ],
                list(problems(folder, ["A-01", "A-02", "A-03"])),
            )


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
