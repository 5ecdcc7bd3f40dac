#!/usr/bin/env python3
"""The short table for the README, made of what compare.py measured: every tool in multiples of Spillway.

usage: bench/short_table.py COMPARE.json

Nothing is left out: what Spillway loses is in the table, and is said again below it.
"""
import argparse
import json
from pathlib import Path

from measure import report

MEASURES = {"time": "wall_seconds", "CPU": "cpu_seconds", "memory": "peak_bytes", "index": "index_bytes"}


def figures(tool: dict) -> dict[str, float]:
    return {"cpu_seconds": tool["user_seconds"] + tool["system_seconds"], **tool}


def ratios(tool: dict, reference: dict) -> list[float]:
    mine, theirs = figures(tool), figures(reference)
    return [mine[key] / theirs[key] for key in MEASURES.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", metavar="COMPARE.json", type=Path)
    data = json.loads(parser.parse_args().measured.read_text())
    rows, behind = [], []
    for name, case in data["cases"].items():
        reference = case["tools"].get("spillway")
        if reference is None:
            continue
        rate = report.rate(data["input_bytes"], reference["wall_seconds"])
        rows.append([name, f"spillway {reference['version']}", f"{reference['wall_seconds']:.2f} s, {rate} MB/s",
                     f"{figures(reference)['cpu_seconds']:.2f} s", f"{report.megabytes(reference['peak_bytes'])} MB",
                     f"{report.megabytes(reference['index_bytes'])} MB"])
        for tool, measured in case["tools"].items():
            if tool == "spillway":
                continue
            multiples = ratios(measured, reference)
            rows.append(["", f"{tool} {measured['version']}", *(f"x {multiple:.2f}" for multiple in multiples)])
            behind += [f"{name}: {tool} needs {multiple:.2f} of Spillway's {measure}"
                       for measure, multiple in zip(MEASURES, multiples) if multiple < 1]
        rows += [["", tool, "failed", "", "", ""] for tool in case["failures"]]
    machine = data["machine"]
    print(f"{data['input']}, {data['input_bytes'] / 1e6:,.0f} MB, {data['records']:,} documents, in the page cache; "
          f"{machine['processor']}, {machine['cores']} cores; medians of {data['rounds']} interleaved rounds; "
          f"commit {machine['commit']}.\n")
    print(report.table(["case", "tool", *MEASURES], rows, 2))
    print("Where Spillway is behind: " + ("; ".join(behind) if behind else "in none of these") + ".")


if __name__ == "__main__":
    main()
