#!/usr/bin/env python3
"""Runs the Google Benchmark programs of the stages of indexing on one input and prints one table.

usage: bench/stages.py [INPUT] [--bytes 64M] [--scratch DIR] [--repetitions 5]

INPUT is JSONL; the first whole records up to --bytes are used (default: the bundled sample, repeated). Rates are of one
core and count the input's bytes and tokens, whatever a stage itself moves, so costs add up. The last rows show `spillway
index --threads 1` on the same bytes, and the share of its time that the stages explain.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from data.repeat_jsonl import parse_size, repeat
from measure import index_runs, machine, report
from measure.machine import ROOT

SAMPLE = ROOT / "sample" / "state_of_the_union.jsonl"
PROGRAMS = ["read_bench", "json_bench", "parse_bench", "block_bench", "merge_bench"]
LIMIT = "copy"
# The order of the table; "edges/" stands for all names that begin with it.
ORDER = ["copy", "read", "json/documents", "json/", "edges/", "lookup/", "split/", "parse/", "unify/", "sort/",
         "encode/", "run_write/", "spill", "merge/pass", "merge/ids", "merge/documents", "merge/lists", "index_write"]
# The stages of `index` when a block fits in memory, in order. The others are alternatives to these, parts of them, or
# needed only when memory is short.
WAY = ["read", "json/documents", "parse/postings_unicode", "sort/cpu-chunk", "encode/cpu-chunk", "run_write/cpu-chunk",
       "merge/ids", "merge/documents", "merge/lists", "index_write"]
HEAD = ["stage", "on the way", "ns/token", "ns/byte", "MB/s", "million tokens/s", "spread", "share of the copy rate",
        "share of the whole"]


def cut(source: Path, target: Path, size: int) -> None:
    """The first whole records of `source`, at most `size` bytes."""
    with open(source, "rb") as lines, open(target, "wb") as out:
        left = size
        for line in lines:
            left -= len(line)
            if left < 0:
                return
            out.write(line)


def run_program(directory: Path, name: str, source: Path, arguments: argparse.Namespace) -> list[dict]:
    """The rates of every repetition of each benchmark."""
    out = arguments.scratch / f"{name}.json"
    subprocess.run(
        [str(directory / name), f"--benchmark_out={out}", "--benchmark_out_format=json",
         f"--benchmark_min_time={arguments.min_time}", f"--benchmark_repetitions={arguments.repetitions}",
         "--benchmark_enable_random_interleaving=true", f"--benchmark_filter={arguments.filter}"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=arguments.scratch,
        env={**os.environ, "SPILLWAY_BENCH_INPUT": str(source)})
    if not out.stat().st_size:  # the filter matched nothing
        return []
    found: dict[str, dict] = {}
    for entry in json.loads(out.read_text())["benchmarks"]:
        if entry["run_type"] != "iteration" or entry.get("error_occurred"):
            continue
        stage = re.sub(r"/(iterations:\d+|repeats:\d+|manual_time|real_time)", "", entry["run_name"])
        times = found.setdefault(stage, {"stage": stage, "bytes_per_second": [], "items_per_second": []})
        times["bytes_per_second"].append(entry["bytes_per_second"])
        times["items_per_second"].append(entry.get("items_per_second", 0))
    return list(found.values())


def median(values: list[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def summarise(stage: dict) -> dict:
    rates = stage["bytes_per_second"]
    rate, items = median(rates), median(stage["items_per_second"])
    return {"stage": stage["stage"], "bytes_per_second": rate, "tokens_per_second": items,
            "spread": (max(rates) - min(rates)) / rate}


def place(stage: dict) -> tuple[int, str]:
    name = stage["stage"]
    return next((i for i, known in enumerate(ORDER) if name.startswith(known)), len(ORDER)), name


def parse_parts(rates: dict[str, float]) -> list[tuple[str, float]]:
    """The parts of parsing, by difference, with the fastest paths: name and seconds per byte."""

    def fastest(prefix: str) -> float:
        return min((1 / rate for name, rate in rates.items() if name.startswith(prefix)), default=0.0)

    edges, lookup, parse = fastest("edges/"), fastest("lookup/"), 1 / rates["parse/postings_unicode"]
    return [("tokenize: edges and lower case", edges), ("keys and lookup in the term table", lookup - edges),
            ("fold, documents, seal: the rest", parse - lookup)]


def row(stage: dict, limit: float, whole: float) -> list[str]:
    rate, tokens = stage["bytes_per_second"], stage["tokens_per_second"]
    return [stage["stage"], "yes" if stage["stage"] in WAY else "", f"{1e9 / tokens:.2f}" if tokens else "-",
            f"{1e9 / rate:.3f}", report.rate(rate, 1), f"{tokens / 1e6:,.1f}" if tokens else "-",
            f"{stage['spread']:.0%}", f"{rate / limit:.1%}" if limit else "-", f"{whole / rate:.1%}" if whole else "-"]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="INPUT", type=lambda path: Path(path).resolve(), nargs="?")
    parser.add_argument("--bytes", type=parse_size, default=parse_size("64M"), dest="size")
    parser.add_argument("--repetitions", type=int, default=5, help="repetitions of every stage (default 5)")
    parser.add_argument("--min-time", default="0.5", help="seconds per repetition (default 0.5)")
    parser.add_argument("--filter", default=".", help="only stages that match")
    index_runs.add_arguments(parser, "stages")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    arguments.scratch = arguments.scratch.resolve()
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="stages-") as directory:
        arguments.scratch = Path(directory)
        source = arguments.scratch / "input.jsonl"
        if arguments.source:
            cut(arguments.source, source, arguments.size)
        else:
            repeat(str(SAMPLE), str(source), arguments.size, "id")
        jobs = {"index": (source, ["--threads", "1", "--memory", "4G", *arguments.options])}
        whole = index_runs.measure(arguments.program, jobs, arguments.scratch, arguments.rounds)["index"]
        stages = [summarise(stage) for name in PROGRAMS
                  for stage in run_program(arguments.program.parent, name, source, arguments)]
        facts = machine.describe(arguments.scratch)
    stages.sort(key=place)
    rates = {stage["stage"]: stage["bytes_per_second"] for stage in stages}
    whole_rate = whole.input_bytes / whole.wall_seconds
    rows = [row(stage, rates.get(LIMIT, 0), whole_rate) for stage in stages]
    tokens = whole.report["occurrences"]
    rows.append(row({"stage": "index, one thread", "bytes_per_second": whole_rate,
                     "tokens_per_second": tokens / whole.wall_seconds, "spread": whole.series.spread()},
                    rates.get(LIMIT, 0), whole_rate))
    result = report.Report("Stages of indexing, on one core", facts)
    name = arguments.source.name if arguments.source else "the bundled sample, repeated"
    words = (f"Input: {name}: {whole.input_bytes:,} bytes, {tokens:,} tokens. Medians of {arguments.repetitions} "
             f"repetitions. The copy rate is that of `{LIMIT}`.\n\n")
    missing = [stage for stage in WAY if stage not in rates]
    if missing:
        rest = f"\nNot measured: {', '.join(missing)}.\n"
    else:
        explained = sum(whole_rate / rates[stage] for stage in WAY)
        rest = f"\nThe stages on the way add up to {explained:.1%} of the whole.\n"
    if "parse/postings_unicode" in rates:
        parts = [[part, f"{seconds * 1e9 * whole.input_bytes / tokens:.2f}", f"{seconds * 1e9:.3f}",
                  f"{seconds * rates['parse/postings_unicode']:.1%}"] for part, seconds in parse_parts(rates)]
        rest += "\nParsing, by difference, with the fastest paths of this CPU:\n\n" + report.table(
            ["part", "ns/token", "ns/byte", "share of parsing"], parts)
    result.data |= {"input": name, "stages": stages, "index": whole.as_json(), "way": WAY}
    result.add("Stages", words + report.table(HEAD, rows, 2) + rest)
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
