"""JSON-RPC over streamable HTTP: one request, one answer, whole and in time, or a TargetError that says what came.

Nothing here knows tasks. A server is believed in nothing: what it sends is bounded in size and in time, a redirect is
told and not followed (headers may hold a secret), and an answer must bear the id of its request.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from ..errors import TargetCrashed, TargetGarbage, TargetMissing, TargetTimeout

BYTES_MAX: Final = 4_000_000
SHOWN_MAX: Final = 120
TIMEOUT_S: Final = 10.0


@attrs.frozen
class Reply:
    """What came back: the HTTP status, the result or the error of JSON-RPC, and the headers by lower-case name."""

    http_status: int
    result: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    headers: Mapping[str, str]

    @property
    def code(self) -> int | None:
        """The code of the error, None where there is none."""
        return None if self.error is None else self.error["code"]

    def told(self) -> str:
        """The reply in a few words, for evidence."""
        if self.error is not None:
            return f"error {self.error['code']}: {shorten(str(self.error.get('message', '')))}"
        return shorten(json.dumps(self.result, ensure_ascii=False))


def shorten(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_MAX else line[: SHOWN_MAX - 3] + "..."


def bad_url(url: str) -> str | None:
    """What is wrong with the address of a server, and what to write instead; None where nothing is."""
    from urllib.parse import urlsplit

    example = "write https://host/mcp"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"{url!r} is no address: {error}; {example}"
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return f"{url!r} is no address of an MCP server over HTTP; {example}"
    if parts.username or parts.password:
        return "the address holds a user name or password, which would be printed; give them with --header"
    return None


class Wire:
    """A connection to one address. `headers` go with every request: who asks, for instance."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None, *, timeout_s: float = TIMEOUT_S) -> None:
        try:
            import httpx
        except ImportError:
            raise TargetMissing(
                "a live server is asked with httpx, which is not installed; pip install 'latchcheck[live]'"
            ) from None
        if wrong := bad_url(url):
            raise TargetMissing(wrong)
        self.url, self.timeout_s = url, timeout_s
        self._httpx = httpx
        try:
            self._client = httpx.Client(headers=dict(headers or {}), timeout=timeout_s, follow_redirects=False)
        except (TypeError, ValueError, UnicodeError) as error:
            raise TargetMissing(f"a header cannot be sent: {error}") from None
        self._next = 0

    def close(self) -> None:
        """Give the connection back."""
        self._client.close()

    def request(self, method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> Reply:
        """Send a request and return what is answered. Raises TargetTimeout, TargetCrashed or TargetGarbage."""
        self._next += 1
        body = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": dict(params)}
        status, kind, found, text = self._post(body, headers, f"{method} to {self.url}")
        if 300 <= status < 400:  # noqa: PLR2004 - the redirects of HTTP
            where = found.get("location", "nowhere")
            raise TargetGarbage(
                f"{method}: the server redirects to {shorten(where)}; give that address if you trust it"
            )
        answer = _answer(text, kind, self._next)
        if answer is None:
            what = shorten(text.decode("utf-8", "replace")) or "nothing"
            raise TargetGarbage(f"{method}: HTTP {status} and no JSON-RPC answer to it, but {what!r}")
        return _checked(method, status, answer, found)

    def notify(self, method: str, headers: Mapping[str, str]) -> int:
        """Send a notification; the HTTP status."""
        return self._post({"jsonrpc": "2.0", "method": method}, headers, method)[0]

    def _post(
        self, body: Mapping[str, Any], headers: Mapping[str, str], what: str
    ) -> tuple[int, str, dict[str, str], bytes]:
        httpx, until, got = self._httpx, time.monotonic() + self.timeout_s, bytearray()
        given = {"Accept": "application/json, text/event-stream", **headers}
        try:
            with self._client.stream("POST", self.url, json=body, headers=given) as response:
                kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                for chunk in response.iter_bytes():
                    got += chunk
                    if len(got) > BYTES_MAX:
                        raise TargetGarbage(f"{what}: the answer is longer than {BYTES_MAX} bytes")
                    if kind == "text/event-stream" and "id" in body and _answer(bytes(got), kind, body["id"]):
                        break  # a stream may stay open after the answer
                    if time.monotonic() > until:
                        raise TargetTimeout(f"{what}: no whole answer in {self.timeout_s:g} s")
                found = {name.lower(): value for name, value in response.headers.items()}
                return response.status_code, kind, found, bytes(got)
        except httpx.TimeoutException:
            raise TargetTimeout(f"{what}: no answer in {self.timeout_s:g} s") from None
        except (httpx.DecodingError, httpx.RemoteProtocolError) as error:
            raise TargetGarbage(f"{what}: what came is no HTTP: {shorten(str(error))}") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise TargetCrashed(f"{what}: no connection: {shorten(str(error)) or type(error).__name__}") from None


def _messages(text: bytes, kind: str) -> Iterator[Any]:
    """The JSON values of a body: the whole of it, or the data of each event that has come to its end."""
    if kind != "text/event-stream":
        yield text
        return
    for event in text.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]:
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
        if lines:
            yield b"\n".join(lines)


def _answer(text: bytes, kind: str, ident: int) -> dict[str, Any] | None:
    """The message of a body that answers the request of this id."""
    for one in _messages(text, kind):
        try:
            message = json.loads(one)
        except (ValueError, RecursionError):
            continue
        for each in message if isinstance(message, list) else [message]:
            if not isinstance(each, dict) or not ("result" in each or "error" in each):
                continue
            # A request that cannot be read is answered under no id.
            if each.get("id") == ident or ("error" in each and each.get("id") is None):
                return each
    return None


def _checked(method: str, status: int, answer: Mapping[str, Any], headers: Mapping[str, str]) -> Reply:
    result, error = answer.get("result"), answer.get("error")
    if error is not None:
        code = error.get("code") if isinstance(error, dict) else None
        if not isinstance(error, dict) or not isinstance(code, int) or isinstance(code, bool):
            raise TargetGarbage(f"{method}: an error without a code: {shorten(repr(error))}")
        return Reply(status, None, error, headers)
    if not isinstance(result, dict):
        raise TargetGarbage(f"{method}: the result is no object: {shorten(repr(result))}")
    return Reply(status, result, None, headers)
