"""Takes pyspark from its directory where Spark names its archive.

Spark puts `python/lib/pyspark.zip` first on Python's path. Python compiles what it imports from an archive each time: 0.5 s in
the driver, and as much in the first worker of each executor. The same Spark has the modules in a directory, too, where they are
compiled once.
"""

import importlib.util
import os
import sys

_ARCHIVE = "/python/lib/pyspark.zip"


def prefer_unpacked() -> None:
    """Changes sys.path, unless pyspark would then be another one, or is imported already."""
    archives = [path for path in sys.path if path.endswith(_ARCHIVE)]
    if "pyspark" in sys.modules or len(archives) != 1:
        return
    directory = _directory_of(archives[0].removesuffix(_ARCHIVE))
    if directory is None:
        return
    before = list(sys.path)
    libraries = [path for path in sys.path if os.path.dirname(path) == os.path.dirname(archives[0])]  # py4j, too
    at = sys.path.index(archives[0])
    sys.path[:] = [path for path in sys.path if path not in libraries] + libraries
    if directory not in sys.path:
        sys.path.insert(at, directory)
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin != f"{directory}/pyspark/__init__.py":
        sys.path[:] = before


def _directory_of(home: str) -> str | None:
    """The directory that holds pyspark's modules: that of Spark, or the one in which pip installed all of Spark."""
    for directory in (f"{home}/python", os.path.dirname(home)):
        if os.path.isfile(f"{directory}/pyspark/__init__.py"):
            return directory
    return None
