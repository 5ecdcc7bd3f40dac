#!/usr/bin/env python3
"""Indexes one JSONL file with Spillway and with other tools, in interleaved rounds, and prints a table for each case.

usage: bench/compare/compare.py INPUT [--cases frequencies,64M:spillway+tantivy] [--rounds 5] [--scratch DIR]

A case is NAME, with all tools, or NAME:TOOL+TOOL, with those tools only. bench/compare/setup installs the tools. A tool
that is not installed is reported and left out. Before any time is printed, each index is opened and its documents are
counted. docs/benchmarks.md describes how each tool is run and which differences remain.
"""
import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from measure import machine, report, spillway
from measure.process import FailedRun, bytes_below, remove, run_measured, warm_page_cache
from measure.series import Series, interleave
from tools import all_tools
from tools.tool import Case, Contents, Tool

PROBE_WORD = "network"


def cases(threads: int) -> dict[str, Case]:
    gibibyte, small = 1 << 30, 64 << 20
    return {
        "frequencies": Case(Contents.FREQUENCIES, gibibyte, threads),
        "positions": Case(Contents.POSITIONS, gibibyte, threads),
        "text": Case(Contents.TEXT, gibibyte, threads),
        "64M": Case(Contents.FREQUENCIES, small, threads),
        "1-thread": Case(Contents.FREQUENCIES, gibibyte, 1),
    }


def count_records(source: Path) -> int:
    with open(source, "rb") as lines:
        return sum(1 for line in lines if line.strip())


def parse_cases(text: str | None, every: dict[str, Case]) -> dict[str, list[str]]:
    """Returns the chosen cases, each with the names of its tools; an empty list means all tools."""
    wanted = {}
    for word in text.split(",") if text else every:
        name, _, tools = word.partition(":")
        if name not in every:
            raise SystemExit(f"compare.py: no such case: {name}; expected one of {', '.join(every)}")
        wanted[name] = tools.split("+") if tools else []
    return wanted


class Comparison:
    def __init__(self, arguments: argparse.Namespace, scratch: Path, wanted: dict[str, list[str]]):
        self.source: Path = arguments.source
        self.rounds: int = arguments.rounds
        self.scratch = scratch
        self.records = count_records(self.source)
        self.tools = self.usable(all_tools(arguments.program), wanted)

    @staticmethod
    def usable(tools: list[Tool], wanted: dict[str, list[str]]) -> list[Tool]:
        """Returns the installed tools that a case of `wanted` needs, and reports the others."""
        named = {name for names in wanted.values() for name in names}
        unknown = named - {tool.name for tool in tools}
        if unknown:
            raise SystemExit(f"compare.py: no such tool: {', '.join(sorted(unknown))}; expected some of "
                             f"{', '.join(tool.name for tool in tools)}")
        found = []
        for tool in tools:
            if all(wanted.values()) and tool.name not in named:
                continue
            reason = tool.missing()
            if reason is None:
                found.append(tool)
            else:
                print(f"{tool.name} is left out: {reason}", file=sys.stderr)
        return found

    def prepare(self) -> None:
        for tool in self.tools:
            tool.prepare(self.source, self.scratch)
        warm_page_cache(self.source)

    def run(self, case: Case, names: list[str]) -> tuple[dict[str, Series], dict[str, dict], dict[str, str]]:
        """Returns rounds, facts and failures by tool, for the tools in `names`, or for all if that is empty."""
        contestants, facts, failures = {}, {}, {}
        for tool in self.tools:
            if names and tool.name not in names:
                continue
            output = self.scratch / f"{tool.name}.index"
            command = tool.command(case, self.source, output)
            if command is None:
                continue
            try:
                facts[tool.name] = self.try_out(tool, case, output, command)
            except FailedRun as failure:
                failures[tool.name] = str(failure)
                continue
            contestants[tool.name] = lambda output=output, command=command: run_measured(command, output)
        series = interleave(contestants, self.rounds, failures)
        for tool in self.tools:
            remove(self.scratch / f"{tool.name}.index")
        return series, facts, failures

    def try_out(self, tool: Tool, case: Case, output: Path, command: list[str]) -> dict:
        """Runs the warm-up round, checks the index, and returns the facts about it."""
        run_measured(command, output)
        documents, with_word = tool.probe(output, PROBE_WORD)
        if documents != self.records:
            raise FailedRun(f"expected {self.records} documents in its index, found {documents}")
        return {"version": tool.version(), "settings": tool.settings(case), "documents": documents,
                f"documents_with_{PROBE_WORD}": with_word, "index_bytes": bytes_below(output)}


HEAD = ["tool", "times Spillway's", "wall s", "spread", "MB/s", "user s", "system s", "peak MB", "index MB",
        f"docs with \"{PROBE_WORD}\"", "settings"]


def case_table(series: dict[str, Series], facts: dict[str, dict], failures: dict[str, str],
               source_bytes: int) -> str:
    reference = series.get("spillway")
    rows = []
    for name, rounds in series.items():
        fact = facts[name]
        wall = rounds.median("wall_seconds")
        rows.append([
            f"{name} {fact['version']}", f"{rounds.ratio_to(reference):.2f}" if reference else "-", f"{wall:.2f}",
            f"{rounds.spread():.0%}", report.rate(source_bytes, wall), f"{rounds.median('user_seconds'):.2f}",
            f"{rounds.median('system_seconds'):.2f}", report.megabytes(rounds.as_json()["peak_bytes"]),
            report.megabytes(fact["index_bytes"]), f"{fact[f'documents_with_{PROBE_WORD}']:,}", fact["settings"]])
    return report.table(HEAD, rows) + "".join(
        f"\n{name} failed: {failure.splitlines()[-1]}\n" for name, failure in failures.items())


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="INPUT", type=lambda path: Path(path).resolve())
    parser.add_argument("--scratch", type=Path, help="where indexes are made (default: a directory beside INPUT)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", help="NAME or NAME:TOOL+TOOL, separated by commas (default: all cases, all tools)")
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="compare", help="name of the report's files")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    every = cases(threads=int(machine.describe(Path("."))["cores"]))
    wanted = parse_cases(arguments.cases, every)
    with tempfile.TemporaryDirectory(dir=arguments.scratch or arguments.source.parent, prefix="compare-") as scratch:
        comparison = Comparison(arguments, Path(scratch), wanted)
        comparison.prepare()
        result = report.Report("Spillway and other tools", machine.describe(Path(scratch)))
        source_bytes = arguments.source.stat().st_size
        result.data |= {"input": arguments.source.name, "input_bytes": source_bytes, "records": comparison.records,
                        "rounds": arguments.rounds, "cases": {}}
        result.add("Input", f"{arguments.source.name}: {source_bytes:,} bytes, {comparison.records:,} records, in the "
                            f"page cache; medians of {arguments.rounds} interleaved rounds.\n")
        for name, tools in wanted.items():
            series, facts, failures = comparison.run(every[name], tools)
            heading = f"{name}: {every[name].contents.value}, {every[name].threads} threads"
            result.add(heading, case_table(series, facts, failures, source_bytes))
            result.data["cases"][name] = {
                "tools": {tool: facts[tool] | series[tool].as_json() for tool in series}, "failures": failures}
            result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
