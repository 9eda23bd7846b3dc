"""The program that drives the browser, in a process of its own: only Playwright is imported.

Each line of the input is an order, each line of the output a message; both are JSON:

    {"open": address}                 opens a page in a fresh context, answered by a screen
    {"act": index, "fill": [...]}     acts on the screen shown last, answered by a screen
    {"look": {...}}                   looks at the page as it is, answered by {"looked": ...}
    {"request": method, ...}          a request of the page, answered by {"status": ...}
    {"screen": [...], "problems": []} what can be done now, and what went wrong since the last one
    {"looked": picture, ...}          a picture where one is wanted, and what was found

The end of the input, or of the process that started this one, ends everything.
"""

from __future__ import annotations

import base64
import ctypes
import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

ACTION_SECONDS = 8.0
"""Longest time for a page to become quiet after an action."""

QUIET_SECONDS = 0.06
"""A page is quiet when it has asked for nothing for so long; timers of a page may be slower."""

LARGEST_BODY = 1_000_000
"""Most bytes of a request that are handed over."""

SET_CHILD_SUBREAPER = 36
"""Command of ``prctl``."""

WINDOW = {"width": 960, "height": 600}
PICTURE_SCALE = 640 / 960
"""Size of the window in pixels, and how much smaller its pictures are: 640 pixels wide."""

PICTURE_QUALITY = 55
"""Quality of a JPEG: text stays readable, and a page needs some 15 kB."""

PHONE = {"width": 390, "height": 844}

SCREEN = """() => {
  const shown = e => !e.disabled && e.getClientRects().length > 0;
  const name = e => (e.getAttribute('aria-label') || e.innerText || e.value || e.title || e.name
                     || e.id || '').trim().replace(/\\s+/g, ' ').slice(0, 60);
  const fields = root => [...root].filter(e => e.matches('input,select,textarea') && !e.disabled
      && !['hidden', 'submit', 'button', 'image', 'reset', 'file'].includes(e.type));
  const all = [...document.querySelectorAll('input,select,textarea')];
  window.__evosearch = [...document.querySelectorAll('a[href],button,input[type=submit],'
    + 'input[type=button],[role=button],[role=link],[role=tab],[role=menuitem],[onclick],summary')
    ].filter(shown);
  window.__evosearchFields = all;
  const role = e => e.getAttribute('role') || ({A: 'link', BUTTON: 'button', INPUT: 'button'}
    )[e.tagName] || '';
  const label = f => (f.getAttribute('aria-label') || (f.labels && f.labels[0]
    && [...f.labels[0].childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('')) || ''
    ).trim().replace(/\\s+/g, ' ');
  return window.__evosearch.map((e, index) => ({
    index, role: role(e), name: name(e), link: e.tagName === 'A' ? e.href : '',
    owned: e.tagName === 'A' || Boolean(e.form),
    place: window.__evosearch.slice(0, index).filter(o => role(o) === role(e)
      && name(o) === name(e)).length,
    fields: (e.tagName === 'A' ? [] : fields(e.form ? e.form.elements : all.filter(f => !f.form)))
      .map(f => ({index: all.indexOf(f), name: f.name || f.id || f.placeholder || '', kind: f.type,
        label: label(f), value: f.value,
        options: f.tagName === 'SELECT' ? [...f.options].map(o => o.value) : []})),
  }));
}"""
"""Returns what can be clicked, with the fields that go with it, and remembers the elements."""

ACT = """({index, fill}) => {
  for (const {index, value} of fill) {
    const field = window.__evosearchFields[index];
    if (!field) continue;
    if (field.type === 'checkbox' || field.type === 'radio') {
      if (field.checked !== (value !== '')) field.click();
      continue;
    }
    const owner = Object.getPrototypeOf(field);
    Object.getOwnPropertyDescriptor(owner, 'value').set.call(field, value);
    for (const kind of ['input', 'change'])
      field.dispatchEvent(new Event(kind, {bubbles: true}));
  }
  const chosen = window.__evosearch[index];
  if (chosen) setTimeout(() => chosen.click(), 0);
}"""
"""Fills fields and clicks; the click comes after this returns, because it may leave the page."""


