"""The program under test: where it is, and what it says about an index."""
import json
from pathlib import Path

from measure.machine import ROOT
from measure.process import answer

PROGRAM = ROOT / "build" / "release" / "bin" / "spillway"


def index_command(program: Path, source: Path, output: Path, options: list[str]) -> list[str]:
    return [str(program), "index", str(source), "-o", str(output), "--quiet", *options]


def stats(program: Path, index: Path) -> dict:
    return json.loads(answer([str(program), "stats", str(index), "--json"]))


def document_frequency(program: Path, index: Path, term: str) -> int:
    """Documents that hold `term`; 0 where the index does not know it."""
    lines = answer([str(program), "dump", str(index), "terms", "--from", term, "--count", "1"]).splitlines()
    columns = lines[0].split("\t") if lines else []
    return int(columns[1]) if columns and columns[0] == term else 0
