"""Inputs: which of them are files that the engine reads, and which become an Arrow stream."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._hugging_face import DatasetBatches, is_dataset
from ._kinds import data_files, kind_of_file
from .errors import NotFoundError, UsageError
from .objects import is_url, resolve

PathLike = (str, os.PathLike)


def is_path(value: object) -> bool:
    return isinstance(value, PathLike)


def as_paths(inputs: Any) -> list[str] | None:
    """The paths, if `inputs` is one or a list of them; otherwise None. Patterns in URLs are replaced by what they match."""
    if is_path(inputs):
        return resolve([os.fspath(inputs)])
    if isinstance(inputs, (list, tuple)) and inputs and all(is_path(one) for one in inputs):
        return resolve(os.fspath(one) for one in inputs)
    return None


def as_stream(inputs: Any, columns: Sequence[str]) -> Any:
    """What the engine takes in place of files: an object with `__arrow_c_stream__`, batches of rows (python/batches.hpp),
    or an iterator over rows. `columns`: all names of fields."""
    if hasattr(inputs, "__arrow_c_stream__"):
        return inputs
    if hasattr(inputs, "__arrow_c_array__"):
        return _stream_of_array(inputs)
    if is_dataset(inputs):
        return DatasetBatches(inputs, columns)
    if isinstance(inputs, dict) and any(is_dataset(one) for one in inputs.values()):
        raise TypeError(f"expected one data set, found {len(inputs)}; name one of {', '.join(map(repr, inputs))}")
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


def _named_by(path: str) -> list[str]:
    """The paths in a list, if the first is a file of columns; otherwise `path` itself."""
    if not path.startswith("@") or not os.path.isfile(path[1:]):
        return [path]
    with open(path[1:], encoding="utf-8", errors="surrogateescape") as file:
        first = file.readline().rstrip("\n")
        if kind_of_file(first) is None:
            return [path]
        return [first, *(line.rstrip("\n") for line in file if line != "\n")]


def _columnar_objects(inputs: Sequence[str]) -> list[str]:
    """The inputs, with directories of stores replaced by what they hold, if the first object is a file of columns; otherwise
    none of them: to look into each object takes long, and the engine does it again."""
    from .objects.listing import below

    def data_below(url: str) -> list[str]:
        return data_files(below(url), url)

    first = next(url for url in inputs if is_url(url))
    objects = data_below(first)
    if not objects or kind_of_file(objects[0]) is None:
        return []
    return [one for path in inputs for one in (objects if path == first else data_below(path) if is_url(path) else [path])]


def columnar_files(inputs: Sequence[str]) -> list[tuple[str, str]]:
    """(path, kind) of all files, if they are Parquet or Arrow files; empty if none of them is. Raises UsageError if only
    some are: one job takes one kind of input. Lists (@FILE) of such files are read; other lists, and standard input, are
    for the engine."""
    files: list[tuple[str, str | None]] = []
    inputs = [one for path in inputs for one in _named_by(path)]
    if any(is_url(path) for path in inputs):
        inputs = _columnar_objects(inputs)
    for path in inputs:
        if path == "-" or path.startswith("@"):
            files.append((path, None))
        elif os.path.isdir(path):
            files += [(file, kind_of_file(file)) for file in data_files(list(_files_below(path)), path)]
        else:
            files.append((path, kind_of_file(path) if is_url(path) or os.path.isfile(path) else None))
    columnar = [(path, kind) for path, kind in files if kind is not None]
    if columnar and len(columnar) < len(files):
        other = next(path for path, kind in files if kind is None)
        raise UsageError(
            f"{columnar[0][0]} is a file of columns and {other} is not: index each kind by itself, and merge the indexes"
        )
    return columnar


def open_inputs(
    inputs: Sequence[str],
    fields: Mapping[str, Sequence[str]],
    threads: int | None,
    part: tuple[int, int] = (1, 1),
    memory: int | None = None,
) -> Any:
    """The rows of the files, only of the columns that are fields, if they are Parquet or Arrow files; otherwise None.
    `fields`: the names of each field. `threads`: of the job; None or 0: one for each processor. `part`: (I, N), of the row
    groups those of part I of N. `memory`: of the job, in bytes; None or 0: the default."""
    files = columnar_files(inputs)
    if not files:
        return None
    from ._columns import ColumnFiles

    try:
        return ColumnFiles(files, fields, threads or len(os.sched_getaffinity(0)), part, memory or None)
    except ImportError:
        raise UsageError(
            f"{files[0][0]} is a {'Parquet' if files[0][1] == 'parquet' else 'Arrow IPC'} file, and pyarrow, which reads "
            "it, is not installed; pip install 'spillway[parquet]'"
        ) from None


def raise_if_missing(paths: Sequence[str], error: Exception) -> None:
    """Raises NotFoundError with the engine's words if one of the paths does not exist."""
    for path in paths:
        is_missing = f"{path} does not exist" in str(error) if is_url(path) else not os.path.lexists(path)
        if path != "-" and not path.startswith("@") and is_missing:
            raise NotFoundError(str(error)) from None
