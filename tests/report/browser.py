"""Debian's Chromium without a window, spoken to by the DevTools protocol over two pipes."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.tools import cannot

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
PROGRAMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PATIENCE_S: Final = 60.0
LEAVING_S: Final = 10.0
_FLAGS: Final = (
    *("--headless", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-dev-shm-usage", "--force-color-profile=srgb"),
    *(("--no-sandbox",) if os.geteuid() == 0 else ()),
)
_KEYS: Final = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37}
_ABOVE: Final = 10
"""So that a pipe's own number is not taken by the two that the browser expects."""


class PageError(AssertionError):
    """The page's script failed."""


class Browser:
    def __init__(self, folder: Path) -> None:
        program = next(filter(None, map(shutil.which, PROGRAMS)), None) or cannot("chromium is not installed")
        theirs_in, self._out = _pipe()
        self._in, theirs_out = _pipe()
        log = os.open(folder / "browser.log", os.O_CREAT | os.O_WRONLY, 0o600)
        self._process = os.posix_spawn(
            program,
            [program, *_FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
            {**os.environ, "HOME": str(folder)},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs_in, 3),
                (os.POSIX_SPAWN_DUP2, theirs_out, 4),
                *((os.POSIX_SPAWN_DUP2, log, number) for number in (1, 2)),
            ],
            setpgroup=0,
        )
        for number in (theirs_in, theirs_out, log):
            os.close(number)
        self._rest = b""
        self._last = 0
        self.events: list[Json] = []

    def call(self, method: str, session: str | None = None, **parameters: object) -> Json:
        self._last += 1
        message: Json = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            found = self._next(until)
            if found.get("id") != self._last:
                self.events.append(found)
            elif "error" in found:
                raise PageError(f"{method}: {found['error']}")
            else:
                return dict(found["result"])

    def page(self) -> Page:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable", session)
        self.call("Page.addScriptToEvaluateOnNewDocument", session, source=_COUNT_TIMERS)
        return Page(self, session)

    def close(self) -> None:
        """Asked first, so that it sees to its own processes; then by force."""
        with contextlib.suppress(OSError, PageError):
            self.call("Browser.close")
        end = time.monotonic() + LEAVING_S
        while not (gone := os.waitpid(self._process, os.WNOHANG)[0]) and time.monotonic() < end:
            time.sleep(0.02)
        if not gone:
            os.killpg(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._out)
        os.close(self._in)

    def _next(self, until: float) -> Json:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise PageError("the browser does not answer")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))


_COUNT_TIMERS: Final = """
(() => {
  const later = window.setTimeout.bind(window), never = window.clearTimeout.bind(window), waiting = new Set();
  window.setTimeout = (run, after, ...rest) => {
    const id = later((...given) => { waiting.delete(id); run(...given); }, after, ...rest);
    // Longer ones take back what was said, such as "copied".
    if (after < 1000) waiting.add(id);
    return id;
  };
  window.clearTimeout = (id) => { waiting.delete(id); never(id); };
  window.timersOfThePage = { later, waiting };
})()
"""
_SETTLED: Final = """
new Promise((done) => {
  const { later, waiting } = window.timersOfThePage ?? { later: setTimeout, waiting: new Set() };
  const drawn = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  // What happened has been told by the second frame; then whatever it made wait has its time, and is drawn.
  const look = () => (waiting.size ? later(look, 5) : drawn(done));
  drawn(look);
})
"""


@dataclass
class Page:
    browser: Browser
    session: str
    opened: str = field(default="", init=False)

    def call(self, method: str, **parameters: object) -> Json:
        return self.browser.call(method, self.session, **parameters)

    def open(self, path: Path, place: str = "") -> None:
        self.opened = path.as_uri()
        self.call("Page.navigate", url="about:blank")
        self.browser.events.clear()
        self.call("Page.navigate", url=self.opened + place)
        self.until("document.querySelector('main h1')")

    def go(self, place: str) -> None:
        """To another view, as a link does."""
        self.run(f"location.hash = {json.dumps(place)}")
        self.until(f"location.hash === {json.dumps(place)} && document.querySelector('main h1')")
        self.settle()

    def run(self, script: str) -> Any:  # noqa: ANN401 - what the script gives
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in found:
            raise PageError(f"{script}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise PageError(f"never came true: {condition}")
            time.sleep(0.02)

    def settle(self) -> None:
        """Until what waits for typing to end, or for a new size, is drawn."""
        self.run(_SETTLED)

    def text(self, selector: str = "main") -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def texts(self, selector: str) -> list[str]:
        return list(self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.innerText)"))

    def click(self, selector: str, place: int = 0) -> None:
        self.run(f"document.querySelectorAll({json.dumps(selector)})[{place}].click()")
        self.settle()

    def press(self, key: str) -> None:
        of_key = {"key": key, "windowsVirtualKeyCode": _KEYS.get(key, ord(key[0].upper()))}
        text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **of_key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **of_key)
        self.settle()

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
        self.settle()

    def dark(self, on: bool) -> None:
        wanted = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.call("Emulation.setEmulatedMedia", features=wanted)
        self.settle()

    def sized(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.settle()

    def picture(self, path: Path, *, whole: bool = False) -> None:
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def printed(self, path: Path) -> None:
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """Errors and warnings of the page since it was opened, and whatever it asked the network for."""
        self.run("0")
        found = []
        for event in self.browser.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    found.append(str(parameters["exceptionDetails"]))
                case "Runtime.consoleAPICalled":
                    found.append(f"console: {parameters['args']}")
                case "Log.entryAdded":
                    found.append(f"log: {parameters['entry']['text']}")
                case "Network.requestWillBeSent" if not self._own(parameters["request"]["url"]):
                    found.append(f"asked for {parameters['request']['url']}")
        return found

    def _own(self, url: str) -> bool:
        """The page itself, or a picture of the browser's own controls."""
        return url.partition("#")[0] == self.opened or url.startswith("data:image/svg+xml;base64,")


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    moved = fcntl.fcntl(read, fcntl.F_DUPFD_CLOEXEC, _ABOVE), fcntl.fcntl(write, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
    os.close(read)
    os.close(write)
    return moved
