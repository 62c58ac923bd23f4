"""What `affidavit diff` compares, read from where it lies: verified first, so that what is told of it is true."""

from __future__ import annotations

import os

from ..contracts.pack import LEDGER, MEMBERS, RUN
from ..errors import AffidavitError, ParseError, UsageError
from ..kernel.diff import Side
from ..shown import plain
from .recognise import holds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..errors import Kind
    from ..rules.model import Report
    from ..values import Json
    from .progress import Progress

_OUTPUTS = "outputs/"
#: Of a run directory: what the store writes about it, which is another each time.
_OF_THE_STORE = ("run_status.json", "artifact_index.json", "repair_log.json")
#: Of a sealed run: what is derived from its other members.
_DERIVED = ("ARTIFACT_INDEX.json", "SHA256SUMS.txt")


class Unverified(AffidavitError):
    """Something that does not verify is not compared: what it says of itself may not be so."""

    kind: Kind = "io"

    def __init__(self, place: str, report: Report) -> None:
        first = report.findings[0]
        message = f"{plain(place)}: expected a {report.document} that verifies, found {first.rule_id}: {first.message}"
        super().__init__("diff.unverified", message, path=plain(place))


def side_of(path: str, progress: Progress) -> Side:
    """What stands at `path`: a run directory or an out folder's latest, a pack, a sealed run of an engine."""
    if not os.path.isdir(path):
        return _pack(path)
    if holds("ENGINE_MANIFEST.json", "RUN_META.json", "SHA256SUMS.txt")(path):
        return _engine(path)
    if holds("run_status.json", "artifact_index.json", "LATEST")(path) or not holds(*MEMBERS)(path):
        return _run(path, progress)
    return _pack(path)


def _pack(path: str) -> Side:
    from ..packs.loading import load_pack

    loaded = load_pack(path, "spec", MEMBERS)
    if not loaded.report.ok:
        raise Unverified(path, loaded.report)
    documents: dict[str, Json] = {name: loaded.value(name) for name in MEMBERS if name != LEDGER and loaded.has(name)}
    return Side("pack", path, documents, _outputs(documents[RUN]))


def _outputs(run: Any) -> dict[str, tuple[str, int]]:
    """The files that a run left, as its result tells of them."""
    outputs = (run["execution"] or {}).get("outputs", ())
    return {output["path"]: (output["sha256"].removeprefix("sha256:"), output["size_bytes"]) for output in outputs}


def _run(path: str, progress: Progress) -> Side:
    from ..store.reader import load_bundle

    bundle = load_bundle(path, progress=progress)
    names = [name for name in bundle.entries if name.endswith(".json") and name not in _OF_THE_STORE]
    names = [name for name in names if not name.startswith(_OUTPUTS)]
    documents: dict[str, Json] = {}
    for name in names:
        try:
            documents[name] = bundle.document(name)
        except ParseError:
            continue  # a file like any other, compared by its digest
    if RUN in documents:
        return Side("run", bundle.path, documents, _outputs(documents[RUN]))
    files = {
        name: (str(entry["sha256"]), int(entry["file_size"]))
        for name, entry in bundle.entries.items()
        if name not in documents and name not in _OF_THE_STORE
    }
    return Side("plan run", bundle.path, documents, files, repeated_id=bundle.run_id)


def _engine(path: str) -> Side:
    from ..contracts.engine_bundle import examine_engine_bundle
    from ..engine.bundle import read_bundle

    bundle = read_bundle(path)
    report = examine_engine_bundle(bundle)
    if not report.ok:
        raise Unverified(path, report)
    documents: dict[str, Json] = {}
    files: dict[str, tuple[str, int]] = {}
    for name, member in bundle.members.items():
        if name in _DERIVED:
            continue
        if name.endswith(".json") and member.text is not None:
            documents[name] = member.value
        else:
            files[name] = (member.digest, 0)
    return Side("sealed run", path, documents, files)


def alike(left: Side, right: Side) -> tuple[Side, Side]:
    """Two sides of one kind as they are. A run and a pack meet in what both may have. Anything else is no pair."""
    kinds = {left.kind, right.kind}
    if len(kinds) == 1:
        return left, right
    if kinds == {"run", "pack"}:
        both = left.documents.keys() & right.documents.keys()
        return tuple(  # type: ignore[return-value]  # a pair
            Side(side.kind, side.place, {name: side.documents[name] for name in both}, side.files)
            for side in (left, right)
        )
    raise UsageError("USAGE", f"a {left.kind} and a {right.kind} have nothing to compare")
