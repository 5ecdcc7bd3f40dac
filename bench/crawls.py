#!/usr/bin/env python3
"""Indexes the same pages as HTML files, as WARC, plain and compressed, as WET, and their texts as JSON lines, in
interleaved rounds, and prints a row for each. Rates are of the HTML, of WET and JSON lines of the text.

usage: bench/crawls.py PAGES [--sets DIR] [--memory 1G,64M] [--scratch DIR]

PAGES is a directory of HTML files. The crawls are made in --sets once (data/crawl_of_pages.py).
"""
import argparse
import tempfile
from pathlib import Path

from data import crawl_of_pages
from measure import index_runs, machine, report

HEAD = ["input", "--memory", "bytes", "documents", "wall s", "spread", "cpu s", "MB/s of HTML or text", "times JSON lines",
        "peak MB"]


def payload_bytes(name: str, paths: dict[str, Path]) -> int:
    """The bytes of the pages, or of their texts, with the heads of records: those of the plain file."""
    return paths["wet" if "wet" in name or name == "jsonl" else "warc"].stat().st_size


def row(name: str, memory: str, runs: index_runs.IndexRuns, payload: int, texts: index_runs.IndexRuns) -> list[str]:
    return [name, memory, f"{runs.input_bytes:,}", f"{runs.report['documents']:,}", f"{runs.wall_seconds:.2f}",
            f"{runs.series.spread():.0%}", f"{runs.series.median('cpu_seconds'):.2f}",
            report.rate(payload, runs.wall_seconds), f"{runs.series.ratio_to(texts.series):.2f}",
            report.megabytes(runs.series.as_json()["peak_bytes"])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", metavar="PAGES", type=Path)
    parser.add_argument("--sets", type=Path, default=Path("crawls"), help="where the crawls are made (default crawls)")
    parser.add_argument("--memory", type=lambda text: text.split(","), default=["1G", "64M"])
    index_runs.add_arguments(parser, "crawls")
    arguments = parser.parse_args()
    paths = crawl_of_pages.make(arguments.pages, arguments.sets, arguments.program)
    inputs = paths | {"HTML files": arguments.pages}
    options = {"HTML files": ["--format", "html", "--max-error-rate", "1"]}  # images lie beside them
    jobs = {}
    for memory in arguments.memory:
        for name, path in inputs.items():
            jobs[f"{name} {memory}"] = (path, ["--memory", memory, *options.get(name, []), *arguments.options])
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="crawls-") as directory:
        measured = index_runs.measure(arguments.program, jobs, Path(directory), arguments.rounds)
        facts = machine.describe(Path(directory))
    rows = []
    for memory in arguments.memory:
        texts = measured[f"jsonl {memory}"]
        rows += [row(name, memory, measured[f"{name} {memory}"], payload_bytes(name, paths), texts) for name in inputs]
    result = report.Report("Crawls", facts)
    result.data["jobs"] = {name: runs.as_json() for name, runs in measured.items()}
    result.add("Crawls", f"Input: {arguments.pages.name}; medians of {arguments.rounds} interleaved rounds.\n\n"
               + report.table(HEAD, rows, 0))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
