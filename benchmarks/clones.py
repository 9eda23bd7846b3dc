"""Clones of public repositories as they lie on this machine: a git directory, no work tree."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE_MODES = ("100644", "100755")
LINK_MODE = "120000"


def find_git_directory(name: str, clones: Path) -> Path:
    """Return the git directory of ``owner/name``.

    Raises:
        FileNotFoundError: when it is not there.

    """
    base = clones / name.replace("/", "+")
    for path in (base / "repo" / ".git", base / "repo", base / ".git", base):
        if (path / "HEAD").exists():
            return path
    raise FileNotFoundError(f"no clone of {name} below {clones}")


@dataclass(frozen=True)
class Entry:
    """One file of a commit; a clone may lack the content of a large one."""

    mode: str
    object_name: str
    size: int
    path: str


@dataclass(frozen=True)
class Clone:
    """One commit of a repository."""

    git_directory: Path
    commit: str

    @classmethod
    def newest(cls, git_directory: Path) -> Clone:
        """Return the newest commit of a clone."""
        head = _git(git_directory, "rev-parse", "HEAD").decode().strip()
        return cls(git_directory, head)

    def is_there(self) -> bool:
        """Return whether the clone has the commit."""
        asked = [*_command(self.git_directory), "cat-file", "-e", f"{self.commit}^{{commit}}"]
        return not subprocess.run(asked, capture_output=True, check=False).returncode

    def day(self) -> str:
        """Return the day of the commit, such as ``2023-04-30``."""
        return _git(self.git_directory, "show", "-s", "--format=%cs", self.commit).decode().strip()

    def entries(self) -> Iterator[Entry]:
        """Yield the files and links of the commit."""
        for line in _git(self.git_directory, "ls-tree", "-rz", self.commit).split(b"\0"):
            if not line:
                continue
            head, path = line.split(b"\t", 1)
            mode, kind, object_name = head.decode().split()
            if kind == "blob":
                yield Entry(mode, object_name, 0, path.decode(errors="replace"))

    def files(self) -> dict[str, int]:
        """Return the sizes of the files by path; what the clone lacks counts as nothing."""
        entries = [entry for entry in self.entries() if entry.mode in FILE_MODES]
        sizes = _batch(self.git_directory, "--batch-check", [one.object_name for one in entries])
        found = [line.split() for line in sizes.decode().splitlines()]
        return {
            entry.path: int(parts[2]) if len(parts) == 3 else 0
            for entry, parts in zip(entries, found, strict=True)
        }

    def read(self, path: str) -> str:
        """Return a text file, whatever it is encoded in; empty where the clone lacks it."""
        finished = subprocess.run(
            [*_command(self.git_directory), "show", f"{self.commit}:{path}"],
            capture_output=True,
            check=False,
        )
        return decode(finished.stdout)

    def export(self, folder: Path) -> list[str]:
        """Write the commit into a new folder, and return the paths that the clone lacks.

        A link that leads out of the folder is left out.
        """
        folder.mkdir(parents=True)
        lacking = []
        entries = [one for one in self.entries() if one.mode in (*FILE_MODES, LINK_MODE)]
        for entry, content in zip(entries, self._contents(entries), strict=True):
            if content is None:
                lacking.append(entry.path)
            elif entry.mode == LINK_MODE:
                _write_link(folder, entry.path, content.decode(errors="replace"))
            else:
                target = folder / entry.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                target.chmod(0o755 if entry.mode == "100755" else 0o644)
        return lacking

    def _contents(self, entries: list[Entry]) -> Iterator[bytes | None]:
        """Yield what `git cat-file --batch` has of each entry, None where it is missing."""
        stream = _batch(self.git_directory, "--batch", [one.object_name for one in entries])
        position = 0
        for _entry in entries:
            end = stream.index(b"\n", position)
            parts = stream[position:end].split()
            position = end + 1
            if len(parts) != 3:
                yield None
                continue
            size = int(parts[2])
            yield stream[position : position + size]
            position += size + 1


def _write_link(folder: Path, path: str, goal: str) -> None:
    link = folder / path
    link.parent.mkdir(parents=True, exist_ok=True)
    reached = (link.parent / goal).resolve()
    if reached.is_relative_to(folder.resolve()):
        link.symlink_to(goal)


def decode(content: bytes) -> str:
    """Return the text of a file, also of one that Windows wrote."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    if content[:200].count(b"\0") > 10:
        return content.decode("utf-16-le", errors="replace")
    return content.decode("utf-8-sig", errors="replace")


def _command(git_directory: Path) -> list[str]:
    return ["git", f"--git-dir={git_directory}"]


def _git(git_directory: Path, *arguments: str) -> bytes:
    command = [*_command(git_directory), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _batch(git_directory: Path, how: str, names: list[str]) -> bytes:
    command = [*_command(git_directory), "cat-file", how]
    text = "".join(f"{name}\n" for name in names).encode()
    return subprocess.run(command, input=text, check=True, capture_output=True).stdout
