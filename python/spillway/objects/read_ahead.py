"""Reads ranges of objects side by side, ahead of the engine, within a fixed number of bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Key = TypeVar("Key")
Result = TypeVar("Result")
Wait = Callable[["Future[Any]"], Any]


class Lookahead(Generic[Key, Result]):
    """Calls a function for keys in their order, some of them ahead of their use. Threads may share it."""

    def __init__(self, pool: Executor, call: Callable[[Key], Result], wait: Wait):
        self._pool, self._call, self._wait = pool, call, wait
        self._lock = threading.Lock()
        self._begun: dict[Key, Future[Result]] = {}

    def get(self, key: Key, following: list[Key]) -> Result:
        """call(key), once the call has begun for the following keys too. A result is used once."""
        with self._lock:
            future = self._begun.pop(key, None) or self._pool.submit(self._call, key)
            for other in following:
                if other not in self._begun:
                    self._begun[other] = self._pool.submit(self._call, other)
        result: Result = self._wait(future)
        return result


@dataclass(frozen=True)
class Block:
    """A range of an object that is read at once. file: its number in the order of the input."""

    file: int
    number: int


@dataclass
class _Slot:
    future: Future[bytes]
    is_used: bool = False  # something of it was read
    is_finished: bool = False  # its last byte was read
    last_use: int = 0

    def worth(self) -> tuple[bool, bool, int]:
        """The least is dropped first: what was read to its end, then what was not read for the longest time."""
        return (not self.is_finished, not self.is_used, self.last_use)


class ReadAhead:
    """The blocks that follow what is read are fetched ahead, more of them the longer reading goes on.

    fetch(file, offset, size) returns bytes of an object; it is called in threads of the pool. size_of(file) is that of the
    object. following(file) gives the numbers of the objects that are likely to be read next. At most `count` blocks of
    `block_bytes` are held or on their way; where all are, read() asks for just the bytes that it needs.
    """

    def __init__(
        self,
        pool: Executor,
        fetch: Callable[[int, int, int], bytes],
        size_of: Callable[[int], int],
        following: Callable[[int], Iterator[int]],
        wait: Wait,
        block_bytes: int,
        count: int,
    ):
        self._pool, self._fetch, self._size_of, self._following, self._wait = pool, fetch, size_of, following, wait
        self._block_bytes, self._count = block_bytes, count
        self._lock = threading.Lock()
        self._slots: dict[Block, _Slot] = {}
        self._uses = 0
        self._finished = 0

    def read(self, file: int, offset: int, size: int) -> tuple[bytes, int]:
        """Bytes of an object, and where in them `offset` is. They may be fewer than `size`, but hold at least one.

        Requires: offset < size_of(file).
        """
        block = Block(file, offset // self._block_bytes)
        begin = block.number * self._block_bytes
        with self._lock:
            slot = self._take(block)
            if slot is not None:
                self._read_following(block)
        if slot is None:
            return self._fetch(file, offset, min(size, self._bytes_of(block) - (offset - begin))), 0
        data: bytes = self._wait(slot.future)
        with self._lock:
            slot.is_used = True
            if not slot.is_finished and offset + size >= begin + len(data):
                slot.is_finished = True
                self._finished += 1
        return data, offset - begin

    def _bytes_of(self, block: Block) -> int:
        return min(self._block_bytes, self._size_of(block.file) - block.number * self._block_bytes)

    def _take(self, block: Block) -> _Slot | None:
        self._uses += 1
        slot = self._slots.get(block)
        if slot is not None and slot.future.done() and slot.future.exception() is not None:
            del self._slots[block]  # another attempt
            slot = None
        if slot is None:
            if not self._make_room(must_be_finished=False):
                return None
            slot = self._begin(block)
        slot.last_use = self._uses
        return slot

    def _begin(self, block: Block) -> _Slot:
        offset, size = block.number * self._block_bytes, self._bytes_of(block)
        slot = _Slot(self._pool.submit(self._fetch, block.file, offset, size), last_use=self._uses)
        self._slots[block] = slot
        return slot

    def _make_room(self, must_be_finished: bool) -> bool:
        """Whether there is a place for one more block, after one was dropped if needed."""
        if len(self._slots) < self._count:
            return True
        held = [(slot.worth(), block) for block, slot in self._slots.items()
                if slot.future.done() and (slot.is_finished or not must_be_finished)]  # fmt: skip
        if not held:
            return False
        del self._slots[min(held, key=lambda pair: pair[0])[1]]
        return True

    def _read_following(self, block: Block) -> None:
        # A part of a file may end at any block, so that little is read in vain.
        for _, following in zip(range(min(self._count - 1, self._finished + 1)), self._blocks_after(block)):
            if following in self._slots:
                continue
            if not self._make_room(must_be_finished=True):
                return
            self._begin(following)

    def _blocks_after(self, block: Block) -> Iterator[Block]:
        number = block.number + 1
        while number * self._block_bytes < self._size_of(block.file):
            yield Block(block.file, number)
            number += 1
        for file in self._following(block.file):
            for number in range(-(-self._size_of(file) // self._block_bytes)):
                yield Block(file, number)
