"""A git repository that a patch is to be applied to: what it is and in which state, found without changing it (GA2,
GA6)."""

from __future__ import annotations

import os
import stat

from ..contracts.git_apply import is_branch_name
from ..kernel.apply import ABSENT
from ..rules.model import Finding
from ..shown import shown
from ..store import fs
from .git import Git, GitFailed
from .target import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: What stands in git's directory while something is half done.
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")
_HEADS = "refs/heads/"
_GITLINK = "160000"
_NO_REPOSITORY = "the top of the working tree of a git repository"


class Repository:
    """A working tree with its repository. `head` is the commit that is checked out, None where there is none yet;
    `ref` the branch, None where HEAD is detached."""

    __slots__ = ("git", "head", "ref")

    def __init__(self, git: Git) -> None:
        self.git = git
        self.head = git.line("rev-parse", "--quiet", "--verify", "HEAD^{commit}")
        self.ref = git.line("symbolic-ref", "--quiet", "HEAD")

    def dirty(self) -> set[str]:
        """The tracked files that differ from the commit, and what is staged. Files that git does not track do not
        count: a run's own output folder is one (ADR 0501)."""
        told = self.git.do(
            "status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames"
        )
        return {entry[3:] for entry in told.decode("utf-8", "surrogateescape").split("\0") if entry}


class Branch:
    """Where the patch goes: the branch's name, its ref, and whether it has to be made."""

    __slots__ = ("is_current", "is_new", "name", "ref")

    def __init__(self, name: str, *, is_new: bool, is_current: bool) -> None:
        self.name = name
        self.ref = _HEADS + name
        self.is_new = is_new
        self.is_current = is_current


def open_repository(path: str, root: int) -> Repository | Finding:
    """The repository whose working tree begins at `path`, which `root` is a descriptor of; or why there is none that
    may be written to. Raises GitFailed."""
    mode = fs.mode_of(root, ".git")
    if mode is None or not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        found = "none" if mode is None else f"{fs.what(mode)} named .git"
        return Finding("GA2", "", _NO_REPOSITORY, found)
    ours = os.geteuid()
    if any(facts.st_uid != ours for facts in (os.fstat(root), fs.status(root, ".git"))):
        return _foreign()  # before git reads a configuration that somebody else wrote
    git = Git(path)
    try:
        told = git.do("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    except GitFailed:
        return Finding("GA2", "", _NO_REPOSITORY, "what git takes for none")
    top, directory, common = told.decode("utf-8", "surrogateescape").split("\n")[:3]
    if not _is_same(top, root):
        return Finding("GA2", "", _NO_REPOSITORY, "a repository whose working tree is elsewhere")
    if any(os.stat(place).st_uid != ours for place in (directory, common)):
        return _foreign()
    for name in _UNFINISHED:
        if os.path.lexists(os.path.join(directory, name)):
            return Finding("GA2", "", "a repository with nothing half done", f"{name} in it")
    return Repository(git)


def _foreign() -> Finding:
    return Finding("GA2", "", "a repository of your own", "one that belongs to another user")


def _is_same(path: str, directory: int) -> bool:
    try:
        found, wanted = os.stat(path), os.fstat(directory)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino)


def branch_for(repository: Repository, name: str) -> Branch | Finding:
    """The branch of that name: the one that is checked out, or one that can be without changing any file (ADR 0501)."""
    git = repository.git
    if not is_branch_name(name) or git.ask("check-ref-format", _HEADS + name) is None:
        return Finding("GA6", "", "a name that git takes for a branch", shown(name))
    ref = _HEADS + name
    if repository.ref == ref:
        return Branch(name, is_new=False, is_current=True)
    worktrees = git.do("worktree", "list", "--porcelain", "-z").split(b"\0")
    if b"branch " + ref.encode() in worktrees:
        return Finding("GA6", "", f"a branch {shown(name)} that is free", "one checked out in another working tree")
    commit = git.line("rev-parse", "--quiet", "--verify", ref)
    if commit is not None:
        if commit != repository.head:
            found = "one of another commit: switch to it first, or name another branch"
            return Finding("GA6", "", f"no branch {shown(name)}, or one of the commit that is checked out", found)
        return Branch(name, is_new=False, is_current=False)
    first = _HEADS + name.split("/", maxsplit=1)[0]
    for other in git.do("for-each-ref", "--format=%(refname)", first).decode("utf-8", "surrogateescape").split("\n"):
        if other and (other.startswith(ref + "/") or ref.startswith(other + "/")):
            return Finding("GA6", "", f"room for a branch {shown(name)}", f"the branch {shown(other[len(_HEADS) :])}")
    return Branch(name, is_new=True, is_current=False)


def unfit_paths(repository: Repository, root: int, operations: Iterable[dict[str, str]]) -> list[Finding]:
    """The paths that are not this repository's to write: in a submodule or another repository, hidden by a sparse
    checkout, or with a filter that would start a program."""
    ops = {operation["path"]: operation["op"] for operation in operations}
    above = {path[:at] for path in ops for at, character in enumerate(path) if character == "/"}
    modes = repository.git.tracked(ops.keys() | above)
    foreign = {place for place in above if modes.get(place) == _GITLINK or _holds_repository(root, place)}
    found: list[Finding] = []
    for path, op in ops.items():
        if modes.get(path) == _GITLINK or any(path.startswith(place + "/") for place in foreign):
            found.append(Finding("GA4", path, "a path of this repository", "one in a submodule or another repository"))
        elif op == "create" and path in modes and look(root, path).standing is ABSENT:
            found.append(Finding("GA4", path, "a path that git does not track", "one that it tracks and left out"))
    return found + filtered_paths(repository, ops)


def filtered_paths(repository: Repository, paths: Iterable[str]) -> list[Finding]:
    return [
        Finding("GA8", path, "no attribute that starts a program", "a filter")
        for path in repository.git.filtered(paths)
    ]


def _holds_repository(root: int, place: str) -> bool:
    return look(root, place + "/.git").standing is not ABSENT
