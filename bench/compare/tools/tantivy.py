"""tantivy, through its Python package (programs/tantivy_index.py), with defaults except for the settings of the case."""
from pathlib import Path

from measure.process import answer
from tools.tool import BUILT, PROGRAMS, Case, Tool, answered_counts, mebibytes

PYTHON = BUILT / "venv" / "bin" / "python"
SCRIPT = PROGRAMS / "tantivy_index.py"
MIN_HEAP_BYTES = 15_000_000  # per thread; the library refuses less
MAX_HEAP_BYTES = 4_293_967_294  # per thread


class Tantivy(Tool):
    name = "tantivy"

    def missing(self) -> str | None:
        return None if PYTHON.exists() else "it is not installed; run bench/compare/setup"

    def version(self) -> str:
        return answer([str(PYTHON), "-c", "import importlib.metadata as m; print(m.version('tantivy'))"]).strip()

    def heap(self, case: Case) -> int:
        return min(max(case.memory_bytes, MIN_HEAP_BYTES * case.threads), MAX_HEAP_BYTES * case.threads)

    def command(self, case: Case, source: Path, output: Path) -> list[str]:
        return [str(PYTHON), str(SCRIPT), "build", str(source), str(output), "--heap", str(self.heap(case)),
                "--threads", str(case.threads), "--contents", case.contents.name.lower()]

    def settings(self, case: Case) -> str:
        return f"heap {mebibytes(self.heap(case))}, {case.threads} indexing threads and one that passes records to them"

    def probe(self, output: Path, word: str) -> tuple[int, int]:
        return answered_counts([str(PYTHON), str(SCRIPT), "probe", str(output), word])
