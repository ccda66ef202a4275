"""An include that the design forbids does not compile: include_rules_test.py ROOT COMPONENT_FOLDERS.

Three tests. For every component and every folder, a one-line source that includes a header of that folder is compiled with
the include folders that CMake gives the component: it must compile exactly where `ALLOWED`, the dependency list of the design,
says so. A small project built with the same cmake/AssayComponent.cmake shows that such an include fails a whole build. And no
source goes around the include folders with a path through `..`, or reaches a solver's header from outside proofs/.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path()
FOLDERS_FILE = Path()

# What each component may include, itself apart. Written from the design, not from CMakeLists.txt, which it checks.
ALLOWED = {
    "ir": set(),
    "obligations": {"ir"},
    "proofs": {"ir", "obligations"},
    "transforms": {"ir", "obligations"},
    "interp": {"ir"},
    "codegen": {"ir"},
    "oracle": {"ir", "obligations", "proofs", "transforms", "interp", "codegen"},
    "fuzz": {"ir", "obligations", "proofs", "transforms", "interp", "codegen", "oracle"},
    "spec_rules": set(),
    "cli_lib": {"ir", "obligations", "proofs", "transforms", "interp", "codegen", "oracle", "fuzz", "spec_rules"},
}
FOLDER = {"obligations": "proofs/obligation", "spec_rules": "spec", "cli_lib": "cli"}
SOLVER_HEADER = re.compile(r'^\s*#\s*include\s*[<"](isl/|z3|cvc5|polylib|ppl)')
UPWARD_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"][^>"]*\.\./')

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
include({root}/cmake/AssayComponent.cmake)
assay_component(low  DIR low)
assay_component(high DIR high  DEPENDS low)
"""


def folder_of(component):
    return FOLDER.get(component, component)


def headers_of(component):
    """The headers that belong to a component, in a fixed order."""
    folder = folder_of(component)
    headers = sorted(str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*.hpp"))
    if component == "proofs":
        headers = [h for h in headers if not h.startswith("proofs/obligation/")]
    return headers


def compile_line(line, include_folders, *, preprocess_only):
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "probe.cpp"
        source.write_text(line + "\n", encoding="utf-8")
        command = [os.environ.get("CXX", "c++"), "-std=c++20", *(f"-I{f}" for f in include_folders)]
        command += ["-E", "-o", os.devnull] if preprocess_only else ["-fsyntax-only"]
        return subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)


class IncludeRules(unittest.TestCase):
    def test_each_pair_of_folders(self):
        include_folders = {}
        for line in FOLDERS_FILE.read_text(encoding="utf-8").splitlines():
            component, *folders = line.split(";")
            include_folders[component] = [f for f in folders if f]
        self.assertEqual(set(ALLOWED), set(include_folders))
        allowed_pairs = forbidden_pairs = 0
        for target in ALLOWED:
            headers = headers_of(target)
            if not headers:
                print(f"no header in {folder_of(target)}/ yet")
                continue
            line = f'#include "{headers[0]}"'
            for component, folders in include_folders.items():
                with self.subTest(source=component, include=headers[0]):
                    if component == target or target in ALLOWED[component]:
                        allowed_pairs += 1
                        done = compile_line(line, folders, preprocess_only=True)
                        self.assertEqual(0, done.returncode, done.stderr)
                    else:
                        forbidden_pairs += 1
                        done = compile_line(line, folders, preprocess_only=False)
                        self.assertNotEqual(0, done.returncode, "a forbidden include compiles")
                        self.assertIn("o such file", done.stderr)
        print(f"{allowed_pairs} allowed and {forbidden_pairs} forbidden pairs")
        self.assertGreater(forbidden_pairs, 20)

    def test_a_forbidden_include_fails_the_build(self):
        for include, builds in (("low/low.hpp", True), ("high/high.hpp", False)):
            with self.subTest(include=include), tempfile.TemporaryDirectory() as scratch:
                project = Path(scratch)
                files = {
                    "CMakeLists.txt": PROJECT.format(root=ROOT),
                    "low/low.hpp": "#pragma once\n",
                    "high/high.hpp": "#pragma once\n",
                    "low/low.cpp": f'#include "{include}"\n',
                    "high/high.cpp": '#include "low/low.hpp"\n#include "high/high.hpp"\n',
                }
                for name, text in files.items():
                    (project / name).parent.mkdir(exist_ok=True)
                    (project / name).write_text(text, encoding="utf-8")
                build = str(project / "build")
                subprocess.run(["cmake", "-S", scratch, "-B", build, "-G", "Ninja"], capture_output=True, check=True)
                done = subprocess.run(["ninja", "-C", build, "-k0"], capture_output=True, text=True, check=False)
                self.assertEqual(builds, done.returncode == 0, done.stdout)
                if not builds:
                    self.assertIn("high/high.hpp: No such file", done.stdout)
                    self.assertIn("low.cpp", done.stdout)

    def test_no_source_goes_around(self):
        solver_users, seen = set(), 0
        for top in ["ir", "proofs", "transforms", "interp", "codegen", "oracle", "fuzz", "cli", "spec", "tests", "bench"]:
            for path in sorted((ROOT / top).rglob("*.[ch]pp")):
                seen += 1
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                    where = f"{path.relative_to(ROOT)}:{number}"
                    self.assertIsNone(UPWARD_INCLUDE.match(line), where)
                    if SOLVER_HEADER.match(line):
                        solver_users.add(where)
        self.assertGreater(seen, 0)
        self.assertEqual([], sorted(w for w in solver_users if not w.startswith("proofs/")))


if __name__ == "__main__":
    ROOT, FOLDERS_FILE = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
