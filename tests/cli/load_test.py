"""Answers do not depend on the load: `check` and `lint` under a busy machine print the bytes that they print alone.

    load_test.py ASSAY SOURCE_DIR

Every example with each of its schedules, on all default backends; three of the examples where ASSAY_PROPERTY_CASES
shortens the run. The second round runs beside busy processes, with a lower priority.
"""

import os
import subprocess
import sys
from pathlib import Path


def commands(examples, all_of_them):
    files = sorted(examples.glob("*/*.air"))
    if not all_of_them:
        files = [f for f in files if f.stem in {"gemm", "fir_interleaved", "embedding"}]
    for program in files:
        yield ["lint", str(program)]
        for schedule in sorted(program.parent.glob("*.sched")):
            yield ["check", str(program), str(schedule)]


def answers(assay, list_of_commands, niceness):
    for command in list_of_commands:
        run = subprocess.run([assay, *command, "--json"], capture_output=True, preexec_fn=lambda: os.nice(niceness), check=False)
        yield " ".join(command), run.returncode, run.stdout


def main():
    assay, source = sys.argv[1], Path(sys.argv[2])
    todo = list(commands(source / "examples", "ASSAY_PROPERTY_CASES" not in os.environ))
    alone = list(answers(assay, todo, 0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        loaded = list(answers(assay, todo, 5))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    different = [a[0] for a, b in zip(alone, loaded) if a != b]
    for command in different:
        print("different under load: assay", command)
    print(f"{len(todo)} answers compared, {len(different)} different")
    return 1 if different or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
