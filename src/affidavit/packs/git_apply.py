"""Applies the patch of a pack to a git repository, on a branch of its own (GA1-GA12; contracts 2.10).

First everything is looked at and nothing is changed; then the branch is made and checked out, which changes no file as
it begins at the commit that is checked out; then the patch is applied, all of it or none; then, when that was asked
for, it is committed, and nothing else is. What fails on the way is taken back.
"""

from __future__ import annotations

import os
import tempfile

from ..canon.order import utf16
from ..canon.profiles import KERNEL, RAW
from ..contracts.git_apply import is_branch_name
from ..contracts.pack import PATCH, RUN
from ..kernel.apply import content_of
from ..rules.model import Finding
from ..rules.report import violation
from .apply import INTERRUPTED, apply_patch, why_not
from .change import Claim, undisturbed
from .git import GitFailed, nul_ended
from .loading import load_pack
from .repository import branch_for, filtered_paths, open_repository, unfit_paths
from .target import open_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from ..store.survey import Progress
    from ..values import Level
    from .change import Change
    from .repository import Branch, Repository

SCHEMA_VERSION = "1.0.0"
_NO_ID = "apply/manual"
#: Who makes a commit where the user told git nobody.
_OURS = {
    f"GIT_{who}_{what}": told
    for who in ("AUTHOR", "COMMITTER")
    for what, told in (("NAME", "affidavit"), ("EMAIL", "affidavit@localhost"))
}


class GitApplied:
    """A GitApplyResult; what git said where it failed, which may name places of the host; and whether an interrupted
    apply was rolled back before."""

    __slots__ = ("failure", "recovered", "result")

    def __init__(self, result: dict[str, Any], recovered: str = "nothing", failure: GitFailed | None = None) -> None:
        self.result = result
        self.recovered = recovered
        self.failure = failure


