"""Options of Python's functions as words of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

FIELD_OPTIONS = ("id_field", "title_field", "text_field", "url_field", "date_field")
DEFAULT_FIELDS = {
    "id_field": ("id", "docid", "_id"),
    "title_field": ("title",),
    "text_field": ("text", "contents", "content", "body"),
    "url_field": ("url",),
    "date_field": ("date",),
}
OF_THE_PROGRAM = {"json", "skipped", "quiet", "verbose", "resumable", "restart", "help", "version", "output"}


def names_of(value: str | Iterable[str]) -> tuple[str, ...]:
    """The names of a field: one, several with commas, or several."""
    return tuple(value.split(",")) if isinstance(value, str) else tuple(value)


def option_words(options: Mapping[str, Any]) -> list[str]:
    """`{"memory": "1G", "force": True}` as `["--memory=1G", "--force"]`. None and False are left out."""
    words: list[str] = []
    for name, value in options.items():
        if name in OF_THE_PROGRAM:
            raise TypeError(f"'{name}' is an option of the program only")
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif name in FIELD_OPTIONS:
            words.append(f"{option}={','.join(names_of(value))}")
        elif isinstance(value, (list, tuple)):
            words += [f"{option}={os.fspath(one) if hasattr(one, '__fspath__') else one}" for one in value]
        else:
            words.append(f"{option}={os.fspath(value) if hasattr(value, '__fspath__') else value}")
    return words


def path_words(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Operands; after `--` none of them is an option."""
    return ["--", *(os.fspath(path) for path in paths)]
