"""Reading ahead: the bytes that are asked for, within the window, and what comes next before it is asked for."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from spillway.objects.read_ahead import Lookahead, ReadAhead

BLOCK = 10


class Objects:
    """Objects in memory, which count what is fetched and held."""

    def __init__(self, *sizes: int):
        self.contents = [bytes((number * 50 + i) % 251 for i in range(size)) for number, size in enumerate(sizes)]
        self.fetched: list[tuple[int, int, int]] = []
        self.failures = 0
        self._lock = threading.Lock()

    def fetch(self, file: int, offset: int, size: int) -> bytes:
        with self._lock:
            if self.failures > 0:
                self.failures -= 1
                raise OSError("away")
            self.fetched.append((file, offset, size))
        return self.contents[file][offset : offset + size]

    def ahead(self, pool, count: int) -> ReadAhead:
        def following(file: int) -> Iterator[int]:
            return iter(range(file + 1, len(self.contents)))

        return ReadAhead(pool, self.fetch, lambda file: len(self.contents[file]), following, Future.result, BLOCK, count)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as made:
        yield made


def read_all(ahead: ReadAhead, file: int, begin: int, end: int, step: int) -> bytes:
    found = b""
    while begin + len(found) < end:
        at = begin + len(found)
        data, start = ahead.read(file, at, min(step, end - at))
        piece = data[start : start + min(step, end - at)]
        assert piece
        found += piece
    return found


@pytest.mark.parametrize("step", [1, 3, 10, 17, 1000])
@pytest.mark.parametrize("count", [1, 2, 5, 50])
def test_gives_the_bytes(pool, step, count):
    objects = Objects(95, 1, 0, 40)
    ahead = objects.ahead(pool, count)
    for file, content in enumerate(objects.contents):
        assert read_all(ahead, file, 0, len(content), step) == content
    assert len(ahead._slots) <= count


def test_what_is_read_in_order_is_fetched_once(pool):
    objects = Objects(1000, 300)
    ahead = objects.ahead(pool, 8)
    for file, content in enumerate(objects.contents):
        read_all(ahead, file, 0, len(content), 4)
    assert len(objects.fetched) == len(set(objects.fetched)) == 130


def test_goes_ahead_further_the_longer_it_reads(pool):
    objects = Objects(1000)
    ahead = objects.ahead(pool, 8)
    ahead.read(0, 0, 4)
    assert len(ahead._slots) == 2
    read_all(ahead, 0, 0, 200, 10)
    assert len(ahead._slots) == 8


def test_places_far_apart_by_several_threads(pool):
    objects = Objects(2000)
    ahead = objects.ahead(pool, 6)
    ranges = [(begin, begin + 250) for begin in range(0, 2000, 250)]
    with ThreadPoolExecutor(8) as readers:
        found = list(readers.map(lambda one: read_all(ahead, 0, *one, 7), ranges))
    assert b"".join(found) == objects.contents[0]


def test_an_attempt_that_failed_is_made_again(pool):
    objects = Objects(30)
    ahead = objects.ahead(pool, 3)
    objects.failures = 2  # the block and the one after it
    with pytest.raises(OSError, match="away"):
        ahead.read(0, 0, 5)
    assert read_all(ahead, 0, 0, 30, 5) == objects.contents[0]


def test_calls_begin_before_their_turn(pool):
    begun = []
    looks = Lookahead(pool, lambda key: begun.append(key) or key * 2, Future.result)
    assert looks.get(1, [2, 3]) == 2
    assert looks.get(2, [3, 4]) == 4 and looks.get(3, []) == 6
    pool.shutdown()
    assert sorted(begun) == [1, 2, 3, 4]
