"""Lucene 9, driven by programs/IndexJsonl.java; the jar comes from a Python package.

The memory of a case is the size of the Java heap. Half of it is the indexing buffer. The virtual machine needs memory
besides the heap.
"""
import shutil
from pathlib import Path

from measure.process import answer
from tools.tool import BUILT, Case, Tool, answered_counts, mebibytes

CLASSES = BUILT / "lucene"  # the compiled program, and the jar beside it
JAR = CLASSES / "lucene.jar"


class Lucene(Tool):
    name = "lucene"

    def missing(self) -> str | None:
        if not shutil.which("java"):
            return "there is no java; run bench/compare/setup"
        return None if JAR.exists() and (CLASSES / "IndexJsonl.class").exists() else "run bench/compare/setup"

    def version(self) -> str:
        return answer(self._java(256 << 20, ["version"])).strip()

    def command(self, case: Case, source: Path, output: Path) -> list[str]:
        buffer_megabytes = max(1, case.memory_bytes // 2 >> 20)
        return self._java(case.memory_bytes, ["build", str(source), str(output), str(case.threads),
                                              str(buffer_megabytes), case.contents.name.lower()])

    def settings(self, case: Case) -> str:
        return (f"heap {mebibytes(case.memory_bytes)}, buffer {mebibytes(case.memory_bytes // 2)}, "
                f"{case.threads} threads that parse and add, merge threads in addition")

    def probe(self, output: Path, word: str) -> tuple[int, int]:
        return answered_counts(self._java(256 << 20, ["probe", str(output), word]))

    @staticmethod
    def _java(heap_bytes: int, words: list[str]) -> list[str]:
        return ["java", f"-Xmx{heap_bytes >> 20}m", "-cp", f"{CLASSES}:{JAR}", "IndexJsonl", *words]
