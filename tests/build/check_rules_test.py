"""scripts/check-rules.py on small trees made for the purpose: each thing that it promises to find, and a tree without faults."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-rules.py"

SPEC = """# A page

- **AB-1** The first rule.
- **AB-2** The second rule,
  wrapped.

```
- **AB-2** only an example
```
"""


class CheckRules(unittest.TestCase):
    def run_on(self, *arguments, spec=SPEC, logs=None, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            contents = {"spec/page.md": spec}
            contents.update({name.replace("__", "/").replace("_DOT_", "."): text for name, text in files.items()})
            for name, text in (logs or {}).items():
                contents[f"rules/{name}.log"] = text
            for name, text in contents.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            command = [sys.executable, "-B", str(SCRIPT), "--root", folder, "--logs", str(root / "rules"), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def test_all_rules_checked(self):
        status, output = self.run_on(logs={"a": "AB-1 pass\n", "b": "AB-2 pass\nAB-1 pass\n"})
        self.assertEqual(0, status, output)
        self.assertIn("rules: 2 in 1 pages, 2 checked", output)

    def test_rule_without_assertion(self):
        status, output = self.run_on(logs={"a": "AB-1 pass\n"})
        self.assertEqual(1, status)
        self.assertIn("spec/page.md:4: AB-2 has no assertion that ran", output)

    def test_rule_whose_assertion_failed_once(self):
        status, output = self.run_on(logs={"a": "AB-1 pass\nAB-2 pass\n", "b": "AB-2 fail\n"})
        self.assertEqual(1, status)
        self.assertIn("AB-2 failed in b.log", output)

    def test_assertion_of_an_undefined_rule(self):
        status, output = self.run_on(logs={"a": "AB-1 pass\nAB-2 pass\nAB-7 pass\n"})
        self.assertEqual(1, status)
        self.assertIn("a.log: an assertion names AB-7", output)

    def test_rule_in_a_fenced_block_defines_nothing(self):
        status, output = self.run_on("--static", spec="```\n- **AB-1** an example\n```\n- **AB-2** The second.\n")
        self.assertEqual(1, status)
        self.assertIn("spec/page.md:2: cites AB-1", output)
        self.assertIn("rules: 1 in 1 pages", output)

    def test_citations_in_comments_codes_and_expectations(self):
        status, output = self.run_on(
            "--static",
            ir__x_DOT_cpp='// Sorted (AB-3).\nfail({"ZZ-1", "text"});\n// X86-64 and SHA-1 and MY-AB-1 are no rules\n'
            'explain("YY-1");  // no rule of that name\n',
            examples__k_DOT_air="# expect: lint faulty QQ-2\n",
        )
        self.assertEqual(1, status)
        self.assertIn("ir/x.cpp:1: cites AB-3", output)
        self.assertIn("ir/x.cpp:2: cites ZZ-1", output)
        self.assertIn("examples/k.air:1: cites QQ-2", output)
        self.assertNotIn("X86", output)
        self.assertIn("3 problems", output)

    def test_double_definition(self):
        status, output = self.run_on("--static", spec=SPEC + "- **AB-1** Again.\n")
        self.assertEqual(1, status)
        self.assertIn("AB-1 is already defined at spec/page.md:3", output)

    def test_malformed_rule(self):
        for line in ("- **AB-03** leading zero", "- **AB-3**: colon", "  - **AB-3** nested", "* **AB-3** star", "- **AB-3**"):
            status, output = self.run_on("--static", spec=SPEC + "\n" + line + "\n")
            self.assertEqual(1, status, line)
            self.assertIn("not of the form", output, line)

    def test_no_logs_is_not_success(self):
        status, output = self.run_on()
        self.assertEqual(2, status)
        self.assertIn("run the tests first", output)


if __name__ == "__main__":
    unittest.main()
