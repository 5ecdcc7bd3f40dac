"""Gives a finished directory its name, at once, and removes what a job leaves on the shared disk."""

import ctypes
import errno
import os
import shutil
import time

from .errors import JobError
from .stage import Done, sync_directory, write_durably

_AT_FDCWD = -100
_RENAME_NOREPLACE, _RENAME_EXCHANGE = 1, 2
_libc = ctypes.CDLL(None, use_errno=True)

SHARDS_FILE = "job.json"  # in a directory of shards: the job that made it


def _rename(source: str, target: str, flags: int) -> None:
    if _libc.renameat2(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), source, None, target)


def check_output(output: str, force: bool) -> None:
    """Raises JobError if the output may not be made there."""
    if not os.path.lexists(output):
        return
    if not force:
        raise JobError(f"the output {output} exists; --force replaces it")
    if not any(os.path.isfile(f"{output}/{name}") for name in ("manifest", SHARDS_FILE)):
        raise JobError(f"the output {output} is neither an index nor a directory of shards, and is not replaced; name another")


def publish(directory: str, output: str, force: bool) -> None:
    """Renames the directory to the output. An older output stays whole until then, and goes afterwards."""
    try:
        _rename(directory, output, _RENAME_NOREPLACE)
    except FileExistsError:
        check_output(output, force)
        _rename(directory, output, _RENAME_EXCHANGE)
        shutil.rmtree(directory)
    sync_directory(os.path.dirname(output))


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
    """Removes what is left of a job; attempts that are ending may still write there."""
    for _ in range(100):
        try:
            shutil.rmtree(directory)
        except FileNotFoundError:
            pass
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
        if not os.path.lexists(directory):
            break
        time.sleep(0.05)
    try:
        os.rmdir(os.path.dirname(directory))
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
            raise
