#!/usr/bin/env python3
"""Prints what the measurements say: bench-table.py FILE.json, as Google Benchmark writes it with repetitions (medians are used).

Exit status: 0 printed, 1 a measurement failed or is missing.
"""

import json
import math
import sys


def exponent(sizes):
    """The slope of log(time) over log(size): least squares."""
    points = [(math.log(n), math.log(t)) for n, t in sizes]
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    errors = [f"{r['name']}: {r['error_message']}" for r in runs if r.get("error_occurred")]
    medians = {r["run_name"].split("/iterations")[0].split("/manual_time")[0]: r for r in runs if r.get("aggregate_name") == "median"}

    def row(what, value, note=""):
        print(f"{what:<62} {value:>12}  {note}".rstrip())

    def cost(name):
        run = medians.get(name)
        return run["ns_per_op"] if run else None

    interpreted, compiled = cost("interpreter/type/f32"), cost("compiled_matrix_product")
    tree = cost("interpreter/tree")
    if interpreted and compiled:
        row("compiled interpreter, one multiply-add of a 64^3 matrix product", f"{interpreted:.1f} ns")
        row("gcc -O2, the same", f"{compiled:.2f} ns")
        row("ratio", f"{interpreted / compiled:.1f}", "interpreter / gcc -O2; aim: at most 20")
    if interpreted and tree:
        row("tree walk / compiled interpreter", f"{tree / interpreted:.0f}")
    for prefix, what in (("interpreter/type/", "type"), ("interpreter/feature/", "feature")):
        for name in medians:
            if interpreted and name.startswith(prefix) and not name.endswith("/f32"):
                row(f"  {what} {name[len(prefix):]} / f32", f"{cost(name) / interpreted:.1f}", "aim: at most 3")
    if "interpreter/start" in medians:
        row("  start-up of a run: names, compilation, buffers", f"{medians['interpreter/start']['cpu_time'] * 1e3:.0f} us", "in no ratio above 2 %")
    for name in medians:
        if name.startswith("interpreter/marks/"):
            plain = cost(name.replace("/marks/", "/type/"))
            if plain:
                row(f"  inexactness tracked at {name.split('/')[-1]} / not tracked", f"{cost(name) / plain:.1f}", "aim: under 2")
    if cost("enclosure") and cost("interpreter/type/f64"):
        row("enclosure / compiled interpreter, f64", f"{cost('enclosure') / cost('interpreter/type/f64'):.0f}")
    proofs = medians.get("obligations_of_tiled_product/native_first")
    alone = medians.get("obligations_of_tiled_product/isl_alone")
    if proofs:
        row("tiled matrix product: obligations proved per second", f"{proofs['obligations_per_s']:.0f}")
        row("  median time of an obligation", f"{proofs['median_us'] / 1e3:.3f} ms", "aim: under 1 ms")
        row("  median time of one question to the engines", f"{proofs['query_median_us'] / 1e3:.3f} ms")
    if proofs and alone:
        row("  median time of an obligation by isl alone", f"{alone['median_us'] / 1e3:.3f} ms",
            f"ratio {alone['median_us'] / proofs['median_us']:.0f}")
    examples = [medians.get(f"obligations_of_examples/{engine}") for engine in ("native_first", "isl_alone")]
    if all(examples):
        row("all proofs of all examples", f"{examples[0]['total_ms'] / 1e3:.3f} s",
            f"by isl alone {examples[1]['total_ms'] / 1e3:.3f} s")
    kinds = medians.get("obligations_by_kind")
    for kind in sorted(key[:-len(".count")] for key in kinds or {} if key.endswith(".count")):
        row(f"  {kind}: median time of its questions", f"{kinds[kind + '.median_us'] / 1e3:.3f} ms",
            f"slowest {kinds[kind + '.slowest_us'] / 1e3:.2f} ms, of {kinds[kind + '.count']:.0f}")
    pipelines = sorted(((r["steps"], r["total_ms"], name) for name, r in medians.items() if name.startswith("pipeline/")), reverse=True)
    for steps, time, name in pipelines[:3]:
        row(f"{name.replace('pipeline/', 'schedule of examples/')}, {steps:.0f} steps, proved", f"{time / 1e3:.3f} s", "aim: under 1 s")
    for name, run in medians.items():
        if name.startswith("needless/"):
            row(f"{name.replace('needless/', 'needlessly undecided: ')}", f"{100 * run['needless'] / run['judged']:.2f} %",
                f"{run['needless']:.0f} of {run['judged']:.0f}; aim: under 1 %")
    threads = {name[len("threads/"):]: run for name, run in medians.items() if name.startswith("threads/")}
    for what, aim in (("prove", "aim: at most 1.5"), ("lint", "aim: at most 1.5")):
        few, many = threads.get(f"{what}/64"), threads.get(f"{what}/65536")
        if few and many:
            words = "all proofs of" if what == "prove" else "lint, runs included, of"
            row(f"{words} a kernel with 65,536 threads / 64 threads", f"{many['us'] / few['us']:.2f}", f"{few['us'] / 1e3:.1f} ms at 64; {aim}")
    for kind, words in (("phases", "in a row"), ("loop_phases", "in a loop"), ("buffer_phases", "with a buffer each")):
        sizes = sorted((int(name.split("/")[1]), run["us"]) for name, run in threads.items() if name.startswith(f"{kind}/"))
        if len(sizes) > 1:
            row(f"lint of {sizes[-1][0]} barriers {words}", f"{sizes[-1][1] / 1e6:.2f} s",
                f"{sizes[0][1] / 1e3:.1f} ms of {sizes[0][0]}; exponent {exponent(sizes):.2f}; aim: under 2 s")
    if "pipelined_product" in threads:
        row("staged, pipelined, tensorized product, proved free of races", f"{threads['pipelined_product']['us'] / 1e3:.1f} ms", "aim: under 100 ms")
    for engine in ("compiled", "tree"):
        off, on = threads.get(f"detector/{engine}, off"), threads.get(f"detector/{engine}, on")
        if off and on:
            row(f"race detector, {engine}, of an access", f"{on['ns_per_access'] - off['ns_per_access']:.1f} ns",
                f"{off['ns_per_access']:.1f} ns without it")
    small = {"tcc": "aim: 1000", "gcc_O2": "aim: 40", "gcc_O0": "", "clang_O2": ""}
    for name, aim in small.items():
        run = next((r for key, r in medians.items() if key.startswith(f"small_kernels_by/{name}/")), None)
        if run:
            row(f"small kernels compiled and run a second, {name.replace('_', ' -')}", f"{run['kernels_per_s']:.0f}", aim)
    checks = sorted(((r["real_time"], name, r) for name, r in medians.items() if name.startswith("check/")), reverse=True)
    for time, name, run in checks[:3]:
        row(f"{name.replace('check/', 'check of examples/')}, without compile time", f"{time / 1e3:.2f} s",
            f"with it {run['total_ms'] / 1e3:.2f} s")
    if checks:
        row(f"  of {len(checks)} examples these are the slowest", "", "aim: under 5 s")
    for error in errors:
        print(f"failed: {error}", file=sys.stderr)
    complete = interpreted and compiled and proofs and checks
    if not complete and not errors:
        print("note: some measurements were not selected", file=sys.stderr)
    return 1 if errors or not medians else 0


if __name__ == "__main__":
    sys.exit(main())
