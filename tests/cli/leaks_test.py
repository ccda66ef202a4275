"""No child process and no temporary file outlives assay, however it ends (CLI-11): leaks_test.py ASSAY

Commands that compile and run kernels are left to end, or are killed after fixed delays: with the real compiler, with one that
hangs with a child of its own, and with kernels that hang or crash when they are loaded. Children are found by a variable in
their environment, which they inherit, so that it does not matter who adopts them.
"""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

ASSAY = Path()
PATIENCE = 60  # seconds for what must happen at once; only a leak takes that long
GCC = shutil.which("gcc")
PROGRAM = """program p {
  param n in 1..60
  input X: f32[n, 64]
  output A: f32[n, 64]
  for i in 0..n { for j in 0..64 { A[i, j] = X[i, j] * 2.0 } }
}
schedule s { split j factor=16 -> jo, ji }
"""
EXPECTED = "# expect: check legal\n"
# What the compilers add to every kernel: something that runs when the kernel is loaded.
# HANGS stands for a file that says that it came to that.
HANG = """#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void hang(void) { close(creat("HANGS", 0600)); for (;;) pause(); }
"""
CRASH = "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\n"


def record(rule, held):
    """The log of tests/support/rules.hpp, for scripts/check-rules.py."""
    if log := os.environ.get("ASSAY_RULES_LOG"):
        with open(log, "a") as out:
            out.write(f"{rule} {'pass' if held else 'fail'}\n")
    return held


def processes_with(marker):
    """The processes whose environment holds the marker: id and command."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if marker in (process / "environ").read_bytes() and (process / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.append((process.name, (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()))
        except OSError:
            pass  # it ended meanwhile
    return found


@unittest.skipUnless(GCC, "gcc is not installed: nothing is compiled")
def files_in(folder):
    while True:
        try:
            return sorted(str(f) for f in folder.rglob("*"))
        except FileNotFoundError:  # a folder was removed while it was listed
            pass


class Leaks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="leaks-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "p.air").write_text(EXPECTED + PROGRAM)
        self.hangs = self.folder / "hangs"
        (self.folder / "hang.c").write_text(HANG.replace("HANGS", str(self.hangs)))
        (self.folder / "crash.c").write_text(CRASH)
        for name, text in {
            "real": f'exec "{GCC}" "$@"',
            "hanging compiler": f'sleep 1000 & : >"{self.hangs}"; wait',
            "hanging kernel": f'exec "{GCC}" "{self.folder}/hang.c" "$@"',
            "crashing kernel": f'exec "{GCC}" "{self.folder}/crash.c" "$@"',
        }.items():
            (self.folder / name).mkdir()
            command = self.folder / name / "gcc"
            command.write_text(f"#!/bin/sh\n{text}\n")
            command.chmod(0o755)

    def start(self, compiler, *arguments):
        """A running assay, its marker, and the folder that it has for temporary files."""
        marker = f"ASSAY_LEAKS={uuid.uuid4()}"
        files = Path(tempfile.mkdtemp(dir=self.folder))
        # A PATH without other compilers: the fake one is the only one, whatever is installed.
        environment = {"PATH": f"{self.folder / compiler}:/usr/bin:/bin", "TMPDIR": str(files), "LC_ALL": "C", "HOME": str(files), "ASSAY_CACHE": "off"}
        environment.update([marker.split("=")])
        for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        running = subprocess.Popen([ASSAY, *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return running, marker.encode(), files

    def check_gone(self, marker, files, what):
        end = time.monotonic() + PATIENCE
        while (left := (processes_with(marker), files_in(files))) != ([], []) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(record("CLI-11", left == ([], [])), (what, left))

    def test_ends_by_itself(self):
        for compiler in ("real", "crashing kernel"):
            running, marker, files = self.start(compiler, "check", "p.air")
            status = running.wait(PATIENCE)
            self.assertEqual(status, 0 if compiler == "real" else 70 if status == 70 else 3, compiler)
            self.check_gone(marker, files, compiler)

    def test_killed(self):
        signals = itertools.cycle((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGKILL))
        commands = itertools.cycle((("check", "p.air"), ("test", "p.air")))
        for compiler in ("real", "hanging compiler", "hanging kernel", "crashing kernel"):
            for delay in (0.02, 0.15, 0.5):
                command, number = next(commands), next(signals)
                running, marker, files = self.start(compiler, *command)
                time.sleep(delay)
                running.send_signal(number)
                running.wait(PATIENCE)
                self.check_gone(marker, files, (compiler, command, number, delay))

    def test_killed_while_something_hangs(self):
        for compiler in ("hanging compiler", "hanging kernel"):
            for number in (signal.SIGKILL, signal.SIGTERM):
                self.hangs.unlink(missing_ok=True)
                running, marker, files = self.start(compiler, "check", "p.air")
                end = time.monotonic() + PATIENCE
                while not self.hangs.exists() and running.poll() is None and time.monotonic() < end:
                    time.sleep(0.02)
                self.assertTrue(self.hangs.exists(), compiler)
                self.assertIsNone(running.poll(), compiler)
                running.send_signal(number)
                running.wait(PATIENCE)
                self.check_gone(marker, files, (compiler, number))


if __name__ == "__main__":
    ASSAY = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
