"""A run of the harness as it was recorded: in its run directory, or in a pack of it, verified in full either way."""

from __future__ import annotations

import os

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts import pack
from ..packs.loading import load_pack
from ..sandbox.request import FIXED_ENVIRONMENT
from ..store.reader import load_bundle
from .result import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.reader import VerifiedBundle

_DOCUMENTS = (pack.RUN, pack.BUNDLE, pack.EVIDENCE, pack.RUNNER)
_INTENT = "intent.json"
_OUTPUTS = "outputs/"
RESULTS = "results"


class Recorded:
    """The documents that tell of a run, and the bytes of what it left where these were kept."""

    __slots__ = ("_bundle", "checks", "documents", "intent", "is_pack")

    def __init__(self, path: str) -> None:
        self.documents: dict[str, Any] = {}
        #: The intent's bytes; a pack has none.
        self.intent: bytes | None = None
        self._bundle: VerifiedBundle | None = None
        self.is_pack = not _is_run(path)
        if self.is_pack:
            loaded = load_pack(path, "spec", _DOCUMENTS)
            found = [f"{one.path}: {one.message}" for one in loaded.report.findings]
            self.checks = [Check("VERIFIED", "fail" if found else "pass", found)]
            if not found:
                self.documents = {name: loaded.value(name) for name in _DOCUMENTS if loaded.has(name)}
        else:
            bundle = self._bundle = load_bundle(path)
            self.checks = [Check("VERIFIED", "pass", [])]
            self.documents = {name: read(bundle.read(name)) for name in _DOCUMENTS if name in bundle.entries}
            if _INTENT in bundle.entries:
                self.intent = bundle.read(_INTENT)

    @property
    def run(self) -> dict[str, Any]:
        found: dict[str, Any] = self.documents[pack.RUN]
        return found

    @property
    def execution(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.run["execution"]
        return found

    def made(self) -> dict[str, bytes]:
        """What the run left, by name: its streams, its outputs and the results of its commands and tests. A pack has
        the digests of streams and outputs, and these stand in their place."""
        execution = self.execution
        assert execution is not None, "nothing was executed"
        found = {name: self._kept(name, execution[f"{name}_sha256"]) for name in ("stdout", "stderr")}
        for output in execution["outputs"]:
            name = _OUTPUTS + output["path"]
            found[name] = self._kept(name, output["sha256"])
        evidence = self.documents.get(pack.EVIDENCE)
        if evidence is not None:
            found[RESULTS] = results(evidence["test_results"])
        return found

    def _kept(self, name: str, digest: str) -> bytes:
        return digest_text(digest) if self._bundle is None else self._bundle.read(name)

    def variables(self) -> list[str]:
        """The names of the variables that commands were given from outside, as far as that is recorded."""
        runner = self.documents.get(pack.RUNNER)
        named = runner["context"]["env_allowlist"] if runner is not None else []
        return [name for name in named if name not in FIXED_ENVIRONMENT]

    def was_sandboxed(self) -> bool:
        runner = self.documents.get(pack.RUNNER)
        return runner is None or runner["sandbox"]["backend"] != "none"


def digest_text(digest: str) -> bytes:
    """What stands for bytes that nobody kept."""
    return canonical({"sha256": digest})


def results(rows: list[dict[str, Any]]) -> bytes:
    """What commands and tests ended with, without the digests of what they said."""
    return canonical({row["test_id"]: {"exit_code": row["exit_code"], "passed": row["passed"]} for row in rows})


def _is_run(path: str) -> bool:
    names = ("run_status.json", "artifact_index.json", "LATEST")
    return any(os.path.lexists(os.path.join(path, name)) for name in names)
