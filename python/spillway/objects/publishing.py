"""Puts an index, or a file, into an object store, so that nothing half-made is visible there.

A store has no rename. What makes an index one is its manifest, which holds the hashes of all its files: it is put last,
after the store was asked whether it has all other files. With `force` the manifest of what is there goes first.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from typing import Any

from ..errors import InputOutputError, UsageError
from .attempts import PUT_ATTEMPTS, ObjectChanged, repeat
from .conditional import put_if_absent
from .listing import names_below
from .location import Location, connect, has_pattern, locate
from .source import ObjectState, open_object

MANIFEST = "manifest"
_LAST_FILES = (MANIFEST, "job.json")  # of an index, of shards (spillway.spark)
_OF_SHARDS = re.compile(r"[0-9]+\.index/[a-z_]+|job\.json")
_CHUNK_BYTES = 4 << 20


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
    for name in (location, _below(location, last)):
        if _state(name) is not None:
            raise UsageError(f"the output {name.url} exists; --force replaces it")
    return location


def check_replaceable(url: str) -> Location:
    """The location of a directory that replaces an index or shards. Raises UsageError if an object of that name is there, or
    if the URL names no single thing."""
    location = _output(url)
    if _state(location) is not None:
        raise UsageError(f"the output {location.url} is an object, not an index, and is not replaced; name another URL")
    return location


class StagedOutput:
    """An output by URL while it is made on this machine, in a directory for its owner alone.

    local: the path to make: a directory or, with `is_file`, a file, which replaces an object in one step. Scratch: below
    `scratch` (default: the system's directory for temporary files), which needs room for the whole output. `force`: replaces
    an index. Use as a context: at its end the local copy is gone, unless the index that was there is gone and the new one did
    not arrive.
    """

    def __init__(self, url: str, scratch: str | None = None, *, force: bool = False, is_file: bool = False):
        self._location = _output(url) if is_file else check_replaceable(url) if force else check_absent(url)
        self._force = force
        self._is_kept = False
        self._directory = tempfile.mkdtemp(prefix="spillway-output-", dir=scratch)
        self.local = os.path.join(self._directory, self._location.key.rpartition("/")[2])

    def __enter__(self) -> StagedOutput:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_kept:
            shutil.rmtree(self._directory, ignore_errors=True)

    def publish(self) -> Published:
        """Puts what was made. Raises UsageError, InputOutputError; there is then no manifest in the store, or the one of
        somebody else."""
        if os.path.isdir(self.local):
            return self._publish_directory()
        state = _put(self.local, self._location)
        return Published(self._location.url, 1, state.size)

    def _publish_directory(self) -> Published:
        url = self._location.url
        if not self._force:
            return publish_directory(self.local, url)
        was_there = any(_state(_below(self._location, name)) is not None for name in _LAST_FILES)
        try:
            return publish_directory(self.local, url, force=True)
        except InputOutputError as error:
            if not was_there:
                raise
            self._is_kept = True
            raise InputOutputError(f"{error}; the index that was there is gone, and the new one is in {self.local}") from error


def publish_directory(directory: str, url: str, last: str = MANIFEST, *, force: bool = False) -> Published:
    """Puts the files of a directory, an index or shards, and last of all `last`, without which the others are nothing. Files
    that an earlier attempt left there are replaced. `force`: replaces an index or shards, which are none from the first put
    on."""
    location = check_replaceable(url) if force else check_absent(url, last)
    if force:
        for name in _LAST_FILES:
            _remove(_below(location, name))
    names = sorted(name for name in _files_below(directory) if name != last)
    put = {name: _put(os.path.join(directory, name), _below(location, name)) for name in names}
    _expect_all(location, put)
    with open(os.path.join(directory, last), "rb") as file:
        content = file.read()
    of_last = _below(location, last)
    put_if_absent(of_last, content)
    try:
        _expect_all(location, put)
    except ObjectChanged:
        _remove(of_last)
        raise
    if force:
        _remove_old_shards(location, {*names, last})
    return Published(location.url, len(put) + 1, sum(state.size for state in put.values()) + len(content))


def _remove(location: Location) -> None:
    """Removes an object, if it is there."""
    if _state(location) is not None:
        repeat(lambda: connect(location).delete_file(location.path), f"{location.url}: cannot remove it")


def _remove_old_shards(location: Location, kept: set[str]) -> None:
    """Removes shards of the output before. The files of an index have the same names in all indexes."""
    for name in names_below(location):
        if name not in kept and _OF_SHARDS.fullmatch(name):
            _remove(_below(location, name))


def _files_below(directory: str) -> list[str]:
    return [os.path.relpath(os.path.join(folder, name), directory) for folder, _, names in os.walk(directory) for name in names]


def _below(location: Location, name: str) -> Location:
    return Location(location.root, f"{location.key}/{name}")


def _state(location: Location) -> ObjectState | None:
    try:
        return open_object(location)[1]
    except FileNotFoundError:
        return None


def _put(path: str, location: Location) -> ObjectState:
    """Puts a file, and returns what the store says about it."""
    from pyarrow import fs

    size = os.path.getsize(path)

    def put() -> ObjectState:
        fs.copy_files(path, location.path, source_filesystem=fs.LocalFileSystem(), destination_filesystem=connect(location),
                      chunk_size=_CHUNK_BYTES)  # fmt: skip
        found = _state(location)
        if found is None or found.size != size:
            raise OSError(f"expected {size} bytes there, found {'nothing' if found is None else found.size}")
        return found

    try:
        return repeat(put, f"{location.url}: cannot put {size} bytes there", attempts=PUT_ATTEMPTS)
    except FileNotFoundError as error:
        raise InputOutputError(f"{location.url}: cannot put {size} bytes there: {error}; check the bucket's name") from None


def _expect_all(location: Location, put: dict[str, Any]) -> None:
    for name, expected in put.items():
        found = _state(_below(location, name))
        if found != expected:
            raise ObjectChanged(
                f"{location.url}/{name} changed while the index was put there: expected {expected}, found {found or 'nothing'}; "
                "another job writes to this URL: give each job a URL of its own"
            )
