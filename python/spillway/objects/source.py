"""Reads objects for the engine: a URL is a file to it, with a size and a time, whose ranges it asks for."""

from __future__ import annotations

import itertools
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import InputOutputError
from .attempts import ObjectChanged, Stopped, repeat
from .listing import names_below
from .location import Location, connect, locate, missing_bucket
from .read_ahead import Lookahead, ReadAhead
from .url import is_url

_REQUESTS = 16  # at once: what hides 30 ms of latency at 100 MB/s a connection with blocks of a few MiB
_MOST_BLOCK_BYTES = 4 << 20
_LEAST_WINDOW, _MOST_WINDOW = 8 << 20, 128 << 20
_SHARE_OF_MEMORY = 8  # the window is at most this part of the budget, but for the least one
_HEAD_BYTES = 4096  # what the engine reads of each file to recognise its format
_HEADS_AHEAD = 64
_OPEN_FILES = 512
_LOOK = 0.2  # seconds between two looks at `stopped`


@dataclass(frozen=True)
class ObjectState:
    """What tells whether an object changed. etag: "" where the store has none."""

    size: int
    changed_ns: int
    etag: str

    def has_content_of(self, other: ObjectState) -> bool:
        """Whether both are the same bytes, as far as the store tells: they may have been put twice."""
        return (self.size, self.etag) == (other.size, other.etag) if self.etag else self == other

    def __str__(self) -> str:
        return f"{self.size} bytes of {self.changed_ns} ns{f', ETag {self.etag}' if self.etag else ''}"


def _nanoseconds(time: datetime | None) -> int:
    return int(time.timestamp() * 1000) * 1_000_000 if time else 0


