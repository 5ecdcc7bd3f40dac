"""The inputs of a job: files with their sizes and times, so that every task sees the same ones."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from .errors import JobError


@dataclass(frozen=True)
class InputFile:
    """A file; size in bytes, time of its last change in nanoseconds."""

    path: str
    size: int
    changed_ns: int


def _describe(path: str) -> InputFile:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise JobError(f"the input {path} is no regular file; parts are cut from files only")
    return InputFile(os.path.abspath(path), status.st_size, status.st_mtime_ns)


def _files_below(directory: str) -> Iterable[str]:
    """All files below the directory, in the order in which `spillway index` takes them: by the bytes of their paths."""
    found = []
    for folder, folders, names in os.walk(directory, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".") and not os.path.islink(f"{folder}/{name}")]
        found += [f"{folder}/{name}" for name in names if not name.startswith(".")]
    return sorted((path for path in found if not os.path.islink(path)), key=os.fsencode)


def _raise(error: OSError) -> None:
    raise error


def list_inputs(paths: Iterable[str]) -> list[InputFile]:
    """Lists files, and those below directories without hidden ones and links. Raises OSError and JobError."""
    files = []
    for path in paths:
        if path == "-" or path.startswith("@"):
            raise JobError(f"the input {path}: expected files and directories that all machines see")
        files += [_describe(file) for file in (_files_below(path) if os.path.isdir(path) else [path])]
    for file in files:
        if "\n" in file.path:
            raise JobError(f"the input {file.path!r} has a line end in its name; rename it")
    if not files:
        raise JobError("there is no file in the inputs")
    return files


def check_unchanged(files: Iterable[InputFile]) -> None:
    """Raises JobError if a file is not what it was when the job began."""
    for file in files:
        try:
            found = _describe(file.path)
        except FileNotFoundError:
            raise JobError(f"the input {file.path} is gone on this machine; all machines must see the same files") from None
        if found != file:
            raise JobError(
                f"the input {file.path} changed since the job began: expected {file.size} bytes of {file.changed_ns} ns, "
                f"found {found.size} of {found.changed_ns}; start the job again"
            )
