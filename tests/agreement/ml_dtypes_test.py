#!/usr/bin/env python3
"""The narrow floats of `assay run` against NumPy and ml_dtypes, another implementation of the same formats.

Every pair of 8-bit operands under + - * /, every value under the unary operations that ml_dtypes rounds correctly, and
conversions between all pairs of float types: all values of the 8- and 16-bit types, and of f32 and f64 the neighbourhood
of every place where the narrow types round, and random ones. Arrays travel as .npy files in both directions, so the codes
that ml_dtypes gives its types are read as well. Any NaN equals any NaN.

Usage: ml_dtypes_test.py PATH/TO/assay. Exits with 77, and says why, where NumPy or ml_dtypes is missing.
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import ml_dtypes
    import numpy as np
except ImportError as missing:
    print(f"left out: {missing} (tests/agreement/requirements.txt; scripts/test.sh fetches them from PyPI)")
    sys.exit(77)

NARROW = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
}
TYPES = {"f64": np.dtype(np.float64), "f32": np.dtype(np.float32), **NARROW}
F8 = ["f8e5m2", "f8e4m3fn"]


def bits_of(array):
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


def all_values(name):
    dtype = TYPES[name]
    unsigned = np.dtype(f"u{dtype.itemsize}")
    return np.arange(1 << 8 * dtype.itemsize, dtype=np.uint32).astype(unsigned).view(dtype)


def run(assay, program, inputs):
    """The outputs of a program, as arrays of the integers or floats that its files hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "p.air").write_text(program, encoding="ascii")
        arguments = [assay, "run", str(path / "p.air"), "--out", str(path / "out")]
        for name, array in inputs.items():
            np.save(path / f"{name}.npy", array)
            arguments += ["--in", f"{name}={path / name}.npy"]
        done = subprocess.run(arguments, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}\n{program}\n{done.stdout}{done.stderr}")
        return {f.stem: np.load(f) for f in (path / "out").glob("*.npy")}


class Comparison:
    def __init__(self):
        self.cases = 0
        self.failed = []

    def check(self, what, expected, got, operands, of_interest=True):
        """`expected`: an array of the NumPy type; `got`: what the file held; `of_interest`: which elements count."""
        got = got.view(expected.dtype)
        wide_expected, wide_got = expected.astype(np.float64), got.astype(np.float64)
        both_nan = np.isnan(wide_expected) & np.isnan(wide_got)
        wrong = np.flatnonzero(of_interest & ~both_nan & (bits_of(expected) != bits_of(got)))
        self.cases += int(np.count_nonzero(of_interest)) if np.ndim(of_interest) else expected.size
        if wrong.size == 0:
            return
        i = wrong[0]
        at = ", ".join(str(x[i]) for x in operands)
        self.failed.append(f"{what}: {wrong.size} differ, first at ({at}): expected {expected[i]}, got {got[i]}")


def operations(assay, c):
    for name in F8:
        values = all_values(name)
        a, b = np.repeat(values, 256), np.tile(values, 256)
        program = f"program p {{ input A: {name}[65536] input B: {name}[65536]\n"
        symbols = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
        program += "".join(f"output {op}: {name}[65536]\n" for op in symbols)
        stores = "".join(f"{op}[i] = A[i] {symbol} B[i]\n" for op, symbol in symbols.items())
        outputs = run(assay, program + f"for i in 0..65536 {{ {stores} }} }}", {"A": a, "B": b})
        expected = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}
        for op, result in expected.items():
            c.check(f"{op} at {name}", result, outputs[op], (a, b))
        program = f"program p {{ input A: {name}[256]\n"
        unary = {"neg": np.negative, "abs": np.abs, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
        program += "".join(f"output r_{op}: {name}[256]\n" for op in unary)
        stores = "".join(f"r_{op}[i] = {'-A[i]' if op == 'neg' else op + '(A[i])'}\n" for op in unary)
        outputs = run(assay, program + f"for i in 0..256 {{ {stores} }} }}", {"A": values})
        for op, function in unary.items():
            c.check(f"{op} at {name}", function(values), outputs[f"r_{op}"], (values,))


def sources(name):
    """Values of a type, f32 and f64 around the values of the narrow types and half way between them."""
    dtype = TYPES[name]
    if name in NARROW:
        return all_values(name)
    points = []
    for narrow in NARROW:
        values = np.unique(all_values(narrow).astype(np.float64))
        values = values[np.isfinite(values)]
        points += [values, (values[1:] + values[:-1]) / 2, np.array([values[-1] * 1.04, values[-1] * 2])]
    points = np.concatenate(points)
    points = np.concatenate([points, -points]).astype(dtype)
    random = np.random.default_rng(8).integers(0, 256, size=(1 << 17) * dtype.itemsize, dtype=np.uint8).view(dtype)
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], dtype=dtype)
    return np.concatenate([special, points, np.nextafter(points, dtype.type(np.inf)), np.nextafter(points, dtype.type(0)), random])


def conversions(assay, c):
    for source in TYPES:
        values = sources(source)
        wide = values.astype(np.float64)
        n = values.size
        program, stores = f"program p {{ input A: {source}[{n}]\n", ""
        expected = {}
        for target, dtype in TYPES.items():
            result = values.astype(dtype)
            forms = [(f"{target}(A[i])", f"to_{target}", result)]
            if target in F8:
                # ml_dtypes has the rule without saturation; the other one clips first, infinities included.
                largest = float(ml_dtypes.finfo(dtype).max)
                clipped = np.where(np.isnan(wide), values, np.clip(wide, -largest, largest)).astype(values.dtype)
                clipped = np.where(np.isnan(wide) | (np.abs(wide) <= largest), values, clipped).astype(dtype)
                if target == "f8e4m3fn":
                    forms = [("f8e4m3fn(A[i])", "sat", clipped), ("f8e4m3fn_nosat(A[i])", "nosat", result)]
                else:
                    forms += [("f8e5m2_sat(A[i])", "clipped", clipped)]
            for text, buffer, want in forms:
                program += f"output {buffer}: {target}[{n}]\n"
                stores += f"{buffer}[i] = {text}\n"
                expected[buffer] = (text, want)
        outputs = run(assay, program + f"for i in 0..{n} {{ {stores} }} }}", {"A": values})
        for buffer, (text, want) in expected.items():
            twice_rounded = source == "f64" and want.dtype not in (np.float64, np.float32, np.float16)
            held = np.isnan(wide) | (values.astype(np.float32).astype(np.float64) == wide)
            c.check(f"{text} from {source}", want, outputs[buffer], (values,), held if twice_rounded else True)


def main():
    np.seterr(all="ignore")
    c = Comparison()
    operations(sys.argv[1], c)
    conversions(sys.argv[1], c)
    if c.failed:
        sys.exit("\n".join(c.failed))
    print(f"{c.cases} values agree with NumPy {np.__version__} and ml_dtypes {ml_dtypes.__version__}")


if __name__ == "__main__":
    main()
