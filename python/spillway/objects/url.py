"""What is a URL of an object store. Imports nothing: each run of the program asks, and most have none."""

_PREFIXES = ("s3://", "gs://", "hdfs://")


def is_url(value: object) -> bool:
    """Whether the value names something in an object store."""
    return isinstance(value, str) and value.startswith(_PREFIXES)
