"""Which files of a store are the index, or the shards, that a URL names.

The first index at a URL has its files right there. One that replaces it lies below the URL in a directory of its own, a
generation, and the object `current` names that. A store puts one object in one step, so a reader that looks at `current`
first finds the old index or the new one, whole.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from ..errors import InputOutputError
from .attempts import ObjectChanged, repeat
from .conditional import put_if, read_small, state_of
from .listing import names_below
from .location import Location, connect
from .source import ObjectState

MANIFEST = "manifest"
CURRENT = "current"
LAST_FILES = (MANIFEST, "job.json")  # of an index, of shards (spillway.spark)
_SECTIONS = ("terms", "postings", "bounds", "positions", "lengths", "documents", "document_groups", "ids", "id_order", "fields",
             "field_blocks", "text", "text_blocks", "dropped", "postings_1", "postings_2", "postings_3", "positions_1",
             "positions_2", "positions_3", MANIFEST)  # fmt: skip
_FILE = re.compile(rf"([0-9]+\.index/)?({'|'.join(_SECTIONS)})|job\.json")
_GENERATION = re.compile(r"generation-[0-9a-f]{16}")


@dataclass(frozen=True)
class Seen:
    """What a URL named when somebody looked. place: where its files are; states: of `current` and of the last files."""

    place: Location
    current: ObjectState | None
    last: tuple[ObjectState | None, ...]

    @property
    def is_there(self) -> bool:
        return any(self.last)


def look(location: Location) -> Seen:
    """What is there. Raises InputOutputError for a `current` that names no generation."""
    state = state_of(location.below(CURRENT))
    place = location if state is None else location.below(_name_in(location.below(CURRENT)))
    return Seen(place, state, tuple(state_of(place.below(name)) for name in LAST_FILES))


def place_of(location: Location) -> Location:
    """Where the files of an index are, or would be."""
    current = location.below(CURRENT)
    return location if state_of(current) is None else location.below(_name_in(current))


def _name_in(current: Location) -> str:
    name = (read_small(current) or b"")[:64].decode("latin-1").removesuffix("\n")
    if not _GENERATION.fullmatch(name):
        raise InputOutputError(f"{current.url}: expected the name of a generation, found {name!r}; make the index anew")
    return name


def files_of(place: Location) -> list[str]:
    """The names of the files of an index or of shards, relative to their place, that are there."""
    return [name for name in names_below(place) if _FILE.fullmatch(name)]


def new_generation() -> str:
    return f"generation-{secrets.token_hex(8)}"


def replace_current(location: Location, place: Location, seen: Seen) -> None:
    """Lets a URL name the files at `place`. Raises ObjectChanged if it does not name what was seen any more."""
    name = place.key.rpartition("/")[2]
    if look(location) != seen or not put_if(location.below(CURRENT), f"{name}\n".encode(), seen.current):
        raise ObjectChanged(
            f"another job replaced the index at {location.url} meanwhile, and that one stays; run this job again to replace it"
        )


def names(location: Location, place: Location) -> bool:
    """Whether a URL names the generation at `place`. Asks once, also while the process is told to end. Raises OSError."""
    try:
        with connect(location).open_input_file(location.below(CURRENT).path) as file:
            return bytes(file.read(64)).decode("latin-1").removesuffix("\n") == place.key.rpartition("/")[2]
    except FileNotFoundError:
        return False


def remove_old(location: Location, seen: Seen) -> None:
    """Removes the files of what was replaced, and nothing else. The first index may be there still, after a job that was
    killed: its last file goes first."""
    if seen.place != location:
        remove_generation(seen.place)
    for name in sorted(files_of(location), key=lambda name: name not in LAST_FILES):
        remove(location.below(name))


def remove_generation(place: Location) -> None:
    """Removes a generation that `current` does not name."""
    path = place.path
    repeat(lambda: connect(place).delete_dir(path), f"{place.url}: cannot remove it")


def remove(location: Location) -> None:
    """Removes an object, if it is there."""
    if state_of(location) is not None:
        repeat(lambda: connect(location).delete_file(location.path), f"{location.url}: cannot remove it")
