"""Puts a small object only where there is none, or only in place of a known one: in one step with S3 and boto3, otherwise
after a look."""

from __future__ import annotations

import urllib.parse
from typing import Any

from ..errors import UsageError
from .attempts import repeat
from .location import Location, connect, options_of
from .source import ObjectState, open_object


def put_if_absent(location: Location, data: bytes) -> None:
    """Raises UsageError if there is an object with other bytes. The same bytes are those of an earlier attempt of this put."""
    if not put_if(location, data, None):
        raise UsageError(f"the output {location.url} exists: another job made it meanwhile; name another URL")


def put_if(location: Location, data: bytes, expected: ObjectState | None) -> bool:
    """Puts an object if what is there is `expected` (None: nothing). Returns whether the object has these bytes then: also
    after an earlier attempt of this put, whose answer was lost."""
    client = _client_of(location)
    put = _look_and_put if client is None else _put_on_condition

    def attempt() -> bool:
        return put(client, location, data, expected)

    return repeat(attempt, f"{location.url}: cannot put {len(data)} bytes there") or read_small(location) == data


def state_of(location: Location) -> ObjectState | None:
    """None if there is no such object."""
    try:
        return open_object(location)[1]
    except FileNotFoundError:
        return None


def _look_and_put(_: Any, location: Location, data: bytes, expected: ObjectState | None) -> bool:
    if state_of(location) != expected:
        return False
    with connect(location).open_output_stream(location.path) as stream:
        stream.write(data)
    return True


def _put_on_condition(client: Any, location: Location, data: bytes, expected: ObjectState | None) -> bool:
    """Whether the store took it: it compares in the step in which it puts."""
    from botocore.exceptions import BotoCoreError, ClientError

    bucket = location.root.partition("://")[2]
    condition = {"IfNoneMatch": "*"} if expected is None else {"IfMatch": f'"{expected.etag}"'}
    try:
        client.put_object(Bucket=bucket, Key=location.key, Body=data, **condition)
    except ClientError as error:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        if status in (409, 412) or (status == 404 and expected is not None):
            return False
        raise OSError(str(error)) from error
    except BotoCoreError as error:
        raise OSError(str(error)) from error
    return True


def _client_of(location: Location) -> Any:
    """A client for conditional puts; None where the store or this machine has none."""
    if not location.root.startswith("s3://"):
        return None
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        return None
    given = dict(urllib.parse.parse_qsl(options_of(location)))
    endpoint = given.get("endpoint_override")
    if endpoint and "://" not in endpoint:
        endpoint = f"{given.get('scheme', 'https')}://{endpoint}"
    # Without a region, any name does for stores that are not Amazon's.
    region = given.get("region") or boto3.session.Session().region_name or "us-east-1"
    return boto3.client("s3", endpoint_url=endpoint, region_name=region, config=Config(retries={"max_attempts": 1}))


def read_small(location: Location) -> bytes | None:
    """The bytes of an object; None if there is none."""
    try:
        file, state = open_object(location)
    except FileNotFoundError:
        return None
    return bytes(repeat(lambda: file.read_at(state.size, 0), f"{location.url}: cannot read it"))
