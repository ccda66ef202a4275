"""What users and scripts do to a command line: odd names, odd files, odd streams.

    robust_test.py ASSAY

Nothing may crash or hang, every exit status is one of the documented ones, and no half-written file stays (CLI-6, CLI-8, CLI-13).
"""

import os
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ASSAY = Path()
PROGRAM = "program p {\n  input X: f32[4]\n  output A: f32[4]\n  for i in 0..4 { A[i] = X[i] }\n}\n"
LIMIT = 60  # seconds; a run takes a few hundredths


def record(rule, held):
    """The log of tests/support/rules.hpp, for scripts/check-rules.py."""
    if log := os.environ.get("ASSAY_RULES_LOG"):
        with open(log, "a") as out:
            out.write(f"{rule} {'pass' if held else 'fail'}\n")
    return held


class Robust(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="assay-robust-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.put("p.air", PROGRAM)

    def put(self, name, content):
        (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    def run_assay(self, *arguments, **more):
        done = subprocess.run([ASSAY, *arguments], capture_output="stdout" not in more, cwd=self.folder, timeout=LIMIT,
                              env=dict(os.environ, LC_ALL="C"), **{"stdin": subprocess.DEVNULL, **more})
        self.assertIn(done.returncode, (0, 1, 2, 3, 4), (arguments, done.stdout, done.stderr))
        self.assertEqual(list(self.folder.rglob("*.part")), [])
        return done

    def test_odd_contents(self):
        wrong = {
            "nul": b"program p {\0 }", "latin": b"program \xff\xfe { }", "bom": b"\xef\xbb\xbf" + PROGRAM.encode(),
            "long line": b"#" + b"a" * 20_000_000, "many lines": b"\n" * 20_000_000, "deep": b"{" * 1_000_000, "open": b"program p {",
            "json": b'{"air": 1, "programs": [' * 1000, "npy": b"\x93NUMPY\x01\x00",
        }
        for name, content in wrong.items():
            self.put(name, content)
            for command in ("parse", "lint"):
                done = self.run_assay(command, name)
                self.assertTrue(record("CLI-6", done.returncode == 2), (name, done))
                self.assertLess(len(done.stdout) + len(done.stderr), 4000, name)
        for name, content in {"crlf": PROGRAM.replace("\n", "\r\n"), "far": " " * 3_000_000 + PROGRAM, "empty comment": "#\n" + PROGRAM}.items():
            self.put(name, content)
            self.assertEqual(self.run_assay("lint", name).returncode, 0, name)

    def test_odd_names(self):
        for name in ("a b.air", 'quote".air', "colon:p.air", "new\nline.air", "-dash.air", "émoji✓.air", "x" * 200 + ".air"):
            self.put(name, PROGRAM)
            self.assertTrue(record("CLI-6", self.run_assay("lint", "--", name).returncode == 0), name)
        self.put(b"latin\xff.air".decode(errors="surrogateescape"), PROGRAM)
        self.assertEqual(self.run_assay("lint", b"latin\xff.air", "--json").returncode, 0)
        (self.folder / "folder").mkdir()
        for name in ("", "missing", "folder", "p.air/", "p.air:", "p.air:q", ":p", "missing:p", "x" * 5000, "."):
            done = self.run_assay("lint", name)
            self.assertTrue(record("CLI-13" if name == "p.air:" else "CLI-6", done.returncode == 2), name)
        self.assertEqual(self.run_assay("lint", "p.air:p").returncode, 0)

    def test_inputs_from_odd_places(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        writer = threading.Thread(target=lambda: fifo.write_text(PROGRAM))
        writer.start()
        self.assertEqual(self.run_assay("lint", "fifo").returncode, 0)
        writer.join()
        self.assertEqual(self.run_assay("lint", "-", input=PROGRAM.encode(), stdin=None).returncode, 0)
        self.assertEqual(self.run_assay("lint", "-").returncode, 2)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            # A read that fails is not the end of the text: the first half of a schedule may be legal.
            self.assertTrue(record("CLI-6", self.run_assay("check", "p.air", "-", stdin=folder).returncode == 2))
        finally:
            os.close(folder)
        closed = subprocess.run(["sh", "-c", '"$0" check p.air - <&-', ASSAY], capture_output=True, cwd=self.folder, timeout=LIMIT)
        self.assertEqual(closed.returncode, 2)

    def test_outputs_in_odd_places(self):
        def parse_to(place):
            return self.run_assay("parse", "p.air", "-o", place).returncode

        self.assertEqual(parse_to("out.air"), 0)
        text = (self.folder / "out.air").read_bytes()
        # A device or a pipe is written to, never replaced.
        self.assertTrue(record("CLI-8", parse_to("/dev/null") == 0 and stat.S_ISCHR(os.stat("/dev/null").st_mode)))
        self.assertTrue(record("CLI-8", parse_to("/dev/full") == 2))
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        read = []
        reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
        reader.start()
        self.assertEqual(parse_to("fifo"), 0)
        reader.join()
        self.assertTrue(record("CLI-8", read == [text] and fifo.is_fifo()))
        # A link stays one, whether or not what it names is there; permissions stay.
        for name in ("target.air", "out.air"):
            link = self.folder / f"link to {name}"
            link.symlink_to(name)
            self.assertEqual(parse_to(link), 0)
            self.assertTrue(record("CLI-8", link.is_symlink() and (self.folder / name).read_bytes() == text))
        (self.folder / "out.air").chmod(0o640)
        self.assertEqual(parse_to("out.air"), 0)
        self.assertEqual((self.folder / "out.air").stat().st_mode & 0o777, 0o640)
        (self.folder / "folder").mkdir()
        for place in ("", "folder", "missing/out.air", "p.air/out.air"):
            self.assertTrue(record("CLI-8", parse_to(place) == 2), place)
        self.assertEqual(self.run_assay("run", "p.air", "--out", "p.air").returncode, 2)
        self.assertEqual((self.folder / "p.air").read_text(), PROGRAM)
        self.assertEqual(self.run_assay("parse", "missing", "-o", "out.air").returncode, 2)
        self.assertTrue(record("CLI-8", (self.folder / "out.air").read_bytes() == text))

    def test_standard_output_that_cannot_be_written(self):
        for command in (["parse", "p.air"], ["lint", "p.air"], ["lint", "p.air", "--json"], ["--help"], ["ops"], ["lint", "missing"]):
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.run_assay(*command, stdout=full, stderr=subprocess.PIPE).returncode, 2, command)
        # A closed stream must not become the next file that is opened.
        closed = subprocess.run(["sh", "-c", '"$0" parse p.air -o out.air >&- 2>&-', ASSAY], cwd=self.folder, timeout=LIMIT)
        self.assertEqual(closed.returncode, 2)
        whole = self.run_assay("parse", "p.air").stdout
        self.assertTrue(record("CLI-8", (self.folder / "out.air").read_bytes() == whole))

    def test_options(self):
        for arguments in (["--json=3"], ["--json=false"], ["-v=1"], ["--color"], ["--color=blue"], ["--budget=0"], ["--param", "n"],
                          ["--param="], ["--budget", "-1"], ["--budget=99999999999999999999"]):
            done = self.run_assay("lint", "p.air", *arguments)
            self.assertTrue(record("CLI-13", done.returncode == 2), arguments)
        for value, said in (("Q=x.npy", b"Q"), ("A=x.npy", b"`A` is no input"), ("X=missing.npy", b"missing.npy"), ("X", b"NAME=FILE"), ("=x.npy", b"NAME=FILE")):
            done = self.run_assay("run", "p.air", "--in", value)
            self.assertTrue(record("CLI-13", done.returncode == 2 and said in done.stdout), (value, done.stdout))


if __name__ == "__main__":
    ASSAY = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
