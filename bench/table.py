#!/usr/bin/env python3
"""Prints the README's tables from the kept rounds, or writes them into a page.

usage: bench/table.py [RESULTS] [--write PAGE]      (default RESULTS: docs/results)

RESULTS holds what bench/all (compare, compare_short, search) and bench/gpu.py (gpu) left. In PAGE, the text between
`<!-- NAME -->` and `<!-- end of NAME -->` is replaced, for NAME cpu, search and gpu; RESULTS/gpu.md is then written as well.
Cases that Spillway loses are in the tables like the others. Ends with 1 if the CPU figures come from different commits, or
from a tree with changes.
"""
import argparse
import json
import re
import statistics
import sys
from pathlib import Path

from measure import gpu_rounds, report

CASES = {"frequencies": "documents and frequencies, `--memory 1G`", "64M": "the same, `--memory 64M`",
         "1-thread": "the same, one thread", "positions": "with positions"}
TOOLS = {"tantivy": "tantivy", "sqlite-fts5": "SQLite FTS5", "lucene": "Lucene", "sphinx": "Sphinx"}


def loaded(results: Path, name: str) -> dict:
    return json.loads((results / f"{name}.json").read_text())


def multiple(value: float) -> str:
    """Formats a multiple of Spillway's figure; bold if Spillway loses."""
    text = f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 1.95 else f"{value:.2f}"
    return text if value >= 1 else f"**{text}**"


def case_row(words: str, case: dict, input_bytes: int) -> list[str]:
    tools = dict(case["tools"])
    mine = tools.pop("spillway")
    others = {TOOLS[name]: tool for name, tool in tools.items()}

    def multiples(ratio) -> str:
        return ", ".join(f"{name} {multiple(ratio(tool))}" for name, tool in others.items())

    def time_ratio(tool: dict) -> float:
        return statistics.median(theirs["wall_seconds"] / ours["wall_seconds"]
                                 for theirs, ours in zip(tool["rounds"], mine["rounds"]))

    return [words, f"{mine['wall_seconds']:.2f} s, {input_bytes / 1e6 / mine['wall_seconds']:.0f} MB/s, "
            f"{report.megabytes(mine['peak_bytes'])} MB", multiples(time_ratio),
            multiples(lambda tool: tool["peak_bytes"] / mine["peak_bytes"]),
            multiples(lambda tool: tool["index_bytes"] / mine["index_bytes"])]


def cpu_table(results: Path) -> str:
    data, short = loaded(results, "compare"), loaded(results, "compare_short")
    rows = [case_row(CASES[name], case, data["input_bytes"]) for name, case in data["cases"].items()]
    rows.append(case_row(f"{short['records'] / 1e6:.2f} million short documents ({short['input_bytes'] / 1e6:.0f} MB)",
                         short["cases"]["frequencies"], short["input_bytes"]))
    facts = data["machine"]
    rounds = max(len(tool["rounds"]) for tool in data["cases"]["frequencies"]["tools"].values())
    return (f"{facts['cores']} cores of an {facts['processor'].replace('(R)', '')}, commit {facts['commit']}, medians of "
            f"{rounds} interleaved rounds; `{data['input']}`: {data['input_bytes'] / 1e6:.0f} MB, {data['records']:,} "
            "documents. The last three columns are multiples of Spillway's figure; bold: Spillway is behind.\n\n" +
            report.table(["case", "Spillway: time, rate, peak memory", "time of the others", "their memory",
                          "their index"], rows, 5))


def search_table(results: Path) -> str:
    data = loaded(results, "search")
    rows = [[name, f"{data['spillway_ms'][name]:.2f} ms", f"{data['tantivy_ms'][name]:.2f} ms",
             f"{data['exhaustive_ms'][name]:.2f} ms"] for name in ("p50", "p95", "p99")]
    work = data["spillway_work"]
    return (f"{len(data['queries']):,} searches of 2 to 5 words for the ten best of {data['documents'] / 1e6:.1f} million "
            f"lines, one thread, commit {data['machine']['commit']}:\n\n" +
            report.table(["latency", "Spillway", "tantivy", "Spillway, `--exhaustive`"], rows) +
            f"\nSpillway scores {100 * work['scored_postings'] / work['query_postings']:.1f} % of the postings and returns "
            f"what the exhaustive scan returns, bit for bit. It is slower than tantivy on {data['queries_slower']} of the "
            f"{len(data['queries']):,} queries, at worst {data['slowest_ratio']:.1f} times as slow.\n")


def gpu_table(results: Path) -> str:
    """The groups `size` and `positions` at the largest size of each text."""
    facts, configurations = gpu_rounds.load(results)
    whole = [one for one in configurations if one.group in ("size", "positions")]
    largest = {text: max(one.size for one in whole if one.text == text) for text in {one.text for one in whole}}
    rows = []
    for one in whole:
        if one.size != largest[one.text]:
            continue
        cells = [f"{one.wall(mode):.2f} s, {one.size / 1e9 / one.wall(mode):.1f} GB/s" for mode in ("cpu+", "gpu+")]
        rows.append([f"{one.text}, {one.size / 1e9:g} GB" + (", positions" if one.group == "positions" else ""), *cells,
                     f"`{one.taken()}`, {one.auto_ratio():.2f}"])
    rounds = max(len(one.rounds["auto"]) for one in whole)
    return (f"{facts['gpu'].split(',')[0]}, {facts['cores']} virtual cores, commit {facts['commit']}, medians of up to "
            f"{rounds} interleaved rounds, from the start of the process to the index in a file system of type "
            f"{facts['file system']}:\n\n" +
            report.table(["input", "`cpu+`", "`gpu+`", "`auto` takes, time by the faster mode"], rows, 4))


def write_into(page: Path, name: str, text: str) -> None:
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    old = page.read_text()
    if begin not in old or end not in old:
        raise SystemExit(f"table.py: {page} has no marks for {name}")
    page.write_text(re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: begin + text + end, old, flags=re.DOTALL))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", metavar="RESULTS", nargs="?", type=Path,
                        default=Path(__file__).resolve().parent.parent / "docs" / "results")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    arguments = parser.parse_args()
    tables = {}
    for name, make, needed in (("cpu", cpu_table, "compare_short.json"), ("search", search_table, "search.json"),
                               ("gpu", gpu_table, "gpu_modes*.jsonl")):
        if list(arguments.results.glob(needed)):
            tables[name] = make(arguments.results)
        else:
            print(f"table.py: {needed} does not exist; the table {name} is left out", file=sys.stderr)
    for name, text in tables.items():
        if arguments.write:
            write_into(arguments.write, name, text)
            if name == "gpu":
                (arguments.results / "gpu.md").write_text(gpu_rounds.page(arguments.results))
        else:
            print(f"<!-- {name} -->\n{text}<!-- end of {name} -->\n")
    found = [name for name in ("compare", "compare_short", "search") if (arguments.results / f"{name}.json").exists()]
    commits = {loaded(arguments.results, name)["machine"]["commit"] for name in found}
    if len(commits) > 1 or any("changes" in commit for commit in commits):
        sys.exit(f"table.py: the results are of different commits or of a tree with changes: {', '.join(sorted(commits))}")


if __name__ == "__main__":
    main()
