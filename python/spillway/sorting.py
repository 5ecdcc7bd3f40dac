"""Sorts: lines of files out of core, and strings in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _engine
from ._inputs import as_paths, raise_if_missing
from ._words import option_words, path_words
from .errors import InputOutputError
from .objects import is_url

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OF_THE_PROGRAM = ("check", "debug", "merge", "files0_from", "json")


def sort(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    key: str | Sequence[str] | None = None,
    separator: str | None = None,
    reverse: bool = False,
    numeric: bool = False,
    unique: bool = False,
    stable: bool = False,
    memory: str | int | None = None,
    threads: int | None = None,
    **options: Any,
) -> None:
    """Sorts the lines of files into `output`, as `spillway sort` and GNU sort do in the C locale, out of core.

    Args:
        inputs: files, which may be compressed by gzip or zstd. One of them may be the output. URLs of object stores are
            taken as by `index`; reading them takes up to 32 MiB beyond `memory`.
        output: is replaced when the sort is done; also an object of a store, by URL.
        key: as `-k` of GNU sort, such as "2,2n"; several count one after the other.
        separator: of fields, one byte.
        memory: what the sort may take beyond what the process has: bytes, or a size such as "1G". Default: half of what
            the machine has.
        options: others of `spillway sort --help` with a long name, with `_` for `-`: temporary_directory="/scratch",
            head=20, ignore_case=True, human_numeric_sort=True, ...

    Raises UsageError, NotFoundError, InputOutputError, BudgetError. KeyboardInterrupt stops the sort; the output is then as
    it was, but in an object store a put that was under way may still end (docs/object_stores.md). The interpreter's lock is free meanwhile.
    """
    paths = as_paths(inputs)
    if paths is None:
        raise TypeError(f"expected a path or a list of paths, found {type(inputs).__name__}")
    for name in _OF_THE_PROGRAM:
        if name in options:
            raise TypeError(f"'{name}' is an option of the program only")
    keys = [key] if isinstance(key, str) else key
    words = option_words(
        dict(
            key=list(keys) if keys else None,
            field_separator=separator,
            reverse=reverse,
            numeric_sort=numeric,
            unique=unique,
            stable=stable,
            memory=memory,
            parallel=threads,
            **options,
        )
    )
    try:
        if is_url(os.fspath(output)):
            _sort_to_store(os.fspath(output), words, paths)
        else:
            _engine.sort_files([f"--output={os.fspath(output)}", *words, *path_words(paths)])
    except InputOutputError as error:
        raise_if_missing(paths, error)
        raise


def _sort_to_store(url: str, words: list[str], paths: list[str]) -> None:
    from .objects.publishing import StagedOutput

    with StagedOutput(url, is_file=True) as staged:
        _engine.sort_files([f"--output={staged.local}", *words, *path_words(paths)])
        staged.publish()


def order_strings(strings: Any, *, threads: int | None = None, descending: bool = False) -> NDArray[np.uint32]:
    """The order of strings: order[i] is the index of the i-th string of the result, uint32 of shape (n,).

    `strings`: a sequence of str and bytes, or an Arrow array of text (anything with `__arrow_c_array__`; a null counts as an
    empty string). They compare by their bytes (of UTF-8), and equal ones keep their order. Takes 52 bytes for each string.
    """
    count = 0 if threads is None else threads
    if hasattr(strings, "__arrow_c_array__"):
        return _engine.order_arrow(strings, count, descending)
    if hasattr(strings, "combine_chunks"):  # a chunked array of pyarrow
        return _engine.order_arrow(strings.combine_chunks(), count, descending)
    return _engine.order_sequence(list(strings), count, descending)


def sort_strings(strings: Any, *, threads: int | None = None, descending: bool = False) -> Any:
    """The strings in order: a list, or for an array of pyarrow such an array. Takes what `order_strings` takes."""
    order = order_strings(strings, threads=threads, descending=descending)
    if hasattr(strings, "take"):
        return strings.take(order)
    values = list(strings)
    return [values[i] for i in order]
