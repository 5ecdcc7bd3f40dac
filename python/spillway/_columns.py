"""Files of columns, Parquet and Arrow IPC, as batches for the engine: only the columns named, row groups by several
threads, in the files' order."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from . import _engine
from .errors import CorruptError, InputOutputError, UsageError
from .objects import is_url
from .objects.attempts import repeat
from .objects.location import locate
from .objects.source import check_object, open_object, resume_on_failure

# Of a batch, by the memory of the job. 2 GB of text in zstd Parquet took two cores of an AMD EPYC 4.5 s with batches of
# 1 MiB and 3.4 s with 8 MiB (5.9 s of their time instead of 7.6 s), and no less with 16 MiB.
_LEAST_BATCH_BYTES, _MOST_BATCH_BYTES = 1 << 20, 8 << 20
_BATCHES_OF_MEMORY = 128
# Of batches that the reading threads hold ready, for each of them.
_AHEAD_BYTES = 32 << 20
_MOST_THREADS = 16


class ColumnFiles:
    """The rows of files, (path, "parquet" or "arrow"), as the engine takes them: `schema` and batches.

    `fields`: the names of each field. Only these columns are read; "doc.body.text" is a member of structs. All files have
    the same columns. `threads`: of the job; half as many read, since reading takes less time than indexing. `part`: of the
    row groups, those of part I of N, as (I, N): those that begin in this part of the bytes of all files, so that the parts
    have each row group once, in order. `memory`: of the job; None: enough. Raises ImportError without pyarrow, and
    UsageError, also while batches are read, for files of different columns.
    """

    def __init__(
        self,
        files: Sequence[tuple[str, str]],
        fields: Mapping[str, Sequence[str]],
        threads: int,
        part: tuple[int, int] = (1, 1),
        memory: int | None = None,
    ) -> None:
        import pyarrow

        self._files = files
        self._part = part
        most = _MOST_BATCH_BYTES if memory is None else min(memory // _BATCHES_OF_MEMORY, _MOST_BATCH_BYTES)
        self._batch_bytes = max(most, _LEAST_BATCH_BYTES)
        self._states: dict[str, Any] = {}  # of files in a store, as they were found
        self._fields = fields
        self._threads = max(1, min((threads + 1) // 2, _MOST_THREADS))
        self._pages = _engine.Pages()
        of_views = files[0][1] == "parquet" and _has_views()
        self.schema = pyarrow.schema(
            [(column.name, _as_view(column.type) if of_views else column.type) for column in self._columns_of(files[0])]
        )

    def _columns_of(self, file: tuple[str, str]) -> list[_Column]:
        schema = _schema_of(file)
        columns = _columns_of(schema, dict.fromkeys(name for names in self._fields.values() for name in names))
        found = {column.name for column in columns}
        needed = (self._fields["id"], (*self._fields["title"], *self._fields["text"]))
        # Where a field is missing, the engine refuses, and its message lists what there is.
        return columns if all(found.intersection(names) for names in needed) else _columns_of(schema, schema.names)

    def __spillway_batches__(self) -> Iterator[Any]:
        return _in_order(self._units(), self._threads, self._threads * _AHEAD_BYTES)

    def _units(self) -> Iterator[Callable[[], Iterator[Any]]]:
        """What one thread reads at a time: a row group, or a batch of an IPC file."""
        for file, begin, end in self._shares():
            columns = self._columns_of(file)
            if [column.name for column in columns] != self.schema.names:
                raise UsageError(
                    f"{file[0]}: expected the columns {self.schema.names} of {self._files[0][0]}, found "
                    f"{[column.name for column in columns]}; index files of different columns by themselves, and merge "
                    "the indexes"
                )
            share = range(begin, end)
            if file[1] == "parquet":
                yield from _parquet_units(file[0], columns, self.schema, share, self._batch_bytes, self._pages)
            else:
                yield from _ipc_units(file[0], columns, self.schema, share)
        for path, state in self._states.items():
            check_object(path, state)

    def _shares(self) -> Iterator[tuple[tuple[str, str], int, int]]:
        """The files of this part, with the bytes of each in which its row groups begin."""
        sizes = [self._size_of(file[0]) for file in self._files]
        number, count = self._part
        total = sum(sizes)
        begin, end = total * (number - 1) // count, total * number // count
        at = 0
        for file, size in zip(self._files, sizes):
            if at < end and begin < at + size:
                yield file, max(begin, at) - at, min(end, at + size) - at
            at += size

    def _size_of(self, path: str) -> int:
        if not is_url(path):
            return os.path.getsize(path)
        if path not in self._states:
            self._states[path] = open_object(locate(path))[1]
        return int(self._states[path].size)


class _Column(NamedTuple):
    name: str
    path: tuple[str, ...]  # members of structs, from the column down
    type: Any

    def of(self, batch: Any) -> Any:
        import pyarrow.compute

        column = batch.column(batch.schema.get_field_index(self.path[0]))
        return pyarrow.compute.struct_field(column, list(self.path[1:])) if len(self.path) > 1 else column


def _find(fields: Any, name: str) -> tuple[tuple[str, ...], Any] | None:
    """The path to a column or a member of a struct, and its type. A column of that very name comes first."""
    import pyarrow.types

    for field in fields:
        if field.name == name:
            return (field.name,), field.type
    for field in fields:
        if name.startswith(field.name + ".") and pyarrow.types.is_struct(field.type):
            found = _find(field.type, name[len(field.name) + 1 :])
            if found is not None:
                return (field.name, *found[0]), found[1]
    return None


def _columns_of(schema: Any, names: Iterable[str]) -> list[_Column]:
    found = ((name, _find(schema, name)) for name in names)
    return [_Column(name, *place) for name, place in found if place is not None]


def _source_of(path: str) -> Any:
    """What pyarrow reads a file from."""
    return open_object(locate(path))[0] if is_url(path) else path


def _mapped(path: str) -> Any:
    import pyarrow

    return _source_of(path) if is_url(path) else pyarrow.memory_map(path)


@contextmanager
def _failure(path: str, what: str) -> Iterator[None]:
    """Says what failed, in place of pyarrow's own exceptions. Objects of stores have words of their own. A name in a damaged
    footer may be no UTF-8."""
    import pyarrow

    try:
        yield
    except (OSError, UnicodeDecodeError, pyarrow.ArrowException) as error:
        if is_url(path) and isinstance(error, OSError):
            raise
        raise InputOutputError(f"{path}: {what}: {error}") from error


def _answer(path: str, what: str, ask: Callable[[], Any]) -> Any:
    """What ask() returns; it is asked again if an object of a store does not come."""
    if is_url(path):
        return repeat(ask, f"{path}: {what}")
    with _failure(path, what):
        return ask()


def _schema_of(file: tuple[str, str]) -> Any:
    def read() -> Any:
        import pyarrow

        if file[1] == "parquet":
            import pyarrow.parquet

            return pyarrow.parquet.read_schema(_source_of(file[0]))
        with _mapped(file[0]) as source:
            return pyarrow.ipc.open_file(source).schema

    return _answer(file[0], "cannot read its columns", read)


def _shaped(batch: Any, columns: Sequence[_Column], schema: Any) -> Any:
    import pyarrow

    arrays = (column.of(batch) for column in columns)
    cast = [array if array.type == field.type else array.cast(field.type) for array, field in zip(arrays, schema)]
    return pyarrow.RecordBatch.from_arrays(cast, schema=schema)


def _parquet_units(
    path: str, columns: Sequence[_Column], schema: Any, share: range, batch_bytes: int, pages: _engine.Pages
) -> Iterator[Callable[[], Iterator[Any]]]:
    import pyarrow.parquet

    leaves = [".".join(column.path) for column in columns]
    metadata = _answer(path, "cannot read its footer", lambda: pyarrow.parquet.read_metadata(_source_of(path)))
    if metadata.num_row_groups > 0 and (elsewhere := metadata.row_group(0).column(0).file_path):
        raise UsageError(f"{path}: its footer is that of other files, such as {elsewhere!r}; index those")
    chunks = _Chunks(metadata, columns, schema) if not is_url(path) else None

    def read(group: int) -> Iterator[Any]:
        with _failure(path, f"cannot read row group {group}"):
            rows = _batch_rows(metadata.row_group(group), leaves, batch_bytes)
            engines = chunks.of(group) if chunks is not None else None
        if engines is not None:
            yield from _read_by_engine(path, group, engines, metadata.row_group(group).num_rows, rows, pages)
            return
        # Pages come through a buffer, so a thread holds a page and a batch, and not a row group. From a store, where each
        # request takes long, it holds the columns of the row group.
        buffer_bytes = 0 if is_url(path) else batch_bytes // 2
        with (
            _failure(path, f"cannot read row group {group}"),
            pyarrow.parquet.ParquetFile(
                _source_of(path), metadata=metadata, buffer_size=buffer_bytes, pre_buffer=is_url(path)
            ) as file,
        ):
            for batch in file.iter_batches(rows, [group], leaves, use_threads=False):
                yield _shaped(batch, columns, schema)

    for group in range(metadata.num_row_groups):
        if _begin_of(metadata.row_group(group)) in share:
            yield partial(resume_on_failure, partial(read, group), f"{path}: cannot read row group {group}", path)


def _has_views() -> bool:
    """Whether this pyarrow makes views of texts, as which the engine reads row groups. (A try would import pyarrow.compute,
    which takes 0.02 s.)"""
    import pyarrow

    return int(pyarrow.__version__.partition(".")[0]) >= 16


def _as_view(type: Any) -> Any:
    import pyarrow

    if pyarrow.types.is_string(type) or pyarrow.types.is_large_string(type):
        return pyarrow.string_view()
    if pyarrow.types.is_binary(type) or pyarrow.types.is_large_binary(type):
        return pyarrow.binary_view()
    return type


# What the engine reads itself (corpora/parquet/). Numbers: those of python/parquet.cpp.
_CODECS = {"UNCOMPRESSED": 0, "GZIP": 1, "ZSTD": 2, "SNAPPY": 3, "BROTLI": 4}
_ENCODINGS = {"PLAIN", "PLAIN_DICTIONARY", "RLE", "RLE_DICTIONARY", "BIT_PACKED"}  # the last one of levels that there are not
_TEXT, _INT32, _INT64 = range(3)


class _Chunks:
    """The column chunks of a Parquet file for the engine."""

    def __init__(self, metadata: Any, columns: Sequence[_Column], schema: Any):
        self._metadata = metadata
        places = [metadata.schema.column(i) for i in range(metadata.num_columns)]
        paths = [place.path for place in places]
        self._columns: list[tuple[int, str, int, int]] | None = []  # number, name, type, highest definition level
        for column, field in zip(columns, schema):
            path = ".".join(column.path)
            number = paths.index(path) if paths.count(path) == 1 else None
            type = None if number is None else self._type_of(places[number], column.type, field.type)
            if number is None or type is None or places[number].max_repetition_level != 0:
                self._columns = None
                return
            self._columns.append((number, column.name, type, places[number].max_definition_level))

    @staticmethod
    def _type_of(place: Any, found: Any, wanted: Any) -> int | None:
        import pyarrow.types as types

        if place.physical_type == "BYTE_ARRAY" and wanted == _as_view(found) and wanted != found:
            return _TEXT
        if wanted != found:
            return None
        if place.physical_type == "INT32" and (types.is_int32(found) or types.is_uint32(found)):
            return _INT32
        if place.physical_type == "INT64" and (types.is_int64(found) or types.is_uint64(found)):
            return _INT64
        return None

    def of(self, group: int) -> list[tuple[str, int, int, int, int, int, int]] | None:
        """The chunks of a row group, in the order of the columns; None if pyarrow must read it: it knows all codecs and
        encodings."""
        if self._columns is None:
            return None
        found = self._metadata.row_group(group)
        chunks = []
        for number, name, type, most_definition in self._columns:
            chunk = found.column(number)
            codec = _CODECS.get(chunk.compression)
            if codec is None or not _ENCODINGS.issuperset(chunk.encodings) or chunk.num_values != found.num_rows:
                return None
            sizes = chunk.total_compressed_size, chunk.total_uncompressed_size
            chunks.append((name, type, codec, most_definition, _first_page_of(chunk), *sizes))
        return chunks


def _read_by_engine(path: str, group: int, chunks: Any, rows: int, batch_rows: int, pages: _engine.Pages) -> Iterator[Any]:
    numbers = [rows, *(number for chunk in chunks for number in chunk if isinstance(number, int))]
    if min(numbers) < 0:
        raise InputOutputError(f"{path}: cannot read row group {group}: its footer has the number {min(numbers)} there")
    try:
        reader = _engine.RowGroup(path, chunks, rows, batch_rows, pages, f"{path}: cannot read row group {group}")
        while (batch := reader.next()) is not None:
            yield batch
    except CorruptError as error:
        raise InputOutputError(str(error)) from error


def _begin_of(group: Any) -> int:
    """The offset in the file at which a row group begins."""
    return min(_first_page_of(group.column(i)) for i in range(group.num_columns))


def _first_page_of(chunk: Any) -> int:
    """The offset of a column chunk. Some writers give a dictionary at 0, where there is none."""
    return int(chunk.dictionary_page_offset or chunk.data_page_offset)


def _batch_rows(group: Any, leaves: Sequence[str], batch_bytes: int) -> int:
    """Rows of about a batch, by the sizes in the file's footer."""
    columns = (group.column(i) for i in range(group.num_columns))
    size = sum(column.total_uncompressed_size for column in columns if column.path_in_schema in leaves)
    return int(max(1, min(65536, batch_bytes * max(group.num_rows, 1) // max(size, 1))))


def _ipc_units(path: str, columns: Sequence[_Column], schema: Any, share: range) -> Iterator[Callable[[], Iterator[Any]]]:
    import pyarrow

    source = _mapped(path)
    tops = {column.path[0] for column in columns}
    wanted = [i for i, field in enumerate(pyarrow.ipc.open_file(source).schema) if field.name in tops]
    options = pyarrow.ipc.IpcReadOptions(included_fields=wanted, use_threads=False)

    def read(number: int) -> Iterator[Any]:
        with _failure(path, f"cannot read record batch {number}"):
            yield _shaped(pyarrow.ipc.open_file(source, options=options).get_batch(number), columns, schema)

    count = pyarrow.ipc.open_file(source).num_record_batches
    for number in range(count):
        if source.size() * number // count in share:  # about there
            yield partial(resume_on_failure, partial(read, number), f"{path}: cannot read record batch {number}", path)


class _Unit:
    """What a thread has read of one unit and nobody has taken yet."""

    __slots__ = ("batches", "is_done", "error")

    def __init__(self) -> None:
        self.batches: deque[Any] = deque()
        self.is_done = False
        self.error: BaseException | None = None


class _Readers:
    """Threads that read units, each one unit at a time, and keep within `most_bytes` ahead of the one who takes them.
    Units begin in their order, so the first that is not done always has a thread, and that thread may always go on."""

    def __init__(self, units: Iterator[Callable[[], Iterator[Any]]], threads: int, most_bytes: int) -> None:
        self._source = units
        self._begins = threading.Lock()  # held while a unit begins, so that they begin in order
        self._most_bytes = most_bytes
        self._changed = threading.Condition()  # guards all below
        self._open: deque[_Unit] = deque()  # that have begun and are not taken, in their order
        self._held_bytes = 0
        self._is_ended = False  # no unit is left to begin
        self._is_stopped = False
        self._running = 0  # threads that have begun and not ended
        self._count = threads

    def start(self) -> None:
        for _ in range(self._count):
            threading.Thread(target=self._run, name="spillway-columns", daemon=True).start()

    def _begin(self) -> tuple[_Unit, Callable[[], Iterator[Any]]] | None:
        with self._begins:
            if self._is_ended or self._is_stopped:
                return None
            unit = _Unit()
            try:
                work = next(self._source, None)
            except BaseException as error:  # a file that cannot be opened
                work, unit.error, unit.is_done = None, error, True
            with self._changed:
                if work is not None or unit.is_done:
                    self._open.append(unit)
                self._is_ended = work is None
                self._changed.notify_all()
            return None if work is None else (unit, work)

    def _run(self) -> None:
        with self._changed:
            self._running += 1
        while (begun := self._begin()) is not None:
            unit, work = begun
            error = None
            try:
                for batch in work():
                    if not self._add(unit, batch):
                        break
            except BaseException as raised:
                error = raised
            with self._changed:
                unit.error, unit.is_done = error, True
                self._changed.notify_all()
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def _add(self, unit: _Unit, batch: Any) -> bool:
        """Waits for room. Returns False if the readers were stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopped or self._has_room(unit, batch.nbytes))
            self._held_bytes += batch.nbytes
            unit.batches.append(batch)
            self._changed.notify_all()
            return not self._is_stopped

    def _has_room(self, unit: _Unit, size: int) -> bool:
        is_awaited = self._open[0] is unit and not unit.batches
        return is_awaited or self._held_bytes + size <= self._most_bytes

    def take(self) -> Any:
        """The next batch, or None at the end. Raises what the thread that read it met, after the batches before it."""
        with self._changed:
            while True:
                self._changed.wait_for(self._has_news)
                if not self._open:
                    return None
                unit = self._open[0]
                if unit.batches:
                    batch = unit.batches.popleft()
                    self._held_bytes -= batch.nbytes
                    self._changed.notify_all()
                    return batch
                if unit.error is not None:
                    raise unit.error
                self._open.popleft()
                self._changed.notify_all()

    def _has_news(self) -> bool:
        if not self._open:
            return self._is_ended
        return bool(self._open[0].batches) or self._open[0].is_done

    def stop(self) -> None:
        """Waits until no thread reads. One that has not begun ends at once. (Thread.join would leave an entry for a thread
        of the engine that calls it.)"""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._running == 0)


def _in_order(units: Iterator[Callable[[], Iterator[Any]]], threads: int, most_bytes: int) -> Iterator[Any]:
    readers = _Readers(units, threads, most_bytes)
    try:
        readers.start()  # here: KeyboardInterrupt may come while a thread starts
        while (batch := readers.take()) is not None:
            yield batch
    finally:
        readers.stop()
