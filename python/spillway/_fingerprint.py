"""Tells builds of the package apart: machines of one job must have the same."""

from __future__ import annotations

import hashlib
from pathlib import Path


def fingerprint() -> str:
    """The version, and a hash of the engine and of the package's Python files."""
    from . import _engine

    package = Path(__file__).parent
    found = hashlib.sha256()
    for path in [Path(_engine.__file__), *sorted(package.rglob("*.py"))]:
        found.update(f"{path.relative_to(package)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return f"spillway {_engine.version}, package sha256 {found.hexdigest()}"
