"""The program `spillway`: all commands of the engine, and Parquet and Arrow IPC files as inputs of `index` and `append`."""

from __future__ import annotations

import sys

from . import _engine
from ._inputs import open_inputs


def main() -> int:
    """Runs the program with the words of the command line, and returns its exit code. Ends by a signal if one stopped it."""
    sys.stdout.flush()
    code = _engine.run_program(sys.argv[1:], open_inputs)
    if code > _engine.signal_exit:
        _engine.end_by_signal(code - _engine.signal_exit)
    return code


if __name__ == "__main__":
    sys.exit(main())
