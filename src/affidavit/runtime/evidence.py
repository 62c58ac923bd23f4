"""Reads of a run what its promotion is judged by (contracts 4.5): verified once, and read from what was verified.

A run that is not verified is read as it stands, to say more than that it is not. What cannot be read, or is not as its
contract says, counts as missing.
"""

from __future__ import annotations

import stat

from ..canon.reader import read
from ..contracts import run_status
from ..contracts.apply_preflight import verify_apply_preflight
from ..contracts.promotion_packet import MORE_POINTERS, POINTERS
from ..contracts.repair_log import NAME as REPAIR_LOG
from ..contracts.run_directory import most_bytes
from ..contracts.run_manifest import NAME as MANIFEST
from ..contracts.run_manifest import proof_faults, verify_run_manifest
from ..contracts.run_status import verify_run_status
from ..errors import ParseError, ReadFailed
from ..kernel.promote import Evidence
from ..store import fs
from ..store.locate import locate
from ..store.reader import load_bundle
from ..store.refused import BundleRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..kernel.promote import Gate
    from ..rules.model import Report
    from ..store.locate import Place
    from ..store.reader import VerifiedBundle
    from ..store.survey import Progress
    from ..values import Level

    Read = Callable[[str], Any]

PREFLIGHT = "apply_preflight.json"
#: By whose rules the documents and the directory are read.
LEVELS: dict[Gate, Level] = {"v0.2": "spec", "v0.2-compat": "compat"}


class Gathered:
    """The evidence, where the run is, and why it did not load when it did not."""

    __slots__ = ("evidence", "path", "refusal")

    def __init__(self, path: str, evidence: Evidence, refusal: BundleRefused | None) -> None:
        #: The run directory.
        self.path = path
        self.evidence = evidence
        self.refusal = refusal


def gather(path: str, gate: Gate = "v0.2", progress: Progress | None = None) -> Gathered:
    """What promotion asks of the run at `path`. Raises NoBundle, LatestInvalid or ReadFailed where there is no run."""
    level = LEVELS[gate]
    bundle: VerifiedBundle | None = None
    refusal: BundleRefused | None = None
    with locate(path) as place:
        try:
            bundle = load_bundle(place.path, level=level, progress=progress)
        except BundleRefused as error:
            refusal = error
        if bundle is not None:
            try:
                return Gathered(place.path, _evidence(place, bundle, bundle.document, level), None)
            except BundleRefused as error:  # it changed between verifying and reading
                refusal = error
        return Gathered(place.path, _evidence(place, None, _as_it_stands(place), level), refusal)


def _evidence(place: Place, bundle: VerifiedBundle | None, document: Read, level: Level) -> Evidence:
    manifest = _sound(document, MANIFEST, verify_run_manifest, level)
    status = _sound(document, run_status.NAME, verify_run_status, level)
    present = frozenset(
        name for name in (*POINTERS.values(), *MORE_POINTERS.values(), REPAIR_LOG) if _is_there(place, bundle, name)
    )
    return Evidence(
        manifest=manifest,
        status=status,
        preflight=_sound(document, PREFLIGHT, verify_apply_preflight, level),
        index=None if bundle is None else bundle.index,
        index_sha256=None if bundle is None else bundle.index_sha256,
        present=present,
        repaired=REPAIR_LOG in present,
        channel_proven=_is_proven(manifest, status),
    )


def _is_proven(manifest: dict[str, Any] | None, status: dict[str, Any] | None) -> bool:
    """Both documents name the channel, and worker and manager say the same of each other (contracts 4.9)."""
    if manifest is None or status is None or status["channel"] != manifest["channel"]:
        return False
    return not any(proof_faults(manifest["channel"], manifest["run_id"], manifest.get("channel_proof")))


def _sound(document: Read, name: str, verify: Callable[..., Report], level: Level) -> dict[str, Any] | None:
    try:
        value: dict[str, Any] = document(name)
    except (ReadFailed, ParseError):
        return None
    return value if verify(value, level=level).ok else None


def _is_there(place: Place, bundle: VerifiedBundle | None, name: str) -> bool:
    if bundle is not None:
        return name in bundle.entries
    try:
        mode = fs.mode_of(place.directory, name)
    except ReadFailed:
        return False
    return mode is not None and stat.S_ISREG(mode)


def _as_it_stands(place: Place) -> Read:
    return lambda name: read(fs.read_member(place.directory, name, most_bytes(name)), max_bytes=most_bytes(name))
