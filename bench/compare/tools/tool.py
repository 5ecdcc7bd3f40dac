"""What compare.py asks of a tool. An adapter is one file: how the tool is called, and what its index says."""
import abc
import dataclasses
import enum
import json
from pathlib import Path

from measure.machine import ROOT
from measure.process import answer

BUILT = ROOT / "build" / "compare"  # what bench/compare/setup made
PROGRAMS = Path(__file__).resolve().parent.parent / "programs"  # those that drive libraries


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
        """Why it cannot run here, with the remedy; None where it can."""

    @abc.abstractmethod
    def version(self) -> str: ...

    def prepare(self, source: Path, scratch: Path) -> None:
        """Before anything is timed: what the tool needs besides the JSONL file."""

    @abc.abstractmethod
    def command(self, case: Case, source: Path, output: Path) -> list[str] | None:
        """Indexes `source` into `output`. None: the tool cannot do this case."""

    @abc.abstractmethod
    def told(self, case: Case) -> str:
        """What it was told of memory and threads, in a few words."""

    @abc.abstractmethod
    def probe(self, output: Path, word: str) -> tuple[int, int]:
        """From the index, opened anew: its documents, and those that hold `word`."""


def answered_counts(command: list[str]) -> tuple[int, int]:
    """Of a child that prints {"documents": N, "with_word": N}."""
    counts = json.loads(answer(command))
    return counts["documents"], counts["with_word"]


def mebibytes(count: int) -> str:
    return f"{count / 2**20:g} MiB"
