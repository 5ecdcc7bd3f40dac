"""Copies indexes of a store to this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence

from ..errors import NotFoundError, UsageError
from .attempts import ObjectChanged, repeat, wait_for_left_calls
from .conditional import state_of
from .generations import MANIFEST, Seen, files_of, look
from .location import Location, connect, locate
from .publishing import Published, publish_directory
from .url import is_url

_TRIES = 3  # while other jobs replace the index
_CHUNK_BYTES = 4 << 20


def fetch(url: str, directory: str) -> Seen:
    """Copies the index that a URL names into a new directory, and returns what the URL named. An index that is replaced
    meanwhile is copied anew. Raises NotFoundError, InputOutputError."""
    location = locate(url)
    for _ in range(_TRIES):
        seen = look(location)
        if not seen.is_there:
            raise NotFoundError(f"the index {location.url} does not exist: {location.url}/{MANIFEST} is no object")
        try:
            _copy(seen.place, directory)
        except FileNotFoundError:
            pass
        else:
            if look(location) == seen:
                return seen
        shutil.rmtree(directory, ignore_errors=True)
    raise ObjectChanged(f"the index {location.url} was replaced while it was read, {_TRIES} times; run the job again")


def _copy(place: Location, directory: str) -> None:
    from pyarrow import fs

    for name in files_of(place):
        source, target = place.below(name), os.path.join(directory, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)

        def copy(source: Location = source, target: str = target) -> None:
            expected = state_of(source)
            if expected is None:
                raise FileNotFoundError(source.url)
            fs.copy_files(source.path, target, source_filesystem=connect(source), destination_filesystem=fs.LocalFileSystem(),
                          chunk_size=_CHUNK_BYTES)  # fmt: skip
            if os.path.getsize(target) != expected.size:
                raise OSError(f"expected {expected.size} bytes, found {os.path.getsize(target)}")

        repeat(copy, f"{source.url}: cannot copy it to {target}")


@contextlib.contextmanager
def fetched(paths: Sequence[str], scratch: str | None) -> Iterator[list[str]]:
    """The paths, with indexes by URL replaced by copies below `scratch` (default: the system's directory for temporary
    files), which are gone at the end of the context."""
    if not any(is_url(path) for path in paths):
        yield list(paths)
        return
    directory = tempfile.mkdtemp(prefix="spillway-input-", dir=scratch)
    try:
        yield [_fetched(path, os.path.join(directory, str(number))) for number, path in enumerate(paths)]
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _fetched(path: str, directory: str) -> str:
    if not is_url(path):
        return path
    local = os.path.join(directory, locate(path).key.rpartition("/")[2] or "index")
    fetch(path, local)
    return local


class GrownIndex:
    """An index by URL while documents are appended to a copy on this machine. Use as a context.

    local: the copy, below `scratch`, which needs room for the old index and the new one.
    """

    def __init__(self, url: str, scratch: str | None = None):
        self._url = locate(url).url
        self._directory = tempfile.mkdtemp(prefix="spillway-output-", dir=scratch)
        self.local = os.path.join(self._directory, self._url.rpartition("/")[2])

    def __enter__(self) -> GrownIndex:
        try:
            wait_for_left_calls()  # one of them may replace this index
            self._seen = fetch(self._url, self.local)
            if not os.path.isfile(os.path.join(self.local, MANIFEST)):
                raise UsageError(f"{self._url} is a directory of shards: append to one of its indexes, or merge them first")
            self._before = self._manifest()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def publish(self) -> Published | None:
        """Replaces the index in the store, if it grew. Raises InputOutputError, also if another job replaced it meanwhile;
        then that one stays."""
        if self._manifest() == self._before:
            return None
        return publish_directory(self.local, self._url, force=True, expected=self._seen)

    def _manifest(self) -> bytes:
        with open(os.path.join(self.local, MANIFEST), "rb") as file:
            return file.read()
