"""Real git repositories, apart from whatever the host's git is set up to do."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(place: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=place,
        env=_ENVIRONMENT,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, (words, done.stderr.decode())
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def commit_all(place: Path, message: str = "a commit") -> str:
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", message)
    return git(place, "rev-parse", "HEAD")


def make_repository(place: Path, files: dict[str, bytes] | None = None) -> Path:
    """A repository with one commit of these files on branch main; without files, with no commit."""
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    for name, data in (files or {}).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    if files:
        commit_all(place)
    return place
