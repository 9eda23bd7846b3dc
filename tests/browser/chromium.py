"""A headless Chromium on a pair of pipes: the DevTools protocol without any dependency."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)


def find_chromium() -> str | None:
    """Return the path of an installed browser, None when there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page of a running browser."""

    def __init__(self, send: int, receive: int) -> None:
        self._send = send
        self._receive = receive
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; what happens meanwhile goes to `events`."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._receive, 1 << 16)
            assert data, "the browser is gone"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def wait_for(self, method: str) -> dict[str, Any]:
        """Return the next event called `method`."""
        while True:
            for index, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(index)
            self.events.append(self._next())

    def show(self, width: int, scheme: str = "light") -> None:
        """Give the window its width in pixels and the system its colour scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, file: Path, fragment: str = "") -> None:
        """Load a page and wait until it has loaded."""
        self.events.clear()
        self.call("Page.navigate", url="about:blank")
        self.wait_for("Page.loadEventFired")
        self.events.clear()
        self.call("Page.navigate", url=file.as_uri() + fragment)
        self.wait_for("Page.loadEventFired")

    def run(self, expression: str) -> Any:
        """Evaluate JavaScript in the page and return its value; of a promise, what it comes to."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_until(self, expression: str) -> None:
        """Wait until JavaScript says something true, at most ten seconds of the page's clock."""
        assert self.run(
            "new Promise(resolve => { const end = performance.now() + 10000; const look = () =>"
            f"({expression}) || performance.now() > end ? resolve(Boolean({expression}))"
            ": setTimeout(look, 20); look(); })"
        ), expression

    def settle(self) -> None:
        """Wait until the page has drawn twice: what was scrolled is in its place then."""
        self.run("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => f())))")

    def click(self, selector: str) -> None:
        """Click the middle of the first element that matches, with a real mouse event."""
        self.run(
            f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})"
        )
        self.settle()
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "const r = e.getBoundingClientRect();"
            "return [r.left + Math.min(r.width, 120) / 2, r.top + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=box[0],
                y=box[1],
                button="left",
                clickCount=1,
            )

    def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text
            )

    def type(self, text: str) -> None:
        """Type into the focused element."""
        self.call("Input.insertText", text=text)

    def problems(self) -> list[str]:
        """Return what the page complained about, asked for from the network, or popped up."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method in (
                "Runtime.exceptionThrown",
                "Log.entryAdded",
                "Page.javascriptDialogOpening",
            ):
                found.append(f"{method} {parameters}")
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("file:", "about:", "data:")):
                    found.append(f"request {url}")
        return found


@contextmanager
def chromium(path: str, profile: Path) -> Iterator[Browser]:
    """Run a browser until the end of the block."""
    to_browser, from_us = os.pipe()
    from_browser, to_us = os.pipe()

    def place_pipes() -> None:
        # The protocol is spoken on descriptors 3 (commands) and 4 (answers).
        commands, answers = os.dup(to_browser), os.dup(to_us)
        os.dup2(commands, 3)
        os.dup2(answers, 4)

    process = subprocess.Popen(
        [path, *FLAGS, f"--user-data-dir={profile}"],
        preexec_fn=place_pipes,
        close_fds=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(to_us)
    try:
        yield Browser(from_us, from_browser)
    finally:
        process.terminate()
        process.wait(timeout=20)
        os.close(from_us)
        os.close(from_browser)
