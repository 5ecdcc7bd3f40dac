"""SQLite FTS5, through Python's sqlite3 (programs/sqlite_index.py). It always runs one thread."""
import sqlite3
import sys
from pathlib import Path

from tools.tool import PROGRAMS, Case, Contents, Tool, answered_counts, mebibytes

SCRIPT = PROGRAMS / "sqlite_index.py"
DETAIL = {Contents.FREQUENCIES: "column", Contents.POSITIONS: "full", Contents.TEXT: "column"}


class Sqlite(Tool):
    name = "sqlite-fts5"

    def missing(self) -> str | None:
        try:
            sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE t USING fts5(a)")
        except sqlite3.OperationalError:
            return "this Python's sqlite3 has no FTS5"
        return None

    def version(self) -> str:
        return sqlite3.sqlite_version

    def command(self, case: Case, source: Path, output: Path) -> list[str]:
        stored = ["--store-text"] if case.contents is Contents.TEXT else []
        return [sys.executable, str(SCRIPT), "build", str(source), str(output), "--detail", DETAIL[case.contents],
                "--memory", str(case.memory_bytes), *stored]

    def settings(self, case: Case) -> str:
        return f"detail={DETAIL[case.contents]}, cache and hash of {mebibytes(case.memory_bytes // 2)}, one thread"

    def probe(self, output: Path, word: str) -> tuple[int, int]:
        return answered_counts([sys.executable, str(SCRIPT), "probe", str(output), word])
