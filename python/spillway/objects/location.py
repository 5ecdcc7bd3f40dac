"""URLs of object stores, and connections to the stores."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ..errors import InputOutputError, UsageError

_PATTERN = "*["


def has_pattern(url: str) -> bool:
    return any(letter in url for letter in _PATTERN)


@dataclass(frozen=True)
class Location:
    """What a URL names. The key is taken as it is written: without escapes, so that a name of a store is its URL's end.

    root: what is connected to, such as "s3://bucket". key: "" for the root.
    """

    root: str
    key: str

    @property
    def url(self) -> str:
        return f"{self.root}/{self.key}" if self.key else self.root

    @property
    def path(self) -> str:
        """The name that pyarrow's file system takes."""
        scheme, _, authority = self.root.partition("://")
        if scheme == "hdfs":
            return f"/{self.key}"
        return f"{authority}/{self.key}" if self.key else authority

    def below(self, name: str) -> Location:
        return Location(self.root, f"{self.key}/{name}" if self.key else name)

    def url_of(self, path: str) -> str:
        """The URL of a path that pyarrow's file system gave."""
        scheme, _, _ = self.root.partition("://")
        return f"{self.root}/{path.lstrip('/')}" if scheme == "hdfs" else f"{scheme}://{path}"


# By root, what stood after "?" in a URL: options of pyarrow.fs.FileSystem.from_uri, such as region, endpoint_override,
# scheme and anonymous. They hold for all URLs of this process with the same root.
_options: dict[str, str] = {}


def locate(url: str) -> Location:
    """Raises UsageError for a URL without a bucket or host, or with a password."""
    scheme, _, rest = url.partition("://")
    rest, _, options = rest.partition("?")
    authority, _, key = rest.partition("/")
    if not authority:
        raise UsageError(f"{url}: expected {scheme}://BUCKET/KEY, found no bucket")
    user, at, _ = authority.rpartition("@")
    if at and (scheme != "hdfs" or ":" in user):
        raise UsageError(
            f"a URL of {scheme}:// holds credentials, which commands and reports would show; give them by the environment "
            "(AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) or a profile"
        )
    root = f"{scheme}://{authority}"
    if options:
        _options[root] = options
    return Location(root, key.strip("/"))


def missing_bucket(location: Location) -> InputOutputError:
    """What is raised where a bucket is not there."""
    bucket = location.root.partition("://")[2]
    return InputOutputError(f"{location.url}: the bucket {bucket} does not exist; check the spelling and the endpoint")


def options_of(location: Location) -> str:
    return _options.get(location.root, "")


@functools.lru_cache(maxsize=64)
def _connect(root: str, options: str) -> Any:
    try:
        from pyarrow import fs
    except ImportError:
        raise UsageError(
            f"{root}: pyarrow, which reads and writes object stores, is not installed; pip install 'spillway[parquet]'"
        ) from None
    try:
        return fs.FileSystem.from_uri(f"{root}/{'?' + options if options else ''}")[0]
    except (OSError, ValueError, NotImplementedError) as error:
        raise UsageError(
            f"{root}: cannot use this store: {error}; check the URL, and what this pyarrow was built with"
        ) from None


def connect(location: Location) -> Any:
    """The pyarrow.fs.FileSystem of a location, which all its callers share. Raises UsageError."""
    return _connect(location.root, options_of(location))
