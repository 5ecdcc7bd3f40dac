#!/usr/bin/env python3
"""Sorts the lines of each INPUT with `spillway sort`, DuckDB, Polars and chdb, file to file in the page cache, by bytes, with
as many threads each, in interleaved rounds. The outputs must be the same.

usage: bench/sort_rivals.py INPUT... [--scratch DIR] [--rounds 5]
needs: pip install duckdb polars chdb
"""
import argparse
import filecmp
import functools
import importlib.metadata
import os
import sys
import tempfile
from pathlib import Path

from measure import machine, report, spillway
from measure.process import Cost, FailedRun, remove, run_measured, warm_page_cache
from measure.series import Series, interleave

# Programs of Python with the arguments INPUT OUTPUT THREADS BYTES: the separator and the null of a table, which no line has.
RIVALS = {
    "duckdb": """
import sys, duckdb
source, output, threads, (separator, null) = sys.argv[1:]
duckdb.execute(f"SET threads = {threads}")
duckdb.execute("SET preserve_insertion_order = false")
lines = f"read_csv('{source}', columns = {{'line': 'VARCHAR'}}, header = false, auto_detect = false, delim = '{separator}', " \\
    f"quote = '', escape = '', nullstr = '{null}', null_padding = false, max_line_size = 100000000)"
duckdb.execute(f"COPY (SELECT line FROM {lines} ORDER BY line) TO '{output}' "
               f"(FORMAT csv, HEADER false, DELIMITER '{separator}', QUOTE '', ESCAPE '', NULLSTR '')")
""",
    "polars": """
import sys, os
source, output, threads, (separator, null) = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads
import polars
lines = polars.scan_lines(source, name="line")
lines.sort("line").sink_csv(output, include_header=False, separator=separator, quote_style="never")
""",
    "chdb": """
import sys, chdb
source, output, threads, _ = sys.argv[1:]
chdb.query(f"INSERT INTO FUNCTION file('{output}', 'LineAsString', 'line String') "
           f"SELECT line FROM file('{source}', 'LineAsString', 'line String') ORDER BY line SETTINGS max_threads = {threads}")
""",
}
HEAD = ["input", "tool", "wall s", "times Spillway's", "MB"]


def sort_once(command: list[str], output: Path) -> Cost:
    remove(output)
    return run_measured(command, None, {"LC_ALL": "C"})


def error_of(failure: FailedRun) -> str:
    """The line of a traceback that names the error, and the next one."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    named = [i for i, line in enumerate(lines) if "Error" in line or "Exception" in line]
    return " ".join(lines[named[0]:named[0] + 3]) if named else lines[-1]


def unused_bytes(source: Path) -> str:
    """Two control characters that no line has. Programs that are started count the largest memory of this one as theirs."""
    met: set[int] = set()
    with source.open("rb") as file:
        while part := file.read(1 << 20):
            met.update(part)
    unused = [chr(byte) for byte in range(1, 32) if byte != 10 and byte not in met]
    if len(unused) < 2:
        raise SystemExit(f"{source} holds nearly every control character: DuckDB needs 2 that no line has")
    return unused[0] + unused[1]


def commands_for(program: Path, source: Path, scratch: Path, threads: int) -> dict[str, tuple[list[str], Path]]:
    ours = scratch / "spillway"
    sort = [str(program), "sort", "-S", "8G", "--parallel", str(threads), str(source), "-o", str(ours)]
    commands = {"spillway": (sort, ours)}
    unused = unused_bytes(source)
    for name, script in RIVALS.items():
        output = scratch / f"{name}.txt"
        commands[name] = ([sys.executable, "-c", script, str(source), str(output), str(threads), unused], output)
    return commands


def measure(commands: dict[str, tuple[list[str], Path]], source: Path, rounds: int) -> tuple[dict[str, Series], list[str]]:
    """The series of the tools whose output of a warm-up round is Spillway's, and what the others did instead."""
    warm_page_cache(source)
    faults = []
    for name, (command, output) in list(commands.items()):
        try:
            sort_once(command, output)
            if not filecmp.cmp(commands["spillway"][1], output, shallow=False):
                faults.append(f"{source.name}: the output of {name} is another one")
        except FailedRun as failure:
            faults.append(f"{source.name}: {name} failed: {error_of(failure)}")
            del commands[name]
    series = interleave({name: functools.partial(sort_once, *at) for name, at in commands.items()}, rounds)
    for _, output in commands.values():
        remove(output)
    return series, faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", metavar="INPUT", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--scratch", type=Path, default=Path("."), help="where outputs are made (default: here)")
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="sort_rivals", help="name of the report's files")
    arguments = parser.parse_args()
    rows, data, faults = [], {}, []
    with tempfile.TemporaryDirectory(dir=arguments.scratch.resolve(), prefix="sort-") as directory:
        for source in arguments.sources:
            commands = commands_for(arguments.program, source.resolve(), Path(directory), arguments.threads)
            series, failed = measure(commands, source, arguments.rounds)
            faults += failed
            for name, one in series.items():
                ratio = "" if name == "spillway" else f"{one.ratio_to(series['spillway']):.2f}"
                peak = f"{one.as_json()['peak_bytes'] / 2**20:.0f}"
                rows.append([source.name, name, f"{one.median('wall_seconds'):.2f}", ratio, peak])
            data[source.name] = {name: one.as_json() for name, one in series.items()}
        facts = machine.describe(Path(directory))
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in RIVALS)
    result = report.Report("`spillway sort` and the sorts of databases and data frames", facts)
    result.data["sorts"] = data
    sizes = "; ".join(f"{source.name}, {source.stat().st_size:,} bytes" for source in arguments.sources)
    notes = "".join(f"\n- {fault}" for fault in faults)
    result.add("Times", f"{versions}. Inputs: {sizes}. Medians of {arguments.rounds} interleaved rounds of whole processes; in "
                        f"memory, {arguments.threads} threads, from file to file, inputs in the page cache, outputs not synced."
                        + (f"\n{notes}\n" if notes else "") + "\n\n" + report.table(HEAD, rows, 2))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
