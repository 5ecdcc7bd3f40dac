"""Inputs: which of them are files that the engine reads, and which become an Arrow stream."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .errors import NotFoundError, UsageError
from .objects import is_url, resolve

PathLike = (str, os.PathLike)
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_BATCH_BYTES = 4 << 20


def is_path(value: object) -> bool:
    return isinstance(value, PathLike)


def as_paths(inputs: Any) -> list[str] | None:
    """The paths, if `inputs` is one or a list of them; otherwise None. Patterns in URLs are replaced by what they match."""
    if is_path(inputs):
        return resolve([os.fspath(inputs)])
    if isinstance(inputs, (list, tuple)) and inputs and all(is_path(one) for one in inputs):
        return resolve(os.fspath(one) for one in inputs)
    return None


def as_stream(inputs: Any) -> Any:
    """What the engine takes in place of files: an object with `__arrow_c_stream__`, or an iterator over rows."""
    if hasattr(inputs, "__arrow_c_stream__"):
        return inputs
    if hasattr(inputs, "__arrow_c_array__"):
        return _stream_of_array(inputs)
    if isinstance(inputs, dict):
        raise TypeError("expected documents, found one dict; give a list of dicts, or a table")
    try:
        return iter(inputs)
    except TypeError:
        raise TypeError(
            f"expected paths, an iterable of dicts or tuples, or an object with __arrow_c_stream__ (a table, a data "
            f"frame, a record batch reader), found {type(inputs).__name__}"
        ) from None


def _stream_of_array(array: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches([pyarrow.record_batch(array)])


def kind_of_file(path: str) -> str | None:
    """ "parquet" or "arrow" for files that begin and end as those do; None for all others."""
    try:
        with open(path, "rb") as file:
            head = file.read(8)
            for magic, kind in _MAGIC.items():
                if not head.startswith(magic):
                    continue
                file.seek(-len(magic), os.SEEK_END)
                if file.read() == magic:
                    return kind
    except OSError:  # the engine says why
        return None
    return None


def _files_below(path: str) -> Iterator[str]:
    """The files of a directory in the engine's order: by the bytes of the relative path, without hidden ones and links."""
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".") and not os.path.islink(os.path.join(folder, name))]
        for name in names:
            file = os.path.join(folder, name)
            if not name.startswith(".") and not os.path.islink(file) and os.path.isfile(file):
                found.append(os.path.relpath(file, path))
    for name in sorted(found, key=os.fsencode):
        yield os.path.join(path, name)


def columnar_files(inputs: Sequence[str]) -> list[tuple[str, str]]:
    """(path, kind) of all files, if they are Parquet or Arrow files; empty if none of them is. Raises UsageError if only
    some are: one job takes one kind of input. Lists (@FILE) and standard input are for the engine."""
    files: list[tuple[str, str | None]] = []
    for path in inputs:
        if path == "-" or path.startswith("@"):
            files.append((path, None))
        elif os.path.isdir(path):
            files += [(file, kind_of_file(file)) for file in _files_below(path)]
        else:
            files.append((path, kind_of_file(path) if os.path.isfile(path) else None))
    columnar = [(path, kind) for path, kind in files if kind is not None]
    if columnar and len(columnar) < len(files):
        other = next(path for path, kind in files if kind is None)
        raise UsageError(
            f"{columnar[0][0]} is a file of columns and {other} is not: index each kind by itself, and merge the indexes"
        )
    return columnar


def open_inputs(inputs: Sequence[str], columns: Sequence[str]) -> Any:
    """An Arrow stream of the files' rows, only of the columns named, if they are Parquet or Arrow files; otherwise None."""
    files = columnar_files(inputs)
    if not files:
        return None
    try:
        import pyarrow
    except ImportError:
        raise UsageError(
            f"{files[0][0]} is a {'Parquet' if files[0][1] == 'parquet' else 'Arrow IPC'} file, and pyarrow, which reads "
            "it, is not installed; pip install 'spillway[parquet]'"
        ) from None
    wanted = frozenset(columns)
    schema = _schema_of(files[0], wanted)
    return pyarrow.RecordBatchReader.from_batches(schema, _batches(files, wanted, schema))


def _open(file: tuple[str, str]) -> Any:
    path, kind = file
    if kind == "parquet":
        import pyarrow.parquet

        return pyarrow.parquet.ParquetFile(path)
    import pyarrow

    return pyarrow.ipc.open_file(pyarrow.memory_map(path))


def _schema_of(file: tuple[str, str], wanted: frozenset[str]) -> Any:
    import pyarrow

    opened = _open(file)
    schema = opened.schema_arrow if file[1] == "parquet" else opened.schema
    return pyarrow.schema([field for field in schema if field.name in wanted])


def _batches(files: Sequence[tuple[str, str]], wanted: frozenset[str], schema: Any) -> Iterator[Any]:
    for file in files:
        own = _schema_of(file, wanted)
        if own.names != schema.names:
            raise UsageError(
                f"{file[0]}: expected the columns {schema.names} of {files[0][0]}, found {own.names}; index files of "
                "different columns by themselves, and merge the indexes"
            )
        for batch in _batches_of(file, own.names):
            yield batch if batch.schema.equals(schema) else batch.cast(schema)


def _batches_of(file: tuple[str, str], names: Iterable[str]) -> Iterator[Any]:
    names = list(names)
    opened = _open(file)
    if file[1] == "parquet":
        with opened:
            for group in range(opened.num_row_groups):
                yield from opened.iter_batches(_batch_rows(opened.metadata.row_group(group), names), [group], names)
        return
    for number in range(opened.num_record_batches):
        yield opened.get_batch(number).select(names)


def _batch_rows(group: Any, names: Sequence[str]) -> int:
    """Rows of about 4 MiB, by the sizes in the file's footer."""
    columns = (group.column(i) for i in range(group.num_columns))
    size = sum(column.total_uncompressed_size for column in columns if column.path_in_schema.split(".")[0] in names)
    return int(max(64, min(65536, _BATCH_BYTES * max(group.num_rows, 1) // max(size, 1))))


def raise_if_missing(paths: Sequence[str], error: Exception) -> None:
    """Raises NotFoundError with the engine's words if one of the paths does not exist."""
    for path in paths:
        is_missing = f"{path} does not exist" in str(error) if is_url(path) else not os.path.lexists(path)
        if path != "-" and not path.startswith("@") and is_missing:
            raise NotFoundError(str(error)) from None