BROKEN_IMAGES = """origin => [...document.images].filter(e => e.complete && !e.naturalWidth
  && e.currentSrc.startsWith(origin + '/')).map(e => e.currentSrc)"""

TOO_WIDE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return '';
  const far = [...document.body.querySelectorAll('*')]
    .filter(e => e.getBoundingClientRect().right > width + 1).pop();
  return far ? far.tagName.toLowerCase() + (far.id ? '#' + far.id : '') : 'the page';
}"""
"""Returns the innermost element that does not fit into the window; empty where all do."""

VIOLATIONS = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(
  one => one.id + ': ' + one.help + ', at ' + one.nodes[0].target.join(' ')
    + (one.nodes.length > 1 ? ' and ' + (one.nodes.length - 1) + ' more' : ''))"""
"""Runs axe-core, which must be there."""


class PageDriver:
    """One browser, with one page at a time."""

    def __init__(self, browser: Any, error: type[Exception], origin: str) -> None:
        self._browser = browser
        self._error = error
        self._origin = origin
        self._context: Any = None
        self._page: Any = None
        self._open: set[int] = set()
        self._last = 0.0
        self._problems: list[dict[str, str]] = []
        self._status = 0
        """Status of the page's document."""

    def obey(self, order: dict[str, Any]) -> None:
        """Do what an order says, and tell what the page then shows."""
        if "look" in order:
            picture = self._looked(order["look"])
            say({"looked": picture, "problems": self._taken()})
            return
        try:
            if "open" in order:
                self._begin()
                self._page.goto(self._origin + order["open"], wait_until="commit")
            else:
                self._page.evaluate(ACT, {"index": order["act"], "fill": order["fill"]})
        except self._error as error:
            if "net::ERR_ABORTED" not in str(error) and "interrupted" not in str(error):
                self._note("hanging page", str(error).splitlines()[0])
        screen, html = self._screen()
        shown = {"screen": screen, "html": html, "at": self._page.url, "status": self._status}
        say({**shown, "problems": self._taken()})

    def _looked(self, wanted: dict[str, Any]) -> str:
        """Return a picture as base64, and note what else is wrong with the page as it is."""
        picture = ""
        try:
            taken = self._page.screenshot(type="jpeg", quality=PICTURE_QUALITY)
            picture = base64.b64encode(taken).decode()
            if wanted.get("axe"):
                self._page.evaluate(Path(wanted["axe"]).read_text("utf-8"))
                for violation in self._page.evaluate(VIOLATIONS):
                    self._note("accessibility", violation)
            if wanted.get("overflow"):
                self._page.set_viewport_size(PHONE)
                element = self._page.evaluate(TOO_WIDE)
                self._page.set_viewport_size(WINDOW)
                if element:
                    width = PHONE["width"]
                    self._note("overflow", f"{element} does not fit into {width} pixels")
        except self._error:
            pass  # the page is being left
        return picture

    def _begin(self) -> None:
        if self._context is not None:
            self._context.close()
        self._open.clear()
        self._problems.clear()
        self._status = 0
        self._context = self._browser.new_context(
            service_workers="block",
            accept_downloads=False,
            viewport=WINDOW,
            device_scale_factor=PICTURE_SCALE,
        )
        self._context.set_default_timeout(ACTION_SECONDS * 1000)
        self._context.route("**/*", self._answered)
        self._page = page = self._context.new_page()
        self._context.on("page", lambda other: other.close() if other is not page else None)
        page.on("dialog", lambda dialog: dialog.accept())
        page.on("request", self._began)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._failed)
        page.on("response", self._responded)
        page.on("pageerror", lambda error: self._note("uncaught error", str(error)))
        page.on("console", self._logged)

    def _screen(self) -> tuple[list[dict[str, Any]], str]:
        """Return what can be done on the quiet page, and its HTML as scripts have made it."""
        end = time.monotonic() + ACTION_SECONDS
        self._last = time.monotonic()
        while time.monotonic() < end:
            self._page.wait_for_timeout(QUIET_SECONDS * 500)
            if not self._open and time.monotonic() - self._last > QUIET_SECONDS:
                try:
                    screen: list[dict[str, Any]] = self._page.evaluate(SCREEN)
                    html: str = self._page.content()
                    broken = self._page.evaluate(BROKEN_IMAGES, self._origin)
                except self._error:
                    continue  # the page is being left
                for url in broken:
                    self._note("broken image", f"{self._place(url)} cannot be shown")
                return screen, html[:LARGEST_BODY]
        self._note("hanging page", f"not quiet after {ACTION_SECONDS:.0f} seconds")
        return [], ""

    def _answered(self, route: Any) -> None:
        request = route.request
        if not request.url.startswith(self._origin + "/") or request.url.endswith("/favicon.ico"):
            route.abort("blockedbyclient")
            return
        body = request.post_data_buffer or b""
        say(
            {
                "request": request.method,
                "target": request.url[len(self._origin) :].partition("#")[0],
                "headers": dict(request.headers),
                "cookies": {one["name"]: one["value"] for one in self._context.cookies()},
                "body": base64.b64encode(body[:LARGEST_BODY]).decode(),
                "leads": request.is_navigation_request(),
            }
        )
        answer = heard()
        self._last = time.monotonic()
        if not answer.get("status"):
            route.abort("failed")
            return
        content = base64.b64decode(answer["body"])
        route.fulfill(status=answer["status"], headers=answer["headers"], body=content)

    def _began(self, request: Any) -> None:
        self._open.add(id(request))
        self._last = time.monotonic()

    def _ended(self, request: Any) -> None:
        self._open.discard(id(request))
        self._last = time.monotonic()

    def _failed(self, request: Any) -> None:
        self._ended(request)
        failure = request.failure or ""
        if request.url.startswith(self._origin) and "ERR_FAILED" in failure:
            self._note("failed request", f"{request.method} {self._place(request.url)} failed")

    def _responded(self, response: Any) -> None:
        request, kind = response.request, response.request.resource_type
        if kind == "document" and request.frame == self._page.main_frame:
            self._status = response.status
            if response.status in (404, 410) and request.method == "GET":
                self._note("broken link", f"{self._place(request.url)} answers {response.status}")
        elif response.status >= 400 and kind not in ("document", "fetch", "xhr", "image"):
            self._note("failed request", f"{self._place(request.url)} answers {response.status}")

    def _logged(self, message: Any) -> None:
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._note("console error", message.text)

    def _place(self, url: str) -> str:
        return url[len(self._origin) :].partition("?")[0]

    def _note(self, kind: str, message: str) -> None:
        place = self._place(self._page.url) if self._page.url.startswith(self._origin) else ""
        self._problems.append({"kind": kind, "message": message, "page": place})

    def _taken(self) -> list[dict[str, str]]:
        taken, self._problems = self._problems, []
        return taken


def say(message: dict[str, Any]) -> None:
    """Write a line to the process that started this one."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def heard() -> dict[str, Any]:
    """Read a line; end this process where there is none."""
    line = sys.stdin.readline()
    if not line:
        raise SystemExit
    order: dict[str, Any] = json.loads(line)
    return order


def end_with(parent: int) -> None:
    """End this process when its parent has ended, also while a page does not answer."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)  # the browser ends when its pipe is closed


def adopt_orphans() -> None:
    """Let processes of the browser whose parent has ended become children of this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main(program: str, origin: str) -> None:
    """Start the browser, and obey until the input ends."""
    adopt_orphans()
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    library: Any = importlib.import_module("playwright.sync_api")
    with library.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            say({"ready": browser.version})
            driver = PageDriver(browser, library.Error, origin)
            while True:
                driver.obey(heard())
        finally:
            browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
