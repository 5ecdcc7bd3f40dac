"""Runs a program and measures its cost: wall time until its output is on disk, CPU time, peak memory."""
import dataclasses
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

LOG_TAIL_BYTES = 2000


class FailedRun(Exception):
    """The program failed. The text has the command, the exit status and the end of its output."""


@dataclasses.dataclass
class Cost:
    wall_seconds: float  # includes sync_seconds
    sync_seconds: float  # our fsync of the output, for programs that do not sync it
    user_seconds: float
    system_seconds: float
    peak_bytes: int  # largest resident set of the program or of a child that it waited for

    @property
    def cpu_seconds(self) -> float:
        return self.user_seconds + self.system_seconds


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def files_below(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file())


def bytes_below(path: Path) -> int:
    return sum(file.stat().st_size for file in files_below(path))


def sync(path: Path) -> None:
    """fsync of every file below `path`, and of the directories."""
    directories = {file.parent for file in files_below(path)} | {path.parent}
    for target in [*files_below(path), *sorted(directories)]:
        descriptor = os.open(target, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def warm_page_cache(path: Path) -> None:
    buffer = bytearray(1 << 20)
    for name in files_below(path):
        with open(name, "rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


def _tail(log) -> str:
    log.seek(0, os.SEEK_END)
    log.seek(max(0, log.tell() - LOG_TAIL_BYTES))
    return log.read().decode(errors="replace")


def run_measured(command: list[str], output: Path | None, environment: dict[str, str] | None = None) -> Cost:
    """Removes `output`, runs the command that makes it, and syncs it. Raises FailedRun.

    peak_bytes comes from wait4. A process inherits its parent's peak, so peaks below this script's own size (about
    20 MB) cannot be told apart.
    """
    if output is not None:
        remove(output)
    with tempfile.TemporaryFile() as log:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env={**os.environ, **(environment or {})})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended = time.monotonic()
        if process.returncode != 0:
            raise FailedRun(f"{' '.join(command)}\nended with {process.returncode}:\n{_tail(log)}")
    if output is not None:
        sync(output)
    synced = time.monotonic()
    return Cost(synced - start, synced - ended, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024)


def answer(command: list[str]) -> str:
    """Runs a command without measuring it and returns its standard output. Raises FailedRun."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace")[-LOG_TAIL_BYTES:]
        raise FailedRun(f"{' '.join(command)}\nended with {done.returncode}:\n{said}")
    return done.stdout.decode()
