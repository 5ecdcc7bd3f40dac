"""Describes what a measurement ran on: processor, memory, kernel, file system, commit, command."""
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def _field(path: str, name: str) -> str:
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return "unknown"


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit() -> str:
    """Returns $SPILLWAY_COMMIT if it is set (for a copy without a history), else the commit of the checkout. Changed
    results do not count as changes."""
    if stated := os.environ.get("SPILLWAY_COMMIT"):
        return stated[:12]
    found = _output("git", "rev-parse", "--short=12", "HEAD") or "unknown"
    changed = _output("git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results", ":!README.md")
    return found + (" with changes" if changed else "")


def shown_command() -> str:
    """The command line, with the script's path relative to the repository and other absolute paths as file names."""
    script = Path(sys.argv[0]).resolve()
    words = [str(script.relative_to(ROOT)) if script.is_relative_to(ROOT) else script.name]
    for word in sys.argv[1:]:
        words.append(os.path.basename(word.rstrip("/")) if word.startswith("/") else word)
    return shlex.join(words)


def describe(scratch: Path) -> dict[str, str]:
    """`scratch` is the directory in which indexes are written."""
    kibibytes = int(_field("/proc/meminfo", "MemTotal").split()[0])
    return {
        "processor": _field("/proc/cpuinfo", "model name"),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{kibibytes / 2**20:.1f} GiB",
        "kernel": platform.release(),
        "file system": _output("stat", "-f", "-c", "%T", str(scratch)) or "unknown",
        "compiler": _output("c++", "--version").split("\n")[0],
        "commit": commit(),
        "command": shown_command(),
    }
