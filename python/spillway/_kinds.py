"""Which files are files of columns, by how they begin and end. Needs no native module: spillway.spark asks, too."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .objects import is_url

_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}


def _opened(path: str) -> Any:
    if not is_url(path):
        return open(path, "rb")
    from .objects.location import locate
    from .objects.source import open_object

    return open_object(locate(path))[0]


def kind_of_file(path: str) -> str | None:
    """ "parquet" or "arrow" for files that begin and end as those do; None for all others."""
    try:
        with _opened(path) as file:
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


def data_files(files: Sequence[str], directory: str) -> list[str]:
    """The files of a directory. If the first is a file of columns, they come without what writers of tables put beside them,
    in names that begin with "_": `_SUCCESS`, `_metadata`, `_temporary/`."""
    begin = len(directory.rstrip("/")) + 1
    data = [file for file in files if not any(part.startswith("_") for part in file[begin:].split("/"))]
    return data if 0 < len(data) < len(files) and kind_of_file(data[0]) is not None else list(files)
