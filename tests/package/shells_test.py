"""The manual page and the completion scripts, read by the programs that they are for.

    shells_test.py DOCUMENTS_FOLDER

What is not installed here (man, mandoc, zsh, fish) is skipped by name; bash is always there.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DOCUMENTS = Path()


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


class Manual(unittest.TestCase):
    @needs("man")
    @needs("groff")
    def test_man_has_no_warnings(self):
        done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", DOCUMENTS / "assay.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @needs("mandoc")
    def test_mandoc_finds_nothing(self):
        done = run("mandoc", "-T", "lint", "-W", "style", DOCUMENTS / "assay.1")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_lines_that_begin_with_a_dot_are_known_requests(self):
        for line in (DOCUMENTS / "assay.1").read_text().splitlines():
            if line.startswith((".", "'")):
                self.assertRegex(line, r"^\.(TH|SH|SS|TP|PP|B|I|BR|IB|RI|nf|fi)\b")


class Bash(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last word; file names are those of a folder with k.air and sub/."""
        with tempfile.TemporaryDirectory(prefix="assay-shells-") as folder:
            (Path(folder) / "k.air").touch()
            (Path(folder) / "sub").mkdir()
            quoted = " ".join(f"'{w}'" for w in words)
            script = (f"source '{DOCUMENTS}/assay.bash' && COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1} && _assay assay"
                      " && printf '%s\\n' \"${COMPREPLY[@]}\"")
            done = run("bash", "--norc", "-uc", script, cwd=folder)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()

    def test_commands(self):
        self.assertIn("check", self.complete("assay", ""))
        self.assertEqual(self.complete("assay", "che"), ["check"])

    def test_options(self):
        self.assertEqual(self.complete("assay", "check", "--lic"), ["--licence"])
        self.assertEqual(self.complete("assay", "lint", "--lic"), [])

    def test_values(self):
        self.assertEqual(self.complete("assay", "check", "--licence", "r"), ["reassociates", "rounds"])
        self.assertEqual(self.complete("assay", "check", "--steps", ""), ["sub"])
        self.assertEqual(self.complete("assay", "run", "k.air", "--in", "A", "=", "k"), ["k.air"])
        self.assertEqual(self.complete("assay", "run", "k.air", "--in", "A", "="), ["k.air", "sub"])

    def test_operands(self):
        self.assertEqual(self.complete("assay", "check", "k"), ["k.air"])
        self.assertEqual(self.complete("assay", "ops", "swa"), ["swap"])
        self.assertEqual(self.complete("assay", "explain", "DEP-2"), ["DEP-2"])


class OtherShells(unittest.TestCase):
    @needs("zsh")
    def test_zsh(self):
        script = f"autoload -Uz compinit && compinit -u -D; fpath=('{DOCUMENTS}' $fpath); autoload -Uz _assay && autoload +X _assay"
        for command in (("zsh", "-n", DOCUMENTS / "_assay"), ("zsh", "-fc", script)):
            done = run(*command)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @needs("fish")
    def test_fish(self):
        def offered(line):
            with tempfile.TemporaryDirectory(prefix="assay-shells-") as home:
                done = run("fish", "--no-config", "-c", f"source '{DOCUMENTS}/assay.fish'; complete -C '{line}'", env={"HOME": home, "PATH": "/usr/bin:/bin"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                return [one.split("\t")[0] for one in done.stdout.splitlines()]

        self.assertEqual(offered("assay che"), ["check"])
        self.assertEqual(offered("assay check --lic"), ["--licence"])
        self.assertEqual(offered("assay check --licence r"), ["reassociates", "rounds"])
        self.assertEqual(offered("assay ops swa"), ["swap"])


if __name__ == "__main__":
    DOCUMENTS = Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1])
