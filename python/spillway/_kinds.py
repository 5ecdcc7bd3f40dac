"""Which files are files of columns, by how they begin and end. Needs no native module: spillway.spark asks, too."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .objects import is_url

# What writers of tables put beside their files.
_MARKERS = {"_SUCCESS", "_metadata", "_common_metadata", "_temporary", "_delta_log", "_spark_metadata"}
_MARKER_BEGINS = ("_committed_", "_started_")

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


def _is_marker(name: str) -> bool:
    return name in _MARKERS or name.startswith(_MARKER_BEGINS)


def data_files(files: Sequence[str], directory: str) -> list[str]:
    """The files of a directory. If the first is a file of columns, they come without what writers of tables put beside them:
    `_SUCCESS`, `_metadata`, `_temporary/` and the like. Other names that begin with "_" stay."""
    begin = len(directory.rstrip("/")) + 1
    data = [file for file in files if not any(_is_marker(part) for part in file[begin:].split("/"))]
    return data if 0 < len(data) < len(files) and kind_of_file(data[0]) is not None else list(files)
