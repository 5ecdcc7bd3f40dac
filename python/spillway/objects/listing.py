"""Lists objects: those below a directory, and those that match a pattern."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InputOutputError, UsageError
from .attempts import repeat
from .location import Location, connect, has_pattern, locate, missing_bucket


def _select(location: Location, recursive: bool, stopped: Callable[[], bool]) -> list[Any]:
    store = connect(location)  # says what to install where there is no pyarrow
    from pyarrow import fs

    selector = fs.FileSelector(location.path, allow_not_found=True, recursive=recursive)
    try:
        return repeat(lambda: store.get_file_info(selector), f"{location.url}: cannot list it", stopped)
    except InputOutputError as error:
        if "NO_SUCH_BUCKET" in str(error):
            raise missing_bucket(location) from None
        raise


def _sorted_names(found: Sequence[Any], below: str) -> list[str]:
    """Names of files relative to `below`, in the engine's order: by their bytes."""
    from pyarrow import fs

    start = len(below.rstrip("/")) + 1
    return sorted((info.path[start:] for info in found if info.type == fs.FileType.File), key=str.encode)


def names_below(location: Location, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """The names of all objects below a directory, relative to it, by their bytes; without those with a part that begins
    with a dot."""
    names = _sorted_names(_select(location, True, stopped), location.path)
    return [name for name in names if not any(part.startswith(".") for part in name.split("/"))]


def below(url: str) -> list[str]:
    """The URLs of the objects below a directory, in the engine's order; of anything else, the URL itself."""
    location = locate(url)
    names = names_below(location)
    return [f"{location.url}/{name}" for name in names] or [location.url]


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return _matches(parts, pattern[1:]) or (bool(parts) and not parts[0].startswith(".") and _matches(parts[1:], pattern))
    if not parts or (parts[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def expand(url: str, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """The URLs of the objects that match a pattern, by their bytes; without a pattern, the URL itself, without options.

    `*` and `[...]` match in one part of a key as in a shell, `**` any number of parts.
    Raises UsageError if nothing matches.
    """
    location = locate(url)
    if not has_pattern(location.key):
        return [location.url]
    parts = location.key.split("/")
    first = next(number for number, part in enumerate(parts) if has_pattern(part))
    base = Location(location.root, "/".join(parts[:first]))
    pattern = parts[first:]
    found = _select(base, len(pattern) > 1 or "**" in pattern[0], stopped)
    names = [name for name in _sorted_names(found, base.path) if _matches(name.split("/"), pattern)]
    if not names:
        raise UsageError(f"no object matches {location.url}; check the spelling")
    return [f"{base.url}/{name}" for name in names]
