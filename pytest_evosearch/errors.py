"""The exception tree: a user can correct these mistakes; every other exception is a bug here.

EvosearchError
└── EvosearchUsageError            a user can correct it: one line, what, where, what to do (exit 4)
    ├── ApplicationNotFound        no Flask application was found
    ├── InvalidSetting             an option or ini value that cannot be used
    ├── HookFailed                 a hook of the project raised, or returned what cannot be used
    └── NothingToGenerate          no endpoint is left after selection (exit 5)

KeyboardInterrupt
├── StopAtOnce                     the user pressed Ctrl-C again; an application cannot raise it
└── StartTookTooLong               the time of the command is over before the application is there

BaseException
└── CutOff                         raised into a call that takes too long
"""

from __future__ import annotations


class EvosearchError(Exception):
    """Every exception that pytest-evosearch raises on purpose."""


class EvosearchUsageError(EvosearchError):
    """A mistake that the user can correct; the message is one line: what, where, what to do."""


class ApplicationNotFound(EvosearchUsageError):
    """No Flask application was found, or none could be created."""


class InvalidSetting(EvosearchUsageError, ValueError):
    """An option, ini value or tunable that cannot be used."""


class HookFailed(EvosearchUsageError):
    """A hook of the project raised an exception, or returned a value that cannot be used."""


class NothingToGenerate(EvosearchUsageError):
    """No endpoint is left to search after selection."""


class StopAtOnce(KeyboardInterrupt):
    """The user pressed Ctrl-C again; an application raises only a plain `KeyboardInterrupt`."""


class StartTookTooLong(KeyboardInterrupt):
    """The time of the whole command is over, and the application is still being set up."""


class CutOff(BaseException):
    """Raised into a call that takes too long, by the code that limits its time."""
