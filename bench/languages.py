#!/usr/bin/env python3
"""Indexes every INPUT, one per language or script, in interleaved rounds and prints a row for each.

usage: bench/languages.py INPUT... [--scratch DIR] [--options='--threads 1']
"""
import argparse
import tempfile
from pathlib import Path

from measure import index_runs, machine, report

HEAD = ["input", "MB", "wall s", "spread", "MB/s", "MB/cpu s", "million tokens/s", "bytes/token", "terms", "peak MB",
        "index MB", "bytes/posting"]


def row(name: str, runs: index_runs.IndexRuns) -> list[str]:
    own = runs.report
    return [name, report.megabytes(runs.input_bytes), f"{runs.wall_seconds:.2f}", f"{runs.series.spread():.0%}",
            report.rate(runs.input_bytes, runs.wall_seconds),
            report.rate(runs.input_bytes, runs.series.median("cpu_seconds")),
            f"{own['occurrences'] / runs.wall_seconds / 1e6:.1f}",
            f"{runs.input_bytes / own['occurrences']:.1f}", f"{own['terms']:,}",
            report.megabytes(runs.series.as_json()["peak_bytes"]), report.megabytes(own["index_bytes"]),
            f"{own['index_bytes'] / own['postings']:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", metavar="INPUT", nargs="+", type=Path, help="JSONL files")
    index_runs.add_arguments(parser, "languages")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="languages-") as directory:
        jobs = {source.name.removesuffix(".jsonl"): (source, arguments.options) for source in arguments.sources}
        measured = index_runs.measure(arguments.program, jobs, Path(directory), arguments.rounds)
        result = report.Report("Languages", machine.describe(Path(directory)))
    result.data["languages"] = {name: runs.as_json() for name, runs in measured.items()}
    rows = [row(name, runs) for name, runs in measured.items()]
    result.add("Languages", f"Medians of {arguments.rounds} interleaved rounds.\n\n" + report.table(HEAD, rows))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
