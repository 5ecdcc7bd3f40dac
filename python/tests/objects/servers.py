"""Servers of object stores on the loopback, and a proxy that breaks connections to them."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

KEY, SECRET = "spillway-key", "spillway-secret"
BUCKET = "crawl"

# After the first the library asks again, up to ten times in half a minute, and after the second it does not. Jobs repeat a put
# after either.
SLOW_DOWN, BAD_REQUEST = b"503 Slow Down", b"400 Bad Request"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def find(program: str) -> str | None:
    beside = Path(sys.executable).parent / program
    return str(beside) if beside.exists() else shutil.which(program)


@contextlib.contextmanager
def running(words: Sequence[object], **options) -> Iterator[subprocess.Popen]:
    """A process, which is killed if the test fails before it ends: otherwise nothing would end the wait for it."""
    with subprocess.Popen([str(word) for word in words], **options) as job:
        try:
            yield job
        finally:
            job.kill()


def environment(port: int, secret: str = SECRET) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _seaweedfs(directory: Path, port: int) -> list[str]:
    identity = {"name": "test", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}
    (directory / "s3.json").write_text(json.dumps({"identities": [identity]}))
    # gRPC listens 10000 above each port.
    ports = {name: free_port() % 20000 + 10001 for name in ("master", "volume", "filer")}
    return [find("weed"), "server", f"-dir={directory}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false",
            "-s3", f"-s3.port={port}", "-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.config={directory}/s3.json",
            "-s3.autoCreateBucket=false", "-volume.max=8", "-master.volumeSizeLimitMB=256",
            *(f"-{name}.port={number}" for name, number in ports.items())]  # fmt: skip


def _moto(_: Path, port: int) -> list[str]:
    return [find("moto_server"), "-H", "127.0.0.1", "-p", str(port)]


SERVERS: dict[str, tuple[str, Callable[[Path, int], list[str]]]] = {
    "seaweedfs": ("weed", _seaweedfs),
    "moto": ("moto_server", _moto),
}


@contextlib.contextmanager
def server(name: str, directory: Path) -> Iterator[int]:
    """Runs a server, and gives its port once it has made the bucket."""
    port = free_port() % 20000 + 10001
    log = directory / "log"
    with open(log, "wb") as out:
        process = subprocess.Popen(SERVERS[name][1](directory, port), stdout=out, stderr=out, cwd=directory)
    try:
        deadline = time.monotonic() + 60
        while not _makes_bucket(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{name} does not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.3)
        yield port
    finally:
        process.terminate()
        process.wait()


def _makes_bucket(port: int) -> bool:
    make = "from pyarrow import fs; fs.FileSystem.from_uri('s3://x?allow_bucket_creation=true')[0].create_dir('%s')" % BUCKET
    words = [sys.executable, "-c", make]
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return subprocess.run(words, env={**os.environ, **environment(port)}, capture_output=True, timeout=60).returncode == 0
    return False


class Proxy:
    """Stands before a server. Each rule may be changed at any time.

    refuse(request): whether a request, its first bytes, gets the answer `refusal`. lose(request): whether its answer does
    not arrive. cut_after: answers to reads are cut after so many bytes of a connection; 0 for never. cuts: how often that
    happens. requests: the first lines, in order.
    """

    def __init__(self, port: int):
        self._port = port
        self.refuse: Callable[[bytes], bool] = lambda request: False
        self.refusal = SLOW_DOWN
        self.lose: Callable[[bytes], bool] = lambda request: False
        self.on_request: Callable[[bytes], None] = lambda request: None
        self.cut_after, self.cuts = 0, 0
        self.requests: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._port)) as upstream, contextlib.suppress(OSError):
            is_lost = threading.Event()
            answering = threading.Thread(target=self._answer, args=(upstream, client, is_lost), daemon=True)
            answering.start()
            while data := client.recv(1 << 16):
                if data.split(b" ", 1)[0] in (b"GET", b"PUT", b"POST", b"HEAD", b"DELETE"):
                    self.requests.append(data.split(b"\r\n", 1)[0].decode())
                    self.on_request(data)
                    if self.refuse(data):
                        client.sendall(b"HTTP/1.1 " + self.refusal + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                        break
                    if self.lose(data):
                        is_lost.set()
                upstream.sendall(data)
            client.shutdown(socket.SHUT_RDWR)

    def _answer(self, upstream: socket.socket, client: socket.socket, is_lost: threading.Event) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := upstream.recv(1 << 16):
                passed += len(data)
                if is_lost.is_set() and not data.startswith(b"HTTP/1.1 100"):
                    break
                if self.cut_after and passed > self.cut_after and self.cuts > 0:
                    self.cuts -= 1
                    break
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)


def files_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


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
        self.python(script, json.dumps(pairs))
        return f"s3://{BUCKET}/{key}"

    def keys(self, below: str) -> list[str]:
        """The keys of the objects below a key, relative to it."""
        script = (
            f"found = store.get_file_info(fs.FileSelector('{BUCKET}/{below}', allow_not_found=True, recursive=True))\n"
            f"print(*(i.path[{len(BUCKET) + len(below) + 2}:] for i in found if i.type == fs.FileType.File), sep='\\n')"
        )
        return sorted(self.python(script).stdout.split())

    def files(self, below: str) -> dict[str, bytes]:
        """The objects below a key, by their keys relative to it."""
        with tempfile.TemporaryDirectory() as directory:
            self.python(
                f"fs.copy_files('{BUCKET}/{below}', sys.argv[1], source_filesystem=store, "
                "destination_filesystem=fs.LocalFileSystem())",
                directory,
            )
            return {
                str(path.relative_to(directory)): path.read_bytes() for path in Path(directory).rglob("*") if path.is_file()
            }

    def get(self, key: str) -> bytes:
        script = f"sys.stdout.buffer.write(store.open_input_file('{BUCKET}/{key}').read())"
        env = {**os.environ, **environment(self.port)}
        begin = "import sys; from pyarrow import fs; store = fs.FileSystem.from_uri('s3://x')[0]\n"
        return subprocess.run([sys.executable, "-c", begin + script], env=env, capture_output=True, check=True).stdout

    def spillway(self, *words: object, **env: str) -> subprocess.CompletedProcess:
        script = Path(sys.executable).parent / "spillway"
        return subprocess.run([script, *map(str, words)], env={**self.environment, **env}, capture_output=True, text=True,
                              timeout=300)  # fmt: skip
