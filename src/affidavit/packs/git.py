"""Runs git in a repository that somebody else may have prepared: local commands only, and nothing that its
configuration would start (GA8; contracts 2.10).

Hooks, the filesystem monitor, signing, external diff, credential helpers, pagers, editors, transports and automatic
maintenance are off by `-c`; and so is every filter driver, by name. The environment is made anew: no variable of the
caller steers git elsewhere. What an attribute of a path would start, `git_apply` refuses besides.
"""

from __future__ import annotations

import os
import subprocess

from ..errors import AffidavitError
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..errors import Kind

_OFF = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.alternateRefsCommand=",
    "commit.gpgSign=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "i18n.commitEncoding=UTF-8",
)
_FILTER_COMMANDS = ("clean", "smudge", "process")
#: Who a commit is by is the user's business.
_PASSED_ON = (
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    *(f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")),
)
_SET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # asking changes nothing, not even the index
    "GIT_NO_LAZY_FETCH": "1",
}
_TIMEOUT = 300
_LONGEST_TOLD = 500
_CHUNK = 1 << 16


class GitFailed(AffidavitError):
    """git could not be started, or did not do what it was asked. What it says is for the person at the terminal; it may
    name places of this host."""

    kind: Kind = "internal"

    def __init__(self, command: str, why: str, said: str = "") -> None:
        told = plain(" ".join(said.split()))[:_LONGEST_TOLD]
        super().__init__("git.failed", f"git {command} {why}" + (f": {told}" if told else ""))
        self.stable = f"git {command} {why}"


class Git:
    """git in one directory. `drivers` are the names of the filter drivers that start a program."""

    __slots__ = ("_directory", "_environment", "_off", "drivers")

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | _SET
        self._off: list[str] = []
        for setting in _OFF:
            self._off += ["-c", setting]
        self.drivers = self._drivers()
        for name in sorted(self.drivers):
            if "=" in name or "\n" in name:
                raise GitFailed("config", f"names a filter that cannot be switched off, {plain(name)!r}")
            for command in _FILTER_COMMANDS:
                self._off += ["-c", f"filter.{name}.{command}="]
            self._off += ["-c", f"filter.{name}.required=false"]

    def _drivers(self) -> set[str]:
        named = self.ask("config", "-z", "--name-only", "--get-regexp", r"^filter\.")
        found: set[str] = set()
        for key in (named or b"").decode("utf-8", "surrogateescape").split("\0"):
            name, _, command = key.removeprefix("filter.").rpartition(".")
            if command in _FILTER_COMMANDS:
                found.add(name)
        return found

    def do(self, *words: str, stdin: bytes = b"", environment: dict[str, str] | None = None) -> bytes:
        """What the command writes. Raises GitFailed where it does not end well."""
        done = self._run(words, stdin, environment or {})
        if done.returncode:
            raise GitFailed(words[0], f"ended with {done.returncode}", done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def ask(self, *words: str) -> bytes | None:
        """What the command writes; None where it says no, by status 1."""
        done = self._run(words, b"", {})
        if done.returncode == 1:
            return None
        if done.returncode:
            raise GitFailed(words[0], f"ended with {done.returncode}", done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def line(self, *words: str) -> str | None:
        """The one line that the command writes; None where it says no."""
        told = self.ask(*words)
        return None if told is None else told.decode("utf-8", "surrogateescape").removesuffix("\n")

    def _run(
        self, words: tuple[str, ...], stdin: bytes, environment: dict[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 -- git, with words of our own
                self._command(words),
                input=stdin,
                capture_output=True,
                cwd=self._directory,
                env=self._environment | environment,
                timeout=_TIMEOUT,
                check=False,
            )
        except OSError as error:
            raise GitFailed(words[0], f"could not be started: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise GitFailed(words[0], f"took more than {_TIMEOUT} seconds") from None

    def _command(self, words: Iterable[str]) -> list[str]:
        return ["git", "--no-pager", "--literal-pathspecs", *self._off, *words]

    def tracked(self, wanted: set[str]) -> dict[str, str]:
        """The modes of those paths that the index holds, by path. The whole index goes by, and is not kept."""
        found: dict[str, str] = {}
        for entry in self._entries("ls-files", "-z", "--stage"):
            facts, _, path = entry.partition("\t")
            if path in wanted:
                found[path] = facts.split(" ")[0]
        return found

    def _entries(self, *words: str) -> Iterator[str]:
        """What the command writes, entry by entry, each ended by NUL."""
        with subprocess.Popen(  # noqa: S603 -- as above
            self._command(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._directory,
            env=self._environment,
        ) as process:
            assert process.stdout is not None
            rest = b""
            while piece := process.stdout.read(_CHUNK):
                *whole, rest = (rest + piece).split(b"\0")
                for entry in whole:
                    yield entry.decode("utf-8", "surrogateescape")
        if process.returncode:
            raise GitFailed(words[0], f"ended with {process.returncode}")

    def filtered(self, paths: Iterable[str]) -> list[str]:
        """The paths whose attributes would start a program."""
        told = self.do("check-attr", "-z", "--stdin", "filter", stdin=nul_ended(paths))
        fields = told.decode("utf-8", "surrogateescape").split("\0")
        return [fields[at] for at in range(0, len(fields) - 2, 3) if fields[at + 2] in self.drivers]

    def has_identity(self) -> bool:
        """Whether the user told git who makes commits; git would else make somebody up from host and user name."""
        return all(
            f"GIT_{who}_{what}" in self._environment or self.ask("config", f"user.{what.lower()}")
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        )


def nul_ended(paths: Iterable[str]) -> bytes:
    return b"".join(path.encode() + b"\0" for path in paths)
