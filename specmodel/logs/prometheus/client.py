"""A Prometheus server: the address that the deployer configured, and questions to it that end within a time-out.

Only the query API is used (`/api/v1/query`, `/api/v1/query_range`, label values), by GET: Thanos, Mimir and
VictoriaMetrics answer the same. The path of the address is kept, so `https://host/prometheus` works. A redirect is
never followed, proxies and `.netrc` of the machine are not used, and no message holds a token or a password.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import requests
from requests.auth import HTTPBasicAuth

from specmodel.base.messages import Message, Verbatim
from specmodel.logs.prometheus.answer import Answer, Curve, Reply, Sample, curves, data_of, samples, texts
from specmodel.logs.prometheus.errors import LiveError

__all__ = ["Answer", "Curve", "LiveError", "Sample", "Server", "configured"]

MAX_BYTES = 16 * 2**20
SETTINGS = ("url", "token", "user", "password")


@dataclass(frozen=True)
class Server:
    """A server and how to sign in there: a bearer token, or user and password. `timeout_s` bounds a whole question.

    A user and a password inside the address are taken out of it.

    >>> Server("https://reader:secret@metrics.example/prometheus/").url
    'https://metrics.example/prometheus'
    """

    url: str
    token: str | None = field(default=None, repr=False)
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    timeout_s: float = 5.0

    def __post_init__(self) -> None:
        url = self.url.strip()
        try:
            parts = urlsplit(url)
            usable = bool(parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
        except ValueError:
            usable = False
        if not usable or re.search(r"[\s?#\x00-\x1f\x7f]", url):
            text = "{url} is no address of a Prometheus: expected http:// or https://, a host, and at most a path"
            raise LiveError(Message(text, {"url": Verbatim(_harmless(url))}), "config")
        if self.token and not re.fullmatch(r"[!-~]+", self.token):
            raise LiveError(Message("the token for Prometheus has a space or a character beyond ASCII"), "config")
        login, _, host = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        object.__setattr__(self, "url", f"{parts.scheme}://{host}{parts.path.rstrip('/')}")
        if login and self.user is None and self.password is None:
            object.__setattr__(self, "user", unquote(user))
            object.__setattr__(self, "password", unquote(password))

    @property
    def name(self) -> str:
        """Host, port and path, as messages show them."""
        return self.url.partition("://")[2]

    def query(self, promql: str, at: float) -> Answer[Sample]:
        """The value of an expression at one time (Unix seconds)."""
        return samples(self._ask("query", {"query": promql, "time": f"{at:.3f}"}), self.name)

    def query_range(self, promql: str, start: float, end: float, step_s: float) -> Answer[Curve]:
        """The value of an expression at `start`, `start + step_s`, … up to `end`."""
        times = {"start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step_s:.3f}"}
        return curves(self._ask("query_range", {"query": promql, **times}), self.name)

    def raw_samples(self, selector: str, at: float) -> Answer[Curve]:
        """The stored samples under a selector with a range, such as `name[5m]`."""
        return curves(self._ask("query", {"query": selector, "time": f"{at:.3f}"}), self.name)

    def label_values(self, label: str, match: str, start: float, end: float) -> Answer[str]:
        """The values of a label among the series that match a selector and had samples between two times."""
        asked = {"match[]": match, "start": f"{start:.3f}", "end": f"{end:.3f}"}
        return texts(self._ask(f"label/{quote(label, safe='')}/values", asked), self.name)

    def _ask(self, path: str, parameters: Mapping[str, str]) -> Reply:
        """The answer of the API, in a thread, so that a slow name server or trickling headers cannot hold it up."""
        answers: SimpleQueue[Reply | Exception] = SimpleQueue()
        deadline = time.monotonic() + self.timeout_s

        def work() -> None:
            try:
                answers.put(self._get(path, parameters, deadline))
            except Exception as error:
                answers.put(error)

        Thread(target=work, daemon=True, name="prometheus-query").start()
        try:
            answer = answers.get(timeout=self.timeout_s)
        except Empty:
            raise self._slow() from None
        if isinstance(answer, LiveError):
            raise answer from None
        if isinstance(answer, Exception):
            raise self._failed(answer) from None  # its own text may hold the address as it was given
        return answer

    def _get(self, path: str, parameters: Mapping[str, str], deadline: float) -> Reply:
        headers = {"Accept": "application/json", "User-Agent": "specmodel"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        basic = HTTPBasicAuth((self.user or "").encode(), (self.password or "").encode())
        with requests.Session() as session:
            session.trust_env = False
            with session.get(
                f"{self.url}/api/v1/{path}",
                params=dict(parameters),
                headers=headers,
                auth=basic if self.user is not None and not self.token else None,
                timeout=(self.timeout_s, self.timeout_s),
                stream=True,
                allow_redirects=False,
            ) as response:
                return data_of(response.status_code, self._body(response, deadline), self.name, self._signed_in)

    def _body(self, response: requests.Response, deadline: float) -> bytes:
        body = bytearray()
        for piece in response.iter_content(65536):
            body += piece
            if len(body) > MAX_BYTES:
                text = "the answer of {server} is larger than {limit} MB: choose a shorter window"
                raise LiveError(Message(text, {"server": Verbatim(self.name), "limit": MAX_BYTES >> 20}), "too_large")
            if time.monotonic() > deadline:
                raise self._slow()
        return bytes(body)

    @property
    def _signed_in(self) -> bool:
        return bool(self.token) or self.user is not None

    def _slow(self) -> LiveError:
        values = {"server": Verbatim(self.name), "seconds": self.timeout_s}
        return LiveError(Message("{server} did not answer within {seconds:g} s", values), "slow")

    def _failed(self, error: Exception) -> LiveError:
        """What went wrong before there was an answer, in words that hold nothing of the request."""
        values = {"server": Verbatim(self.name)}
        inner = error.args[0] if error.args else None
        reason = type(getattr(inner, "reason", inner)).__name__
        if isinstance(error, requests.Timeout) or reason in ("ReadTimeoutError", "ConnectTimeoutError"):
            return self._slow()
        if isinstance(error, requests.exceptions.SSLError):
            return LiveError(Message("the certificate of {server} is not trusted, or it speaks no TLS", values), "down")
        if reason == "NameResolutionError":
            return LiveError(Message("{server} cannot be reached: the host name is unknown", values), "down")
        if isinstance(error, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
            return LiveError(Message("the answer of {server} broke off", values), "down")
        if isinstance(error, requests.ConnectionError):
            return LiveError(Message("{server} cannot be reached: is it running?", values), "down")
        text = "{server} could not be asked ({reason})"
        return LiveError(Message(text, {**values, "reason": Verbatim(type(error).__name__)}), "down")


def configured(secrets: Mapping[str, Any], environ: Mapping[str, str]) -> Server | None:
    """The server that the deployer named, or None: `[prometheus]` in the secrets, or SPECMODEL_PROMETHEUS_URL, _TOKEN,
    _USER and _PASSWORD in the environment. The secrets come first. Raises `LiveError` for an address that is none.

    >>> configured({}, {"SPECMODEL_PROMETHEUS_URL": "http://127.0.0.1:9090"})
    Server(url='http://127.0.0.1:9090', timeout_s=5.0)
    >>> configured({}, {}) is None
    True
    """
    section = secrets.get("prometheus", {})
    if not isinstance(section, Mapping):
        raise LiveError(Message("[prometheus] in the secrets is no section with a url in it"), "config")
    found: dict[str, str | None] = {}
    for name in SETTINGS:
        value = section.get(name) or environ.get(f"SPECMODEL_PROMETHEUS_{name.upper()}")
        found[name] = str(value).strip() if value else None
    url = found["url"]
    return Server(url, found["token"], found["user"], found["password"]) if url else None


def _harmless(url: str) -> str:
    """An address without what may be a password or a token in it."""
    shown = re.sub(r"^([a-z][a-z0-9+.-]*://)?.*@", r"\1…@", url.splitlines()[0] if url else "", flags=re.IGNORECASE)
    return re.sub(r"[?#].*", "?…", shown)[:200]
