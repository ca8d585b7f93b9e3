"""A server that is down, slow, locked or no Prometheus: a clear message each, within the time-out, without secrets."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from specmodel.logs.prometheus import LiveError, Server, configured, read_series, read_window, targets
from specmodel.logs.prometheus.targets import Target
from tests.conftest import free_port

TARGET = Target("vLLM", "m", (("model_name", "m"),))
TIMEOUT_S = 0.6
Answerer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def answering(answer: Answerer) -> Iterator[str]:
    """A server on 127.0.0.1 that answers every request in its own way."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                answer(self)
            except OSError:  # the client gave up
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.block_on_close = True, False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def says(body: bytes | str, status: int = 200, headers: dict[str, str] | None = None) -> Answerer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        data = body if isinstance(body, bytes) else body.encode()
        request.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(data)

    return answer


def vector(*rows: Any, **more: Any) -> str:
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": rows}, **more})


def failure(server: Server) -> LiveError:
    with pytest.raises(LiveError) as error:
        targets(server, 1e9)
    assert error.value.__cause__ is None
    return error.value


def test_down():
    port = free_port()
    error = failure(Server(f"http://127.0.0.1:{port}"))
    assert error.kind == "down" and f"127.0.0.1:{port} cannot be reached" in str(error)


def test_host_unknown(monkeypatch):
    def nowhere(*_: Any, **__: Any) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    error = failure(Server("http://no-such-host.invalid:9090"))
    assert error.kind == "down" and "host name is unknown" in str(error)


def silent(request: BaseHTTPRequestHandler) -> None:
    time.sleep(3 * TIMEOUT_S)


def trickling_headers(request: BaseHTTPRequestHandler) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100:
        request.wfile.write(bytes([byte]))
        time.sleep(TIMEOUT_S / 10)


def trickling_body(request: BaseHTTPRequestHandler) -> None:
    says(b"", headers={"Content-Length": "1000"})(request)
    for _ in range(50):
        request.wfile.write(b" ")
        time.sleep(TIMEOUT_S / 10)


@pytest.mark.parametrize("answer", [silent, trickling_headers, trickling_body])
@pytest.mark.parametrize("read", [targets, read_window, read_series])
def test_slow_ends_within_the_timeout(answer, read):
    with answering(answer) as url:
        asked = (1e9,) if read is targets else (TARGET, 300, 1e9)
        started = time.monotonic()
        with pytest.raises(LiveError, match=r"did not answer within 0\.6 s") as error:
            read(Server(url, timeout_s=TIMEOUT_S), *asked)
        assert time.monotonic() - started < TIMEOUT_S + 0.5
        assert error.value.kind == "slow"


@pytest.mark.parametrize("status", [401, 403])
def test_locked(status):
    with answering(says("no", status)) as url:
        error = failure(Server(url))
        assert error.kind == "credentials" and "none is configured" in str(error) and str(status) in str(error)
        for server in (Server(url, token="s3cr3t"), Server(url, user="u53r", password="s3cr3t")):
            error = failure(server)
            assert error.kind == "credentials" and "does not accept" in str(error)
            assert "s3cr3t" not in str(error) + repr(server) and "u53r" not in str(error) + repr(server)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"token": "s3cr3t"}, "Bearer s3cr3t"),
        ({"user": "läsare", "password": "å:b"}, "Basic bMOkc2FyZTrDpTpi"),
        ({}, None),
    ],
)
def test_signs_in_as_configured(configuration, expected, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    seen = []

    def answer(request: BaseHTTPRequestHandler) -> None:
        seen.append((request.headers.get("Authorization"), request.path))
        says(vector())(request)

    with answering(answer) as url:
        Server(f"{url}/prometheus/", **configuration).query("up", 5)
    assert seen == [(expected, "/prometheus/api/v1/query?query=up&time=5.000")]


def test_the_address_may_hold_user_and_password():
    server = Server("https://reader:p%40ss@metrics.example:9090/x/")
    assert (server.url, server.user, server.password) == ("https://metrics.example:9090/x", "reader", "p@ss")
    assert "p@ss" not in repr(server) and "reader" not in repr(server)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (says("<html>hello</html>"), "not_prometheus", "is the address right"),
        (says(b"\xff\x00\x1f"), "not_prometheus", "is the address right"),
        (says("[" * 100_000), "not_prometheus", "is the address right"),
        (says("[]"), "not_prometheus", "is the address right"),
        (says('{"status": "success"}'), "not_prometheus", "is the address right"),
        (says('{"status": "success", "data": {"resultType": "scalar"}}'), "not_prometheus", "is the address right"),
        (says(vector({"metric": {}, "value": ["x", None]})), "not_prometheus", "is the address right"),
        (says(vector(7)), "not_prometheus", "is the address right"),
        (says("", 404), "http", "HTTP 404"),
        (says("bad gateway", 502), "http", "HTTP 502"),
        (says('{"status":"error","errorType":"bad_data","error":"why"}', 400), "refused", r"\(bad_data\): why"),
        (says('{"status":"error","errorType":"timeout","error":"query timed out"}', 503), "slow", "timed out"),
        (says("{}", headers={"Content-Length": "50"}), "down", "broke off"),
        (says("no gzip at all", headers={"Content-Encoding": "gzip"}), "down", "broke off"),
        (says(b" " * (17 * 2**20)), "too_large", "larger than 16 MB"),
    ],
)
def test_answers_that_are_none(answer, kind, words):
    with answering(answer) as url, pytest.raises(LiveError, match=words) as error:
        targets(Server(url), 1e9)
    assert error.value.kind == kind


