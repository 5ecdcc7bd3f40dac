"""Puts an index, or a file, into an object store, so that nothing half-made is visible there.

A store has no rename. What makes an index one is its manifest, which holds the hashes of all its files: it is put last,
after the store was asked whether it has all other files. What replaces an index is put beside it as a generation
(generations.py), and the object `current` is put last.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import InputOutputError, UsageError
from .attempts import (
    PUT_ATTEMPTS,
    ObjectChanged,
    Stopped,
    end_left_calls,
    leave_on_interrupt,
    regardless_of_signals,
    repeat,
    wait_for_left_calls,
)
from .conditional import put_if_absent, state_of
from .generations import CURRENT, MANIFEST, Seen, look, names, new_generation, remove, remove_old, replace_current
from .location import Location, connect, has_pattern, locate
from .source import ObjectState

_CHUNK_BYTES = 4 << 20
_Result = TypeVar("_Result")
_Attempt = Callable[[Callable[[], ObjectState]], ObjectState]  # calls what puts a file


@dataclass(frozen=True)
class Published:
    url: str
    files: int
    bytes: int


def _output(url: str) -> Location:
    location = locate(url)
    if has_pattern(location.key) or not location.key:
        raise UsageError(f"the output {url}: expected a URL such as s3://BUCKET/docs.index, which names one thing to make")
    return location


def check_absent(url: str, last: str = MANIFEST) -> Location:
    """The location of an output. Raises UsageError if it is there already: an object, or `last` below it; or if the URL
    names no single thing."""
    location = _output(url)
    for name in (location, location.below(last), location.below(CURRENT)):
        if state_of(name) is not None:
            raise UsageError(f"the output {name.url} exists; --force replaces it")
    return location


def check_replaceable(url: str) -> Location:
    """The location of a directory that replaces an index or shards. Raises UsageError if an object of that name is there, or
    if the URL names no single thing."""
    location = _output(url)
    if state_of(location) is not None:
        raise UsageError(f"the output {location.url} is an object, not an index, and is not replaced; name another URL")
    return location


class StagedOutput:
    """An output by URL while it is made on this machine, in a directory for its owner alone.

    local: the path to make: a directory or, with `is_file`, a file, which replaces an object in one step. Scratch: below
    `scratch` (default: the system's directory for temporary files), which needs room for the whole output. `force`: replaces
    an index. Use as a context: at its end the local copy is gone.
    """

    is_made = False

    def __init__(self, url: str, scratch: str | None = None, *, force: bool = False, is_file: bool = False):
        self._location = _output(url) if is_file else check_replaceable(url) if force else check_absent(url)
        self._force = force
        self._directory = self._make_directory(scratch)
        self.local = os.path.join(self._directory, self._location.key.rpartition("/")[2])

    def _make_directory(self, scratch: str | None) -> str:
        return tempfile.mkdtemp(prefix="spillway-output-", dir=scratch)

    def __enter__(self) -> StagedOutput:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def publish(self) -> Published:
        """Puts what was made. Raises UsageError, InputOutputError; in the store is then what was there before, or what
        somebody else put there meanwhile."""
        if os.path.isdir(self.local):
            return publish_directory(self.local, self._location.url, force=self._force)
        state = _put(self.local, self._location)
        return Published(self._location.url, 1, state.size)


class KeptOutput(StagedOutput):
    """An output by URL of a job that goes on after an interruption (--resumable): its directory has the same name for the
    same URL, and is gone only when the store has the output.

    words: of the command. is_made: the output is whole on this machine, and was made by a command with these words; nothing
    is left but to publish it. restart: what an earlier job left is removed. Raises UsageError if another command's output
    is there.
    """

    def __init__(
        self, url: str, scratch: str, words: Sequence[str], *, force: bool = False, is_file: bool = False, restart: bool = False
    ):
        super().__init__(url, scratch, force=force, is_file=is_file)
        if restart:
            shutil.rmtree(self._directory)
            os.mkdir(self._directory, 0o700)
        command = os.path.join(self._directory, "spillway-command")
        self.is_made = os.path.lexists(self.local)
        if self.is_made and _words_in(command) != list(words):
            raise UsageError(
                f"{self.local} is the output of another command for {self._location.url}, which did not arrive there: repeat "
                "that command, or discard its output with --restart"
            )
        with open(command, "w", encoding="utf-8") as file:
            json.dump(list(words), file)
        self._is_published = False

    def _make_directory(self, scratch: str | None) -> str:
        assert scratch is not None
        name = hashlib.sha256(self._location.url.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        directory = os.path.join(scratch, f"spillway-output-{name}")
        os.makedirs(directory, 0o700, exist_ok=True)
        return directory

    def __exit__(self, *_: object) -> None:
        if self._is_published:
            shutil.rmtree(self._directory, ignore_errors=True)
        with contextlib.suppress(OSError):  # a job that was refused leaves nothing to go on with
            if os.listdir(self._directory) == ["spillway-command"]:
                shutil.rmtree(self._directory)

    def publish(self) -> Published:
        """As of every output. What was made stays until the store has it."""
        try:
            put = super().publish()
        except InputOutputError as error:
            raise InputOutputError(f"{error}; what was made is in {self.local}, and the same command puts it again") from error
        self._is_published = True
        return put


def _words_in(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def publish_directory(
    directory: str, url: str, last: str = MANIFEST, *, force: bool = False, expected: Seen | None = None
) -> Published:
    """Puts the files of a directory, an index or shards, and last of all `last`, without which the others are nothing. Files
    that an earlier attempt left there are replaced. `force`: replaces an index or shards: a reader that begins meanwhile
    finds these, or the new ones. `expected`: what is replaced; otherwise what is there when this begins."""
    wait_for_left_calls()
    if not force:
        return _put_all(directory, check_absent(url, last), last)
    location = check_replaceable(url)
    seen = expected or look(location)
    if not seen.is_there:
        return _put_all(directory, location, last)
    replacement = _Replacement(directory, location, last, seen)
    try:
        return leave_on_interrupt(replacement.publish)
    except BaseException as error:
        replacement.is_left = True
        if isinstance(error, Stopped):  # the program ends soon, and nobody else would remove what it put
            end_left_calls()
        raise


class _Replacement:
    """An index or shards in place of what was seen at a location. publish() puts it, or leaves nothing of it there, also
    if it is_left: then it stops before the next file, but not in a put, since a file that arrived afterwards would stay
    for ever."""

    def __init__(self, directory: str, location: Location, last: str, seen: Seen):
        self._directory, self._location, self._last, self._seen = directory, location, last, seen
        self.is_left = False

    def publish(self) -> Published:
        place = self._location.below(new_generation())
        try:
            published = _put_all(self._directory, place, self._last, self._unless_left)
            self._unless_left(lambda: replace_current(self._location, place, self._seen))
        except BaseException:
            _discard(self._location, place)
            raise
        with regardless_of_signals():  # nobody else would remove it
            remove_old(self._location, self._seen)
        return Published(self._location.url, published.files, published.bytes)

    def _unless_left(self, step: Callable[[], _Result]) -> _Result:
        if self.is_left:
            raise Stopped("the job was stopped")
        return step()


def _put_all(directory: str, location: Location, last: str, attempt: _Attempt = leave_on_interrupt) -> Published:
    names = sorted(name for name in _files_below(directory) if name != last)
    put = {name: _put(os.path.join(directory, name), location.below(name), attempt) for name in names}
    _expect_all(location, put)
    with open(os.path.join(directory, last), "rb") as file:
        content = file.read()
    of_last = location.below(last)
    put_if_absent(of_last, content)
    try:
        _expect_all(location, put)
    except ObjectChanged:
        remove(of_last)
        raise
    return Published(location.url, len(put) + 1, sum(state.size for state in put.values()) + len(content))


def _discard(location: Location, place: Location) -> None:
    """Removes what was put of a generation, as far as the store lets it: also while the process is told to end. It stays if
    the URL may name it: the put of `current` may have arrived without its answer."""
    with contextlib.suppress(OSError):
        if not names(location, place):
            connect(place).delete_dir(place.path)


def _files_below(directory: str) -> list[str]:
    return [os.path.relpath(os.path.join(folder, name), directory) for folder, _, names in os.walk(directory) for name in names]


def _put(path: str, location: Location, attempt: _Attempt = leave_on_interrupt) -> ObjectState:
    """Puts a file, and returns what the store says about it."""
    from pyarrow import fs

    size = os.path.getsize(path)

    def put() -> ObjectState:
        fs.copy_files(path, location.path, source_filesystem=fs.LocalFileSystem(), destination_filesystem=connect(location),
                      chunk_size=_CHUNK_BYTES)  # fmt: skip
        found = state_of(location)
        if found is None or found.size != size:
            raise OSError(f"expected {size} bytes there, found {'nothing' if found is None else found.size}")
        return found

    try:
        return repeat(lambda: attempt(put), f"{location.url}: cannot put {size} bytes there", attempts=PUT_ATTEMPTS)
    except FileNotFoundError as error:
        raise InputOutputError(f"{location.url}: cannot put {size} bytes there: {error}; check the bucket's name") from None


def _expect_all(location: Location, put: dict[str, Any]) -> None:
    for name, expected in put.items():
        found = state_of(location.below(name))
        if found is None or not found.has_content_of(expected):
            raise ObjectChanged(
                f"{location.url}/{name} changed while the index was put there: expected {expected}, found {found or 'nothing'}"
                "; another job writes to this URL: give each job a URL of its own"
            )
