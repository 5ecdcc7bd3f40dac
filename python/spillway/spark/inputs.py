"""The inputs of a job: files and objects with their sizes and times, so that every task sees the same ones."""

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .._kinds import data_files
from ..errors import Error
from ..objects import is_url, resolve
from .errors import JobError


@dataclass(frozen=True)
class InputFile:
    """A file or an object; size in bytes, time of its last change in nanoseconds. etag: "" for files."""

    path: str
    size: int
    changed_ns: int
    etag: str = ""


def _describe(path: str) -> InputFile:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise JobError(f"the input {path} is no regular file; parts are cut from files only")
    return InputFile(os.path.abspath(path), status.st_size, status.st_mtime_ns)


def _files_below(directory: str) -> list[str]:
    """All files below the directory, in the order in which `spillway index` takes them: by the bytes of their paths."""
    found = []
    for folder, folders, names in os.walk(directory, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".") and not os.path.islink(f"{folder}/{name}")]
        found += [f"{folder}/{name}" for name in names if not name.startswith(".")]
    return sorted((path for path in found if not os.path.islink(path)), key=os.fsencode)


def _raise(error: OSError) -> None:
    raise error


def _describe_objects(urls: Sequence[str]) -> list[InputFile]:
    """The objects, asked about side by side. Raises FileNotFoundError and JobError."""
    from ..objects.source import Source

    source = Source()
    try:
        source.expect(urls)
        described = []
        for url in urls:
            state = source.state(url)
            if state is None:
                raise FileNotFoundError(f"the input {url} does not exist; check the spelling")
            described.append(InputFile(url, state.size, state.changed_ns, state.etag))
        return described
    except Error as error:
        raise JobError(str(error)) from None
    finally:
        source.close()


def _list_objects(url: str) -> list[InputFile]:
    from ..objects.listing import below

    try:
        urls = [one for named in resolve([url]) for one in data_files(below(named), named)]
    except Error as error:
        raise JobError(str(error)) from None
    return _describe_objects(urls)


def list_inputs(paths: Iterable[str]) -> list[InputFile]:
    """Lists files, and those below directories without hidden ones and links; and objects by URLs, directories of them and
    patterns. Raises OSError and JobError."""
    files = []
    for path in paths:
        if path == "-" or path.startswith("@"):
            raise JobError(f"the input {path}: expected files and directories that all machines see, or URLs")
        if is_url(path):
            files += _list_objects(path)
        else:
            files += [_describe(file) for file in (data_files(_files_below(path), path) if os.path.isdir(path) else [path])]
    for file in files:
        if "\n" in file.path:
            raise JobError(f"the input {file.path!r} has a line end in its name; rename it")
    if not files:
        raise JobError("there is no file in the inputs")
    return files


def inputs_of_part(files: Sequence[InputFile], part: int, parts: int) -> list[InputFile]:
    """The files of which part number `part`, from 0, may read something."""
    total = sum(file.size for file in files)
    begin, end = total * part // parts, total * (part + 1) // parts
    found, at = [], 0
    for file in files:
        if at <= end and begin <= at + file.size:
            found.append(file)
        at += file.size
    return found


def check_unchanged(files: Iterable[InputFile]) -> None:
    """Raises JobError if a file is not what it was when the job began."""
    files = list(files)
    urls = [file.path for file in files if is_url(file.path)]
    try:
        objects = {file.path: file for file in _describe_objects(urls)} if urls else {}
    except FileNotFoundError as error:
        raise JobError(str(error)) from None
    for file in files:
        try:
            found = objects.get(file.path) or _describe(file.path)
        except FileNotFoundError:
            raise JobError(f"the input {file.path} is gone on this machine; all machines must see the same files") from None
        if found != file:
            raise JobError(
                f"the input {file.path} changed since the job began: expected {file.size} bytes of {file.changed_ns} ns, "
                f"found {found.size} of {found.changed_ns}; start the job again"
            )
