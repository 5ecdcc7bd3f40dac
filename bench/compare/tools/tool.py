"""The interface of a tool in compare.py. An adapter is one file: how the tool is run, and how its index is queried."""
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
        """Why it cannot run here, with the remedy; None if it can."""

    @abc.abstractmethod
    def version(self) -> str: ...

    def prepare(self, source: Path, scratch: Path) -> None:
        """Makes what the tool needs besides the JSONL file. Called before anything is timed."""

    @abc.abstractmethod
    def command(self, case: Case, source: Path, output: Path) -> list[str] | None:
        """The command that indexes `source` into `output`; None if the tool cannot do this case."""

    @abc.abstractmethod
    def told(self, case: Case) -> str:
        """The tool's settings of memory and threads, in a few words."""

    @abc.abstractmethod
    def probe(self, output: Path, word: str) -> tuple[int, int]:
        """Reopens the index and returns the numbers of its documents and of those that hold `word`."""


def answered_counts(command: list[str]) -> tuple[int, int]:
    """The counts that a child process prints as {"documents": N, "with_word": N}."""
    counts = json.loads(answer(command))
    return counts["documents"], counts["with_word"]


def mebibytes(count: int) -> str:
    return f"{count / 2**20:g} MiB"
