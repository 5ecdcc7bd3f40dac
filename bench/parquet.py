#!/usr/bin/env python3
"""Indexes INPUT (JSON lines) and the same documents as Parquet files, in interleaved rounds, and prints the ratios of the rates.

usage: bench/parquet.py INPUT --program PYTHON_ENVIRONMENT/bin/spillway [--compression zstd,none] [--rows 1000,20000]

The program is that of the Python package, for all files, and runs in a Python that has pyarrow; so does this script. Rates
count the bytes of the JSON lines. bench/data/repeat_jsonl.py makes inputs large enough that the start of Python weighs little.
"""
import argparse
import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measure import index_runs, machine, report

HEAD = ["input", "file MB", "wall s", "spread", "MB/s", "rate to JSON lines", "cpu s"]


def write_parquet(source: Path, target: Path, compression: str, rows: int) -> None:
    """In slices of the input, which may be larger than memory: a row group ends with a slice."""
    writer = None
    with open(source, encoding="utf-8") as lines:
        while batch := [json.loads(line) for _, line in zip(range(min(rows, 20_000)), lines)]:
            table = pa.Table.from_pylist(batch)
            writer = writer or pq.ParquetWriter(target, table.schema, compression=compression)
            writer.write_table(table)
    writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="INPUT", type=Path)
    parser.add_argument("--compression", type=lambda text: text.split(","), default=["zstd"])
    parser.add_argument("--rows", type=lambda text: [int(one) for one in text.split(",")], default=[1000, 20_000],
                        help="rows of a row group, at most 20,000 (default: 1000,20000)")
    parser.add_argument("--files", type=Path, metavar="DIR", help="keeps the Parquet files here, for the next call with this input")
    index_runs.add_arguments(parser, "parquet")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="parquet-") as directory:
        files = arguments.files or Path(directory)
        files.mkdir(parents=True, exist_ok=True)
        jobs = {"JSON lines": (arguments.source, arguments.options)}
        for compression in arguments.compression:
            for rows in arguments.rows:
                file = files / f"{compression}-{rows}.parquet"
                if not file.exists():
                    write_parquet(arguments.source, file, compression, rows)
                jobs[f"Parquet, {compression}, {rows} rows"] = (file, arguments.options)
        sizes = {name: source.stat().st_size for name, (source, _) in jobs.items()}
        measured = index_runs.measure(arguments.program, jobs, Path(directory), arguments.rounds)
        facts = machine.describe(Path(directory))
    lines = measured["JSON lines"]
    rows = [[name, report.megabytes(sizes[name]), f"{runs.wall_seconds:.2f}", f"{runs.series.spread():.0%}",
             report.rate(lines.input_bytes, runs.wall_seconds), f"{1 / runs.series.ratio_to(lines.series):.2f}",
             f"{runs.series.median('cpu_seconds'):.2f}"] for name, runs in measured.items()]
    result = report.Report("Parquet and JSON lines", facts)
    result.data["jobs"] = {name: runs.as_json() for name, runs in measured.items()}
    result.add("Rates", f"Input: {arguments.source.name}, {lines.input_bytes:,} bytes; medians of {arguments.rounds} interleaved "
                        "rounds of whole processes, to the finished index.\n\n" + report.table(HEAD, rows))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
