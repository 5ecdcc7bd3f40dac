"""Runs the program `spillway` as a child that does not outlive its parent."""

import functools
import glob
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence

from .errors import JobError, ProgramError


def run_program(words: Sequence[str]) -> str:
    """Returns what it printed. Raises ProgramError with its last words if it fails, JobError if it cannot be started.

    On any exception, KeyboardInterrupt and SystemExit too, the child is stopped, cleans up, and has ended.
    """
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=_environment(),
        )
    except OSError as error:
        raise JobError(f"cannot run {words[0]}: {error.strerror}; every machine needs the same program there") from error
    with child:
        try:
            out, err = child.communicate()
        except BaseException:
            child.terminate()
            raise
    if child.returncode != 0:
        said = err.strip()[-4000:] or "(it said nothing)"
        raise ProgramError(f"{' '.join(words[:2])} ended with {child.returncode}: {said}", child.returncode)
    return out


def _environment() -> dict[str, str]:
    """That of this process. SPILLWAY_PARENT: the program asks for SIGTERM once its parent is gone.

    PYTHONPATH may name a source tree for this package. There it has no native module, and would hide from the package's
    program the installed package that has one, so the program does not get it.
    """
    environment = {**os.environ, "SPILLWAY_PARENT": str(os.getpid())}
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if "PYTHONPATH" in environment and not glob.glob(f"{glob.escape(package)}/_engine*.so"):
        places = environment["PYTHONPATH"].split(os.pathsep)
        hiding = os.path.dirname(package)
        environment["PYTHONPATH"] = os.pathsep.join(place for place in places if os.path.abspath(place) != hiding)
    return environment


def find_program(program: str) -> str:
    """The absolute path of a program of this machine. Raises JobError."""
    found = shutil.which(program)
    if found is None:
        raise JobError(f"there is no program {program} on this machine; install spillway, or name the program with --program")
    return os.path.abspath(found)


def version_of(program: str) -> str:
    """What the program says about itself, and a hash of it: of a script, of the package that it runs."""
    path = find_program(program)
    return _version_of(path, os.stat(path).st_mtime_ns)


@functools.cache
def _version_of(path: str, _changed_ns: int) -> str:
    with open(path, "rb") as file:
        is_script = file.read(2) == b"#!"
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if is_script:  # its own bytes name the interpreter's place on this machine
        try:
            return run_program([path, "--fingerprint"]).strip()
        except ProgramError as error:
            if error.exit_code < 0:
                raise
    return f"{run_program([path, '--version']).strip()}, sha256 {digest}"
