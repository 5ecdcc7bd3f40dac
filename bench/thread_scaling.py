#!/usr/bin/env python3
"""Indexes INPUT with 1, 2, ... threads in interleaved rounds and prints a row for each number of threads. Gains are relative
to the first number given.

usage: bench/thread_scaling.py INPUT [--threads 1,2,4] [--scratch DIR] [--options='--memory 1G']
"""
import argparse
import os
import tempfile
from pathlib import Path

from measure import index_runs, machine, report

HEAD = ["threads", "wall s", "spread", "MB/s", "times the first", "of ideal", "cpu s", "peak MB"]


def default_threads() -> list[int]:
    """Powers of two up to the number of usable processors, and that number."""
    count = len(os.sched_getaffinity(0))
    return sorted({1 << i for i in range(count.bit_length()) if 1 << i <= count} | {count})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="INPUT", type=Path)
    parser.add_argument("--threads", type=lambda text: [*map(int, text.split(","))], default=default_threads())
    index_runs.add_arguments(parser, "thread_scaling")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="threads-") as directory:
        jobs = {str(count): (arguments.source, ["--threads", str(count), *arguments.options])
                for count in arguments.threads}
        measured = index_runs.measure(arguments.program, jobs, Path(directory), arguments.rounds)
        facts = machine.describe(Path(directory))
    first = next(iter(measured.values()))
    rows = []
    for name, runs in measured.items():
        gain = 1 / runs.series.ratio_to(first.series)
        ideal = min(int(name), int(facts["cores"])) / arguments.threads[0]
        rows.append([name, f"{runs.wall_seconds:.2f}", f"{runs.series.spread():.0%}",
                     report.rate(runs.input_bytes, runs.wall_seconds), f"{gain:.2f}", f"{gain / ideal:.0%}",
                     f"{runs.series.median('cpu_seconds'):.2f}", report.megabytes(runs.series.as_json()["peak_bytes"])])
    result = report.Report("Threads", facts)
    result.data["threads"] = {name: runs.as_json() for name, runs in measured.items()}
    result.add("Threads", f"Input: {arguments.source.name}, {first.input_bytes:,} bytes; medians of "
                          f"{arguments.rounds} interleaved rounds.\n\n" + report.table(HEAD, rows, 0))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