def _time_of(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        try:
            return parsedate_to_datetime(text)
        except ValueError:
            return None


def open_object(location: Location, stopped: Callable[[], bool] = lambda: False) -> tuple[Any, ObjectState]:
    """The open object, for ranges, and its state. Raises FileNotFoundError if there is none of this name, InputOutputError."""

    def opened() -> tuple[Any, ObjectState]:
        file = connect(location).open_input_file(location.path)
        size = int(file.size())
        try:
            said = file.metadata()
        except (OSError, NotImplementedError):
            said = {}
        if b"Last-Modified" in said or "Last-Modified" in said:
            words = {(key.decode() if isinstance(key, bytes) else key): value.decode() for key, value in said.items()}
            return file, ObjectState(size, _nanoseconds(_time_of(words["Last-Modified"])), words.get("ETag", "").strip('"'))
        return file, ObjectState(size, _nanoseconds(connect(location).get_file_info(location.path).mtime), "")

    return repeat(opened, f"{location.url}: cannot open it", stopped)


def check_object(url: str, expected: ObjectState, stopped: Callable[[], bool] = lambda: False) -> None:
    """Raises ObjectChanged if an object is not what it was."""
    try:
        _, found = open_object(locate(url), stopped)
    except FileNotFoundError:
        raise ObjectChanged(f"the input {url} is gone; it was there when the job began") from None
    if found != expected:
        raise ObjectChanged(
            f"the input {url} changed while it was read: expected {expected}, found {found}; run the job again on objects "
            "that stay as they are"
        )


def resume_on_failure(read: Callable[[], Iterator[Any]], what: str, path: str) -> Iterator[Any]:
    """What read() yields. If that fails on an object, read() is called again, and what came before is left out."""
    if not is_url(path):
        yield from read()
        return
    done = 0
    items: Iterator[Any] | None = None

    def next_item() -> Any:
        nonlocal items
        if items is None:
            items = itertools.islice(read(), done, None)
        try:
            return next(items, items)  # itself: the end
        except OSError:
            items = None
            raise

    while (item := repeat(next_item, what)) is not items:
        done += 1
        yield item


def is_directory(location: Location, stopped: Callable[[], bool] = lambda: False) -> bool:
    """Raises InputOutputError if its bucket does not exist."""
    store = connect(location)
    from pyarrow import fs

    def kind_of(path: str) -> Any:
        return repeat(lambda: store.get_file_info(path), f"{location.url}: cannot find it", stopped).type

    found = kind_of(location.path)
    if found == fs.FileType.NotFound and location.root.startswith(("s3://", "gs://")):
        bucket = location.root.partition("://")[2]
        if kind_of(bucket) == fs.FileType.NotFound:
            raise missing_bucket(location)
    return bool(found == fs.FileType.Directory)


class Source:
    """The objects of one job, in the order of its input. The engine's threads call it at once.

    stopped: whether the job ends; then what waits for a store raises Stopped. Use expect() for the inputs before the job
    begins, so that requests for what comes next are made side by side.
    """

    def __init__(self, stopped: Callable[[], bool] = lambda: False):
        self._stopped, self._is_closed = stopped, False
        self._pool = ThreadPoolExecutor(_REQUESTS, thread_name_prefix="spillway-objects")
        self._lock = threading.Lock()
        self._locations: dict[str, Location] = {}  # by URL, in the order in which they are likely to be read
        self._order: list[str] = []
        self._numbers: dict[str, int] = {}
        self._states: dict[str, ObjectState] = {}
        self._files: OrderedDict[str, Any] = OrderedDict()
        self._directories: dict[str, dict[str, bool]] = {}  # URL: names below, and whether they are directories
        self._read_urls: set[str] = set()
        self._has_read = False
        self._describing = Lookahead(self._pool, self._describe, self._wait)
        self._checking = Lookahead(self._pool, self._check, self._wait)
        self._heads = Lookahead(self._pool, self._fetch_head, self._wait)
        self.set_window(_LEAST_WINDOW * 4)

    def close(self) -> None:
        self._is_closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def set_window(self, size: int) -> None:
        """Bytes that may be held and on their way. Requires: nothing was read yet."""
        block_bytes = min(_MOST_BLOCK_BYTES, size // _REQUESTS)
        self._read_ahead = ReadAhead(self._pool, self._fetch, self._size_of, self._following, self._wait, block_bytes,
                                     size // block_bytes)  # fmt: skip

    def window_for(self, memory: int) -> int:
        """Sets and returns the window of a job with a budget of `memory` bytes (0: the default one); 0 if no input is a
        URL."""
        if not self._order:
            return 0
        size = max(_LEAST_WINDOW, min(_MOST_WINDOW, memory // _SHARE_OF_MEMORY if memory else _MOST_WINDOW))
        self.set_window(size)
        return size

    def expect(self, inputs: Iterable[str]) -> None:
        """Notes the inputs in their order. Lists (@FILE) of URLs are looked into."""
        for one in inputs:
            for url in [one] if is_url(one) else _urls_of_list(one):
                self._note(locate(url))

    def status(self, url: str) -> tuple[bool, int, int] | None:
        """(is it a directory, size, time in nanoseconds); None if there is nothing. Raises ObjectChanged if something was
        read of it, and it is not what it was."""
        url = _name(url)
        if self._directories.get(url) is not None:
            return True, 0, 0
        following = self._urls_after(url)
        if self._has_read and url in self._states:
            self._checking.get(url, [other for other in following if other in self._states])
        elif url not in self._states:
            self._describing.get(url, [other for other in following if other not in self._states])
        state = self._states.get(url)
        if state is not None:
            return False, state.size, state.changed_ns
        return (True, 0, 0) if is_directory(self._location(url), self._ends) else None

    def entries(self, url: str) -> list[tuple[str, bool]]:
        """(name, is it a directory) of what a directory holds."""
        url = _name(url)
        if url not in self._directories:
            self._list(self._location(url))
        return list(self._directories.get(url, {}).items())

    def open(self, url: str) -> int:
        """The size of an object."""
        url = _name(url)
        if url not in self._states:
            self._describe(url)
        if url not in self._states:
            raise FileNotFoundError(f"{url} does not exist")
        return self._states[url].size

    def read(self, url: str, offset: int, size: int) -> tuple[bytes, int]:
        """Bytes of an object, and where in them `offset` is: at least one byte from there on. Requires: offset < its size."""
        url = _name(url)
        number = self._number(url)
        if offset == 0 and size <= _HEAD_BYTES:
            self._read_urls.add(url)
            if size == min(_HEAD_BYTES, self._size_of(number)):
                return self._heads.get(url, [other for other in self._urls_after(url) if other in self._states]), 0
            return self._fetch(number, offset, size), 0
        self._has_read = True
        return self._read_ahead.read(number, offset, size)

    def check(self, url: str) -> None:
        """Raises ObjectChanged if an object that was opened is not what it was."""
        self._check(_name(url))

    def state(self, url: str) -> ObjectState | None:
        """The state of an object; None if there is none of this name. A directory has none."""
        url = _name(url)
        if url not in self._states:
            self._describing.get(url, [other for other in self._urls_after(url) if other not in self._states])
        return self._states.get(url)

    # Below: what threads of the pool do, and the order of the input.

    def _ends(self) -> bool:
        return self._is_closed or self._stopped()

    def _wait(self, future: Future[Any]) -> Any:
        while True:
            try:
                return future.result(timeout=_LOOK)
            except NotYet:
                if future.done():
                    raise
                if self._ends():
                    raise Stopped("the job was stopped") from None

    def _note(self, location: Location) -> str:
        url = location.url
        with self._lock:
            if url not in self._locations:
                self._locations[url] = location
                self._order.append(url)
                self._numbers[url] = len(self._order) - 1
        return url

    def _number(self, url: str) -> int:
        if url not in self._numbers:
            self._note(locate(url))
        return self._numbers[url]

    def _location(self, url: str) -> Location:
        return self._locations.get(url) or locate(url)

    def _urls_after(self, url: str) -> list[str]:
        number = self._numbers.get(url)
        return [] if number is None else self._order[number + 1 : number + 1 + _HEADS_AHEAD]

    def _following(self, file: int) -> Iterator[int]:
        """Objects that come next, as far as the engine has looked into them: those of other parts it has not."""
        for number in range(file + 1, len(self._order)):
            url = self._order[number]
            if url not in self._states or url not in self._read_urls:
                return
            yield number

    def _size_of(self, file: int) -> int:
        return self._states[self._order[file]].size

    def _list(self, root: Location) -> None:
        for name in names_below(root, self._ends):
            url = self._note(Location(root.root, f"{root.key}/{name}" if root.key else name))
            self._directories.setdefault(url.rpartition("/")[0], {})[url.rpartition("/")[2]] = False
            parts = name.split("/")[:-1]
            for depth in range(len(parts)):
                parent = "/".join([root.url, *parts[:depth]])
                self._directories.setdefault(parent, {})[parts[depth]] = True
        self._directories.setdefault(root.url, {})

    def _describe(self, url: str) -> None:
        try:
            file, state = open_object(self._location(url), self._ends)
        except FileNotFoundError:
            return
        except InputOutputError:
            if is_directory(self._location(url), self._ends):  # of some file systems
                return
            raise
        self._keep(url, file)
        self._states[url] = state

    def _keep(self, url: str, file: Any) -> None:
        with self._lock:
            self._files[url] = file
            self._files.move_to_end(url)
            while len(self._files) > _OPEN_FILES:
                self._files.popitem(last=False)

    def _check(self, url: str) -> None:
        check_object(url, self._states[url], self._ends)

    def _file(self, url: str) -> Any:
        with self._lock:
            file = self._files.get(url)
        if file is not None:
            return file
        self._check(url)
        file, _ = open_object(self._location(url), self._ends)
        self._keep(url, file)
        return file

    def _fetch_head(self, url: str) -> bytes:
        return self._fetch(self._numbers[url], 0, min(_HEAD_BYTES, self._states[url].size))

    def _fetch(self, number: int, offset: int, size: int) -> bytes:
        url = self._order[number]

        def fetched() -> bytes:
            try:
                data: bytes = self._file(url).read_at(size, offset)
            except OSError:
                self._check(url)  # says so if that is why
                raise
            if len(data) != size:
                self._check(url)
                raise OSError(f"expected {size} bytes, found {len(data)}")
            return data

        return repeat(fetched, f"{url}: cannot read bytes {offset} to {offset + size - 1}", self._ends)


def _name(url: str) -> str:
    """The URL as the source knows it: without options and a slash at its end."""
    return locate(url).url if "?" in url else url.rstrip("/")


def _urls_of_list(word: str) -> Iterator[str]:
    """The URLs in a list (@FILE) of inputs. The engine says what is wrong with a list."""
    if not word.startswith("@") or not os.path.isfile(word[1:]):
        return
    with open(word[1:], encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if is_url(line.rstrip("\n")):
                yield line.rstrip("\n")
