"""scripts/count-results.py on result folders made for the purpose: what counts as one test, and that no failure is lost."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "count-results.py"

CTEST = """<testsuite>
  <testcase name="ir" status="run"/>
  <testcase name="interp" status="{interp}">{failure}</testcase>
  <testcase name="build_rules" status="run"/>
  <testcase name="agreement" status="notrun">
    <skipped message="SKIP_RETURN_CODE=77"/><system-out>left out: no numpy
</system-out></testcase>
</testsuite>"""
IR_CASES = """<testsuites><testsuite name="Index">
  <testcase name="adds" status="run" result="completed" classname="Index"/>
  <testcase name="later" status="run" result="skipped" classname="Index"><skipped message="a/b_test.cpp:7&#x0A;no file&#x0A;here"/></testcase>
</testsuite></testsuites>"""
INTERP_CASES = """<testsuites><testsuite name="Run">
  <testcase name="runs" status="run" result="completed" classname="Run">{failure}</testcase>
</testsuite></testsuites>"""
FAILURE = '<failure message="wrong"/>'


class CountResults(unittest.TestCase):
    def count(self, interp="run", interp_failure="", interp_cases=INTERP_CASES.format(failure=""), steps="passed rules\n"):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder)
            (results / "cases").mkdir()
            (results / "ctest.xml").write_text(CTEST.format(interp=interp, failure=interp_failure), encoding="utf-8")
            (results / "cases" / "ir.xml").write_text(IR_CASES, encoding="utf-8")
            if interp_cases is not None:
                (results / "cases" / "interp.xml").write_text(interp_cases, encoding="utf-8")
            (results / "steps.txt").write_text(steps, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(SCRIPT), folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout.splitlines()

    def test_cases_are_counted(self):
        status, lines = self.count()
        self.assertEqual("4 passed, 0 failed, 2 skipped", lines[-1])
        self.assertEqual(0, status)

    def test_skipped_with_the_reason(self):
        _, lines = self.count()
        self.assertIn("skipped: ir: Index.later (no file here)", lines)
        self.assertIn("skipped: agreement (left out: no numpy)", lines)

    def test_failed_case(self):
        status, lines = self.count("fail", FAILURE, INTERP_CASES.format(failure=FAILURE))
        self.assertEqual("3 passed, 1 failed, 2 skipped", lines[-1])
        self.assertIn("failed: interp: Run.runs", lines)
        self.assertEqual(1, status)

    def test_program_that_crashed_before_it_wrote_its_cases(self):
        status, lines = self.count("fail", FAILURE, None)
        self.assertEqual("3 passed, 1 failed, 2 skipped", lines[-1])
        self.assertEqual(1, status)

    def test_program_that_failed_after_all_its_cases_passed(self):
        status, lines = self.count("fail", FAILURE)
        self.assertEqual("4 passed, 1 failed, 2 skipped", lines[-1])
        self.assertEqual(1, status)

    def test_other_steps(self):
        status, lines = self.count(steps="failed rules\nskipped fuzzer (no clang)\n")
        self.assertEqual("3 passed, 1 failed, 3 skipped", lines[-1])
        self.assertIn("skipped: fuzzer (no clang)", lines)
        self.assertEqual(1, status)

    def test_nothing_ran_is_not_success(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", str(SCRIPT), folder], capture_output=True, text=True, check=False)
            self.assertEqual("0 passed, 0 failed, 0 skipped\n", done.stdout)
            self.assertEqual(1, done.returncode)


if __name__ == "__main__":
    unittest.main()