class _Refused(Exception):
    """Why nothing is applied, found on the way."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__(findings)
        findings = self.findings = sorted(findings, key=Finding.key)
        more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        place = f"{findings[0].path}: " if findings[0].path else ""
        self.error = f"{place}{findings[0].message}{more}"


def git_apply(
    pack: str | os.PathLike[str],
    repository: str | os.PathLike[str],
    *,
    branch: str | None = None,
    dry_run: bool = False,
    commit: bool = False,
    message: str | None = None,
    allow_dirty: bool = False,
    level: Level = "spec",
    progress: Progress | None = None,
) -> GitApplied:
    """The pack's patch, applied to the working tree. What does not fit, and what git did not do, is told in the result;
    what could not be read, and what an earlier apply left that nobody can undo, is raised."""
    loaded = load_pack(os.fspath(pack), level)
    report = _Report(dry_run)
    refused = why_not(loaded)
    if refused is not None:
        return GitApplied(report.ended("REFUSED", *refused))
    run: Any = loaded.value(RUN)
    report.run = run
    name = branch or f"apply/{run['run_id']}"
    if is_branch_name(name):
        report.branch["name"] = name
    elif branch is None:
        name = _NO_ID
    work = _Work(report, loaded.value(PATCH) or {}, name, allow_dirty=allow_dirty, progress=progress)
    path = os.fspath(repository)
    root = open_target(path)
    if isinstance(root, Finding):
        return GitApplied(report.refused(_Refused([Finding("GA2", "", root.expected, root.found)])))
    recovered = "nothing"
    try:
        with Claim(root) as claim:
            if dry_run and claim.left():
                return GitApplied(report.ended("REFUSED", INTERRUPTED))
            recovered = claim.recover()
            wanted = (message or _message(report)) if commit else None
            return GitApplied(work.carry_out(claim, path, wanted), recovered)
    except _Refused as found:
        return GitApplied(report.refused(found), recovered)
    except GitFailed as failure:
        return GitApplied(report.ended("FAILED", failure.stable), recovered, failure)
    finally:
        os.close(root)


def _message(report: _Report) -> str:
    told = report.source()
    return (
        f"Apply patch from pack\n\nPack run_id: {told['run_id']}\nBundle hash: {told['bundle_hash']}\n\n"
        "Applied via git-apply CLI\n"
    )


class _Report:
    """The GitApplyResult as far as it is known."""

    def __init__(self, dry_run: bool) -> None:
        self.dry_run = dry_run
        self.run: dict[str, Any] | None = None
        self.branch: dict[str, Any] = {"name": _NO_ID, "created": False, "head_before": None, "head_after": None}
        self.was_clean: bool | None = None
        self.is_clean: bool | None = None
        self.applied: dict[str, Any] | None = None
        self.changed: list[dict[str, Any]] = []
        self.commit: dict[str, str] | None = None

    def source(self) -> dict[str, Any]:
        run = self.run or {}
        return {"run_id": run.get("run_id"), "bundle_hash": (run.get("bundle") or {}).get("sha256")}

    def refused(self, found: _Refused) -> dict[str, Any]:
        return self.ended("REFUSED", found.error, [violation(finding) for finding in found.findings])

    def ended(self, outcome: str, error: str = "", violations: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        ops = [file["op"] for file in self.changed]
        written = self.applied["summary"]["total_bytes_written"] if self.applied else 0
        body: dict[str, Any] = {
            "git_apply_schema_version": SCHEMA_VERSION,
            "outcome": outcome,
            "dry_run": self.dry_run,
            "repo_root": ".",
            "branch": self.branch,
            "git_state": {"clean_before": self.was_clean, "clean_after": self.is_clean},
            "pack_source": self.source(),
            "apply_result_hash": self.applied and KERNEL.digest(self.applied).content_hash,
            "changed_files": self.changed,
            "summary": {
                "total_files": len(ops),
                "created": ops.count("create"),
                "modified": ops.count("modify"),
                "deleted": ops.count("delete"),
                "total_bytes_written": written,
            },
        }
        if self.commit:
            body["commit"] = self.commit
        if violations:
            body["violations"] = violations
        if error:
            body["error"] = error
        return body


class _Work:
    """One patch on its way into one repository."""

    def __init__(
        self,
        report: _Report,
        patch: dict[str, Any],
        branch: str,
        *,
        allow_dirty: bool,
        progress: Progress | None,
    ) -> None:
        self.progress = progress
        self.report = report
        self.branch = branch
        self.patch = patch
        self.paths = [operation["path"] for operation in patch["operations"]]
        self.allow_dirty = allow_dirty

    def carry_out(self, claim: Claim, path: str, message: str | None) -> dict[str, Any]:
        """Raises _Refused and GitFailed, and has then changed nothing."""
        report = self.report
        repository, branch = self._look(claim, path)
        would = apply_patch(claim, self.patch, dry_run=True)
        unfit = unfit_paths(repository, claim.root, self.patch["operations"]) if would["outcome"] == "SUCCESS" else []
        if unfit:
            raise _Refused(unfit)
        if would["outcome"] != "SUCCESS" or report.dry_run:
            report.applied = would
        else:
            with _CheckedOut(repository, branch) as checked_out:
                finish = _Finish(self.paths, repository, message, checked_out)
                report.applied = apply_patch(claim, self.patch, dry_run=False, finish=finish, progress=self.progress)
            if checked_out.stays:
                report.is_clean = self._is_clean(repository, finish)
            if finish.commit is not None:
                report.branch["head_after"] = finish.commit
                report.commit = {"sha": finish.commit, "message": message or ""}
        if report.applied["outcome"] != "SUCCESS":
            return report.ended(report.applied["outcome"], report.applied["error"], _unfit(report.applied))
        report.branch["created"] = branch.is_new
        report.changed = [_changed(operation) for operation in sorted(self.patch["operations"], key=_by_path)]
        return report.ended("SUCCESS")

    def _is_clean(self, repository: Repository, finish: _Finish) -> bool | None:
        """None where git does not tell any more: what was applied is applied all the same."""
        try:
            return not repository.dirty() and (finish.commit is not None or not self.paths)
        except GitFailed:
            return None

    def _look(self, claim: Claim, path: str) -> tuple[Repository, Branch]:
        report = self.report
        repository = open_repository(path, claim.root)
        if isinstance(repository, Finding):
            raise _Refused([repository])
        dirty = repository.dirty()
        report.was_clean = report.is_clean = not dirty
        report.branch["head_before"] = report.branch["head_after"] = repository.head
        if dirty and not self.allow_dirty:
            found = "changes that are not committed"
            raise _Refused([Finding("GA2", "", "a clean working tree, or --allow-dirty", found)])
        # what is changed and not committed would be gone for good
        ours = [Finding("GA2", path, "no uncommitted change of its own", "one") for path in self.paths if path in dirty]
        if ours:
            raise _Refused(ours)
        branch = branch_for(repository, self.branch)
        if isinstance(branch, Finding):
            raise _Refused([branch])
        return repository, branch


def _unfit(applied: dict[str, Any]) -> list[dict[str, Any]]:
    """Each operation that does not fit, as a violation of what operations need."""
    return [
        {"rule_id": "AS11", "path": result["path"], "message": result["error"]}
        for result in applied["operation_results"]
        if "error" in result
    ]


def _by_path(operation: dict[str, Any]) -> bytes:
    return utf16(operation["path"])


def _changed(operation: dict[str, Any]) -> dict[str, Any]:
    content = content_of(operation)
    digest = None if content is None else RAW.digest(content).content_hash
    return {"path": operation["path"], "op": operation["op"], "content_hash": digest}


class _CheckedOut:
    """The branch, made and checked out; taken back when this is left, unless it `stays`. No file is touched: the branch
    begins at the commit that is checked out."""

    def __init__(self, repository: Repository, branch: Branch) -> None:
        self._repository = repository
        self._branch = branch
        self._is_made = self._is_moved = False
        self.stays = False

    def __enter__(self) -> Self:
        git, head, branch = self._repository.git, self._repository.head, self._branch
        is_entered = False
        try:
            if branch.is_new and head is not None:
                git.do("update-ref", "-m", "git-apply: created", branch.ref, head, "0" * len(head))
                self._is_made = True
            if not branch.is_current:
                git.do("symbolic-ref", "-m", f"git-apply: moving to {branch.name}", "HEAD", branch.ref)
                self._is_moved = True
            is_entered = True
        finally:
            if not is_entered:
                self._take_back()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.stays:
            self._take_back()

    def _take_back(self) -> None:
        try:
            self._move_back()
        except GitFailed as error:
            raise GitFailed("git-apply", f"could not take branch and HEAD back: {error.stable}", str(error)) from None

    def _move_back(self) -> None:
        git, head, ref = self._repository.git, self._repository.head, self._repository.ref
        if self._is_moved and ref is not None:
            git.do("symbolic-ref", "-m", "git-apply: moving back", "HEAD", ref)
        elif self._is_moved and head is not None:
            git.do("update-ref", "--no-deref", "-m", "git-apply: moving back", "HEAD", head)
        if self._is_made and head is not None:
            git.do("update-ref", "-d", self._branch.ref, head)


class _Finish:
    """What is done between carrying the patch out and keeping it: the commit is made ready, so that little is left that
    can fail once the files are kept."""

    def __init__(self, paths: list[str], repository: Repository, message: str | None, checked_out: _CheckedOut) -> None:
        self._checked_out = checked_out
        self._paths = paths
        self._repository = repository
        self._git = repository.git
        self._head = repository.head
        self._message = message
        self.commit: str | None = None

    def __call__(self, change: Change) -> None:
        # a .gitattributes of the patch's own counts from here on
        filtered = filtered_paths(self._repository, self._paths)
        if filtered:
            raise _Refused(filtered)
        commit = None if self._message is None or not self._paths else self._make_commit(self._message)
        with undisturbed():  # an interrupt comes before all of this, or after
            # the index after the files are kept: what rolls these back after a kill does not know of it
            change.keep()
            if commit is not None and self._message is not None:
                self._commit(change, commit, self._message)
            self._checked_out.stays = True

    def _commit(self, change: Change, commit: str, message: str) -> None:
        try:
            self._stage({})
            try:
                self._move_head(commit, message)
                self.commit = commit
            finally:
                if self.commit is None:
                    words = ("reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul")
                    self._git.do(*words, stdin=nul_ended(self._paths))
        finally:
            if self.commit is None:
                change.take_back()

    def _make_commit(self, message: str) -> str:
        """The commit that is checked out with our paths as they are now, whatever else is staged. Nothing refers to it
        yet."""
        with tempfile.TemporaryDirectory(prefix="affidavit-") as place:
            index = {"GIT_INDEX_FILE": os.path.join(place, "index")}
            self._git.do("read-tree", self._head or "--empty", environment=index)
            self._stage(index)
            tree = self._git.do("write-tree", environment=index).decode().strip()
        parent = ["-p", self._head] if self._head else []
        identity = {} if self._git.has_identity() else _OURS
        words = ("commit-tree", tree, *parent, "-F", "-")
        return self._git.do(*words, stdin=message.encode(), environment=identity).decode().strip()

    def _stage(self, index: dict[str, str]) -> None:
        self._git.do(
            "update-index", "--add", "--remove", "-z", "--stdin", stdin=nul_ended(self._paths), environment=index
        )

    def _move_head(self, commit: str, message: str) -> None:
        subject = "commit: " + message.split("\n", maxsplit=1)[0]
        self._git.do("update-ref", "-m", subject, "HEAD", commit, self._head or "0" * len(commit))
