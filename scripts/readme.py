#!/usr/bin/env python3
"""Keeps the screens in README.md true: readme.py [--update] ASSAY, the path of the built program.

A fenced block ```air file=NAME or ```sched file=NAME is a file; a block ```console holds commands (`$ assay …`), each with
what it prints on standard output. The files are written to an empty folder that also sees examples/, the commands are run
there in order, and their output is compared with the text, times apart. With --update the text is replaced by the output.
Exit status: 0 equal (or updated), 1 a screen differs, 2 the command line is wrong.
"""

import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)(?: file=(\S+))?\s*$")
TIME = re.compile(r"\s*\[\s*[0-9.]+ m?s\]")
OPTIONAL = re.compile(r" = tcc\b")  # a backend that not every machine has


def run(command, folder, assay):
    words = shlex.split(command)
    if words[0] != "assay":
        raise SystemExit(f"readme: only `assay` commands are run, not: {command}")
    environment = dict(os.environ, LANG="C.UTF-8", LC_ALL="C.UTF-8", NO_COLOR="1")
    done = subprocess.run([assay, *words[1:]], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    return done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []


def answer(block, folder, assay):
    """The lines of a console block with what its commands print now."""
    lines = []
    for line in block:
        if line.startswith("$ "):
            lines.append(line)
            lines += run(line[2:], folder, assay)
    return lines


def rewrite(text, assay):
    """The text with every screen replaced by real output."""
    out, block, kind, name = [], [], None, None
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        for line in text.split("\n"):
            fence = FENCE.match(line)
            if kind is None and fence:
                kind, name, block = fence.group(1), fence.group(2), []
            elif kind is not None and line == "```":
                if name:
                    (Path(folder) / name).write_text("\n".join(block) + "\n", encoding="utf-8")
                out += answer(block, folder, assay) if kind == "console" else block
                kind = None
            elif kind is not None:
                block.append(line)
                continue
            out.append(line)
    return "\n".join(out)


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    arguments = [a for a in arguments if a != "--update"]
    if len(arguments) != 1 or not os.access(arguments[0], os.X_OK):
        print(__doc__, file=sys.stderr)
        return 2
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    now = rewrite(text, str(Path(arguments[0]).resolve()))
    if update:
        readme.write_text(now, encoding="utf-8")
        return 0
    before, after = ([OPTIONAL.sub("", TIME.sub("", line)) for line in t.split("\n")] for t in (text, now))
    if before == after:
        print(f"readme: {text.count('$ assay')} commands print what README.md shows")
        return 0
    print("\n".join(difflib.unified_diff(before, after, "README.md", "output now", lineterm="")))
    print("readme: to accept this output: scripts/readme.py --update build/assay")
    return 1


if __name__ == "__main__":
    sys.exit(main())
