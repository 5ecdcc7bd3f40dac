"""The interface between compare.py and the tools. The adapter of a tool is one file: it says how the tool is run, and
how its index is queried."""
import abc
import dataclasses
import enum
import json
from pathlib import Path

from measure.machine import ROOT
from measure.process import answer

BUILT = ROOT / "build" / "compare"  # made by bench/compare/setup
PROGRAMS = Path(__file__).resolve().parent.parent / "programs"  # programs that drive libraries


class Contents(enum.Enum):
    FREQUENCIES = "documents and frequencies"
    POSITIONS = "documents, frequencies and positions"
    TEXT = "documents and frequencies, and the stored text"


@dataclasses.dataclass(frozen=True)
class Case:
    contents: Contents
    memory_bytes: int
    threads: int


class Tool(abc.ABC):
    name: str

    @abc.abstractmethod
    def missing(self) -> str | None:
        """Returns why the tool cannot run here, with the remedy; None if it can run."""

    @abc.abstractmethod
    def version(self) -> str: ...

    def prepare(self, source: Path, scratch: Path) -> None:
        """Makes the files that the tool needs besides the JSONL file. Called before anything is timed."""

    @abc.abstractmethod
    def command(self, case: Case, source: Path, output: Path) -> list[str] | None:
        """Returns the command that indexes `source` into `output`; None if the tool cannot do this case."""

    @abc.abstractmethod
    def settings(self, case: Case) -> str:
        """Describes the memory and threads that the tool is given, in a few words."""

    @abc.abstractmethod
    def probe(self, output: Path, word: str) -> tuple[int, int]:
        """Reopens the index and returns the number of its documents and the number of those that contain `word`."""


def answered_counts(command: list[str]) -> tuple[int, int]:
    """Runs a command and returns the counts that it prints as {"documents": N, "with_word": N}."""
    counts = json.loads(answer(command))
    return counts["documents"], counts["with_word"]


def mebibytes(count: int) -> str:
    return f"{count / 2**20:g} MiB"
