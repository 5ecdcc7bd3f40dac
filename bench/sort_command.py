#!/usr/bin/env python3
"""Sorts each INPUT with GNU sort and with `spillway sort`, file to file in the page cache, in interleaved rounds: in memory
(-S 8G), out of core (-S 64M), and with other options of GNU sort ("second field" is -k2,2). The outputs must be the same.

usage: bench/sort_command.py INPUT... [--scratch DIR] [--rounds 5]
"""
import argparse
import filecmp
import functools
import tempfile
from pathlib import Path

from measure import machine, report, spillway
from measure.process import Cost, remove, run_measured, warm_page_cache
from measure.series import Series, interleave

OPTIONS = {
    "in memory": ["-S", "8G"],
    "out of core": ["-S", "64M"],
    "-u": ["-S", "8G", "-u"],
    "-r": ["-S", "8G", "-r"],
    "-f": ["-S", "8G", "-f"],
    "-n": ["-S", "8G", "-n"],
    "second field": ["-S", "8G", "-k2,2"],
}
HEAD = ["input", "options", "GNU s", "Spillway s", "times as fast", "GNU MB", "Spillway MB"]
BYTE_ORDER = {"LC_ALL": "C"}


def sort_once(command: list[str], output: Path) -> Cost:
    remove(output)
    return run_measured([*command, "-o", str(output)], None, BYTE_ORDER)


def measure(program: Path, source: Path, options: list[str], scratch: Path, rounds: int) -> dict[str, Series]:
    """Raises FailedRun. Ends the script if the outputs of the warm-up round differ."""
    warm_page_cache(source)
    commands = {"gnu": ["sort", *options, str(source)], "spillway": [str(program), "sort", *options, str(source)]}
    outputs = {name: scratch / name for name in commands}
    for name, command in commands.items():
        sort_once(command, outputs[name])
    if not filecmp.cmp(outputs["gnu"], outputs["spillway"], shallow=False):
        raise SystemExit(f"the outputs of {source.name} with {' '.join(options)} differ")
    series = interleave({name: functools.partial(sort_once, commands[name], outputs[name]) for name in commands}, rounds)
    for output in outputs.values():
        remove(output)
    return series


def row_of(source: Path, name: str, series: dict[str, Series]) -> list[str]:
    gnu, ours = series["gnu"], series["spillway"]
    peaks = [f"{one.as_json()['peak_bytes'] / 2**20:.0f}" for one in (gnu, ours)]
    return [source.name, name, f"{gnu.median('wall_seconds'):.2f}", f"{ours.median('wall_seconds'):.2f}",
            f"{gnu.ratio_to(ours):.2f}", *peaks]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", metavar="INPUT", type=Path, nargs="+")
    parser.add_argument("--options", type=lambda text: text.split(","), default=list(OPTIONS),
                        help=f"which of these: {', '.join(OPTIONS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--scratch", type=Path, default=Path("."), help="where outputs are made (default: here)")
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="sort_command", help="name of the report's files")
    arguments = parser.parse_args()
    rows, data = [], {}
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="sort-") as directory:
        for source in arguments.sources:
            for name in arguments.options:
                series = measure(arguments.program, source, OPTIONS[name], Path(directory), arguments.rounds)
                rows.append(row_of(source, name, series))
                data[f"{source.name}, {name}"] = {tool: one.as_json() for tool, one in series.items()}
        facts = machine.describe(Path(directory))
    result = report.Report("`spillway sort` and GNU sort", facts)
    result.data["sorts"] = data
    sizes = "; ".join(f"{source.name}, {source.stat().st_size:,} bytes" for source in arguments.sources)
    result.add("Times", f"Inputs: {sizes}. Medians of {arguments.rounds} interleaved rounds; from file to file, inputs in "
                        "the page cache, outputs not synced.\n\n" + report.table(HEAD, rows, 2))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
