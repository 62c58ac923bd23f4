"""What a command changed, made reviewable: the text files that a run left become the declared files of a new intent,
which names the run that they come from (ADR 0504)."""

from __future__ import annotations

from ..canon.profiles import RAW
from ..contracts.pack import EVIDENCE, RUN
from ..contracts.patch import files_above, unsafe_path
from ..kernel.apply import ABSENT
from ..rules.checks import is_relative
from ..store import fs
from ..store.refused import BundleRefused
from .members import NothingToExport
from .target import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.fs import Dir
    from ..store.reader import VerifiedBundle

_OUTPUTS = "outputs/"
#: Nobody reviews a text of more; and an intent is one document, in memory.
MOST_FILE_BYTES = 4 << 20
MOST_BYTES = 16 << 20


class NoChanges(BundleRefused):
    """A run that changed nothing that a patch could hold."""

    def __init__(self, place: str, left_out: list[dict[str, str]]) -> None:
        found = f"none; {len(left_out)} left out" if left_out else "none"
        super().__init__("export.no_changes", place, "text files that the run made, changed or removed", found)
        self.details["left_out"] = [f"{file['path']}: {file['reason']}" for file in left_out]


class Changes:
    """The intent that declares what a run changed, what of it stays out, and what is to be said of it."""

    __slots__ = ("intent", "left_out", "warnings")

    def __init__(self, intent: dict[str, Any], left_out: list[dict[str, str]], warnings: list[str]) -> None:
        self.intent = intent
        self.left_out = left_out
        self.warnings = warnings

    def about(self) -> dict[str, Any]:
        """What a pack's meta.json tells of where its patch comes from."""
        return {"source": self.intent["context"]["source"], "left_out": self.left_out}


def changes_of(bundle: VerifiedBundle, workspace: str) -> Changes:
    """What the run changed, against the workspace that it began with: what is there is modified, what is not is
    created. Raises NothingToExport, NoChanges."""
    if RUN not in bundle.entries:
        raise NothingToExport(bundle.path, "a run of another kind")
    run: Any = bundle.document(RUN)
    evidence: Any = bundle.document(EVIDENCE) if EVIDENCE in bundle.entries else {"action_results": []}
    removed = [
        result["path"]
        for result in evidence["action_results"]
        if result["action"] == "delete" and result["exit_code"] == 0
    ]
    gathered = _Gathered(bundle, removed)
    root = fs.open_root(workspace)
    try:
        for output in (run["execution"] or {}).get("outputs", ()):
            gathered.take_output(root, output)
    finally:
        fs.close(root)
    files = gathered.files()
    if not files:
        raise NoChanges(bundle.path, gathered.left_out)
    source = {
        "run_id": bundle.run_id,
        "run_sha256": RAW.digest(bundle.read(RUN)).content_hash,
        "bundle_sha256": run["bundle"]["sha256"],
        "cmd": run["execution"]["cmd"],
    }
    goal = f"Make the changes of run {bundle.run_id}."
    warnings = gathered.warnings()
    if not run["decision"]["accepted"]:
        warnings.append(f"the run was rejected: {'; '.join(run['decision']['reasons'])}")
    return Changes({"goal": goal, "context": {"source": source, "work": {"files": files}}}, gathered.left_out, warnings)


class _Gathered:
    """The changes so far."""

    def __init__(self, bundle: VerifiedBundle, removed: list[str]) -> None:
        self._bundle = bundle
        self._removed = set(removed)
        self._files: dict[str, dict[str, Any]] = {}
        self._bytes = 0
        self._modes: list[str] = []
        self._there_already = self._of_git = 0
        self._left_out: list[dict[str, str]] = []
        for path in removed:
            if self._may_stand(path):
                self._files[path] = {"op": "delete", "path": path}

    @property
    def left_out(self) -> list[dict[str, str]]:
        """What git keeps for itself counts as one: a commit alone is a dozen files."""
        gits = [{"path": ".git", "reason": f"{self._of_git} files that git keeps for itself"}]
        return gits * bool(self._of_git) + self._left_out

    def take_output(self, root: Dir, output: dict[str, Any]) -> None:
        path = output["path"]
        text = self._text(path, output["size_bytes"]) if self._may_stand(path) else None
        if text is None:
            return
        # where a file was removed there is room for a directory
        was_removed = any(path.startswith(other + "/") for other in self._removed)
        here = ABSENT if was_removed else look(root, path).standing
        if here is not ABSENT and here.sha256 is None:
            self._leave_out(path, f"the workspace has {here.found} there")
            return
        self._there_already += here.sha256 == output["sha256"]
        if here is ABSENT and int(output.get("mode", "0644"), 8) & 0o111:
            self._modes.append(path)
        self._files[path] = {"op": "create" if here is ABSENT else "modify", "path": path, "content": text}

    def _may_stand(self, path: str) -> bool:
        """Whether a patch may name the path."""
        if path.split("/", maxsplit=1)[0].lower() == ".git":
            self._of_git += 1
            return False
        why = unsafe_path(path) if is_relative(path) else "a path that is not absolute"
        if why is not None:
            self._leave_out(path, f"a patch needs {why}")
        return why is None

    def _text(self, path: str, size: int) -> str | None:
        if size > MOST_FILE_BYTES or self._bytes + size > MOST_BYTES:
            self._leave_out(path, f"{size} bytes, more than anybody reviews")
            return None
        data = self._bundle.read(_OUTPUTS + path)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            self._leave_out(path, f"binary, {size} bytes")
            return None
        self._bytes += size
        return text

    def _leave_out(self, path: str, reason: str) -> None:
        self._left_out.append({"path": path, "reason": reason})

    def files(self) -> list[dict[str, Any]]:
        """The declared files. A path that is a file in one operation and a directory in another is left out, with what
        is below it: no patch can say both (PS5)."""
        for below, above in files_above(self._files).items():
            for path in (below, above):
                if self._files.pop(path, None) is not None:
                    self._leave_out(path, f"a file becomes a directory, or the other way round, at {above}")
        return [self._files[path] for path in sorted(self._files)]

    def warnings(self) -> list[str]:
        told = [f"{path}: a patch carries no mode, so the new file will not be executable" for path in self._modes]
        if self._there_already:
            told.append(
                f"{self._there_already} files are in the workspace already as the run left them: the pack fits this "
                "workspace, and perhaps not the one that the run began with"
            )
        return told
