#!/usr/bin/env python3
"""Makes the tables of docs/papers.md and the picture of the README.

usage: bench/paper_figures.py [RESULTS] [--page docs/papers.md] [--picture docs/papers.svg] [--program PROGRAM] [--check]

The rows of a paper's tables and figures, and the paper's own figures, are those of `spillway bench paper all --list`. Ours
come from RESULTS (default docs/results/papers): reports of `bench paper --json` and `bench sort --json`, and
sort_counters.json of bench/sort_counters.py. A table stands in the page between <!-- NAME --> and <!-- end -->; the script
replaces what is there, and with --check only says what differs. Needs Python 3.11 and a built program.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from papers import capannini, davidson, deshpande, drozd, rows, satish
from papers.picture import picture
from papers.results import Results


def listing(program: Path) -> dict:
    done = subprocess.run([program, "bench", "paper", "all", "--list", "--json", "-"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"paper_figures.py: {program} failed: {done.stderr.strip()[-600:]}")
    return json.loads(done.stdout)


def replaced(page: str, name: str, text: str) -> str:
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        sys.exit(f"paper_figures.py: the page has no place for '{name}'")
    return pattern.sub(lambda found: found.group(1) + text + "\n" + found.group(2), page)


def keep(path: Path, text: str, check: bool) -> bool:
    """Writes a file, or says whether it is as it should be."""
    if check:
        return path.read_text() == text
    path.write_text(text)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", type=Path, default=Path("docs/results/papers"))
    parser.add_argument("--page", type=Path, default=Path("docs/papers.md"))
    parser.add_argument("--picture", type=Path, default=Path("docs/papers.svg"))
    parser.add_argument("--program", type=Path,
                        default=Path(os.environ.get("SPILLWAY_PROGRAM", "build/release/bin/spillway")))
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if something is out of date")
    arguments = parser.parse_args()
    results = Results(arguments.results, listing(arguments.program))
    page = arguments.page.read_text()
    for module in (rows, satish, davidson, capannini, deshpande, drozd):
        for name, text in module.tables(results).items():
            page = replaced(page, name, text)
    kept = {arguments.page: page, arguments.picture: picture(results, "an H100")}
    if stale := [str(path) for path, text in kept.items() if not keep(path, text, arguments.check)]:
        sys.exit(f"paper_figures.py: out of date: {', '.join(stale)}; run bench/paper_figures.py")


if __name__ == "__main__":
    main()
