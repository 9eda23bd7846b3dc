"""Which endpoint is being called: threads note who started them, a dying run notes its cause."""

from __future__ import annotations

from collections.abc import Callable


class CurrentCall:
    """The endpoint of the call that runs now, or ran last."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.is_running = False
        self.announce: Callable[[str], None] | None = None
        """Called with the endpoint before each call, and with an empty text after it."""

    def begin(self, endpoint: str) -> None:
        """Note that the call of `endpoint` begins."""
        self.endpoint, self.is_running = endpoint, True
        if self.announce is not None:
            self.announce(endpoint)

    def end(self) -> None:
        """Note that the call is over; threads that it has started still belong to it."""
        self.is_running = False
        if self.announce is not None:
            self.announce("")
