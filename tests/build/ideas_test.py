"""Every idea of tests/cases/ideas/README.md has exactly one place, and every test that elsewhere.txt names is there."""

import re
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "cases" / "ideas"
ALL = {f"S{n:02}" for n in range(1, 119)} | {f"P{n:02}" for n in range(1, 103)}


def in_cases(folder):
    """The ideas that the sections of the .air files name."""
    for path in sorted(folder.glob("*.air")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"# idea ([SP][0-9]+): \S", line):
                yield found.group(1)


def elsewhere(folder):
    """(idea, place) of each line of elsewhere.txt."""
    for line in (folder / "elsewhere.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            idea, _, place = (part.strip() for part in line.split("|"))
            yield idea, place


def problems(folder, root, wanted):
    places = Counter(in_cases(folder)) + Counter(idea for idea, _ in elsewhere(folder))
    for idea in sorted(wanted - set(places)):
        yield f"{idea} has no place"
    for idea, count in sorted(places.items()):
        if idea not in wanted:
            yield f"{idea} is no idea"
        elif count > 1:
            yield f"{idea} has {count} places"
    for idea, place in elsewhere(folder):
        if place.startswith("none: "):
            for operation in re.findall(r"none: `(\w+)` is not built yet", place):
                if (root / "transforms" / "loop" / f"{operation}.cpp").is_file():
                    yield f"{idea}: `{operation}` is built by now: write a case for it"
            continue
        file, separator, name = place.partition("::")
        path = root / file
        if not separator or not name:
            yield f"{idea}: `{place}` is neither FILE::NAME nor `none: why`"
        elif not path.is_file() or not re.search(rf"\b{re.escape(name)}\b", path.read_text(encoding="utf-8")):
            yield f"{idea}: {file} holds no {name}"


class Ideas(unittest.TestCase):
    def test_every_idea_has_one_place(self):
        self.assertEqual([], list(problems(FOLDER, ROOT, ALL)))

    def test_a_reason_that_no_longer_holds_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "transforms" / "loop").mkdir(parents=True)
            (root / "elsewhere.txt").write_text("S01 | what | none: `split` is not built yet\n", encoding="utf-8")
            self.assertEqual([], list(problems(root, root, {"S01"})))
            (root / "transforms" / "loop" / "split.cpp").touch()
            self.assertEqual(["S01: `split` is built by now: write a case for it"], list(problems(root, root, {"S01"})))

    def test_a_missing_one_is_found(self):
        self.assertIn("S99x has no place", list(problems(FOLDER, ROOT, ALL | {"S99x"})))
        self.assertIn("S01 is no idea", list(problems(FOLDER, ROOT, ALL - {"S01"})))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
