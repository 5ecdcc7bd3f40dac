"""The program under test: its path, its command lines, and its answers about an index.

$SPILLWAY_PROGRAM names another program than that of the release preset.
"""
import json
import os
from pathlib import Path

from measure.machine import ROOT
from measure.process import answer

PROGRAM = Path(os.environ.get("SPILLWAY_PROGRAM", ROOT / "build" / "release" / "bin" / "spillway"))


def index_command(program: Path, source: Path, output: Path, options: list[str]) -> list[str]:
    return [str(program), "index", str(source), "-o", str(output), "--quiet", *options]


def make_index(program: Path, source: Path, output: Path, options: list[str]) -> None:
    answer(index_command(program, source, output, options))


def stats(program: Path, index: Path) -> dict:
    return json.loads(answer([str(program), "stats", str(index), "--json"]))


def document_frequency(program: Path, index: Path, term: str) -> int:
    """Returns the number of documents that contain `term`; 0 if the index does not have it."""
    lines = answer([str(program), "dump", str(index), "terms", "--from", term, "--count", "1"]).splitlines()
    columns = lines[0].split("\t") if lines else []
    return int(columns[1]) if columns and columns[0] == term else 0
