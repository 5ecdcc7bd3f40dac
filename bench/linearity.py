#!/usr/bin/env python3
"""Does time grow with the input alone? Indexes 0.1 to 10 GB within one small budget and prints a row for each size.

usage: bench/linearity.py [--sizes 100M,300M,1G,3G,10G] [--memory 256M] [--repeat FILE] [--scratch DIR]

The input is text that `spillway corpus generate text` makes, or FILE repeated; one size is on disk at a time (about
twice the largest size is needed).
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from data.repeat_jsonl import parse_size, repeat
from measure import index_runs, machine, report

HEAD = ["input GB", "wall s", "spread", "MB/s", "s per GB", "cpu s per GB", "peak MB", "of budget", "runs", "passes",
        "spilled MB", "index MB", "bytes/posting"]


def make_input(arguments: argparse.Namespace, size: int, path: Path) -> None:
    if arguments.repeat is not None:
        repeat(str(arguments.repeat), str(path), size, "id")
        return
    subprocess.run([str(arguments.program), "corpus", "generate", "text", "--bytes", str(size), "-o", str(path)],
                   check=True)


def row(runs: index_runs.IndexRuns) -> list[str]:
    own = runs.report
    gigabytes = runs.input_bytes / 1e9
    peak = runs.series.as_json()["peak_bytes"]
    return [f"{gigabytes:.2f}", f"{runs.wall_seconds:.2f}", f"{runs.series.spread():.0%}",
            report.rate(runs.input_bytes, runs.wall_seconds), f"{runs.wall_seconds / gigabytes:.3f}",
            f"{runs.series.median('cpu_seconds') / gigabytes:.3f}", report.megabytes(peak),
            f"{peak / own['memory_bytes']:.1%}", str(own["runs"]), str(own["merge_passes"]),
            report.megabytes(own["spilled_bytes"]), report.megabytes(own["index_bytes"]),
            f"{own['index_bytes'] / own['postings']:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100M,300M,1G,3G,10G", type=lambda text: [*map(parse_size, text.split(","))],
                        help="of the inputs, decimal (default 100M,300M,1G,3G,10G)")
    parser.add_argument("--memory", default="256M", help="of spillway index (default 256M)")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="JSONL to repeat, instead of generated text")
    index_runs.add_arguments(parser, "linearity")
    arguments = parser.parse_args()
    result = report.Report(f"Size of the input, at --memory {arguments.memory}", machine.describe(arguments.scratch))
    result.data["sizes"] = []
    rows = []
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="linearity-") as directory:
        scratch = Path(directory)
        for size in arguments.sizes:
            source = scratch / "input.jsonl"
            make_input(arguments, size, source)
            jobs = {"index": (source, ["--memory", arguments.memory, *arguments.options])}
            runs = index_runs.measure(arguments.program, jobs, scratch, arguments.rounds)["index"]
            source.unlink()
            rows.append(row(runs))
            result.data["sizes"].append(runs.as_json())
            print(*rows[-1], file=sys.stderr, flush=True)
    source_words = arguments.repeat.name + ", repeated" if arguments.repeat else "generated text"
    result.add("Sizes", f"Input: {source_words}; medians of {arguments.rounds} rounds.\n\n"
               + report.table(HEAD, rows, 0))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
