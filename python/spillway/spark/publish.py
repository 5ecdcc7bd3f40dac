"""Gives a finished directory its name, at once, and removes what a job leaves on the shared disk."""

import ctypes
import errno
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import Error
from ..objects import is_url
from .errors import JobError
from .stage import Done, sync_directory, write_durably

_AT_FDCWD = -100
_RENAME_NOREPLACE, _RENAME_EXCHANGE = 1, 2
_libc = ctypes.CDLL(None, use_errno=True)

SHARDS_FILE = "job.json"  # in a directory of shards: the job that made it
PUBLISHED_FILE = "publishing"  # in the stage: what a job publishes, and how it is recognised


def _rename(source: str, target: str, flags: int) -> None:
    if _libc.renameat2(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), source, None, target)


class DiskOutput:
    """A directory that gets its name at once. The stage must be on its disk."""

    def __init__(self, path: str, force: bool):
        self.name, self._force = os.path.abspath(path), force

    def check(self, last: str) -> None:
        """Raises JobError if the output may not be made there."""
        if not os.path.lexists(self.name):
            return
        if not self._force:
            raise JobError(f"the output {self.name} exists; --force replaces it")
        if not any(os.path.isfile(f"{self.name}/{name}") for name in ("manifest", SHARDS_FILE)):
            raise JobError(
                f"the output {self.name} is neither an index nor a directory of shards, and is not replaced; name another"
            )

    def check_stage(self, stage: str) -> None:
        if os.stat(stage).st_dev != os.stat(os.path.dirname(self.name)).st_dev:
            raise JobError(
                f"the stage {stage} and the output {self.name} are on different disks; give --stage on the output's disk"
            )

    def read(self, name: str) -> bytes | None:
        """A file of an output that is there; None if it is not."""
        try:
            with open(f"{self.name}/{name}", "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def publish(self, directory: str, last: str) -> None:
        """Renames the directory to the output. An older output stays whole until then, and goes afterwards."""
        try:
            _rename(directory, self.name, _RENAME_NOREPLACE)
        except FileExistsError:
            self.check(last)
            _rename(directory, self.name, _RENAME_EXCHANGE)
            shutil.rmtree(directory)
        sync_directory(os.path.dirname(self.name))


class StoreOutput:
    """A URL of an object store: it gets the files, and last of all the one that makes them an index or shards."""

    def __init__(self, url: str, force: bool):
        self.name, self._force = url, force

    def check(self, last: str) -> None:
        from ..objects.publishing import check_absent, check_replaceable

        with _as_job_error():
            if self._force:
                check_replaceable(self.name)
            else:
                check_absent(self.name, last=last)

    def check_stage(self, stage: str) -> None:
        """Any disk that all machines share will do."""

    def read(self, name: str) -> bytes | None:
        from ..objects.conditional import read_small
        from ..objects.generations import place_of
        from ..objects.location import locate

        with _as_job_error():
            return read_small(place_of(locate(self.name)).below(name))

    def publish(self, directory: str, last: str) -> None:
        from ..objects.publishing import publish_directory

        with _as_job_error():
            publish_directory(directory, self.name, last=last, force=self._force)


@contextmanager
def _as_job_error() -> Iterator[None]:
    try:
        yield
    except Error as error:
        raise JobError(str(error)) from None


def output_of(name: str, force: bool) -> DiskOutput | StoreOutput:
    return StoreOutput(name.rstrip("/"), force) if is_url(name) else DiskOutput(name, force)


def assemble_shards(parts: list[Done], directory: str, description: str) -> None:
    """Makes a directory of the parts' indexes, which stay where they are as well: their files get second names."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    for number, part in enumerate(parts):
        shard = f"{directory}/{number:05d}.index"
        os.mkdir(shard)
        for name in os.listdir(part.index):
            os.link(f"{part.index}/{name}", f"{shard}/{name}")
        sync_directory(shard)
    write_durably(f"{directory}/{SHARDS_FILE}", description)


def sweep(directory: str) -> None:
    """Removes what is left of a job; attempts that are ending may still write there.

    PUBLISHED_FILE goes last: a driver that finds it goes on with this.
    """
    for _ in range(100):
        try:
            rest = [name for name in os.listdir(directory) if name != PUBLISHED_FILE]
            for name in rest:
                _remove(f"{directory}/{name}")
            if not rest:
                _remove(f"{directory}/{PUBLISHED_FILE}")
                os.rmdir(directory)
        except FileNotFoundError:
            break
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            time.sleep(0.05)
    try:
        os.rmdir(os.path.dirname(directory))
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
            raise


def _remove(path: str) -> None:
    try:
        shutil.rmtree(path)
    except NotADirectoryError:
        os.unlink(path)
    except FileNotFoundError:
        pass
