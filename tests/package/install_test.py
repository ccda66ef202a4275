"""Installs the build into a folder of its own, moves it, and builds and runs two clients against it.

    install_test.py BUILD_FOLDER CXX CC

A C++ client through find_package, a C11 client through pkg-config; both must give the answers of the installed program.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, CXX, CC = Path(), "", ""
CLIENT = Path(__file__).resolve().parent / "client"

PROGRAM = """program scale {
  param n in 1..9
  input A: f32[n]
  output B: f32[n]
  for i in 0..n { B[i] = A[i] * 2.0 }
}
"""
LEGAL, ILLEGAL = "split i factor=4 -> io, ii\n", "retype i axis=reduce\n"


def run(*command, **more):
    """The finished process; fails the test when it was expected to succeed and did not."""
    check = more.pop("check", True)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="assay-install-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        first = cls.folder / "first"
        run("cmake", "--install", BUILD, "--prefix", first)
        cls.prefix = cls.folder / "moved prefix"
        first.rename(cls.prefix)
        (cls.folder / "program").write_text(PROGRAM)
        (cls.folder / "legal").write_text(LEGAL)
        (cls.folder / "schedule").write_text(LEGAL)
        # The tree was moved: the library is told where its worker is (the program finds it beside itself).
        pc = next(cls.prefix.rglob("assay.pc"))
        worker = run("pkg-config", "--variable=worker", "assay", env=dict(os.environ, PKG_CONFIG_PATH=str(pc.parent))).stdout
        cls.client_environment = dict(os.environ, ASSAY_WORKER=worker.strip().replace("\\ ", " "))
        cls.program = cls.prefix / "bin" / "assay"

    def test_program_runs(self):
        self.assertRegex(run(self.program, "--version").stdout, r"^assay \d+\.\d+\.\d+\n$")
        # The worker is found too: what it runs is required.
        self.assertEqual(run(self.program, "check", "program", "legal", "--require", "c", cwd=self.folder).returncode, 0)

    def test_examples_and_texts_are_there(self):
        documents = self.prefix / "share" / "doc" / "assay"
        self.assertTrue((documents / "LICENSE").is_file())
        self.assertTrue((documents / "README.md").is_file())
        self.assertTrue((documents / "spec" / "check.md").is_file())
        examples = sorted((documents / "examples").glob("*/*.air"))
        self.assertGreater(len(examples), 5)
        run(self.program, "parse", examples[0])

    def test_nothing_refers_to_the_source_or_build_tree(self):
        for text in [*self.prefix.rglob("*.cmake"), *self.prefix.rglob("*.pc")]:
            for tree in (BUILD, BUILD.parent):
                self.assertNotIn(str(tree.resolve()), text.read_text(), text)

    def test_cxx_client(self):
        build = self.folder / "client-build"
        run("cmake", "-S", CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
        run("cmake", "--build", build)
        done = run(build / "client", self.folder / "program", self.folder / "legal", env=self.client_environment)
        self.assertEqual(done.stdout, "legal\n")

    def test_c_client(self):
        paths = [p.parent for p in self.prefix.rglob("assay.pc")]
        self.assertEqual(len(paths), 1)
        environment = dict(os.environ, PKG_CONFIG_PATH=str(paths[0]))
        # The prefix has a space: pkg-config quotes it for a shell.
        binary = self.folder / "c-client"
        run("sh", "-c", f'eval exec "$1" -std=c11 -Wall -Wextra -Wpedantic -Werror "{CLIENT}/client.c" '
            f'$(pkg-config --cflags --libs assay) -o "{binary}"', "sh", CC, env=environment)
        done = run(binary, "program", "schedule", cwd=self.folder, env=self.client_environment)
        command = [self.program, "check", "program", "schedule", "--json", "--licence", "exact"]
        self.assertEqual(done.stdout, run(*command, cwd=self.folder).stdout)
        self.assertIn('"verdict": "legal"', done.stdout)

    def test_inside_another_project(self):
        build = self.folder / "parent-build"
        source = CLIENT.parents[2]
        run("cmake", "-S", CLIENT.parent / "parent", "-B", build, f"-DASSAY_SOURCE={source}", f"-DCMAKE_CXX_COMPILER={CXX}")


if __name__ == "__main__":
    BUILD, CXX, CC = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    unittest.main(argv=sys.argv[:1])
