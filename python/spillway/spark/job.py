"""What a job is: the same inputs, options and versions are the same job, which goes on where an earlier one stopped."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from .inputs import InputFile


@dataclass(frozen=True)
class Job:
    """Immutable; travels to the tasks.

    options: of `spillway index`, for what the index holds and how inputs are read.
    version: what the program says about itself; tasks refuse to run another one.
    memory: limit of one task in bytes. threads: of one task.
    """

    inputs: tuple[InputFile, ...]
    options: tuple[str, ...]
    parts: int
    version: str
    program: str
    stage: str
    memory: int
    threads: int

    @property
    def content_id(self) -> str:
        return content_id(self.inputs, self.options, self.version)

    @property
    def id(self) -> str:
        """A name for everything that decides what the parts contain: not for memory, threads and places."""
        return _hash(_content(self.inputs, self.options, self.version) | {"parts": self.parts})

    @property
    def directory(self) -> str:
        """Where the attempts of this job are."""
        return f"{self.stage}/{self.id}"

    @property
    def input_list(self) -> str:
        """A file that names the inputs, one per line."""
        return f"{self.directory}/inputs"


def content_id(inputs: Sequence[InputFile], options: Sequence[str], version: str) -> str:
    """A name for everything that decides what all parts together contain."""
    return _hash(_content(inputs, options, version))


def _content(inputs: Sequence[InputFile], options: Sequence[str], version: str) -> dict:
    return {"inputs": [asdict(file) for file in inputs], "options": list(options), "version": version}


def _hash(described: dict) -> str:
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:32]
