"""Spillway with its defaults: ids and titles are stored, and the index is one merged whole.

Documents with repeated ids are kept, as the other tools keep them.
"""
from pathlib import Path

from measure import spillway
from measure.process import answer
from tools.tool import Case, Contents, Tool, mebibytes

OPTIONS = {Contents.FREQUENCIES: [], Contents.POSITIONS: ["--positions"], Contents.TEXT: ["--store", "text"]}


class Spillway(Tool):
    name = "spillway"

    def __init__(self, program: Path):
        self.program = program

    def missing(self) -> str | None:
        if self.program.is_file():
            return None
        return f"{self.program} does not exist; run cmake --preset release && cmake --build --preset release"

    def version(self) -> str:
        return answer([str(self.program), "--version"]).strip().removeprefix("spillway ")

    def command(self, case: Case, source: Path, output: Path) -> list[str]:
        options = [*OPTIONS[case.contents], "--duplicate-ids", "keep", "--memory", str(case.memory_bytes),
                   "--threads", str(case.threads)]
        return spillway.index_command(self.program, source, output, options)

    def settings(self, case: Case) -> str:
        return f"--memory {mebibytes(case.memory_bytes)}, --threads {case.threads}"

    def probe(self, output: Path, word: str) -> tuple[int, int]:
        return (spillway.stats(self.program, output)["documents"],
                spillway.document_frequency(self.program, output, word))
