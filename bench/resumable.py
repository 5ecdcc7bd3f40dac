#!/usr/bin/env python3
"""Indexes INPUT with and without --resumable in interleaved rounds, with each of the budgets, and prints the ratios of the
times.

usage: bench/resumable.py INPUT [--memory 1G,64M] [--scratch DIR] [--options='--positions']
"""
import argparse
import tempfile
from pathlib import Path

from measure import index_runs, machine, report

HEAD = ["--memory", "", "wall s", "spread", "ratio", "cpu s", "ratio of cpu", "runs"]


def rows_of(memory: str, without: index_runs.IndexRuns, resumable: index_runs.IndexRuns) -> list[list[str]]:
    rows = []
    for name, runs in (("without", without), ("--resumable", resumable)):
        cpu = runs.series.median("cpu_seconds")
        rows.append([memory, name, f"{runs.wall_seconds:.2f}", f"{runs.series.spread():.0%}",
                     f"{runs.series.ratio_to(without.series):.3f}", f"{cpu:.2f}",
                     f"{cpu / without.series.median('cpu_seconds'):.3f}", str(runs.report["runs"])])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="INPUT", type=Path)
    parser.add_argument("--memory", type=lambda text: text.split(","), default=["1G", "64M"])
    index_runs.add_arguments(parser, "resumable")
    arguments = parser.parse_args()
    jobs = {}
    for memory in arguments.memory:
        options = ["--memory", memory, *arguments.options]
        jobs[memory] = (arguments.source, options)
        jobs[f"{memory} --resumable"] = (arguments.source, [*options, "--resumable"])
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="resumable-") as directory:
        measured = index_runs.measure(arguments.program, jobs, Path(directory), arguments.rounds)
        facts = machine.describe(Path(directory))
    rows = []
    for memory in arguments.memory:
        rows += rows_of(memory, measured[memory], measured[f"{memory} --resumable"])
    result = report.Report("What --resumable costs", facts)
    result.data["jobs"] = {name: runs.as_json() for name, runs in measured.items()}
    first = measured[arguments.memory[0]]
    result.add("Cost", f"Input: {arguments.source.name}, {first.input_bytes:,} bytes; medians of "
                       f"{arguments.rounds} interleaved rounds.\n\n" + report.table(HEAD, rows, 0))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