def test_a_redirect_is_not_followed():
    visited = []

    def redirect(request: BaseHTTPRequestHandler) -> None:
        says("", 302, {"Location": f"{other}/api/v1/query"})(request)

    with answering(lambda request: visited.append(request.path)) as other, answering(redirect) as url:
        assert failure(Server(url, token="s3cr3t")).kind == "http"
    assert not visited


def test_nothing_there_and_speculation_off():
    names = json.dumps({"status": "success", "data": ["vllm:generation_tokens_total"]})

    def answer(request: BaseHTTPRequestHandler) -> None:
        says(names if "/label/" in request.path else vector())(request)

    with answering(answer) as url:
        error = failure(Server(url))
    assert error.kind == "no_metrics" and "metrics of vLLM, but no speculation counters" in str(error)


def test_warnings_of_the_server_become_notes():
    row = {"metric": {"specmodel_role": "rounds"}, "value": [0, "5"]}
    with answering(says(vector(row, warnings=["store is down"]))) as url:
        stats = read_window(Server(url), TARGET, 300, 1e9)
    assert any("store is down" in str(note) for note in stats.notes)


@pytest.mark.parametrize(
    "url",
    [
        "prometheus:9090",
        "ftp://host",
        "http://",
        "http:///path",
        "http://user:s3cr3t@",
        "user:s3cr3t@host",
        "http://host:99999",
        "http://host:port",
        "http://[::1",
        "http://host/?token=s3cr3t",
        "http://host/#s3cr3t",
        "http://host/a b",
        "http://user:s3cr3t@host/a\nb",
        "",
    ],
)
def test_an_address_that_is_none_is_named(url):
    with pytest.raises(LiveError, match="is no address of a Prometheus") as error:
        Server(url)
    assert error.value.kind == "config" and "s3cr3t" not in str(error.value)


@pytest.mark.parametrize("token", ["two words", "line\nend", "tökén"])
def test_a_token_that_no_header_can_hold(token):
    with pytest.raises(LiveError) as error:
        Server("http://host", token=token)
    assert token not in str(error.value)


def test_configured_reads_secrets_before_the_environment():
    environ = {"SPECMODEL_PROMETHEUS_URL": "http://b", "SPECMODEL_PROMETHEUS_TOKEN": "t"}
    assert configured({}, environ) == Server("http://b", token="t")
    assert configured({"prometheus": {"url": "http://a"}}, environ) == Server("http://a", token="t")
    section = {"url": "http://a", "user": "u", "password": "p"}
    assert configured({"prometheus": section}, {}) == Server("http://a", user="u", password="p")
    assert configured({"prometheus": {}}, {"PROMETHEUS_URL": "http://a"}) is None
    with pytest.raises(LiveError):
        configured({"prometheus": "http://a"}, {})


@pytest.mark.parametrize("window_s", [0, -5, float("nan"), float("inf"), 1e12])
def test_a_window_that_is_none(window_s):
    for read in (read_window, read_series):
        with pytest.raises(LiveError, match="a window of") as error:
            read(Server("http://127.0.0.1:9"), TARGET, window_s, 1e9)
        assert error.value.kind == "config"
